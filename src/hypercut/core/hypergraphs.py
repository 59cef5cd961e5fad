"""The three hypergraphs of a sample set at one scale σ and their similarities A, B and C; those of repeated draws."""

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from hypercut.core.blocks import BLOCK_ROWS, block_threads, parallel_map
from hypercut.core.discretize import discretize
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.normalized_cut import normalized_cut_vectors, spectral_vectors, unit_rows
from hypercut.core.samples import USUAL_NEIGHBORS, Array, IntArray, Samples
from hypercut.core.similarity import Dense, Factored, Similarity, Sparse, WeightedSum

# |𝔑|, the nearest community members whose affinity places a vertex in its community (eq:over_clustering_mu).
COMMUNITY_NEIGHBORS = 3


class Hypergraphs:
    """The pairwise, kNN and over-clustering hypergraphs at one σ, computed lazily and cached.

    All algorithms at this σ can share one object, and with it the kernel and the communities.
    """

    def __init__(self, samples: Samples, sigma: float, *, memory: Array | None = None) -> None:
        self.samples = samples
        self.sigma = sigma
        self._memory = memory
        self._knn: dict[int, Sparse] = {}
        self._communities: dict[tuple[int, int], tuple[IntArray, IntArray] | Exception] = {}

    @cached_property
    def pairwise(self) -> Dense:
        """A, the kernel matrix (eq:pairwise_weight)."""
        kernel = self.samples.kernel(self.sigma, out=self._memory)
        self._memory = None
        return Dense(kernel)

    def release(self) -> Array | None:
        """Forget the kernel and return its memory for that of another σ: the system takes long to provide new.

        Similarities that were made from the kernel are no longer valid.
        """
        kernel: Dense | None = self.__dict__.pop("pairwise", None)
        memory, self._memory = self._memory, None
        return memory if kernel is None else kernel.matrix

    def knn(self, k: int) -> Sparse:
        """Return B, the similarity of the k-nearest-neighbour hypergraph (eq:KNN_hypergraph_similarity_matrix)."""
        if k not in self._knn:
            nearest = self.samples.nearest(k)
            own = np.arange(len(nearest))[:, None]
            squared = self.samples.squared_distances[own, nearest].astype(np.float64)
            affinities = np.exp(-0.5 / self.sigma**2 * squared)
            factor = knn_factor(np.hstack([own, nearest]), np.hstack([np.ones(own.shape), affinities]))
            self._knn[k] = Sparse(factor @ factor.T)
        return self._knn[k]

    def communities(self, n_communities: int, seed: int) -> tuple[IntArray, IntArray]:
        """Return two over-clusterings into at most ``n_communities``: by CSC and by Yu–Shi, both on A.

        They depend only on σ, the number and the seed, so every algorithm gets the same ones.
        """
        key = (n_communities, seed)
        if key not in self._communities:
            self._communities[key] = self._find_communities(min(n_communities, len(self.samples.distinct)), seed)
        found = self._communities[key]
        if isinstance(found, Exception):
            raise found
        return found

    def provide_communities(self, n_communities: int, seed: int, found: tuple[IntArray, IntArray] | Exception) -> None:
        """Store what :meth:`communities` returned or raised elsewhere for the same samples, σ and arguments."""
        self._communities[n_communities, seed] = found

    def _find_communities(self, n_communities: int, seed: int) -> tuple[IntArray, IntArray]:
        rng = np.random.default_rng(seed)
        cut = normalized_cut_vectors(self.pairwise, n_communities, rng)
        # The two problems differ by the diagonal of A.
        near = cut.eigenpairs.search
        classic = spectral_vectors(self.pairwise.without_diagonal(), n_communities, rng, start=near)
        return (
            orthogonal_kmeans(unit_rows(classic.vectors), n_communities, rng).labels,
            discretize(unit_rows(cut.vectors), rng).labels,
        )

    def overclustering(self, n_communities: int, seed: int) -> Factored:
        """Return C, the over-clustering similarity (eq:over-clustering_hypergraph_similarity_matrix)."""
        labelings = self.communities(n_communities, seed)
        return overclustering_similarity(labelings, [self.community_affinity(labels) for labels in labelings])

    def combined(self, alpha: float, beta: float, *, k: int, n_communities: int, seed: int) -> WeightedSum:
        """Return S = αA + βB + (1 − α − β)C (eq:hyper_similarity_measure); terms of weight zero are not computed."""
        gamma = 1 - alpha - beta
        terms: list[tuple[float, Similarity]] = []
        if alpha > 0:
            terms.append((alpha, self.pairwise))
        if beta > 0:
            terms.append((beta, self.knn(k)))
        if gamma > 1e-12:  # 1 − α − β is seldom exactly zero in floating point
            terms.append((gamma, self.overclustering(n_communities, seed)))
        return WeightedSum(terms)

    def community_affinity(self, labels: IntArray) -> Array:
        """Return each vertex's mean affinity to its nearest fellow members, 0 if it has none."""
        # Most vertices have enough fellows among their nearest neighbours, which are known.
        nearest = self.samples.nearest(USUAL_NEIGHBORS)
        fellow = labels[nearest] == labels[:, None]
        order = np.argsort(~fellow, axis=1, kind="stable")[:, :COMMUNITY_NEIGHBORS]
        affinity = self._mean_affinity(
            self.samples.squared_distances[np.arange(len(labels))[:, None], np.take_along_axis(nearest, order, axis=1)]
        )
        lacking = fellow.sum(axis=1) < COMMUNITY_NEIGHBORS

        def fill(members: IntArray) -> None:
            rest = members[lacking[members]]
            fellows = min(COMMUNITY_NEIGHBORS, len(members) - 1)
            if fellows == 0:
                affinity[rest] = 0
                return
            for rows in np.array_split(rest, len(rest) // BLOCK_ROWS + 1):
                squared = self.samples.squared_distances[np.ix_(rows, members)]
                squared[rows[:, None] == members] = np.inf
                affinity[rows] = self._mean_affinity(np.partition(squared, fellows - 1, axis=1)[:, :fellows])

        parallel_map(fill, _members(labels))
        return affinity

    def _mean_affinity(self, squared_distances: Array) -> Array:
        """Return the mean affinity at the squared distances of each row."""
        return np.asarray(np.exp(-0.5 / self.sigma**2 * squared_distances.astype(np.float64)).mean(axis=1))


class Scales:
    """Computes hypergraphs and caches the last: consecutive requests often share distances or even the kernel.

    ``draws`` has shape (repeats, N, features), or (1, N, features) if all repeats share a draw.
    """

    def __init__(self, draws: Array) -> None:
        self._draws = draws
        self._samples: tuple[int, Samples] | None = None
        self._hypergraphs: tuple[tuple[int, float], Hypergraphs] | None = None

    def at(self, repeat: int, factor: float) -> Hypergraphs:
        """Return the hypergraphs of a repeat at σ = ``factor`` · ρ."""
        samples = self.samples(repeat)
        key = (repeat, factor)
        if self._hypergraphs is None or self._hypergraphs[0] != key:
            memory = None if self._hypergraphs is None else self._hypergraphs[1].release()
            self._hypergraphs = (key, Hypergraphs(samples, factor * samples.mean_distance, memory=memory))
        return self._hypergraphs[1]

    def samples(self, repeat: int) -> Samples:
        """Return the samples of a repeat, with their distances."""
        number = repeat if len(self._draws) > 1 else 0
        if self._samples is None or self._samples[0] != number:
            self._samples = self._hypergraphs = None  # free the old matrices before the new ones are computed
            with block_threads():
                self._samples = (number, Samples.from_features(self._draws[number]))
        return self._samples[1]


def knn_factor(members: IntArray, affinities: Array) -> Any:
    """Return the factor F of B = FFᵀ: row ℓ of ``members`` lists e_ℓ, of ``affinities`` the a_ℓm of its members.

    x_m = (a_ℓm √(𝕀(m ∈ e_ℓ) δ_ℓ))_ℓ with δ_ℓ the mean affinity of the hyperedge; b_ij is the cosine of x_i and x_j, and
    so the rows of F are the x_m scaled to length one.
    """
    n, size = members.shape
    weighted = affinities * np.sqrt(affinities.mean(axis=1, keepdims=True))
    # Row m of the incidence is x_m. No row is zero: every vertex is in its own hyperedge.
    incidence = sp.csr_array((weighted.ravel(), (members.ravel(), np.repeat(np.arange(n), size))), shape=(n, n))
    return _unit_sparse_rows(incidence)


def overclustering_similarity(labelings: tuple[IntArray, ...], affinities: list[Array]) -> Factored:
    """Return C from labelings into communities and each vertex's affinity to its community in each of them.

    y_q has the element √(μ_ℓ 𝕀(q ∈ e_ℓ)(1 + affinity)) for community ℓ, with μ_ℓ = ½(1 + mean affinity of its members)
    (eq:over_clustering_mu); c_ij is the cosine of y_i and y_j. Communities without members do not arise.
    """
    parts = []
    for labels, affinity in zip(labelings, affinities, strict=True):
        community = np.unique(labels, return_inverse=True)[1]
        weight = 0.5 * (1 + np.bincount(community, affinity) / np.bincount(community))
        elements = np.sqrt(weight[community] * (1 + affinity))
        parts.append(sp.csr_array((elements, (np.arange(len(labels)), community))))
    return Factored(_unit_sparse_rows(sp.hstack(parts, format="csr")))


def _members(labels: IntArray) -> list[IntArray]:
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _unit_sparse_rows(matrix: Any) -> Any:
    norms = np.sqrt(matrix.power(2).sum(axis=1))
    return sp.diags_array(1 / norms) @ matrix
