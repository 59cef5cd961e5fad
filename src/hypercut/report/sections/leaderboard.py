"""Section "Leaderboard": everything that was run, in one table per experiment and metric, the best mean rank first."""

from typing import Any

from hypercut.analysis.evidence import Evidence, present
from hypercut.analysis.experiments import PAIRS, pair_name
from hypercut.analysis.leaderboard import leaderboard
from hypercut.report.render.page import Section
from hypercut.report.render.table import EMPTY, Cell, Table, is_same, number

#: Marks an average over fewer levels than others.
FEWER_LEVELS = "†"

TEXT = (
    "All methods that were run, those with σ twice: chosen with the true labels, as in the paper, and without. Mean "
    "ranks and means are over the datasets that all ranked methods have, without stand-ins. Not ranked: "
    f"controls, averages over fewer levels ({FEWER_LEVELS}) and, in purity, methods that split clusters."
)


def leaderboard_table(evidence: Evidence, experiment: str, metric: str) -> Table:
    """Return methods × datasets, the best mean rank first, controls last."""
    data = leaderboard(evidence, experiment, metric)
    datasets = present(evidence.datasets, data["dataset"]) if len(data) else []
    rows = []
    if len(data):
        best = data[data["competes"]].groupby("dataset")["score"].max()
        scores = {(it.algorithm, it.sigma, it.dataset): _score(it, best) for it in data.itertuples()}
        methods = data.drop_duplicates(["algorithm", "sigma"])
        methods = methods.assign(control=methods["kind"] == "control")
        for it in methods.sort_values(["control", "mean_rank"], kind="stable").itertuples():
            rows.append(
                [
                    *map(Cell, (it.algorithm, it.kind, it.sigma)),
                    _number(it.mean_rank, 2, data["mean_rank"].min()),
                    _number(it.mean_score, 3, data["mean_score"].max()),
                    *(scores.get((it.algorithm, it.sigma, name), EMPTY) for name in datasets),
                ]
            )
    columns = ["method", "kind", "σ chosen", "mean rank", "mean", *map(evidence.label, datasets)]
    title = f"Leaderboard: {pair_name((experiment, metric))}"
    return Table(f"leaderboard-{experiment}-{metric}", title, "", columns, rows, data)


def _number(value: float, digits: int, best: float) -> Cell:
    return EMPTY if value != value else Cell(number(value, digits), value=value, best=is_same(value, best))


def _score(row: Any, best: Any) -> Cell:
    text = number(row.score, 3) + ("" if row.most_levels else f" {FEWER_LEVELS}")
    return Cell(text, value=row.score, best=row.competes and is_same(row.score, best[row.dataset]))


def section(evidence: Evidence) -> Section:
    """Return one leaderboard per experiment and metric."""
    return Section("leaderboard", "Leaderboard", [TEXT], tabs=[leaderboard_table(evidence, *pair) for pair in PAIRS])
