"""Run a step in a process forked by the server of this run (src/hypercut/steps/_server.py), or else as a program.

``python -I -S step.py SOCKET python -m hypercut.steps.STEP …`` exits as the step does. If there is no server, or it
refuses or dies, it runs the command. It imports little: its start is most of the cost of a short job.
"""

import os
import select
import signal
import socket
import sys

# For a server that does not answer.
SECONDS = 10.0
STARTED_BY = b"HYPERCUT_STARTED_BY"


def serve(server: str, command: list[str]) -> int | None:
    """Return the exit status of the step, or minus the signal that killed it; None if the server did not run it."""
    environment = dict(os.environb)
    environment[STARTED_BY] += b" %d" % os.getpid()  # the step ends with this process
    words = [b"%d" % len(command), os.getcwdb(), *map(os.fsencode, command)]
    request = b"\0".join([*words, *(name + b"=" + value for name, value in environment.items())])
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(SECONDS)
        connection.connect(server)
        socket.send_fds(connection, [b"%08x" % len(request)], [1, 2])
        connection.sendall(request)
        answers = connection.makefile("rb")
        word, _, process = answers.readline().partition(b" ")
        if word != b"process":
            return None
        end = os.pidfd_open(int(process))
        connection.sendall(b"\n")
        connection.settimeout(None)
        word, _, status = answers.readline().partition(b" ")
        if word == b"status":
            return int(status)
        select.select([end], [], [])  # the server has died, and the step ends with it
        return None


def main(server: str, command: list[str]) -> None:
    """Run the command."""
    try:
        status = serve(server, command)
    except (OSError, ValueError):
        status = None
    if status is None:
        os.execvp(command[0], command)
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
