"""Time, memory and NMI of AK+NC, k-means, Genie and HDBSCAN up to a million samples with known classes.

Each measurement runs in its own process, one after the other, with a time limit. Results are kept in a CSV file: sizes
that are not measured again stay. The table is written into a section of docs/speed.md.

    python -m benchmarks.scale                                                  # 10,000 and 100,000, for `make bench`
    python -m benchmarks.scale --sizes 10000 100000 1000000 --limit 3600        # everything: up to three hours

Genie is skipped unless genieclust is installed. K is given to all but HDBSCAN, which has no such parameter.
"""

import argparse
import csv
import os
import re
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.measure import ROOT, exponent, measure
from sklearn.cluster import HDBSCAN, KMeans

from hypercut import HypergraphClustering
from hypercut.metrics import nmi

SIZES = (10_000, 100_000)
LIMIT = 120
N_CLUSTERS, FEATURES, DIRECTIONS = 30, 64, 8
TITLE = "## Up to a million samples"
SECTION = re.compile(rf"\n{TITLE}\n.*?(?=\n## |\Z)", re.DOTALL)
COLUMNS = ("method", "n", "seconds", "processor_seconds", "gigabytes", "nmi", "note")


def made(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return a mixture of Gaussians of unequal size, stretched along 8 directions each, which partly overlap."""
    rng = np.random.default_rng(seed)
    classes = rng.choice(N_CLUSTERS, size=n, p=rng.dirichlet(np.full(N_CLUSTERS, 3.0)))
    centers = 0.5 * rng.standard_normal((N_CLUSTERS, FEATURES), dtype=np.float32)
    X = 0.35 * rng.standard_normal((n, FEATURES), dtype=np.float32)
    for cluster, center in enumerate(centers):
        rows = np.flatnonzero(classes == cluster)
        lengths = rng.uniform(0.3, 1.2, size=(DIRECTIONS, 1))
        axes = (lengths * rng.standard_normal((DIRECTIONS, FEATURES))).astype(np.float32)
        X[rows] += center + rng.standard_normal((len(rows), DIRECTIONS), dtype=np.float32) @ axes
    return X, classes


def ak_nc(X: np.ndarray) -> tuple[np.ndarray, str]:
    """Return the labels of AK+NC, and how it found neighbours."""
    model = HypergraphClustering(N_CLUSTERS, random_state=0).fit(X)
    recall = f", recall {model.solver_['recall']:.3f}" if "recall" in model.solver_ else ""
    return model.labels_, f"neighbours {model.solver_['neighbors']}{recall}"


def genie(X: np.ndarray) -> tuple[np.ndarray, str]:
    """Return the labels of Genie."""
    from genieclust import Genie  # a peer, not a dependency

    return Genie(N_CLUSTERS).fit_predict(X), ""


def hdbscan(X: np.ndarray) -> tuple[np.ndarray, str]:
    """Return the labels of HDBSCAN, and how many clusters it found."""
    labels = HDBSCAN(min_cluster_size=max(5, len(X) // 1000), copy=True, n_jobs=-1).fit_predict(X)
    return labels, f"{labels.max() + 1} clusters, {np.mean(labels < 0):.0%} noise"


METHODS: dict[str, Callable[[np.ndarray], tuple[np.ndarray, str]]] = {
    "AK+NC": ak_nc,
    "k-means": lambda X: (KMeans(N_CLUSTERS, random_state=0).fit_predict(X), ""),
    "Genie": genie,
    "HDBSCAN": hdbscan,
}


def prepared(method: str, n: str) -> tuple[Callable[[], Any], Callable[[Any], dict[str, Any]]]:
    """Return the clustering to measure, and its NMI with a note."""
    X, classes = made(int(n))
    return lambda: METHODS[method](X), lambda found: {"nmi": nmi(classes, found[0]), "note": found[1]}


def measured(methods: list[str], sizes: list[int], limit: float) -> list[dict[str, Any]]:
    """Return the rows of all methods; a method that was stopped is not run on more samples."""
    rows: list[dict[str, Any]] = []
    for method in methods:
        for n in sorted(sizes):
            try:
                found = measure("scale", method, n, limit=limit)
            except subprocess.TimeoutExpired:
                found = {"note": f"stopped after {limit:g} s"}
            except RuntimeError as error:
                found = {"note": f"failed: {error}"}
            rows.append({"method": method, "n": n, **found})
            print(rows[-1], flush=True)
            if "seconds" not in found:
                break
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a table: one line per method, with the exponents of time and memory."""
    sizes = sorted({int(row["n"]) for row in rows})
    lines = [f"| | {' | '.join(f'N = {n:,}' for n in sizes)} | time | memory | notes |"]
    lines.append("|---" * (len(sizes) + 4) + "|")
    for method in METHODS:
        own = {int(row["n"]): row for row in rows if row["method"] == method}
        done = [n for n in sizes if own.get(n, {}).get("seconds")]
        cells = [cell(own[n]) if n in own else "–" for n in sizes]
        exponents = [exponent(done, [float(own[n][name]) for n in done]) for name in ("processor_seconds", "gigabytes")]
        note = own[done[-1]]["note"] if done else ""
        if own:
            lines.append(f"| {method} | {' | '.join(cells)} | {' | '.join(exponents)} | {note} |")
    return "\n".join(lines)


def cell(row: dict[str, Any]) -> str:
    """Return seconds, memory and NMI, or why there are none."""
    if not row.get("seconds"):
        return str(row["note"])
    seconds, processor = float(row["seconds"]), float(row["processor_seconds"])
    return f"{seconds:.0f} s ({processor:.0f} s), {float(row['gigabytes']):.2f} GB, {float(row['nmi']):.3f}"


def updated(path: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Replace the rows of the file that were measured again, and return all."""
    before = list(csv.DictReader(path.open(encoding="utf-8"))) if path.exists() else []
    known = {(row["method"], int(row["n"])): row for row in [*before, *rows]}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(known[key] for key in sorted(known))
    return list(known.values())


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"seconds per clustering (default {LIMIT})")
    parser.add_argument("--csv", type=Path, default=ROOT / "docs" / "scale.csv")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "speed.md", help="file with the section to replace")
    args = parser.parse_args()
    methods = [method for method in args.methods if method != "Genie" or find_spec("genieclust")]
    rows = updated(args.csv, measured(methods, args.sizes, args.limit))
    text = (
        f"\n{TITLE}\n\nA mixture of {N_CLUSTERS} stretched Gaussians of unequal size in {FEATURES} dimensions "
        "(`benchmarks/scale.py`): wall time (processor time in parentheses), peak memory with the data, and NMI, on "
        f"{len(os.sched_getaffinity(0))} cores. Clusters are long, with centres near "
        "each other, which does not suit k-means. K is given to all but HDBSCAN. `make bench` measures "
        f"10,000 and 100,000 samples, by default with a limit of {LIMIT} s; a million are measured by "
        f"`python -m benchmarks.scale --sizes 1000000 --limit 3600`. Rows are in "
        f"`docs/{args.csv.name}`.\n\n{table(rows)}\n"
    )
    print(text)
    page = args.out.read_text(encoding="utf-8")
    args.out.write_text(SECTION.sub("", page).rstrip("\n") + "\n" + text, encoding="utf-8")


if __name__ == "__main__":
    main()
