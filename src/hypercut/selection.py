"""Choosing the scale σ without labels."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from sklearn.metrics import mutual_info_score

from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import IntArray, Samples

# σ = 0.2 λ ρ for λ = 1 … 15: the paper's grid, in units of the mean distance ρ.
SIGMA_FACTORS = tuple(round(0.2 * step, 1) for step in range(1, 16))

_log = logging.getLogger(__name__)


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
    cluster: Callable[[Hypergraphs], Result], samples: Samples, factors: Sequence[float] = SIGMA_FACTORS
) -> Selected[Result]:
    """Cluster at every scale and choose the one whose labels tell the most about those of the other scales.

    What is in the data shows at many scales, what the scale made up does not: see :func:`shared_information`. Of equal
    scores the smallest scale is taken.
    """
    results = []
    for number, factor in enumerate(factors, start=1):
        _log.info("σ = %gρ (%d of %d)", factor, number, len(factors))
        results.append(cluster(Hypergraphs(samples, factor * samples.mean_distance)))
    scores = shared_information([result.labels for result in results])
    best = int(np.argmax(np.round(scores, 12)))
    return Selected(factors[best], results[best], dict(zip(factors, scores, strict=True)))


def shared_information(labelings: Sequence[IntArray]) -> list[float]:
    """Return the mean mutual information, in nats, of each labeling with the others.

    Not normalised, on purpose: labelings that isolate a few outliers agree with each other perfectly and would win, but
    there is little information in them to share.
    """
    if len(labelings) < 2:
        return [0.0] * len(labelings)
    information = np.array([[mutual_info_score(a, b) for b in labelings] for a in labelings])
    others = information.sum(axis=1) - information.diagonal()
    return [float(total) / (len(labelings) - 1) for total in others]
