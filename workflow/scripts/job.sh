# Sourced by every job. `job LOG COMMAND …` runs a command with its output in a log. If the command fails, a last line says
# so, and the console prints the end of the log (workflow/console.py).

SCRIPTS=$(dirname "${BASH_SOURCE[0]}")

job() {
    local log=$1 status
    shift
    # The server of a run on this machine starts a step without its imports (workflow/rules/runs.smk), in one thread.
    if [ -n "${HYPERCUT_SERVER:-}" ] && [ "${OMP_NUM_THREADS:-}" = 1 ]; then
        set -- python -I -S "$SCRIPTS/step.py" "$HYPERCUT_SERVER" "$@"
    fi
    # Steps exit when this shell or its parent, Snakemake, is gone (src/hypercut/steps/_program.py): otherwise they would
    # continue without a lock, and the next run would start them a second time.
    HYPERCUT_STARTED_BY="$$ $PPID" "$@" > "$log" 2>&1 || {
        status=$?
        echo "FAILED with status $status" >> "$log"
        return "$status"
    }
}
