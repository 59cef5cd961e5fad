# Sourced by every job. `job LOG OUTPUT COMMAND …` runs a command with its output in a log, and if it fails says which job
# it was, shows the end of the log, and tells how to retry it alone.

job() {
    local log=$1 output=$2 status reason
    shift 2
    # Steps end when this shell or Snakemake, which started it, is gone (src/hypercut/steps/_program.py): otherwise they
    # would go on without a lock, and the next run would start them a second time.
    HYPERCUT_STARTED_BY="$$ $PPID" "$@" > "$log" 2>&1 && return 0
    status=$?
    {
        echo
        echo "FAILED with status $status: $output"
        echo "The end of $log:"
        tail -n 15 "$log" | sed 's/^/    /'
        # On a full disk the reason did not fit into the log.
        reason=$({ echo >> "$log"; } 2>&1) || echo "    The log cannot be written: ${reason##*: }"
        echo "To retry it alone: $RETRY -- '$output'"
        echo
    } >&2
    return "$status"
}
