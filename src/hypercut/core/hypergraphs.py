"""The three hypergraphs of a sample set at one σ, and their similarities A, B and C."""

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from hypercut.core.blocks import BLOCK_ROWS, block_threads, parallel_map
from hypercut.core.discretize import discretize
from hypercut.core.kmeans import orthogonal_kmeans, plain_kmeans
from hypercut.core.normalized_cut import normalized_cut_vectors, spectral_vectors, unit_rows
from hypercut.core.samples import USUAL_NEIGHBORS, Array, IntArray, Samples
from hypercut.core.similarity import Dense, Factored, Sparse
from hypercut.errors import InputError

# |𝔑|: the affinity of a vertex to its over-clustering hyperedge is the mean over this many nearest members, Eq. (8),
# eq:over-clustering_hypergraph_incidence_matrix.
HYPEREDGE_NEIGHBORS = 3


class Hypergraphs:
    """The pairwise, kNN and over-clustering hypergraphs at one σ, computed on first use and cached.

    All algorithms at this σ can share one object and thus the kernel and the over-clusterings.
    """

    def __init__(self, samples: Samples, sigma: float, *, memory: Array | None = None) -> None:
        self.samples = samples
        self.sigma = sigma
        self._memory = memory
        self._knn: dict[tuple[int, bool], Sparse] = {}
        self._overclusterings: dict[tuple[int, int, float], tuple[IntArray, IntArray] | Exception] = {}

    @cached_property
    def pairwise(self) -> Dense:
        """A, the kernel matrix, Eqs. (1) and (3), eq:pairwise_weight, eq:pairwise_hypergraph_similarity."""
        kernel = self.samples.kernel(self.sigma, out=self._memory)
        self._memory = None
        return Dense(kernel)

    def release(self) -> Array | None:
        """Forget the kernel and return its memory, which the kernel of another σ can use; new memory takes longer.

        Similarities made from the kernel are no longer valid.
        """
        kernel: Dense | None = self.__dict__.pop("pairwise", None)
        memory, self._memory = self._memory, None
        return memory if kernel is None else kernel.matrix

    def knn(self, k: int, *, center: bool = True) -> Sparse:
        """Return B, the similarity of the kNN hypergraph, Eq. (7), eq:KNN_hypergraph_similarity_matrix.

        Without ``center``, a hyperedge has the k neighbours alone.
        """
        if (k, center) not in self._knn:
            nearest = self.samples.nearest(k)
            own = np.arange(len(nearest))[:, None]
            squared = self.samples.squared_distances[own, nearest].astype(np.float64)
            members, affinities = nearest, np.exp(-0.5 / self.sigma**2 * squared)
            if center:
                members, affinities = np.hstack([own, nearest]), np.hstack([np.ones(own.shape), affinities])
            factor = knn_factor(members, affinities)
            similarity = factor @ factor.T
            if not center:
                # A vertex that is nobody's neighbour is in no hyperedge, and similar to itself only.
                similarity += sp.diags_array(1 - similarity.diagonal())
            self._knn[k, center] = Sparse(similarity)
        return self._knn[k, center]

    def sparse_pairwise(self, k: int) -> Sparse:
        """Return A on the edges of a graph: a_ij remains if i or j is among the k nearest others of the other."""
        nearest = self.samples.nearest(k)
        n, size = nearest.shape
        squared = self.samples.squared_distances[np.arange(n)[:, None], nearest].astype(np.float64)
        affinities = np.exp(-0.5 / self.sigma**2 * squared).ravel()
        directed = sp.csr_array((affinities, (np.repeat(np.arange(n), size), nearest.ravel())), shape=(n, n))
        return Sparse(directed.maximum(directed.T) + sp.diags_array(np.ones(n)))

    def _sigma_at(self, sigma_factor: float | None) -> float:
        return self.sigma if sigma_factor is None else sigma_factor * self.samples.mean_distance

    def overclusterings(
        self, n_overclusters: int, seed: int, *, sigma_factor: float | None = None
    ) -> tuple[IntArray, IntArray]:
        """Return two over-clusterings into at most ``n_overclusters``: by CSC and by Yu–Shi, both on A.

        They depend only on σ/ρ (by default the value of these hypergraphs), the number of clusters and the seed, so
        every algorithm gets the same ones.
        """
        sigma = self._sigma_at(sigma_factor)
        key = (n_overclusters, seed, sigma)
        if key not in self._overclusterings:
            at = self if sigma == self.sigma else Hypergraphs(self.samples, sigma)
            self._overclusterings[key] = at._overcluster(min(n_overclusters, len(self.samples.distinct)), seed)
        found = self._overclusterings[key]
        if isinstance(found, Exception):
            raise found
        return found

    def provide_overclusterings(
        self,
        n_overclusters: int,
        seed: int,
        found: tuple[IntArray, IntArray] | Exception,
        *,
        sigma_factor: float | None = None,
    ) -> None:
        """Store what :meth:`overclusterings` returned or raised elsewhere for the same samples, σ and arguments."""
        self._overclusterings[n_overclusters, seed, self._sigma_at(sigma_factor)] = found

    def _overcluster(self, k: int, seed: int) -> tuple[IntArray, IntArray]:
        rng = np.random.default_rng(seed)
        cut = normalized_cut_vectors(self.pairwise, k, rng)
        # The two eigenproblems differ by the diagonal of A only.
        near = cut.eigenpairs.search
        classic = spectral_vectors(self.pairwise.without_diagonal(), k, rng, start=near)
        return (
            orthogonal_kmeans(unit_rows(classic.vectors), k, rng).labels,
            discretize(unit_rows(cut.vectors), rng).labels,
        )

    def kmeans_overclustering(self, n_overclusters: int, seed: int) -> IntArray:
        """Return an over-clustering into at most ``n_overclusters`` by k-means on the features."""
        if self.samples.features is None:
            raise InputError("Over-clustering by k-means needs features, not distances.")
        key = min(n_overclusters, len(self.samples.distinct)), seed
        known = self.samples.labelings
        if key not in known:
            known[key] = plain_kmeans(self.samples.features, key[0], np.random.default_rng(seed)).labels
        return known[key]

    def overclustering(
        self, n_overclusters: int, seed: int, *, by: str = "spectral", sigma_factor: float | None = None
    ) -> Factored:
        """Return C, the over-clustering similarity, Eq. (10), eq:over-clustering_hypergraph_similarity_matrix.

        Its hyperedges are the clusters of :meth:`overclusterings`, or of :meth:`kmeans_overclustering` if ``by`` is
        "kmeans".
        """
        labelings: tuple[IntArray, ...]
        if by == "kmeans":
            labelings = (self.kmeans_overclustering(n_overclusters, seed),)
        else:
            labelings = self.overclusterings(n_overclusters, seed, sigma_factor=sigma_factor)
        return overclustering_similarity(labelings, [self.hyperedge_affinity(labels) for labels in labelings])

    def hyperedge_affinity(self, labels: IntArray) -> Array:
        """Return the affinity of each vertex to its hyperedge e_ℓ, a cluster of an over-clustering.

        It is (1/|𝔑|) Σ_m a_mi over the nearest vertices m in the same hyperedge, and 0 for a vertex that is alone.
        """
        # Most vertices have enough fellow members among their nearest neighbours, which are known.
        nearest = self.samples.nearest(USUAL_NEIGHBORS)
        fellow = labels[nearest] == labels[:, None]
        order = np.argsort(~fellow, axis=1, kind="stable")[:, :HYPEREDGE_NEIGHBORS]
        affinity = self._mean_affinity(
            self.samples.squared_distances[np.arange(len(labels))[:, None], np.take_along_axis(nearest, order, axis=1)]
        )
        lacking = fellow.sum(axis=1) < HYPEREDGE_NEIGHBORS

        def fill(members: IntArray) -> None:
            rest = members[lacking[members]]
            fellows = min(HYPEREDGE_NEIGHBORS, len(members) - 1)
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


