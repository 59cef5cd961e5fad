"""Which averages compete with each other: for ranks, for bold print, and in means over datasets."""

from collections.abc import Iterable

import pandas as pd

from hypercut.report.evidence import Evidence

#: Marks an average over fewer levels than others.
FEWER_LEVELS = "†"


def candidates(evidence: Evidence, averages: pd.DataFrame) -> pd.Series:
    """Return which averages are of methods that compete in their metric: no controls, and in purity K clusters at most.

    Purity never falls when a cluster is split, and reaches 1 when each sample is a cluster.
    """
    methods = averages["algorithm"].isin(evidence.with_role("algorithm", "beyond", "reference"))
    splitting = (averages["metric"] == "purity") & averages["algorithm"].isin(evidence.exceeding_k)
    return methods & ~splitting


def over_most_levels(averages: pd.DataFrame, among: pd.DataFrame) -> pd.Series:
    """Return which averages are over the same levels as the most complete ones of their dataset, of those in ``among``.

    An average over fewer levels may lack the hard ones. Of sets of levels of equal size, the commonest counts.
    """
    methods = among.drop_duplicates(["dataset", "algorithm"])
    most = methods.groupby("dataset")["levels"].agg(_most_complete)
    expected = averages["dataset"].map(most)
    return (averages["levels"] == expected) | expected.isna()


def _most_complete(levels: "pd.Series[str]") -> str:
    counts = levels.value_counts().sort_index()
    return max(map(str, counts.index), key=lambda names: (len(names.split()), counts[names]))


def competing(evidence: Evidence, averages: pd.DataFrame) -> pd.Series:
    """Return which averages of one metric may be the best of their dataset."""
    found = candidates(evidence, averages)
    return found & over_most_levels(averages, averages[found])


def with_all_methods(scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores, methods × datasets, of the datasets that all methods have.

    If there is no such dataset, methods without the one that most have are left out.
    """
    scores = scores.dropna(how="all").round(12)
    if len(scores) and not scores.notna().all().any():
        commonest = scores.notna().sum().idxmax()
        scores = scores[scores[commonest].notna()]
    return scores.dropna(axis=1)


def purity_remark(evidence: Evidence, algorithms: Iterable[str], metric: str, consequence: str) -> str:
    """Return why some of the algorithms do not compete in purity; nothing if all do, and for other metrics."""
    splitting = evidence.exceeding_k.intersection(algorithms)
    if metric != "purity" or not splitting:
        return ""
    names = " and ".join(name for name in evidence.algorithms if name in splitting)
    they = "it is" if len(splitting) == 1 else "they are"
    reason = f"{names} found more clusters than classes on some datasets"
    return f"Purity never falls when a cluster is split. {reason}, so {they} {consequence}."
