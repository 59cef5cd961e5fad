"""What choosing σ without labels costs each algorithm."""

import pandas as pd

from hypercut.benchmark.summary import RULES
from hypercut.paper import published
from hypercut.report.evidence import Evidence


def selection_losses(evidence: Evidence) -> pd.DataFrame:
    """Return, per experiment, metric and algorithm with a scale, the mean over datasets but stand-ins under both rules.

    ``loss`` is the difference of the two, ``largest_loss`` that of the worst dataset, ``at_edge`` the share of cells
    whose best σ lies on the edge of the grid.
    """
    scaled = set(evidence.scales.loc[evidence.scales["sigma_factor"].notna(), "algorithm"])
    real = [name for name in evidence.datasets if evidence.kind(name) != "stand-in"]
    chosen = evidence.summary[(evidence.summary["rule"] == "oracle") & evidence.summary["dataset"].isin(real)]
    edges = chosen.groupby("algorithm")["at_edge"].mean()
    rows = []
    for experiment in published.EXPERIMENTS:
        by_rule = {
            rule: evidence.averages(experiment, rule).set_index(["metric", "algorithm", "dataset"])["mean"]
            for rule in RULES
        }
        both = pd.DataFrame(by_rule)
        both = both[both.index.isin(real, level="dataset")]
        both["loss"] = both["oracle"] - both["unsupervised"]
        for (metric, algorithm), cells in both.groupby(level=["metric", "algorithm"]):
            if algorithm in scaled:
                means = cells.mean()
                facts = {"experiment": experiment, "metric": metric, "algorithm": algorithm, "datasets": len(cells)}
                extremes = {"largest_loss": cells["loss"].max(), "at_edge": edges[algorithm]}
                rows.append({**facts, **means.to_dict(), **extremes})
    columns = ["experiment", "metric", "algorithm", "datasets", *RULES, "loss", "largest_loss", "at_edge"]
    table = pd.DataFrame(rows, columns=columns)
    order = {name: number for number, name in enumerate(evidence.algorithms)}
    return table.sort_values("algorithm", key=lambda names: names.map(order), kind="stable", ignore_index=True)
