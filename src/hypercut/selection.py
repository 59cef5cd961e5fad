"""Choosing the scale σ without labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import IntArray, Samples
from hypercut.metrics import nmi

# σ = 0.2 λ ρ for λ = 1 … 15: the paper's grid, in units of the mean distance ρ.
SIGMA_FACTORS = tuple(round(0.2 * step, 1) for step in range(1, 16))


class HasLabels(Protocol):
    """Any result with labels."""

    @property
    def labels(self) -> IntArray:
        """The cluster of each sample."""


Result = TypeVar("Result", bound=HasLabels)


@dataclass(frozen=True)
class Selected(Generic[Result]):
    """The chosen factor σ/ρ, its result, and the score of every factor tried."""

    factor: float
    result: Result
    scores: dict[float, float]


def select_scale(
    cluster: Callable[[Hypergraphs], Result], samples: Samples, factors: Sequence[float]
) -> Selected[Result]:
    """Cluster at every scale and choose one."""
    results = [cluster(Hypergraphs(samples, factor * samples.mean_distance)) for factor in factors]
    scores = agreement([result.labels for result in results])
    best = int(np.argmax(scores))
    return Selected(factors[best], results[best], dict(zip(factors, scores, strict=True)))


def agreement(labelings: Sequence[IntArray]) -> list[float]:
    """Return the mean NMI of each labeling with the others."""
    pairs = np.array([[nmi(a, b) for b in labelings] for a in labelings])
    return [float(mean) for mean in (pairs.sum(axis=1) - pairs.diagonal()) / (len(labelings) - 1)]
