"""The three hypergraphs of a sample set at one scale σ and their similarities A, B and C; those of repeated draws."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from hypercut.core.blocks import BLOCK_ROWS, block_threads, parallel_map
from hypercut.core.discretize import discretize
from hypercut.core.kmeans import orthogonal_kmeans
from hypercut.core.normalized_cut import normalized_cut_vectors, spectral_vectors, unit_rows
from hypercut.core.samples import USUAL_NEIGHBORS, Array, IntArray, Samples
from hypercut.core.similarity import Dense, Factored, Rescaled, Similarity, Sparse, WeightedSum

# |𝔑|, the nearest community members whose affinity places a vertex in its community (eq:over_clustering_mu).
COMMUNITY_NEIGHBORS = 3


@dataclass(frozen=True)
class Construction:
    """How S is made of A, B and C where the paper can be read in several ways; by default as printed.

    ``diagonal`` is the self-similarity: ``one``, ``zero``, or ``degrees`` for HΣHᵀ taken literally, whose diagonal in A
    is the sum of a vertex's weights. Without ``center``, a kNN hyperedge has the neighbours alone. ``balance`` divides
    A, B and C by their mean ``degree``, by their Frobenius ``norm``, or normalises them as in a ``cut``, D^−½ · D^−½.
    """

    diagonal: str = "one"
    center: bool = True
    balance: str | None = None


AS_PRINTED = Construction()
DIAGONALS = ("one", "zero", "degrees")
BALANCES = (None, "degree", "norm", "cut")


class Hypergraphs:
    """The pairwise, kNN and over-clustering hypergraphs at one σ, computed lazily and cached.

    All algorithms at this σ can share one object, and with it the kernel and the communities.
    """

    def __init__(self, samples: Samples, sigma: float, *, memory: Array | None = None) -> None:
        self.samples = samples
        self.sigma = sigma
        self._memory = memory
        self._knn: dict[tuple[int, bool], Sparse] = {}
        self._communities: dict[tuple[int, int, float], tuple[IntArray, IntArray] | Exception] = {}

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

    def knn(self, k: int, *, center: bool = True) -> Sparse:
        """Return B, the similarity of the k-nearest-neighbour hypergraph (eq:KNN_hypergraph_similarity_matrix)."""
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
                # A vertex that is nobody's neighbour is in no hyperedge, and similar to itself alone.
                similarity += sp.diags_array(1 - similarity.diagonal())
            self._knn[k, center] = Sparse(similarity)
        return self._knn[k, center]

    def communities(self, n_communities: int, seed: int, *, sigma: float | None = None) -> tuple[IntArray, IntArray]:
        """Return two over-clusterings into at most ``n_communities``: by CSC and by Yu–Shi, both on A.

        They depend only on σ (by default that of these hypergraphs), the number and the seed, so every algorithm gets
        the same ones.
        """
        sigma = self.sigma if sigma is None else sigma
        key = (n_communities, seed, sigma)
        if key not in self._communities:
            at = self if sigma == self.sigma else Hypergraphs(self.samples, sigma)
            self._communities[key] = at._find_communities(min(n_communities, len(self.samples.distinct)), seed)
        found = self._communities[key]
        if isinstance(found, Exception):
            raise found
        return found

    def provide_communities(
        self,
        n_communities: int,
        seed: int,
        found: tuple[IntArray, IntArray] | Exception,
        *,
        sigma: float | None = None,
    ) -> None:
        """Store what :meth:`communities` returned or raised elsewhere for the same samples, σ and arguments."""
        self._communities[n_communities, seed, self.sigma if sigma is None else sigma] = found

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

    def overclustering(self, n_communities: int, seed: int, *, sigma: float | None = None) -> Factored:
        """Return C, the over-clustering similarity (eq:over-clustering_hypergraph_similarity_matrix).

        ``sigma`` is the σ at which the communities are found, by default that of these hypergraphs.
        """
        labelings = self.communities(n_communities, seed, sigma=sigma)
        return overclustering_similarity(labelings, [self.community_affinity(labels) for labels in labelings])

    def combined(
        self,
        alpha: float,
        beta: float,
        *,
        k: int,
        n_communities: int,
        seed: int,
        community_sigma: float | None = None,
        construction: Construction = AS_PRINTED,
    ) -> WeightedSum:
        """Return S = αA + βB + (1 − α − β)C (eq:hyper_similarity_measure); terms of weight zero are not computed."""
        gamma = 1 - alpha - beta
        terms: list[tuple[float, Dense | Sparse | Factored]] = []
        if alpha > 0:
            terms.append((alpha, self.pairwise))
        if beta > 0:
            terms.append((beta, self.knn(k, center=construction.center)))
        if gamma > 1e-12:  # 1 − α − β is seldom exactly zero in floating point
            terms.append((gamma, self.overclustering(n_communities, seed, sigma=community_sigma)))
        return WeightedSum(
            [_balanced(weight, _with_diagonal(term, construction), construction) for weight, term in terms]
        )

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


def _with_diagonal(term: Dense | Sparse | Factored, construction: Construction) -> Similarity:
    if construction.diagonal == "zero":
        return term.without_diagonal()
    if construction.diagonal == "degrees" and isinstance(term, Dense):
        return term.with_diagonal(term.without_diagonal().degrees)
    return term


def _balanced(weight: float, term: Similarity, construction: Construction) -> tuple[float, Similarity]:
    """Return the weight and the term of a sum in which the terms are balanced."""
    match construction.balance:
        case "degree":
            return weight / float(term.degrees.mean()), term
        case "norm":
            return weight / term.norm, term
        case "cut":
            return weight, Rescaled(term)
    return weight, term


def knn_factor(members: IntArray, affinities: Array) -> Any:
    """Return the factor F of B = FFᵀ: row ℓ of ``members`` lists e_ℓ, of ``affinities`` the a_ℓm of its members.

    x_m = (a_ℓm √(𝕀(m ∈ e_ℓ) δ_ℓ))_ℓ with δ_ℓ the mean affinity of the hyperedge; b_ij is the cosine of x_i and x_j, and
    so the rows of F are the x_m scaled to length one.
    """
    n, size = members.shape
    weighted = affinities * np.sqrt(affinities.mean(axis=1, keepdims=True))
    # Row m of the incidence is x_m, zero only for a vertex in no hyperedge.
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
    return sp.diags_array(np.divide(1, norms, out=np.zeros(len(norms)), where=norms > 0)) @ matrix
