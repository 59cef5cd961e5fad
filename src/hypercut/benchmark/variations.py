"""Variations: one algorithm on one dataset under one setting, with a named change.

The change is a sweep of the parameters of PKO+HSC, or a reading of the paper (:mod:`hypercut.paper.readings`). A cell
is the variation without a change. This module imports nothing slow, since the workflow needs it to list its jobs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hypercut.paper.readings import Reading, weight_pairs

SWEEPS = ("weights", "neighbors", "communities")
SWEPT_ALGORITHM = "PKO+HSC"
"""the algorithm whose parameters are swept"""

#: Between setting and reading in the name of a problem whose data a reading changes.
_CHANGED_BY = "~"


class Group(StrEnum):
    """Why a variation is run."""

    CELLS = "cells"
    SWEEPS = "sweeps"
    READINGS = "readings"
    NEAREST = "nearest reading"
    """at the full protocol"""


@dataclass(frozen=True)
class Variation:
    """The content of one result file."""

    dataset: str
    setting: str
    name: str
    """of the sweep or reading; empty for a cell"""
    algorithm: str
    group: Group
    repeats: int
    changed_by: str = ""
    """the reading that changes the data; empty if the problem is the same as for the cells"""

    @property
    def problem(self) -> str:
        """The name of its problem, see :func:`problem_name`."""
        return problem_name(self.setting, self.changed_by)

    @property
    def key(self) -> str:
        """Its names as one text: dataset, setting, variation unless it is a cell, and algorithm."""
        return "/".join(filter(None, (self.dataset, self.setting, self.name, self.algorithm)))

    @property
    def names(self) -> dict[str, str]:
        """The columns that identify its rows."""
        return {
            "dataset": self.dataset,
            "setting": self.setting,
            "algorithm": self.algorithm,
            "variation": self.name,
        }


def problem_name(setting: str, changed_by: str = "") -> str:
    """Return the name of a problem: the setting, and the reading that changes its data.

    >>> problem_name("clean"), problem_name("clean", "features-unit")
    ('clean', 'clean~features-unit')
    """
    return f"{setting}{_CHANGED_BY}{changed_by}" if changed_by else setting


def split_problem(problem: str) -> tuple[str, str]:
    """Return the setting of a problem and the reading that changes its data, or "".

    >>> split_problem("clean"), split_problem("clean~features-unit")
    (('clean', ''), ('clean', 'features-unit'))
    """
    setting, _, changed_by = problem.partition(_CHANGED_BY)
    return setting, changed_by


def parameter_sets(reading: Reading, algorithm: str, base: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters of an algorithm under a reading; ``base`` holds the parameters of its cell."""
    if reading.grid == "weights":
        return [{**base, "alpha": alpha, "beta": beta} for alpha, beta in _weights_of(algorithm)]
    return [{**base, **reading.parameters}]


def _weights_of(algorithm: str) -> list[tuple[float, float]]:
    """Return the paper's pairs (α, β) in which both hypergraphs have a weight, one of each ratio."""
    distinct: dict[Any, tuple[float, float]] = {}
    for alpha, beta in weight_pairs():
        # Both have two hypergraphs: PK+HSC depends on the ratio of α to β, PO+HSC on the ratio of α to 1 − α − β.
        other = {"PK+HSC": beta, "PO+HSC": 1 - alpha - beta}[algorithm]
        if min(alpha, other) > 1e-9:
            distinct.setdefault(round(alpha / other, 9), (alpha, beta))
    return list(distinct.values())
