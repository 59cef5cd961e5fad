"""Time and memory of every algorithm and of scikit-learn's SpectralClustering with the same RBF kernel.

Each measurement runs from features to labels in its own process, one after the other. On a shared machine only ratios
within one run are comparable. The default data are generated, similar to digits; `--data` reads a file (.npz with X,
.csv, …) and draws N of its rows at random. The last table is the fixed cost of a clustering job of the workflow.

    python benchmarks/clustering.py --data usps.npz --out docs/SPEED.md --readme README.md
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hypercut.algorithms._registry import algorithms
from hypercut.benchmark.problems import make_problem, save_problem
from hypercut.benchmark.provenance import Origin
from hypercut.core.samples import Samples
from hypercut.data.features.file import Features
from hypercut.data.tables import read_table

SIZES = (1000, 2000, 4000, 9298)
N_CLUSTERS = 10
MAIN, PEER = "PKO+HSC", "SpectralClustering"
ROOT = Path(__file__).parents[1]
#: The part of the README that is written here.
README_PART = re.compile(r"(<!-- written by make bench -->\n).*?(<!-- end -->\n)", re.DOTALL)

#: The part of SPEED.md that is written by benchmarks/scale.py.
SCALE_SECTION = re.compile(r"\n## Up to a million samples\n.*", re.DOTALL)

# Runs in the measured process. ru_maxrss would include memory of the parent at the fork; VmHWM does not.
WORKER = """
import json, sys, time
import numpy as np
from hypercut.algorithms._registry import algorithms, load_class
name, data, clusters, factor = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
X = np.load(data)
if name == "SpectralClustering":
    from sklearn.cluster import SpectralClustering
    rho = float(np.load(data.replace(".npy", ".rho.npy")))
    estimator = SpectralClustering(clusters, gamma=0.5 / (factor * rho) ** 2, random_state=0)
else:
    method = load_class(algorithms()[name].module, name)
    scale = {"sigma_factor": factor} if "sigma_factor" in method().get_params() else {}
    estimator = method(clusters, **scale, random_state=0)
started = time.perf_counter()
labels = estimator.fit_predict(X)
seconds = time.perf_counter() - started
peak = next(int(line.split()[1]) / 1e6 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({"seconds": seconds, "gigabytes": peak}))
"""


def generated(n: int) -> np.ndarray:
    """Return samples on ten curved sheets in 256 dimensions, with neighbourhoods and degrees like the USPS digits."""
    rng = np.random.default_rng(0)
    latent = rng.standard_normal((n, 8))
    classes = rng.integers(N_CLUSTERS, size=n)
    maps = rng.standard_normal((N_CLUSTERS, 8, 256)) / 8**0.5
    centers = rng.standard_normal((N_CLUSTERS, 256))
    return np.tanh(np.einsum("ni,nij->nj", latent, maps[classes]) + centers[classes])


def measure(method: str, data: Path, factor: float, repeats: int) -> dict[str, float]:
    """Return seconds and memory of the fastest of some clusterings, each in its own process."""
    command = [sys.executable, "-c", WORKER, method, str(data), str(N_CLUSTERS), str(factor)]
    done = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(repeats)]
    return min((json.loads(run.stdout) for run in done), key=lambda result: result["seconds"])


def growth(sizes: list[int], seconds: list[float]) -> str:
    """Return the exponent p of a least-squares fit of seconds ∝ N^p."""
    return f"{np.polyfit(np.log(sizes), np.log(seconds), 1)[0]:.2f}" if len(sizes) > 1 else ""


def measurements(X: np.ndarray, sizes: list[int], factor: float, repeats: int) -> dict[str, list[dict[str, float]]]:
    """Return the measurements of each method at each size; methods alternate, so that a busy time hits all."""
    order = np.random.default_rng(0).permutation(len(X))
    found: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            data = Path(folder) / f"{n}.npy"
            np.save(data, X[order[:n]])
            np.save(data.with_suffix(".rho.npy"), Samples.from_features(X[order[:n]]).mean_distance)
            for method in [PEER, MAIN, *(name for name in algorithms() if name != MAIN)]:
                found.setdefault(method, []).append(measure(method, data, factor, repeats))
                print(f"N = {n}, {method}: {found[method][-1]['seconds']:.2f} s", flush=True)
    return found


def main_table(sizes: list[int], found: dict[str, list[dict[str, float]]]) -> str:
    """Return the comparison of PKO+HSC with its peer."""
    lines = [f"| N | {MAIN} | `{PEER}` (RBF) | its time / that of {MAIN} |", "|---|---|---|---|"]
    for n, ours, theirs in zip(sizes, found[MAIN], found[PEER], strict=True):
        times = [f"{run['seconds']:.2f} s, {run['gigabytes']:.2f} GB" for run in (ours, theirs)]
        lines.append(f"| {n} | {times[0]} | {times[1]} | {theirs['seconds'] / ours['seconds']:.1f}× |")
    exponents = [growth(sizes, [run["seconds"] for run in found[method]]) for method in (MAIN, PEER)]
    return "\n".join([*lines, f"| growth | ∝ N^{exponents[0]} | ∝ N^{exponents[1]} | |"])


def all_table(sizes: list[int], found: dict[str, list[dict[str, float]]]) -> str:
    """Return the time of each algorithm, the time of the peer divided by it, and how it grows."""
    lines = [f"| | {' | '.join(f'N = {n}' for n in sizes)} | growth |", "|---" * (len(sizes) + 2) + "|"]
    for method, runs in found.items():
        ratios = [theirs["seconds"] / run["seconds"] for run, theirs in zip(runs, found[PEER], strict=True)]
        texts = [f"{run['seconds']:.2f} s ({ratio:.1f}×)" for run, ratio in zip(runs, ratios, strict=True)]
        lines.append(f"| {method} | {' | '.join(texts)} | N^{growth(sizes, [run['seconds'] for run in runs])} |")
    return "\n".join(lines)


def job_seconds(repeats: int) -> dict[str, float]:
    """Return the seconds of a clustering job on 30 samples: as a program, and forked by the workflow's server."""
    rng = np.random.default_rng(0)
    features = Features(rng.normal(size=(30, 4)), np.repeat([0, 1], 15), {"kind": "own", "complete": True})
    # The environment of a job with one thread.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HYPERCUT_STARTED_BY": str(os.getpid())}
    with tempfile.TemporaryDirectory() as name:
        folder, problem = Path(name), Path(name) / "problem.npz"
        save_problem(
            problem, make_problem("small", features, setting="clean", level=0.0, draws=1), Origin(code={}, data="")
        )
        step = ["python", "-m", "hypercut.steps.cluster", str(problem), "--module", "hypercut.algorithms.csc"]
        step += ["--name", "CSC", "--uses", "--factors", "1", "--repeats", "1", "--time-limit", "60"]
        step += ["--out", str(folder / "rows.parquet")]
        client = [sys.executable, "-I", "-S", str(ROOT / "workflow" / "scripts" / "step.py"), str(folder / "socket")]
        run = [sys.executable, "-m", "hypercut.steps._server", str(folder), str(os.getpid())]
        server = subprocess.Popen(run, env=environment)
        while not (folder / "socket").exists():
            time.sleep(0.1)
        try:
            seconds = {"program": math.inf, "forked": math.inf}
            for _ in range(repeats):
                for kind, command in (("program", [sys.executable, *step[1:]]), ("forked", [*client, *step])):
                    begun = time.perf_counter()
                    subprocess.run(command, env=environment, capture_output=True, check=True)
                    seconds[kind] = min(seconds[kind], time.perf_counter() - begun)
        finally:
            server.kill()
            server.wait()
    return seconds


