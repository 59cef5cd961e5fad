#!/usr/bin/env bash
# Run an MLflow server for a team on its own PostgreSQL, with passwords; everything is in one folder (docs/TRACKING.md).
#   server.sh [FOLDER [PORT [OPTIONS of mlflow server]]]        PGBIN: folder of PostgreSQL's programs, if not found
set -euo pipefail
folder=$(realpath -m "${1:-mlflow-server}") port=${2:-5000}
shift $(($# < 2 ? $# : 2))
die() { echo "server.sh: $*" >&2; exit 2; }

initdb=$(command -v initdb || printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)
programs=${PGBIN:-$(dirname "$(realpath -m "$initdb")")}
[[ -x $programs/initdb ]] || die "PostgreSQL is not installed (no initdb). On Debian: apt-get install postgresql"
python -c "import mlflow, flask_wtf, psycopg2" 2>/dev/null || die "Run first: pip install 'hypercut[workflow,server]'"
! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || die "Port $port is not free. Choose another one."
[[ -e $folder/secrets.json || -z $(ls -A "$folder" 2>/dev/null | grep -vxE 'lock|secrets.part') ]] ||
  die "$folder: expected a new or empty folder, or one of an earlier server. Specify another one."
mkdir -p "$folder"
exec 9>>"$folder/lock"
flock --nonblock 9 || die "$folder: another server is running in this folder. Stop it, or specify another folder."

umask 077
database=$folder/postgresql log=$folder/server.log
secret() { python -c "import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])" "$folder/secrets.json" "$1"; }
[[ -e $folder/secrets.json ]] || python -c "import json, secrets
print(json.dumps({name: secrets.token_urlsafe(24) for name in ('database', 'admin', 'session')}))" >"$folder/secrets.part"
[[ -e $folder/secrets.json ]] || mv "$folder/secrets.part" "$folder/secrets.json"
export PGPASSFILE=$folder/pgpass
echo "*:*:*:*:$(secret database)" >"$PGPASSFILE"

# PostgreSQL does not run as root; Debian's package has a user for it. It must not inherit the lock.
as_postgres() { (cd / && if ((EUID)); then "$@"; else runuser -u postgres -- "$@"; fi) </dev/null >>"$log" 2>&1 9>&-; }
control() { as_postgres "$programs/pg_ctl" --pgdata="$database/data" --wait "$@"; }
if [[ ! -e $database/data ]]; then
  rm -rf "$database" && mkdir "$database" && secret database >"$database/password"
  ((EUID)) || chown -R postgres "$database"
  as_postgres "$programs/initdb" --pgdata="$database/part" --username=hypercut --pwfile="$database/password" \
    --auth=scram-sha-256 --encoding=UTF8 --no-locale --data-checksums ||
    die "PostgreSQL could not create its database; its user must be able to enter $folder. See $log"
  rm "$database/password"
  printf "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\n" >>"$database/part/postgresql.conf"
  mv "$database/part" "$database/data"
fi
control stop --mode=fast || true # left by a server that was killed
trap '[[ -z ${mlflow:-} ]] || kill -- -"$mlflow" 2>/dev/null && wait; control stop --mode=fast || true' EXIT
trap 'exit 0' INT TERM HUP
pg_port=$(python -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
control start --options="-p $pg_port" || die "PostgreSQL did not start. See $log"
for name in mlflow authentication; do
  error=$("$programs/createdb" -h 127.0.0.1 -p "$pg_port" -U hypercut "$name" 2>&1) ||
    [[ $error == *"already exists"* ]] || die "Could not create the database $name: $error"
done

# Any member of a team may sync its results, which replaces runs; so every user may change everything.
uri=postgresql://hypercut@127.0.0.1:$pg_port
printf '%s\n' '[mlflow]' 'default_permission = MANAGE' "database_uri = $uri/authentication" 'admin_username = admin' \
  'auth_cache_ttl_seconds = 60' >"$folder/authentication.ini"
# Secrets are passed in files and variables, because every user of a machine can see command lines.
unset MLFLOW_TRACKING_URI
export MLFLOW_BACKEND_STORE_URI=$uri/mlflow MLFLOW_AUTH_CONFIG_PATH=$folder/authentication.ini
MLFLOW_AUTH_ADMIN_PASSWORD=$(secret admin) MLFLOW_FLASK_SERVER_SECRET_KEY=$(secret session)
export MLFLOW_AUTH_ADMIN_PASSWORD MLFLOW_FLASK_SERVER_SECRET_KEY DO_NOT_TRACK=true \
  MLFLOW_DISABLE_TELEMETRY=true MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false PYTHONWARNINGS=ignore
python -m mlflow db upgrade "$uri/mlflow" >>"$log" 2>&1 || die "MLflow could not prepare its database. See $log"
setsid python -m mlflow server --app-name basic-auth --workers 2 --host 127.0.0.1 --port "$port" \
  --allowed-hosts "127.0.0.1:$port,localhost:$port" --artifacts-destination "$folder/artifacts" \
  --uvicorn-opts "--log-level warning" "$@" >>"$log" 2>&1 9>&- &
mlflow=$!
until (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
  kill -0 "$mlflow" 2>/dev/null || die "MLflow did not start. See $log"
  sleep 0.2
done
cat <<END
MLflow: http://127.0.0.1:$port  (Ctrl-C stops it). To sync results to it, in another terminal:

  export MLFLOW_TRACKING_URI=http://127.0.0.1:$port MLFLOW_TRACKING_USERNAME=admin
  export MLFLOW_TRACKING_PASSWORD=\$(python -c "import json; print(json.load(open('$folder/secrets.json'))['admin'])")
  snakemake --cores 1 --forcerun track

More users: http://127.0.0.1:$port/signup, as admin. Log: $log
END
wait "$mlflow"
