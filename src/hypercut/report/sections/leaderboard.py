"""Section "Leaderboard": everything that was run, in one table per experiment and metric, the best mean rank first."""

from collections.abc import Iterator

import pandas as pd

from hypercut.paper import published
from hypercut.paper.protocol import CLEAN, RECONSTRUCTIONS
from hypercut.report.evidence import Evidence, present
from hypercut.report.experiments import PAIRS, pair_name
from hypercut.report.render.page import Section
from hypercut.report.render.table import EMPTY, Cell, Table, counted, is_same, number

TEXT = [
    "All methods that were run: the paper's, those beyond it, references, and your own (kind: yours). A method with a "
    "scale σ has two rows: σ chosen with the true labels, as in the paper, which is unavailable in practice, and "
    "chosen without them. Bold is the best of a column over all rows. Controls (true and random labels) are neither "
    "ranked nor bold.",
]

#: Rule → what the column says about a method with a scale.
CHOICES = {"oracle": "with labels", "unsupervised": "without labels"}
NO_SCALE = "no σ"

STAND_INS = " A stand-in is generated, in place of a dataset that could not be fetched."


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


def leaderboard_data(evidence: Evidence, experiment: str, metric: str) -> pd.DataFrame:
    """Return one row per method, choice of σ and dataset, with the mean rank and the mean over common datasets.

    Ranks are among all rows but controls, on the datasets that all of them have, without stand-ins and parts of other
    datasets. If there is no such dataset, methods without the one that most have are not ranked.
    """
    parts = []
    for rule, choice in CHOICES.items():
        rows = evidence.averages(experiment, rule)
        rows = rows[rows["metric"] == metric]
        has_scale = rows["algorithm"].isin(evidence.scaled)
        parts.append(rows[has_scale].assign(sigma=choice))
        if rule == "oracle":
            parts.append(rows[~has_scale].assign(sigma=NO_SCALE))
    rows = evidence.in_order(pd.concat(parts), "algorithm", "dataset")
    rows["kind"] = [method_kind(evidence, name) for name in rows["algorithm"]]
    ranked = rows[rows["algorithm"].isin(evidence.with_role("algorithm", "beyond", "reference"))]
    scores = ranked.pivot(index=["algorithm", "sigma"], columns="dataset", values="mean").astype(float)
    common = _common(scores[[name for name in evidence.averaged if name in scores]])
    facts = pd.DataFrame({"mean_rank": common.rank(ascending=False).mean(axis=1), "mean_score": common.mean(axis=1)})
    rows = rows.join(facts, on=["algorithm", "sigma"])
    rows["in_mean"] = rows["dataset"].isin(common.columns)
    columns = ["algorithm", "kind", "sigma", "mean_rank", "mean_score", "dataset", "in_mean", "mean", "spread"]
    rows = rows[[*columns, "error", "repeats", "levels", "failed"]].rename(columns={"mean": "score"})
    return evidence.with_kind(rows)


