#!/usr/bin/env bash
# An MLflow server for a team: PostgreSQL and `mlflow server` with passwords, everything in one folder (docs/TRACKING.md).
#   server.sh [FOLDER [PORT [OPTION OF mlflow server …]]]      e.g. server.sh mlflow-server 5000 --workers 4
set -euo pipefail
folder=$(realpath -m "${1:-mlflow-server}") port=${2:-5000}
shift $(($# < 2 ? $# : 2))
die() { echo "server.sh: $*" >&2; exit 2; }

initdb=$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1) ||
  die "PostgreSQL is not installed (no initdb). On Debian: apt-get install postgresql"
programs=$(dirname "$(realpath "$initdb")")
python -c "import mlflow, flask_wtf, psycopg2" 2>/dev/null || die "Install first: pip install 'hypercut[workflow,server]'"
python -c "import socket, sys; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('127.0.0.1', int(sys.argv[1])))" "$port" 2>/dev/null || die "Port $port is not free. Choose another one."
[[ -e $folder/secrets.json || -z $(ls -A "$folder" 2>/dev/null | grep -vx lock) ]] ||
  die "$folder: expected a new or empty folder, or one of an earlier server. Specify another one."
mkdir -p "$folder"
exec 9>>"$folder/lock"
flock --nonblock 9 || die "$folder: another server is running in this folder. Stop it, or specify another folder."

# PostgreSQL does not run as root. Programs that outlive this one must not inherit the lock.
as_owner() { if ((EUID)); then "$@" 9>&-; else runuser -u postgres -- "$@" 9>&-; fi; }
database=$folder/postgresql log=$folder/server.log
umask 077
if [[ ! -e $folder/secrets.json ]]; then
  python -c "import json, secrets; print(json.dumps({n: secrets.token_urlsafe(24) for n in ('database', 'admin', 'session')}))" \
    >"$folder/secrets.part"
  mv "$folder/secrets.part" "$folder/secrets.json"
fi
secret() { python -c "import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])" "$folder/secrets.json" "$1"; }
export PGPASSFILE=$folder/pgpass
echo "*:*:*:*:$(secret database)" >"$PGPASSFILE"
if [[ ! -e $database/data ]]; then
  rm -rf "$database" && mkdir "$database"
  secret database >"$database/password"
  ((EUID)) || { chown -R postgres "$database"; chmod o+x "$folder"; }
  as_owner "$programs/initdb" --pgdata="$database/part" --username=hypercut --pwfile="$database/password" \
    --auth=scram-sha-256 --encoding=UTF8 --no-locale --data-checksums >>"$log" 2>&1 ||
    die "PostgreSQL could not create its database; the user who runs it must be able to enter $folder. See $log"
  rm "$database/password"
  printf "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\n" >>"$database/part/postgresql.conf"
  mv "$database/part" "$database/data"
fi

control() { (cd / && as_owner "$programs/pg_ctl" --pgdata="$database/data" --wait "$@" </dev/null >>"$log" 2>&1); }
mlflow_pid=
stop() {
  trap - EXIT
  if [[ -n $mlflow_pid ]]; then kill -- "-$mlflow_pid" 2>/dev/null && wait "$mlflow_pid" || true; fi
  control stop --mode=fast || true
}
control stop --mode=fast || true # of a server that was killed
database_port=$(python -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
trap stop EXIT
trap 'exit 0' INT TERM HUP
control start --options="-p $database_port" || die "PostgreSQL did not start. See $log"
for name in mlflow authentication; do
  found=$("$programs/createdb" -h 127.0.0.1 -p "$database_port" -U hypercut "$name" 2>&1) || [[ $found == *"already exists"* ]] || die "$found"
done

# Everybody with a password may change everything: any member of a team may sync results, and a sync replaces runs.
uri=postgresql://hypercut@127.0.0.1:$database_port
printf '[mlflow]\ndefault_permission = MANAGE\ndatabase_uri = %s\nadmin_username = admin\nauth_cache_ttl_seconds = 60\n' \
  "$uri/authentication" >"$folder/authentication.ini"
# Secrets are passed in files and variables because everybody can see command lines.
unset MLFLOW_TRACKING_URI
export MLFLOW_BACKEND_STORE_URI=$uri/mlflow MLFLOW_AUTH_CONFIG_PATH=$folder/authentication.ini
export MLFLOW_AUTH_ADMIN_PASSWORD=$(secret admin) MLFLOW_FLASK_SERVER_SECRET_KEY=$(secret session)
export MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false PYTHONWARNINGS=ignore
python -m mlflow db upgrade "$MLFLOW_BACKEND_STORE_URI" >>"$log" 2>&1 || die "MLflow could not prepare its database. See $log"
setsid python -m mlflow server --app-name basic-auth --workers 2 --host 127.0.0.1 --port "$port" \
  --allowed-hosts "127.0.0.1:$port,localhost:$port" --artifacts-destination "$folder/artifacts" \
  --uvicorn-opts "--log-level warning" "$@" >>"$log" 2>&1 9>&- &
mlflow_pid=$!
