"""Everything that was run, ranked: methods, with σ chosen with and without labels."""

import pandas as pd

from hypercut.analysis.competing import over_most_levels, with_all_methods
from hypercut.analysis.evidence import Evidence
from hypercut.paper import published
from hypercut.paper.protocol import RECONSTRUCTIONS

#: Rule → how a method with σ chooses it.
CHOICES = {"oracle": "with labels", "unsupervised": "without labels"}
NO_SIGMA = "no σ"


def method_kind(evidence: Evidence, name: str) -> str:
    """Return where a method comes from, in few words."""
    role = evidence.roles[name]
    if role == "beyond":
        return "beyond the paper"
    if role != "algorithm":
        return role
    if name in RECONSTRUCTIONS:
        return "paper, reconstruction"
    return "paper" if name in published.ALGORITHMS else "yours"


def leaderboard(evidence: Evidence, experiment: str, metric: str) -> pd.DataFrame:
    """Return one row per method, choice of σ and dataset, with the mean rank and the mean over common datasets.

    Parts of other datasets are left out. Ranks are among the rows that compete, on the datasets that all of them have,
    without stand-ins. If there is no such dataset, methods without the one that most have are not ranked. ``competes``
    says which scores may be ranked and bold: no controls, in purity no method that splits clusters, and no average over
    fewer levels than the most complete ones of the dataset. Empty if the experiment was not run.
    """
    if evidence.averages(experiment).empty:
        return pd.DataFrame()
    parts = []
    for rule, choice in CHOICES.items():
        rows = evidence.averages(experiment, rule)
        rows = rows[rows["metric"] == metric]
        has_sigma = rows["algorithm"].isin(evidence.with_sigma)
        parts.append(rows[has_sigma].assign(sigma=choice))
        if rule == "oracle":
            parts.append(rows[~has_sigma].assign(sigma=NO_SIGMA))
    rows = evidence.in_order(pd.concat(parts), "algorithm", "dataset")
    rows = rows[~rows["dataset"].isin(published.PARTS)].reset_index(drop=True)
    rows["kind"] = [method_kind(evidence, name) for name in rows["algorithm"]]
    in_question = evidence.candidates(rows)
    rows["most_levels"] = over_most_levels(rows, rows[in_question])
    rows["competes"] = in_question & rows["most_levels"]
    scores = rows[rows["competes"]].pivot(index=["algorithm", "sigma"], columns="dataset", values="mean").astype(float)
    common = with_all_methods(scores[[name for name in evidence.averaged if name in scores]])
    facts = pd.DataFrame({"mean_rank": common.rank(ascending=False).mean(axis=1), "mean_score": common.mean(axis=1)})
    rows = rows.join(facts, on=["algorithm", "sigma"])
    rows["in_mean"] = rows["dataset"].isin(common.columns)
    columns = ["algorithm", "kind", "sigma", "mean_rank", "mean_score", "dataset", "in_mean", "mean", "spread"]
    columns += ["error", "repeats", "levels", "most_levels", "competes", "failed"]
    return evidence.with_kind(rows[columns].rename(columns={"mean": "score"}))
