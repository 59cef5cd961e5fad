"""The parameters of the algorithms that need nothing but the kernel."""

from typing import Any

from hypercut.algorithms._spectral import SpectralEstimator


class KernelEstimator(SpectralEstimator):
    """Base of the algorithms on the pairwise kernel A alone.

    Parameters
    ----------
    n_clusters, sigma_factor, affinity, random_state
        As in :class:`hypercut.PKOHSC`.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        sigma_factor: float | str = "auto",
        affinity: str = "euclidean",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.sigma_factor = sigma_factor
        self.affinity = affinity
        self.random_state = random_state
