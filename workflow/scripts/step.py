"""Run a step in a process forked by the server of this run (src/hypercut/steps/_server.py), or else as a program.

``python -I -S step.py SOCKET python -m hypercut.steps.STEP …`` exits as the step does. It imports little: its start is
most of the cost of a short job.
"""

import json
import os
import signal
import socket
import sys


def serve(server: str, command: list[str]) -> int | None:
    """Return the exit status of the step, or minus the signal that killed it; None if there is no server."""
    environment = dict(os.environ)
    environment["HYPERCUT_STARTED_BY"] += f" {os.getpid()}"  # the step ends with this process
    request = json.dumps({"command": command, "environment": environment}).encode()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.connect(server)
            socket.send_fds(connection, [request], [1, 2])
            answer = connection.recv(16)
    except OSError:
        return None
    return int(answer) if answer else None  # a server that dies ends its steps


def main(server: str, command: list[str]) -> None:
    """Run the command."""
    status = serve(server, command)
    if status is None:
        os.execvp(command[0], command)
    if status < 0:
        signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
        os.kill(os.getpid(), -status)
    sys.exit(status)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
