"""The hypergraphs of repeated draws of one dataset, at any repeat and scale."""

from typing import Protocol

from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Array, Samples


class Draws(Protocol):
    """Repeated draws of one dataset. Clean data have a single draw, which all repeats share."""

    def draw(self, repeat: int) -> Array:
        """Return the samples of a repeat."""

    def draw_number(self, repeat: int) -> int:
        """Return the number of the draw that a repeat uses."""


class Scales:
    """Computes hypergraphs and caches the last: consecutive requests often share distances or even the kernel."""

    def __init__(self, draws: Draws) -> None:
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
        number = self._draws.draw_number(repeat)
        if self._samples is None or self._samples[0] != number:
            self._samples = self._hypergraphs = None  # free the old matrices before the new ones are computed
            with block_threads():
                self._samples = (number, Samples.from_features(self._draws.draw(repeat)))
        return self._samples[1]
