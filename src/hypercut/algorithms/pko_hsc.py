"""PKO+HSC: the paper's Algorithm 1 (alg:Framwork), in the order of its steps.

1. :func:`context_similarity` combines the similarities A, B and C of three hypergraphs, which
   :mod:`hypercut.core.hypergraphs` computes, into S.
2. :func:`trace_ratio_cut` partitions S: :mod:`hypercut.core.trace_ratio` maximises the criterion, and
   :func:`read_labels` finds the partition nearest to its solution.
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

# The self-similarity s_ii: 1, 0, or that of A = H_p Σ_p H_pᵀ taken literally, Eq. (4), the sum of a vertex's weights.
DIAGONALS = ("one", "zero", "degrees")
# What A, B and C are divided by: nothing, their mean degree, their Frobenius norm, or as in a cut, D^−½ · D^−½.
BALANCES = (None, "degree", "norm", "cut")


def context_similarity(
    hypergraphs: Hypergraphs,
    alpha: float,
    beta: float,
    *,
    n_neighbors: int = NEIGHBORS,
    n_overclusters: int = 0,
    seed: int = 0,
    overclustering_ratio: float | None = None,
    diagonal: str = "one",
    center: bool = True,
    balance: str | None = None,
) -> WeightedSum:
    """Return S = αA + βB + (1 − α − β)C, Eq. (11), eq:hyper_similarity_measure.

    Terms of weight zero are not computed. ``overclustering_ratio`` is the σ/ρ of the over-clusterings, by default that
    of the hypergraphs. The last three parameters decide where the paper can be read in several ways.
    """
    gamma = 1 - alpha - beta
    terms: list[tuple[float, Dense | Sparse | Factored]] = []
    if alpha > 0:
        terms.append((alpha, hypergraphs.pairwise))
    if beta > 0:
        terms.append((beta, hypergraphs.knn(n_neighbors, center=center)))
    if gamma > 1e-12:  # 1 − α − β is seldom exactly zero in floating point
        sigma = None if overclustering_ratio is None else overclustering_ratio * hypergraphs.samples.mean_distance
        terms.append((gamma, hypergraphs.overclustering(n_overclusters, seed, sigma=sigma)))
    return WeightedSum([_balanced(weight, _with_diagonal(term, diagonal), balance) for weight, term in terms])


def _with_diagonal(term: Dense | Sparse | Factored, diagonal: str) -> Similarity:
    if diagonal == "zero":
        return term.without_diagonal()
    if diagonal == "degrees" and isinstance(term, Dense):
        return term.with_diagonal(term.without_diagonal().degrees)
    return term


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


# Step 2: the cut.


def trace_ratio_cut(
    similarity: Similarity,
    k: int,
    rng: np.random.Generator,
    *,
    newton_steps: int | None = None,
    assign_labels: str = "discretize",
    n_starts: int = N_STARTS,
) -> Clustering:
    """Partition by the trace ratio, Eq. (19), eq:GraphOptimization5."""
    found = maximize_trace_ratio(similarity, k, rng, newton_steps=newton_steps)
    labels, _ = read_labels(found.vectors, k, rng, assign_labels, n_starts)
    solver = {**found.eigenpairs.solver, "trace_ratio": found.ratios[-1]}
    return Clustering(labels, found.vectors, found.n_iter, found.status, solver)


def read_labels(
    vectors: Array, k: int, rng: np.random.Generator, assign_labels: str, n_starts: int
) -> tuple[IntArray, int]:
    """Return labels and number of steps: the best from several starts on the unit rows X̃ = Diag(diag^−½(PPᵀ)) P.

    Yu–Shi discretisation refines X̃ to the nearest partition X. The other reading is k-means on the rows of X̃.
    """
    rows = unit_rows(vectors)
    if assign_labels == "kmeans":
        grouped = orthogonal_kmeans(rows, k, rng, n_starts=n_starts)
        return grouped.labels, grouped.n_iter
    discrete = discretize(rows, rng, n_starts=n_starts)
    return discrete.labels, discrete.n_iter


# The estimator.

#: The values that the parameters of either step may take.
SIMILARITY = {
    "alpha": WEIGHT,
    "beta": WEIGHT,
    "n_neighbors": integer(1),
    "communities_per_cluster": integer(1),
    "community_factor": sigma_ratio(None),
    "diagonal": choice(*DIAGONALS),
    "center": choice(True, False),
    "balance": choice(*BALANCES),
}
CUT = {
    "newton_steps": integer(0, None),
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
    _allowed = SIMILARITY | CUT

    alpha: float = ALPHA
    beta: float = BETA
    n_neighbors: int = NEIGHBORS
    communities_per_cluster: int = COMMUNITIES_PER_CLUSTER
    community_factor: float | None = None
    diagonal: str = "one"
    center: bool = True
    balance: str | None = None
    newton_steps: int | None = None
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
            overclustering_ratio=self.community_factor,
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
            assign_labels=self.assign_labels,
            n_starts=self.n_starts,
        )