class HypergraphCache:
    """The hypergraphs of repeated draws at every σ; only the last hypergraphs are kept.

    Consecutive requests often share distances or even the kernel. ``draws`` has shape (repeats, N, features), or
    (1, N, features) if all repeats share a draw.
    """

    def __init__(self, draws: Array) -> None:
        self._draws = draws
        self._samples: tuple[int, Samples] | None = None
        self._hypergraphs: tuple[tuple[int, float], Hypergraphs] | None = None

    def at(self, repeat: int, ratio: float) -> Hypergraphs:
        """Return the hypergraphs of a repeat at σ/ρ = ``ratio``."""
        samples = self.samples(repeat)
        key = (repeat, ratio)
        if self._hypergraphs is None or self._hypergraphs[0] != key:
            memory = None if self._hypergraphs is None else self._hypergraphs[1].release()
            self._hypergraphs = (key, Hypergraphs(samples, ratio * samples.mean_distance, memory=memory))
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
    """Return the factor F of B = FFᵀ, Eq. (7), eq:KNN_hypergraph_similarity_matrix.

    Row ℓ of ``members`` lists the vertices of hyperedge e_ℓ, row ℓ of ``affinities`` their a_ℓm. The feature vectors of
    the paper are x_m = (a_ℓm √(𝕀(m ∈ e_ℓ) δ_ℓ))_ℓ with δ_ℓ the mean affinity in e_ℓ; b_ij is the cosine of x_i and x_j,
    so the rows of F are the x_m scaled to length one.
    """
    n, size = members.shape
    weighted = affinities * np.sqrt(affinities.mean(axis=1, keepdims=True))
    # Row m of the incidence is x_m, zero only for a vertex in no hyperedge.
    incidence = sp.csr_array((weighted.ravel(), (members.ravel(), np.repeat(np.arange(n), size))), shape=(n, n))
    return _unit_sparse_rows(incidence)


def overclustering_similarity(labelings: tuple[IntArray, ...], affinities: list[Array]) -> Factored:
    """Return C, Eq. (10), eq:over-clustering_hypergraph_similarity_matrix.

    The clusters of all ``labelings`` are the hyperedges e_ℓ; ``affinities`` has, for each labeling, the affinity of
    every vertex to its own hyperedge. The feature vectors of the paper are y_q = (√(μ_ℓ 𝕀(q ∈ e_ℓ)(1 + affinity)))_ℓ
    with μ_ℓ = ½(1 + mean affinity in e_ℓ), Eq. (9), eq:over_clustering_mu; c_ij is the cosine of y_i and y_j.
    """
    parts = []
    for labels, affinity in zip(labelings, affinities, strict=True):
        hyperedge = np.unique(labels, return_inverse=True)[1]
        mu = 0.5 * (1 + np.bincount(hyperedge, affinity) / np.bincount(hyperedge))
        elements = np.sqrt(mu[hyperedge] * (1 + affinity))
        parts.append(sp.csr_array((elements, (np.arange(len(labels)), hyperedge))))
    return Factored(_unit_sparse_rows(sp.hstack(parts, format="csr")))


def _members(labels: IntArray) -> list[IntArray]:
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _unit_sparse_rows(matrix: Any) -> Any:
    norms = np.sqrt(matrix.power(2).sum(axis=1))
    return sp.diags_array(np.divide(1, norms, out=np.zeros(len(norms)), where=norms > 0)) @ matrix
