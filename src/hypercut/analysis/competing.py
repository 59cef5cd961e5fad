"""Which averages compare with each other: those over the same levels, on the datasets that all methods have."""

import pandas as pd


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


def with_all_methods(scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores, methods × datasets, of the datasets that all methods have.

    If there is no such dataset, methods without the one that most have are left out.
    """
    scores = scores.dropna(how="all").round(12)
    if len(scores) and not scores.notna().all().any():
        commonest = scores.notna().sum().idxmax()
        scores = scores[scores[commonest].notna()]
    return scores.dropna(axis=1)