def main() -> None:
    """Measure, print the tables, and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="samples to use instead of generated ones")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--sigma", type=float, default=2.0, help="σ as a multiple of the mean distance (default 2)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each; the fastest counts (default 3)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    parser.add_argument("--readme", type=Path, help="file whose marked part to replace by the main table")
    args = parser.parse_args()
    X = read_table(args.data).X if args.data else generated(max(args.sizes))
    sizes = [n for n in args.sizes if n <= len(X)]
    found = measurements(X, sizes, args.sigma, args.repeats)
    job = job_seconds(args.repeats)
    what = (
        f"{'`' + args.data.stem + '`' if args.data else 'Generated samples'}, {X.shape[1]} features, from features to "
        f"labels, K = {N_CLUSTERS}, σ = {args.sigma:g}ρ; the fastest of {args.repeats} consecutive runs, on "
        f"{len(os.sched_getaffinity(0))} cores.\n"
    )
    table = main_table(sizes, found)
    text = (
        "# Speed\n\nWritten by `make bench`. Times are of one machine, which may have been busy with other work; the "
        f"ratios are of one run.\n\n{what}\n{table}\n\n## All algorithms\n\nSeconds; in parentheses, the time of "
        f"`{PEER}` divided by it. PKO+HSC, PO+HSC and PKO+NC include their over-clusterings.\n\n"
        f"{all_table(sizes, found)}\n\n## The fixed cost of a clustering job\n\n"
        "One clustering of 30 samples, with everything around it: "
        f"{job['program']:.2f} s as a program, {job['forked']:.2f} s forked by the server of a run on one machine.\n"
    )
    print(text)
    if args.out:
        # The section on scale has its own benchmark.
        kept = SCALE_SECTION.search(args.out.read_text(encoding="utf-8")) if args.out.exists() else None
        args.out.write_text(text + (kept[0] if kept else ""), encoding="utf-8")
    if args.readme:
        readme = args.readme.read_text(encoding="utf-8")
        args.readme.write_text(README_PART.sub(lambda m: m[1] + f"{what}\n{table}\n" + m[2], readme), encoding="utf-8")


if __name__ == "__main__":
    main()
