"""How surely PKO+HSC is better than each competitor: intervals, a Bayesian test, single datasets left out."""

import baycomp
import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

from hypercut.analysis.bootstrap import FEWEST_FOR_INTERVAL
from hypercut.analysis.evidence import Evidence
from hypercut.analysis.gains import on_common_datasets, paper_gains, scope_scores
from hypercut.analysis.outcomes import TIE
from hypercut.paper import published
from hypercut.paper.forensics import average_gain

#: Draws from the posterior of the Bayesian test: probabilities are then exact to about 0.01.
DRAWS = 10_000

TESTED = ["least", "most", "better", "equivalent", "worse", "p"]


def against_competitors(evidence: Evidence, gains: pd.DataFrame, size: str) -> pd.DataFrame:
    """Return the gains over the paper's competitors at one size, one row each, with what supports them.

    ``least`` and ``most`` are the ends of the gain if one dataset is left out. ``better``, ``equivalent`` and ``worse``
    are the probabilities of the Bayesian signed-rank test that PKO+HSC is better, within :data:`.outcomes.TIE`, or
    worse on a new dataset. ``p`` is that of Wilcoxon's signed-rank test with Holm's correction for the competitors of
    the same experiment and metric. All are NaN with fewer than four datasets.
    """
    rows = paper_gains(gains, size)
    rows = rows[rows["competitor"].isin(published.COMPETITORS)].reset_index(drop=True)
    found = []
    for it in rows.itertuples():
        scores = scope_scores(evidence.at(size), it.experiment, it.metric, it.scope)
        both = on_common_datasets(scores, it.competitor).to_numpy(dtype=float)
        found.append(_tested(*both.T) if len(both) >= FEWEST_FOR_INTERVAL else [np.nan] * len(TESTED))
    table = rows.join(pd.DataFrame(found, columns=TESTED, index=rows.index, dtype=float))
    table["p"] = table.groupby(["experiment", "metric"])["p"].transform(holm)
    return table


def _tested(ours: np.ndarray, other: np.ndarray) -> list[float]:
    left_out = [average_gain(np.delete(ours, i), np.delete(other, i)) for i in range(len(ours))]
    worse, equivalent, better = baycomp.SignedRankTest.probs(other, ours, TIE, nsamples=DRAWS, random_state=0)
    differences = (ours - other).round(12)
    p = float(wilcoxon(differences).pvalue) if differences.any() else 1.0
    return [min(left_out), max(left_out), better, equivalent, worse, p]


def holm(values: "pd.Series[float]") -> "pd.Series[float]":
    """Return p values with Holm's correction for their number.

    >>> holm(pd.Series([0.03, 0.01, 0.04])).round(2).tolist()
    [0.06, 0.03, 0.06]
    """
    ordered = values.dropna().sort_values()
    corrected = ordered * np.arange(len(ordered), 0, -1)
    return corrected.cummax().clip(upper=1.0).reindex(values.index)
