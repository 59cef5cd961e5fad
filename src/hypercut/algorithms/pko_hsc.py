"""PKO+HSC: the paper's Algorithm 1 (alg:Framwork), in the order of its steps.

1. :func:`context_similarity` adds the similarities A, B and C of three hypergraphs (:mod:`hypercut.core.hypergraphs`).
2. :func:`trace_ratio_cut` finds the vectors P that maximise the trace ratio (:mod:`hypercut.core.trace_ratio`). The
   paper starts from the vectors of the normalised cut. The start does not matter, because the optimum is global.
3. :func:`read_labels` finds the partition nearest to P (:mod:`hypercut.core.discretize`).

Below the steps are the alternatives of the readings (``paper/readings.toml``), then the estimator.
"""

from dataclasses import dataclass

import numpy as np

from hypercut.algorithms._base import Clustering
from hypercut.algorithms._parameters import WEIGHT, choice, integer, sigma_ratio
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.core.discretize import N_STARTS, discretize
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.normalized_cut import unit_rows
from hypercut.core.samples import Array, IntArray
from hypercut.core.similarity import Dense, Factored, Rescaled, Similarity, Sparse, WeightedSum
from hypercut.core.trace_ratio import maximize_trace_ratio
from hypercut.paper.protocol import ALPHA, BETA, COMMUNITIES_PER_CLUSTER, NEIGHBORS

# Step 1: the similarity.


def context_similarity(
    hypergraphs: Hypergraphs,
    alpha: float,
    beta: float,
    *,
    n_neighbors: int = NEIGHBORS,
    n_overclusters: int = 0,
    seed: int = 0,
    overclustering_sigma_factor: float | None = None,
    overcluster_by: str = "spectral",
    pairwise_neighbors: int | None = None,
    diagonal: str = "one",
    center: bool = True,
    balance: str | None = None,
) -> WeightedSum:
    """Return S = αA + βB + (1 − α − β)C, Eq. (11), eq:hyper_similarity_measure.

    Terms of weight zero are not computed. The parameters from ``overclustering_sigma_factor`` on choose a reading where
    the paper is ambiguous.
    """
    gamma = 1 - alpha - beta
    terms: list[tuple[float, Dense | Sparse | Factored]] = []
    if alpha > 0:
        terms.append((alpha, _pairwise(hypergraphs, pairwise_neighbors, diagonal)))
    if beta > 0:
        terms.append((beta, hypergraphs.knn(n_neighbors, center=center)))
    if gamma > 1e-12:  # 1 − α − β is seldom exactly zero in floating point
        similarity = hypergraphs.overclustering(
            n_overclusters, seed, by=overcluster_by, sigma_factor=overclustering_sigma_factor
        )
        terms.append((gamma, similarity))
    if diagonal == "zero":
        terms = [(weight, term.without_diagonal()) for weight, term in terms]
    return WeightedSum([_balanced(weight, term, balance) for weight, term in terms])


# Step 2: the cut.


def trace_ratio_cut(
    similarity: Similarity,
    k: int,
    rng: np.random.Generator,
    *,
    newton_steps: int | None = None,
    rescaled: bool = False,
    assign_labels: str = "discretize",
    n_starts: int = N_STARTS,
) -> Clustering:
    """Partition by the trace ratio, Eq. (19), eq:GraphOptimization5; if ``rescaled``, by that of D^−½SD^−½."""
    graph = Rescaled(similarity) if rescaled else similarity
    found = maximize_trace_ratio(graph, k, rng, newton_steps=newton_steps)
    labels, _ = read_labels(found.vectors, k, rng, assign_labels, n_starts)
    solver = {**found.eigenpairs.solver, "trace_ratio": found.ratios[-1]}
    return Clustering(labels, found.vectors, found.n_iter, found.status, solver)


# Step 3: the labels.


def read_labels(
    vectors: Array, k: int, rng: np.random.Generator, assign_labels: str, n_starts: int
) -> tuple[IntArray, int]:
    """Return labels and number of steps, of the best of several starts on the unit rows X̃ = Diag(diag^−½(PPᵀ)) P.

    Yu–Shi discretisation finds the partition X nearest to X̃. The other reading is k-means on the rows of X̃.
    """
    rows = unit_rows(vectors)
    if assign_labels == "kmeans":
        grouped = orthogonal_kmeans(rows, k, rng, n_starts=n_starts)
        return grouped.labels, grouped.n_iter
    discrete = discretize(rows, rng, n_starts=n_starts)
    return discrete.labels, discrete.n_iter


