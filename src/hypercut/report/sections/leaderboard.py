"""Section "Leaderboard": everything that was run, in one table per experiment and metric, the best mean rank first."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from hypercut.paper import published
from hypercut.paper.protocol import CLEAN, RECONSTRUCTIONS
from hypercut.report.competing import FEWER_LEVELS, candidates, over_most_levels, purity_remark, with_all_methods
from hypercut.report.evidence import Evidence, present
from hypercut.report.experiments import PAIRS, pair_name
from hypercut.report.render.page import Section
from hypercut.report.render.table import EMPTY, Cell, Table, counted, is_same, number

TEXT = [
    "All methods that were run: the paper's, those beyond it, references, and your own (kind: yours). A method with a "
    "scale σ has two rows: σ chosen with the true labels, as in the paper, which is unavailable in practice, and "
    "chosen without them. Bold is the best of a column. Neither ranked nor bold are controls (true and random labels), "
    "averages over fewer levels than the others and, in purity, methods that found more clusters than classes.",
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

    Ranks are among the rows that compete, on the datasets that all of them have, without stand-ins and parts of other
    datasets. If there is no such dataset, methods without the one that most have are not ranked. ``competes`` says
    which scores may be ranked and bold: no controls, in purity no method that splits clusters, and no average over
    fewer levels than the most complete ones of the dataset.
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
    in_question = candidates(evidence, rows)
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


def leaderboard_table(evidence: Evidence, experiment: str, metric: str) -> Table:
    """Return methods × datasets, the best mean rank first, controls last."""
    data = leaderboard_data(evidence, experiment, metric) if len(evidence.averages(experiment)) else pd.DataFrame()
    rows: list[list[Cell]] = []
    datasets: list[str] = []
    if len(data):
        datasets = present(evidence.datasets, data["dataset"])
        rows = list(_rows(evidence, data, datasets))
    return Table(
        name=f"leaderboard-{experiment}-{metric}",
        title=f"Leaderboard: {pair_name((experiment, metric))}",
        caption=_caption(evidence, experiment, metric, data) if len(data) else "",
        columns=["method", "kind", "σ chosen", "mean rank", "mean", *map(evidence.label, datasets)],
        rows=rows,
        data=data,
    )


def _caption(evidence: Evidence, experiment: str, metric: str, data: pd.DataFrame) -> str:
    parts = [
        f"Means over repeats{'' if experiment == CLEAN else ' and levels'}.",
        f"Mean rank (1 is best) and mean are over {_over(evidence, data)}",
        purity_remark(evidence, data["algorithm"], metric, "neither ranked nor bold"),
    ]
    if not data["most_levels"].all():
        levels = "Average over other levels than those of the most complete methods on the dataset"
        parts.append(f"{FEWER_LEVELS} {levels}: not ranked, in no mean, not bold.")
    return " ".join(filter(None, parts))


def _over(evidence: Evidence, data: pd.DataFrame) -> str:
    """Return how many of the datasets a mean is over, and which are not in it and why."""
    datasets = present(evidence.datasets, data["dataset"])
    others = [name for name in datasets if name not in set(data.loc[data["in_mean"], "dataset"])]
    if not others:
        return f"{evidence.label(datasets[0])}." if len(datasets) == 1 else f"all {len(datasets)} datasets."
    text = f"{len(datasets) - len(others)} of {counted(len(datasets), 'dataset')}. Left out: "
    text += f"{', '.join(_left_out(evidence, data, name) for name in others)}."
    return text + (STAND_INS if any(evidence.kind(name) == "stand-in" for name in others) else "")


def _left_out(evidence: Evidence, data: pd.DataFrame, dataset: str) -> str:
    """Return a dataset and why it is in no mean."""
    label = evidence.label(dataset)
    if dataset in published.PARTS:
        return f"{label} (part of {published.DATASETS[published.PARTS[dataset]]})"
    if evidence.kind(dataset) == "stand-in":
        return label
    ranked = data[(data["dataset"] == dataset) & data["mean_rank"].notna()]
    return f"{label} (lacks {'methods' if ranked['most_levels'].all() else 'levels'})"


def _rows(evidence: Evidence, data: pd.DataFrame, datasets: list[str]) -> Iterator[list[Cell]]:
    """Yield the rows of the table, sorted by mean rank, with the best of each column marked."""
    best = data[data["competes"]].groupby("dataset")["score"].max()
    best_rank, best_mean = data["mean_rank"].min(), data["mean_score"].max()
    methods = data.drop_duplicates(["algorithm", "sigma"])
    control = methods["algorithm"].isin(evidence.with_role("control"))
    methods = methods.assign(control=control).sort_values(["control", "mean_rank"], kind="stable")
    scores = {(row.algorithm, row.sigma, row.dataset): row for row in data.itertuples()}
    for method in methods.itertuples():
        found = (scores.get((method.algorithm, method.sigma, name)) for name in datasets)
        yield [
            *map(Cell, (method.algorithm, method.kind, method.sigma)),
            _number(method.mean_rank, 2, best_rank),
            _number(method.mean_score, 3, best_mean),
            *(EMPTY if row is None else _score(row, best) for row in found),
        ]


def _number(value: float, digits: int, best: float) -> Cell:
    return EMPTY if value != value else Cell(number(value, digits), value=value, best=is_same(value, best))


def _score(row: Any, best: "pd.Series[float]") -> Cell:
    text = number(row.score, 3) + ("" if row.most_levels else f" {FEWER_LEVELS}")
    return Cell(text, value=row.score, best=row.competes and is_same(row.score, best[row.dataset]))


def winner_sentence(evidence: Evidence) -> str:
    """Return which rows have the two best mean ranks in NMI on clean data, and which the best without labels."""
    ranks = _clean_ranks(evidence)
    if ranks.empty:
        return ""
    free = ranks[ranks["sigma"] != CHOICES["oracle"]]
    best, best_free = _ranked(ranks), _ranked(free)
    before = f" before {best[1]}" if len(best) > 1 else ""
    among = ""
    if best_free[:1] == best[:1]:
        among = ", also against methods whose σ is chosen with the labels"
    elif best_free:
        among = f"; among methods that use no labels, {best_free[0]}"
    return f"On clean data, {best[0]} has the best mean rank in NMI{before}{among}."


def reference_sentence(evidence: Evidence) -> str:
    """Return which references rank before PKO+HSC on clean data; nothing if none does."""
    ranks = _clean_ranks(evidence)
    ours = ranks[ranks["algorithm"] == published.METHOD] if len(ranks) else ranks
    if ours.empty:
        return ""
    ahead = ranks[ranks["algorithm"].isin(evidence.with_role("reference"))]
    ahead = ahead[ahead["mean_rank"] < ours["mean_rank"].min()]
    verb = "ranks" if len(ahead) == 1 else "rank"
    return f"{' and '.join(_ranked(ahead))} {verb} before {_ranked(ours)[0]}." if len(ahead) else ""


def _clean_ranks(evidence: Evidence) -> pd.DataFrame:
    """Return the ranked rows of the leaderboard in NMI on clean data, one per method and choice of σ."""
    data = leaderboard_data(evidence, "clean", "nmi") if len(evidence.averages("clean")) else pd.DataFrame()
    return data.drop_duplicates(["algorithm", "sigma"]).dropna(subset="mean_rank") if len(data) else data


def _ranked(rows: pd.DataFrame) -> list[str]:
    """Return the two best rows in words."""
    return [
        f"{row.algorithm} ({number(row.mean_rank, 2)}, σ {row.sigma})".replace("σ no σ", "no σ")
        for row in rows.sort_values("mean_rank", kind="stable").head(2).itertuples()
    ]


def section(evidence: Evidence) -> Section:
    """Return the section."""
    tables = [leaderboard_table(evidence, *pair) for pair in PAIRS]
    text = [*TEXT, winner_sentence(evidence)]
    return Section("leaderboard", "Leaderboard", [it for it in text if it], tabs=tables, optional=True)
