"""Remove the lock that a killed Snakemake has left in this folder; fail if another Snakemake is running here.

Every Snakemake holds a shared lock on the folder until it ends (workflow/rules/runs.smk), on any machine.
"""

import fcntl
import os
import subprocess
import sys

try:
    fcntl.flock(os.open(".", os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    sys.exit("Another Snakemake is running in this folder, or jobs of a killed one: wait for it or stop it.")
except OSError as error:  # a file system without locks
    sys.exit(f"This folder cannot be locked ({error}). If no other Snakemake is running here: snakemake --unlock")
done = subprocess.run(["snakemake", "--unlock"], stderr=subprocess.PIPE, text=True, check=False)
sys.exit(done.stderr if done.returncode else 0)
