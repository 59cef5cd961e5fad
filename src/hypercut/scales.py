"""The hypergraphs of a problem at any repeat and scale, for whatever is computed from them."""

from hypercut.core.blocks import block_threads
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.problems import Problem


class Scales:
    """Gives the hypergraphs of one problem, and keeps the last: consecutive requests mostly share their distances.

    A sweep asks for the same scale again and again, with other parameters, and shares the kernel too.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
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
        draw = self.problem.draw_number(repeat)
        if self._samples is None or self._samples[0] != draw:
            self._samples = self._hypergraphs = None  # the old matrices go before the new ones come
            with block_threads():
                self._samples = (draw, Samples.from_features(self.problem.draw(repeat)))
        return self._samples[1]
