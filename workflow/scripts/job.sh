# Sourced by every job. `job LOG OUTPUT COMMAND …` runs a command with its output in a log. If it fails, it prints which
# job failed, the end of the log, and the command that retries this job alone.

SCRIPTS=$(dirname "${BASH_SOURCE[0]}")

job() {
    local log=$1 output=$2 status reason
    shift 2
    # The server of a run on this machine starts a step without its imports (workflow/rules/runs.smk).
    if [ -n "${HYPERCUT_SERVER:-}" ]; then
        set -- python -I -S "$SCRIPTS/step.py" "$HYPERCUT_SERVER" "$@"
    fi
    # Steps exit when this shell or its parent, Snakemake, is gone (src/hypercut/steps/_program.py): otherwise they would
    # continue without a lock, and the next run would start them a second time.
    HYPERCUT_STARTED_BY="$$ $PPID" "$@" > "$log" 2>&1 && return 0
    status=$?
    {
        echo
        echo "FAILED with status $status: $output"
        echo "The end of $log:"
        tail -n 15 "$log" | sed 's/^/    /'
        # On a full disk the reason is not in the log.
        reason=$({ echo >> "$log"; } 2>&1) || echo "    The log cannot be written: ${reason##*: }"
        echo "To retry it alone: $RETRY -- '$output'"
        echo
    } >&2
    return "$status"
}