def _common(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores on the datasets that all methods have; if there are none, of the methods on the commonest."""
    scores = scores.dropna(how="all").round(12)
    if len(scores) and not scores.notna().all().any():
        commonest = scores.notna().sum().idxmax()
        scores = scores[scores[commonest].notna()]
    return scores.dropna(axis=1)


def leaderboard_table(evidence: Evidence, experiment: str, metric: str) -> Table:
    """Return methods × datasets, the best mean rank first, controls last."""
    data = leaderboard_data(evidence, experiment, metric) if len(evidence.averages(experiment)) else pd.DataFrame()
    rows: list[list[Cell]] = []
    datasets: list[str] = []
    if len(data):
        datasets = present(evidence.datasets, data["dataset"])
        rows = list(_rows(evidence, data, datasets))
    ranked = [name for name in datasets if data.loc[data["dataset"] == name, "in_mean"].any()]
    return Table(
        name=f"leaderboard-{experiment}-{metric}",
        title=f"Leaderboard: {pair_name((experiment, metric))}",
        caption=f"Means over repeats{'' if experiment == CLEAN else ' and levels'}. "
        f"Mean rank (1 is best) and mean are over {_over(evidence, datasets, ranked)}",
        columns=["method", "kind", "σ chosen", "mean rank", "mean", *map(evidence.label, datasets)],
        rows=rows,
        data=data,
    )


def _over(evidence: Evidence, datasets: list[str], averaged: list[str]) -> str:
    """Return how many of the datasets a mean is over, and which are not in it and why."""
    if datasets == averaged:
        return f"{evidence.label(datasets[0])}." if len(datasets) == 1 else f"all {len(datasets)} datasets."
    others = [name for name in datasets if name not in averaged]
    text = f"{len(averaged)} of {counted(len(datasets), 'dataset')}. Left out: "
    text += f"{', '.join(_left_out(evidence, name) for name in others)}."
    return text + (STAND_INS if any(evidence.kind(name) == "stand-in" for name in others) else "")


def _left_out(evidence: Evidence, dataset: str) -> str:
    """Return a dataset and why it is in no mean."""
    label = evidence.label(dataset)
    if dataset in published.PARTS:
        return f"{label} (part of {published.DATASETS[published.PARTS[dataset]]})"
    return label if evidence.kind(dataset) == "stand-in" else f"{label} (lacks methods)"


def _rows(evidence: Evidence, data: pd.DataFrame, datasets: list[str]) -> Iterator[list[Cell]]:
    """Yield the rows of the table, sorted by mean rank, with the best of each column marked."""
    keys = ["algorithm", "kind", "sigma", "mean_rank", "mean_score"]
    scores = data.pivot(index=keys, columns="dataset", values="score").reset_index(keys[1:])
    control = scores.index.isin(evidence.with_role("control"))
    scores = scores.assign(control=control).sort_values(["control", "mean_rank"], kind="stable")
    competing = scores[~scores["control"]]
    best = {name: competing[name].max() for name in ("mean_score", *datasets)}
    best["mean_rank"] = competing["mean_rank"].min()
    for method, row in scores.iterrows():
        numbers = [_cell(row, name, 2 if name == "mean_rank" else 3, best) for name in ("mean_rank", "mean_score")]
        yield [
            Cell(str(method)),
            *map(Cell, (row["kind"], row["sigma"])),
            *numbers,
            *(_cell(row, name, 3, best) for name in datasets),
        ]


def _cell(row: "pd.Series[float]", column: str, digits: int, best: dict[str, float]) -> Cell:
    value = float(row[column])
    if value != value:
        return EMPTY
    return Cell(number(value, digits), value=value, best=not row["control"] and is_same(value, best[column]))


def winner_sentence(evidence: Evidence) -> str:
    """Return which row has the best mean rank in NMI on clean data, and which of those without labels; "" if none."""
    data = leaderboard_data(evidence, "clean", "nmi") if len(evidence.averages("clean")) else pd.DataFrame()
    ranks = data.drop_duplicates(["algorithm", "sigma"]).dropna(subset="mean_rank") if len(data) else data
    if ranks.empty:
        return ""
    free = ranks[ranks["sigma"] != CHOICES["oracle"]]
    parts = [_leader(rows) for rows in (ranks, free) if len(rows)]
    if len(parts) == 2 and parts[0] == parts[1]:
        labels = "also against methods whose σ is chosen with the labels"
        return f"On clean data, {parts[0]} has the best mean rank in NMI, {labels}."
    free_leader = f"; among methods that use no labels, {parts[1]}" if len(parts) == 2 else ""
    return f"On clean data, {parts[0]} has the best mean rank in NMI{free_leader}."


def _leader(rows: pd.DataFrame) -> str:
    best = rows.loc[rows["mean_rank"].idxmin()]
    return f"{best['algorithm']} ({number(best['mean_rank'], 2)}, σ {best['sigma']})".replace("σ no σ", "no σ")


def section(evidence: Evidence) -> Section:
    """Return the section."""
    tables = [leaderboard_table(evidence, *pair) for pair in PAIRS]
    text = [*TEXT, winner_sentence(evidence)]
    return Section("leaderboard", "Leaderboard", [it for it in text if it], tabs=tables, optional=True)
