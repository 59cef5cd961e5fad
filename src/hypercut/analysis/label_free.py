"""What it costs to choose σ without labels."""

import pandas as pd

from hypercut.analysis.competing import over_most_levels, with_all_methods
from hypercut.analysis.evidence import Evidence
from hypercut.paper import published
from hypercut.results.summary import RULES


def label_free_losses(evidence: Evidence) -> pd.DataFrame:
    """Return, per experiment, metric and algorithm with σ, the mean over datasets under both rules.

    Means are over the datasets that all these algorithms have, with the same levels; stand-ins and parts of other
    datasets are excluded. ``loss`` is the difference of the two means, ``largest_loss`` that on the worst dataset,
    ``at_edge`` the share of the cells that all have whose best σ is at the edge of the grid.
    """
    edges = _edge_shares(evidence)
    rows = []
    for experiment in published.EXPERIMENTS:
        common = _common_scores(evidence, experiment)
        keys = ["metric", "algorithm", "dataset"]
        both = pd.DataFrame({rule: evidence.averages(experiment, rule).set_index(keys)["mean"] for rule in RULES})
        both = both[both.index.isin(common.columns, level="dataset") & both.index.isin(common.index, level="algorithm")]
        both["loss"] = both["oracle"] - both["unsupervised"]
        # Results of version 1.0 have no AMI.
        for (metric, algorithm), cells in both.dropna().groupby(level=["metric", "algorithm"]):
            means = cells[[*RULES, "loss"]].mean()
            rows.append([experiment, metric, algorithm, len(cells), *means, cells["loss"].max(), edges.get(algorithm)])
    columns = ["experiment", "metric", "algorithm", "datasets", *RULES, "loss", "largest_loss", "at_edge"]
    return evidence.in_order(pd.DataFrame(rows, columns=columns), "algorithm")


def _common_scores(evidence: Evidence, experiment: str) -> pd.DataFrame:
    """Return the mean NMI of algorithms with σ × the datasets that all of them have."""
    rows = evidence.averages(experiment)
    rows = rows[(rows["metric"] == "nmi") & rows["algorithm"].isin(evidence.with_sigma)]
    rows = rows[rows["dataset"].isin(evidence.averaged)]
    rows = rows[over_most_levels(rows, rows)]
    return with_all_methods(rows.pivot(index="algorithm", columns="dataset", values="mean"))


def _edge_shares(evidence: Evidence) -> "pd.Series[float]":
    """Return, per algorithm with σ, the share of cells at the edge, of those that all these algorithms have."""
    cells = evidence.summary[evidence.summary["rule"] == "oracle"]
    cells = cells[cells["dataset"].isin(evidence.averaged) & cells["algorithm"].isin(evidence.with_sigma)]
    at_edge = cells.pivot(index="algorithm", columns=["dataset", "setting"], values="at_edge")
    return with_all_methods(at_edge.astype(float)).mean(axis=1)
