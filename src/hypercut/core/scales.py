"""The hypergraphs of repeated draws of one dataset, at any repeat and scale."""

from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Array, Samples


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
            self._hypergraphs = (key, Hypergraphs(samples, factor * samples.mean_distance))
        return self._hypergraphs[1]

    def samples(self, repeat: int) -> Samples:
        """Return the samples of a repeat, with their distances."""
        number = repeat if len(self._draws) > 1 else 0
        if self._samples is None or self._samples[0] != number:
            self._samples = self._hypergraphs = None  # free the old matrices before the new ones are computed
            with block_threads():
                self._samples = (number, Samples.from_features(self._draws[number]))
        return self._samples[1]
