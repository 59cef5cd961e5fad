"""PKO+NC: the similarity of PKO+HSC under the normalised cut."""

from dataclasses import dataclass

import numpy as np

from hypercut.algorithms._base import Clustering, status_of
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.algorithms.pko_hsc import CUT, PKOHSC, SIMILARITY, read_labels
from hypercut.core.discretize import N_STARTS
from hypercut.core.eigen import Spectrum
from hypercut.core.normalized_cut import normalized_cut_vectors
from hypercut.core.similarity import Similarity
from hypercut.paper.protocol import ALPHA, BETA, COMMUNITIES_PER_CLUSTER, NEIGHBORS


def normalized_cut(
    graph: Similarity | Spectrum,
    k: int,
    rng: np.random.Generator,
    *,
    assign_labels: str = "discretize",
    n_starts: int = N_STARTS,
) -> Clustering:
    """Partition by the normalised cut, Eq. (13), eq:trace_normalized_cut; labels are read as in PKO+HSC."""
    found = normalized_cut_vectors(graph, k, rng)
    labels, n_iter = read_labels(found.vectors, k, rng, assign_labels, n_starts)
    return Clustering(labels, found.vectors, n_iter, status_of(found), found.eigenpairs.solver)


@dataclass(eq=False, repr=False, kw_only=True)
class PKONC(SpectralEstimator):
    """PKO+NC: pairwise, kNN and over-clustering hypergraphs, cut by the normalised cut.

    The similarity is that of :class:`hypercut.PKOHSC`.
    """

    name = "PKO+NC"
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
    assign_labels: str = "discretize"
    n_starts: int = N_STARTS

    similarity = PKOHSC.similarity

    def partition(self, similarity: Similarity, rng: np.random.Generator) -> Clustering:  # noqa: D102
        return normalized_cut(
            similarity, self.n_clusters, rng, assign_labels=self.assign_labels, n_starts=self.n_starts
        )
