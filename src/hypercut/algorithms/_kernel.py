"""The base of the algorithms with a global scale σ: given, or chosen without labels."""

from dataclasses import dataclass

from hypercut.algorithms._base import Clustering, is_number
from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.errors import InputError
from hypercut.selection import select_scale


@dataclass(eq=False, repr=False, kw_only=True)
class KernelEstimator(SpectralEstimator):
    """Base of the algorithms on the kernel A at one scale σ; for the parameters see :class:`hypercut.CSC`."""

    sigma_factor: float | str = "auto"

    def _fit_samples(self, samples: Samples, seed: int) -> Clustering:
        if self.sigma_factor == "auto":
            selected = select_scale(lambda hypergraphs: self.cluster(hypergraphs, seed), samples)
            factor, clustering = selected.factor, selected.result
        else:
            factor = float(self.sigma_factor)
            clustering = self.cluster(Hypergraphs(samples, factor * samples.mean_distance), seed)
        self._set_scale(samples, factor)
        return clustering

    def _set_scale(self, samples: Samples, factor: float | None = None) -> None:
        if factor is None:
            factor = 1.0 if self.sigma_factor == "auto" else float(self.sigma_factor)
        self.sigma_factor_ = factor
        self.affinity_scale_ = factor * samples.mean_distance

    def _check_parameters(self) -> None:
        super()._check_parameters()
        factor = self.sigma_factor
        if factor != "auto" and not (is_number(factor) and 1e-6 <= float(factor) <= 1e6):
            raise InputError(f"Expected sigma_factor > 0 or 'auto' (worth trying: 0.2 to 3), found {factor!r}.")
