"""Why the trace ratio wins or loses against the normalised cut: see :func:`hypercut.core.diagnostics.diagnostics`."""

from dataclasses import dataclass

import pandas as pd

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.outcomes import outcome
from hypercut.paper import published
from hypercut.paper.protocol import CLEAN
from hypercut.results.rows import DIAGNOSTICS

#: The trace ratio and the normalised cut of the same similarity, and the trace ratio of one without over-clusterings.
RATIO, NORMALIZED, OTHER = published.METHOD, "PKO+NC", "PK+HSC"

#: The share of all vertices that count as those of low degree, in :mod:`hypercut.core.diagnostics`.
LOW_DEGREE_SHARE = 0.05


def diagnosed(evidence: Evidence) -> pd.DataFrame:
    """Return the mean diagnostics of the clean sets, a row per dataset and method.

    σ is the one that the labels choose for the method; PKO+NC has that of PKO+HSC, so that both cut the same
    similarity. Datasets on which one of these two lacks diagnostics are left out.
    """
    chosen = evidence.summary[(evidence.summary["rule"] == "oracle") & (evidence.summary["setting"] == CLEAN)]
    sigmas = chosen.set_index(["dataset", "algorithm"])["sigma_factor"].rename("chosen")
    rows = evidence.clean_by_sigma
    rows = rows[rows["algorithm"].isin([RATIO, NORMALIZED, OTHER]) & rows["criterion_mean"].notna()]
    rows = rows.assign(of=rows["algorithm"].replace(NORMALIZED, RATIO)).join(sigmas, on=["dataset", "of"])
    rows = rows[rows["sigma_factor"] == rows["chosen"]]
    pairs = rows[rows["algorithm"] != OTHER].groupby("dataset")["algorithm"].nunique()
    rows = rows[rows["dataset"].map(pairs) == 2]
    means = {f"{name}_mean": name for name in ("nmi", *DIAGNOSTICS)}
    rows = rows.rename(columns=means)[["dataset", "algorithm", "sigma_factor", "repeats", *means.values()]]
    return evidence.in_order(rows, "dataset", "algorithm")


@dataclass(frozen=True)
class Explanation:
    """On how many datasets the criterion prefers what, and where P has its mass."""

    datasets: int
    won: int
    """datasets on which PKO+HSC has the higher NMI, by more than a tie"""
    lost: int
    preferred: int
    """lost datasets on which the labels of PKO+HSC have the larger criterion"""
    relaxed: int
    """the other lost datasets on which P has the larger trace ratio"""
    above_truth: int
    """datasets on which the criterion of the labels is larger than that of the true classes"""
    mass: dict[str, float]
    """method → median share of P's mass on the vertices of low degree"""
    smallest: dict[str, float]
    """method → median size of the smallest cluster"""


def explain(data: pd.DataFrame) -> Explanation:
    """Return what the rows of :func:`diagnosed` say about PKO+HSC against PKO+NC."""
    ratio, cut = (data[data["algorithm"] == name].set_index("dataset") for name in (RATIO, NORMALIZED))
    outcomes = pd.Series([outcome(*pair) for pair in zip(ratio["nmi"], cut["nmi"].loc[ratio.index], strict=True)])
    lost = (outcomes == -1).to_numpy()
    preferred = lost & (ratio["criterion"] > cut["criterion"])
    both = {RATIO: ratio, NORMALIZED: cut}
    return Explanation(
        datasets=len(ratio),
        won=int((outcomes == 1).sum()),
        lost=int(lost.sum()),
        preferred=int(preferred.sum()),
        relaxed=int((lost & ~preferred & (ratio["trace_ratio"] > cut["trace_ratio"])).sum()),
        above_truth=int((ratio["criterion"] > ratio["criterion_truth"]).sum()),
        mass={name: float(rows["low_degree_mass"].median()) for name, rows in both.items()},
        smallest={name: float(rows["smallest_cluster"].median()) for name, rows in both.items()},
    )
