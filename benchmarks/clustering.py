"""Time and memory of every algorithm and of scikit-learn's SpectralClustering with the same RBF kernel.

Each measurement runs from features to labels in its own process, one after the other. On a shared machine only ratios
within one run are comparable. Of the data (.npz with X, .csv, …), N rows are drawn at random.

    python -m benchmarks.clustering --data usps.npz --out docs/speed.md --readme README.md
"""

import argparse
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.measure import exponent, measure

from hypercut.algorithms._registry import algorithms, load_class
from hypercut.core.samples import Samples
from hypercut.data.tables import read_table

SIZES = (1000, 2000, 4000, 9298)
N_CLUSTERS = 10
MAIN, PEER = "PKO+HSC", "SpectralClustering"
#: The part of the README that is written here.
README_PART = re.compile(r"(<!-- written by make bench -->\n).*?(<!-- end -->\n)", re.DOTALL)

#: The part of speed.md that is written by benchmarks/scale.py.
SCALE_SECTION = re.compile(r"\n## Up to a million samples\n.*", re.DOTALL)


def prepared(name: str, data: str, factor: str, rho: str) -> tuple[Callable[[], Any], Callable[[Any], dict[str, Any]]]:
    """Return the clustering to measure, and nothing to say about its result."""
    from sklearn.cluster import SpectralClustering

    X, sigma = np.load(data), float(factor)
    if name == PEER:
        estimator = SpectralClustering(N_CLUSTERS, gamma=0.5 / (sigma * float(rho)) ** 2, random_state=0)
    else:
        method = load_class(algorithms()[name].module, name)
        scale = {"sigma_factor": sigma} if "sigma_factor" in method().get_params() else {}
        estimator = method(N_CLUSTERS, **scale, random_state=0)
    return lambda: estimator.fit_predict(X), lambda _: {}


def measurements(X: np.ndarray, sizes: list[int], factor: float, repeats: int) -> dict[str, list[dict[str, float]]]:
    """Return the fastest runs of each method at each size; methods alternate, so that a busy time hits all."""
    order = np.random.default_rng(0).permutation(len(X))
    found: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            data = Path(folder) / f"{n}.npy"
            np.save(data, X[order[:n]])
            rho = Samples.from_features(X[order[:n]]).mean_distance
            for method in [PEER, MAIN, *(name for name in algorithms() if name != MAIN)]:
                runs = [measure("clustering", method, data, factor, rho) for _ in range(repeats)]
                found.setdefault(method, []).append(min(runs, key=lambda run: run["seconds"]))
                print(f"N = {n}, {method}: {found[method][-1]['seconds']:.2f} s", flush=True)
    return found


def growth(sizes: list[int], runs: list[dict[str, float]]) -> str:
    """Return how the seconds grow with N."""
    return exponent(sizes, [run["seconds"] for run in runs])


def main_table(sizes: list[int], found: dict[str, list[dict[str, float]]]) -> str:
    """Return the comparison of PKO+HSC with its peer."""
    lines = [f"| N | {MAIN} | `{PEER}` (RBF) | its time / that of {MAIN} |", "|---|---|---|---|"]
    for n, ours, theirs in zip(sizes, found[MAIN], found[PEER], strict=True):
        times = [f"{run['seconds']:.2f} s, {run['gigabytes']:.2f} GB" for run in (ours, theirs)]
        lines.append(f"| {n} | {times[0]} | {times[1]} | {theirs['seconds'] / ours['seconds']:.1f}× |")
    return "\n".join([*lines, f"| growth | ∝ {growth(sizes, found[MAIN])} | ∝ {growth(sizes, found[PEER])} | |"])


def all_table(sizes: list[int], found: dict[str, list[dict[str, float]]]) -> str:
    """Return the time of each algorithm, the time of the peer divided by it, and how it grows."""
    lines = [f"| | {' | '.join(f'N = {n}' for n in sizes)} | growth |", "|---" * (len(sizes) + 2) + "|"]
    for method, runs in found.items():
        ratios = [theirs["seconds"] / run["seconds"] for run, theirs in zip(runs, found[PEER], strict=True)]
        texts = [f"{run['seconds']:.2f} s ({ratio:.1f}×)" for run, ratio in zip(runs, ratios, strict=True)]
        lines.append(f"| {method} | {' | '.join(texts)} | {growth(sizes, runs)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print the tables, and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="samples")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--sigma", type=float, default=2.0, help="σ as a multiple of the mean distance (default 2)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each; the fastest counts (default 3)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    parser.add_argument("--readme", type=Path, help="file whose marked part to replace by the main table")
    args = parser.parse_args()
    X = read_table(args.data).X
    sizes = [n for n in args.sizes if n <= len(X)]
    found = measurements(X, sizes, args.sigma, args.repeats)
    what = (
        f"`{args.data.stem}`, {X.shape[1]} features, from features to labels, K = {N_CLUSTERS}, σ = {args.sigma:g}ρ; "
        f"the fastest of {args.repeats} consecutive runs, on {len(os.sched_getaffinity(0))} cores.\n"
    )
    table = main_table(sizes, found)
    text = (
        "# Speed\n\nWritten by `make bench`. Times are of one machine, which may have been busy with other work; the "
        f"ratios are of one run.\n\n{what}\n{table}\n\n## All algorithms\n\nSeconds; in parentheses, the time of "
        f"`{PEER}` divided by it. PKO+HSC, PO+HSC and PKO+NC include their over-clusterings.\n\n"
        f"{all_table(sizes, found)}\n"
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
