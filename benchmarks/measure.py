"""Time and memory of one clustering, measured in a process of its own."""

import importlib
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]


def measure(module: str, *arguments: object, limit: float | None = None) -> dict[str, Any]:
    """Return seconds, processor seconds, gigabytes with the data, and what the module says about the result.

    Its function ``prepared(*arguments)`` is called with text. It returns a function that clusters, and one that
    describes what the first returned.
    """
    command = [sys.executable, "-m", "benchmarks.measure", module, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=limit)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["killed"])[-1])
    return json.loads(done.stdout.splitlines()[-1])


def exponent(sizes: list[int], values: list[float]) -> str:
    """Return the exponent of a least-squares fit of values ∝ N^p."""
    return f"N^{np.polyfit(np.log(sizes), np.log(values), 1)[0]:.2f}" if len(sizes) > 1 else ""


def main(module: str, *arguments: str) -> None:
    """Measure in this process."""
    cluster, describe = importlib.import_module(f"benchmarks.{module}").prepared(*arguments)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of preparing the data
    started, used = time.perf_counter(), time.process_time()
    found = cluster()
    seconds, processor = time.perf_counter() - started, time.process_time() - used
    # Not ru_maxrss, which would include memory of the parent at the fork.
    status = Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) / 1e6 for line in status.splitlines() if line.startswith("VmHWM"))
    print(json.dumps({"seconds": seconds, "processor_seconds": processor, "gigabytes": peak, **describe(found)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
