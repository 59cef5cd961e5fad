"""Run a step in a process forked by the server of this run (src/hypercut/steps/_server.py), or else as a program.

``python -I -S step.py SOCKET python -m hypercut.steps.STEP …`` exits with the status of the step. It imports little,
since starting it is most of the cost of a short job.
"""

import json
import os
import socket
import sys

server, *command = sys.argv[1:]
# The step ends with this process.
environment = {**os.environ, "HYPERCUT_STARTED_BY": f"{os.environ['HYPERCUT_STARTED_BY']} {os.getpid()}"}
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
    try:
        connection.connect(server)
        socket.send_fds(connection, [json.dumps([command, environment]).encode()], [1, 2])
        begun = connection.recv(16)
    except OSError:  # there is no server, or it has ended
        begun = b""
    if begun:
        sys.exit(int(connection.recv(16) or 1))  # a step that was killed sends no status
os.execvp(command[0], command)
