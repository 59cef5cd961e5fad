# Sourced by every job. `job LOG OUTPUT COMMAND …` runs a command with its output in a log. If it fails, it prints which
# job failed, the end of the log, and the command that retries this job alone: into the file HYPERCUT_FAILURES if there is
# one, since the bars of a terminal would overwrite it (workflow/console.py).

SCRIPTS=$(dirname "${BASH_SOURCE[0]}")

job() {
    local log=$1 output=$2 status reason message
    shift 2
    # The server of a run on this machine starts a step without its imports (workflow/rules/runs.smk).
    if [ -n "${HYPERCUT_SERVER:-}" ]; then
        set -- python -I -S "$SCRIPTS/step.py" "$HYPERCUT_SERVER" "$@"
    fi
    # Steps exit when this shell or its parent, Snakemake, is gone (src/hypercut/steps/_program.py): otherwise they would
    # continue without a lock, and the next run would start them a second time.
    HYPERCUT_STARTED_BY="$$ $PPID" "$@" > "$log" 2>&1 && return 0
    status=$?
    message=$(
        echo "FAILED with status $status: $output"
        echo "The end of $log:"
        tail -n 15 "$log" | sed 's/^/    /'
        # On a full disk the reason is not in the log.
        reason=$({ echo >> "$log"; } 2>&1) || echo "    The log cannot be written: ${reason##*: }"
        echo "To retry it alone: $RETRY -- '$output'"
    )
    { [ -f "${HYPERCUT_FAILURES:-}" ] && echo "$message" >> "$HYPERCUT_FAILURES"; } 2> /dev/null ||
        printf '\n%s\n\n' "$message" >&2
    return "$status"
}
