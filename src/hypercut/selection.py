"""A label-free score of a clustering, and the choice of σ that maximises it (``sigma_factor="auto"``)."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.information import neighbor_ends
from hypercut.core.samples import IntArray, Samples
from hypercut.paper.protocol import SIGMA_FACTORS

# Number of neighbours whose clusters are compared with that of a sample. It matters little: from 3 to 15 neighbours,
# the mean NMI at the chosen σ on seven datasets varies by less than 0.003.
NEIGHBORS = 7

_log = logging.getLogger(__name__)


class HasLabels(Protocol):
    """Any result with labels."""

    @property
    def labels(self) -> IntArray:
        """The cluster of each sample."""


Result = TypeVar("Result", bound=HasLabels)


@dataclass(frozen=True)
class Selected(Generic[Result]):
    """The chosen σ/ρ (``sigma_factor``), its result, and the score of every σ/ρ tried."""

    sigma_factor: float
    result: Result
    scores: dict[float, float]


def select_sigma(
    cluster: Callable[[Hypergraphs], Result], samples: Samples, sigma_factors: Sequence[float] = SIGMA_FACTORS
) -> Selected[Result]:
    """Cluster at every σ and return the result that maximises :func:`~hypercut.selection.neighbor_information`.

    If scores are equal, the smallest σ wins.

    Parameters
    ----------
    cluster : callable
        Function that returns a result with ``labels`` for the :class:`~hypercut.core.hypergraphs.Hypergraphs` of the
        samples at one σ.
    samples : Samples
        The samples, known by their distances.
    sigma_factors : sequence of float
        Values of σ/ρ to try, by default the paper's fifteen, 0.2 to 3.

    Returns
    -------
    Selected
        ``sigma_factor``, ``result`` and the ``scores`` of all values of σ/ρ.

    Examples
    --------
    >>> from hypercut import CSC
    >>> from hypercut.core.samples import Samples
    >>> samples = Samples.from_features([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> chosen = select_sigma(lambda hypergraphs: CSC(2).cluster(hypergraphs, seed=0), samples, [0.2, 1.0])
    >>> chosen.sigma_factor
    0.2
    """
    results = []
    memory = None
    for number, factor in enumerate(sigma_factors, start=1):
        _log.info("σ = %gρ (%d of %d)", factor, number, len(sigma_factors))
        hypergraphs = Hypergraphs(samples, factor * samples.mean_distance, memory=memory)
        results.append(cluster(hypergraphs))
        memory = hypergraphs.release()
    scores = neighbor_information(samples, [result.labels for result in results])
    best = int(np.argmax(np.round(scores, 12)))
    return Selected(sigma_factors[best], results[best], dict(zip(sigma_factors, scores, strict=True)))


def neighbor_information(samples: Samples, labelings: Sequence[ArrayLike]) -> list[float]:
    """Return I(c; c′) in nats, the mutual information of the clusters of a sample and of a near neighbour.

    c′ is the cluster of one of the :data:`NEIGHBORS` nearest samples. AK+NC chooses its metric and K by the same
    criterion. The neighbours do not depend on σ, so every σ is judged alike. Cutting through a cluster loses
    information, and so does isolating a few outliers: the other labels then carry little.

    Agreement between the labelings at different σ is no substitute: at large σ the kernel tends to 1 − d²/2σ², where
    labelings agree whether they are right or wrong, and most σ of the grid are large.

    Of two labelings without any edge between clusters, the one whose clusters are closer to equal size scores higher.
    So a large cluster next to very small ones may be halved.

    Copies of a sample are not neighbours of each other; otherwise many copies would count as a cluster.

    Parameters
    ----------
    samples : Samples
        The samples, known by their distances.
    labelings : sequence of ndarray of shape (n_samples,)
        The labelings to score.

    Returns
    -------
    list of float
        The score of each labeling, at most log K.

    Examples
    --------
    >>> from hypercut.core.samples import Samples
    >>> samples = Samples.from_features([[0.0], [1.0], [10.0], [11.0]])
    >>> right, wrong = neighbor_information(samples, [[0, 0, 1, 1], [0, 1, 1, 1]])
    >>> round(right, 3), round(wrong, 3)
    (0.693, 0.085)
    """
    distinct = samples.distinct
    # If most other samples were neighbours, their clusters would carry no information.
    neighbors = samples.nearest_distinct(max(1, min(NEIGHBORS, (len(distinct) - 1) // 2)))
    return [neighbor_ends(neighbors, distinct.of, np.asarray(labels)).nats for labels in labelings]