# The alternatives of the readings.

# The self-similarity s_ii: 1, 0, or that of A = H_p Σ_p H_pᵀ taken literally, Eq. (4), the sum of a vertex's weights.
DIAGONALS = ("one", "zero", "degrees")
# What A, B and C are divided by: nothing, their mean degree, their Frobenius norm, or as in a cut, D^−½ · D^−½.
BALANCES = (None, "degree", "norm", "cut")


def _pairwise(hypergraphs: Hypergraphs, n_neighbors: int | None, diagonal: str) -> Dense | Sparse:
    """Return A, of all pairs or only of nearest neighbours, possibly with its degrees on the diagonal."""
    pairwise = hypergraphs.pairwise if n_neighbors is None else hypergraphs.sparse_pairwise(n_neighbors)
    if diagonal == "degrees":
        return pairwise.with_diagonal(pairwise.without_diagonal().degrees)
    return pairwise


def _balanced(weight: float, term: Similarity, balance: str | None) -> tuple[float, Similarity]:
    """Return the weight and the term of a sum in which the terms are balanced."""
    match balance:
        case "degree":
            return weight / float(term.degrees.mean()), term
        case "norm":
            return weight / term.norm, term
        case "cut":
            return weight, Rescaled(term)
    return weight, term


# The estimator.

#: The values that the parameters of either step may take.
SIMILARITY = {
    "alpha": WEIGHT,
    "beta": WEIGHT,
    "n_neighbors": integer(1),
    "communities_per_cluster": integer(1),
    "overclustering_sigma_factor": sigma_ratio(None),
    "overcluster_by": choice("spectral", "kmeans"),
    "pairwise_neighbors": integer(1, None),
    "diagonal": choice(*DIAGONALS),
    "center": choice(True, False),
    "balance": choice(*BALANCES),
}
CUT = {
    "newton_steps": integer(0, None),
    "rescaled": choice(True, False),
    "assign_labels": choice("discretize", "kmeans"),
    "n_starts": integer(1),
}


@dataclass(eq=False, repr=False, kw_only=True)
class PKOHSC(SpectralEstimator):
    """PKO+HSC: pairwise, kNN and over-clustering hypergraphs, cut by the trace ratio.

    The similarity is S = αA + βB + (1 − α − β)C, Eq. (11), eq:hyper_similarity_measure.
    """

    name = "PKO+HSC"
    uses = ("weights", "overclustering")
    has_diagnostics = True
    _allowed = SIMILARITY | CUT

    alpha: float = ALPHA
    beta: float = BETA
    n_neighbors: int = NEIGHBORS
    communities_per_cluster: int = COMMUNITIES_PER_CLUSTER
    overclustering_sigma_factor: float | None = None
    overcluster_by: str = "spectral"
    pairwise_neighbors: int | None = None
    diagonal: str = "one"
    center: bool = True
    balance: str | None = None
    newton_steps: int | None = None
    rescaled: bool = False
    assign_labels: str = "discretize"
    n_starts: int = N_STARTS

    def similarity(self, hypergraphs: Hypergraphs, seed: int) -> Similarity:  # noqa: D102
        return context_similarity(
            hypergraphs,
            self.alpha,
            self.beta,
            n_neighbors=self.n_neighbors,
            n_overclusters=self.communities_per_cluster * self.n_clusters,
            seed=seed,
            overclustering_sigma_factor=self.overclustering_sigma_factor,
            overcluster_by=self.overcluster_by,
            pairwise_neighbors=self.pairwise_neighbors,
            diagonal=self.diagonal,
            center=self.center,
            balance=self.balance,
        )

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        return trace_ratio_cut(
            similarity,
            self.n_clusters,
            rng,
            newton_steps=self.newton_steps,
            rescaled=self.rescaled,
            assign_labels=self.assign_labels,
            n_starts=self.n_starts,
        )
