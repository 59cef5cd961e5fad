"""Compare two versions of the code: labels, trace ratios and processor time of every algorithm.

`record` clusters datasets with the code on PYTHONPATH and writes labels and times to a file; `compare` prints the
differences of two such files. The algorithms of both records get the over-clusterings of the first, so that each is
compared on equal input; the over-clusterings are compared themselves. The eigensolver gets random numbers of its own,
so that k-means and Yu–Shi start from the same rows whatever the eigensolver does.

    hypercut data get usps && hypercut data featurize usps --out usps.npz
    PYTHONPATH=../old/src python benchmarks/algorithms.py record usps.npz --out old.json
    python benchmarks/algorithms.py record usps.npz --out new.json --communities old.json
    python benchmarks/algorithms.py compare old.json new.json

Labels agree if their NMI is above 0.99 and the trace ratio is not lower; other differences are marked.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is loaded

import numpy as np

import hypercut
from hypercut.algorithms._registry import algorithms, load_class
from hypercut.core import normalized_cut, trace_ratio
from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.metrics import nmi
from hypercut.paper.protocol import COMMUNITIES_PER_CLUSTER

SEED = 7
FACTORS = (0.2, 0.6, 2.0)
COMMUNITIES = "over-clustering"
#: Weights (α, β) of the paper, for the datasets that do not have the others.
WEIGHTS = {"orl": (0.6, 0.2), "yaleb": (0.6, 0.2), "traj": (0.6, 0.2), "libras": (0.6, 0.2)}
OTHER_WEIGHTS = (0.4, 0.4)
#: NMI of old and new labels above which they count as equal, and the relative loss of the trace ratio that is rounding.
SAME = 0.99
ROUNDING = 1e-6


def with_own_generator(solver: Callable[..., Any]) -> Callable[..., Any]:
    """Return an eigensolver that leaves the generator of its caller as it was."""
    return lambda operator, k, rng, **options: solver(operator, k, rng.spawn(1)[0], **options)


for module in (normalized_cut, trace_ratio):
    module.top_eigenpairs = with_own_generator(module.top_eigenpairs)


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return a result and its processor seconds."""
    begun = time.process_time()
    result = function()
    return result, time.process_time() - begun


def record(path: Path, factors: list[float], given: dict[str, Any]) -> dict[str, Any]:
    """Return the runs on one dataset, by scale and algorithm."""
    with np.load(path, allow_pickle=False) as file:
        X, y = file["X"], file["y"]
    k = len(np.unique(y))
    count = COMMUNITIES_PER_CLUSTER * k
    with block_threads():
        samples = Samples.from_features(X)
        sigma = samples.mean_distance
    runs: dict[str, Any] = {}
    for factor in factors:
        with block_threads():
            found, seconds = timed(lambda f=factor: Hypergraphs(samples, f * sigma).communities(count, SEED))
        key = f"{factor:g} {COMMUNITIES}"
        runs[key] = {"seconds": seconds, "labels": [part.tolist() for part in found]}
        first, second = (np.array(part) for part in given.get(key, runs[key])["labels"])
        for name, facts in algorithms().items():
            method = load_class(facts.module, name)
            scaled = getattr(method, "has_scale", False)
            if not hasattr(method, "runs") or (not scaled and factor != factors[0]):
                continue  # AK+NC has no kernel; STSC has no scale
            weights = dict(zip(("alpha", "beta"), WEIGHTS.get(path.stem, OTHER_WEIGHTS), strict=True))
            estimator = method(k, **(weights if "weights" in facts.uses else {}))
            hypergraphs = Hypergraphs(samples, factor * sigma)
            hypergraphs.provide_communities(count, SEED, (first, second))
            clustering, seconds = timed(lambda e=estimator, h=hypergraphs: e.cluster(h, SEED))
            runs[f"{factor:g} {name}"] = {
                "seconds": seconds,
                "labels": [clustering.labels.tolist()],
                "trace_ratio": clustering.solver.get("trace_ratio"),
                "nmi": nmi(y, clustering.labels),
                "status": clustering.status,
            }
            print(f"{path.stem} {factor:g} {name}: {seconds:.2f} s", flush=True)
    return runs


def compare(old: dict[str, Any], new: dict[str, Any]) -> str:
    """Return the comparison as Markdown."""
    lines = [
        "| dataset | σ/ρ | algorithm | s before | after | ratio | NMI old, new | trace ratio | NMI before | after | |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    sums = ["| dataset | seconds before | after | ratio |", "|---|---|---|---|"]
    for dataset in old.keys() & new.keys():
        shared = [key for key in old[dataset] if key in new[dataset]]
        for key in shared:
            before, after = old[dataset][key], new[dataset][key]
            agreement = min(nmi(a, b) for a, b in zip(before["labels"], after["labels"], strict=True))
            change = _change(before.get("trace_ratio"), after.get("trace_ratio"))
            differs = agreement <= SAME or (change is not None and change < -ROUNDING)
            quality = [f"{run['nmi']:.4f}" if "nmi" in run else "" for run in (before, after)]
            factor, name = key.split(" ", 1)
            lines.append(
                f"| {dataset} | {factor} | {name} | {before['seconds']:.2f} | {after['seconds']:.2f} "
                f"| {before['seconds'] / after['seconds']:.1f} | {agreement:.4f} "
                f"| {'' if change is None else f'{change:+.0e}'} | {quality[0]} | {quality[1]} "
                f"| {'differs' if differs else ''} |"
            )
        total = [sum(record[dataset][key]["seconds"] for key in shared) for record in (old, new)]
        sums.append(f"| {dataset} | {total[0]:.1f} | {total[1]:.1f} | {total[0] / total[1]:.2f} |")
    return "\n".join([*lines, "", *sums])


def _change(before: float | None, after: float | None) -> float | None:
    """Return the relative change of the trace ratio; None without one, or if both are unbounded."""
    if before is None or after is None or before == after:
        return None if before is None else 0.0
    return after / before - 1


def main() -> None:
    """Record, or compare two records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="cluster and write a record")
    recording.add_argument("features", type=Path, nargs="+", help="files of `hypercut data featurize`")
    recording.add_argument("--out", type=Path, required=True)
    recording.add_argument("--communities", type=Path, help="an earlier record whose over-clusterings to use")
    recording.add_argument("--factors", type=float, nargs="+", default=FACTORS, help="σ/ρ (default: 0.2 0.6 2)")
    comparing = commands.add_parser("compare", help="print the differences of two records")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    args = parser.parse_args()
    if args.command == "compare":
        print(compare(*(json.loads(path.read_text(encoding="utf-8")) for path in (args.before, args.after))))
        return
    print(f"code: {Path(hypercut.__file__).parent}")
    given = json.loads(args.communities.read_text(encoding="utf-8")) if args.communities else {}
    found: dict[str, Any] = {}
    for path in args.features:
        found[path.stem] = record(path, list(args.factors), given.get(path.stem, {}))
        args.out.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
