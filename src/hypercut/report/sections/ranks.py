"""Section "Ranks": mean ranks of the algorithms over datasets, tests, and wins of PKO+HSC."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import PAIRS, pair_name
from hypercut.analysis.outcomes import TIE, duels
from hypercut.analysis.ranks import ALPHA, FEWEST, Ranking, cliques
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Panels, Style, algorithm_styles
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid_table, number, number_cell

TEXT = (
    "Seven datasets decide little: most differences between neighbours stay below the critical difference. Nor are the "
    "datasets a random sample: the paper chose them."
)


def rank_table(rankings: Sequence[Ranking]) -> Table:
    """Return mean ranks and Friedman's test: algorithms × (experiment, metric), over the paper's datasets."""
    data: list[dict[str, Any]] = []
    cells: dict[tuple[Any, str], Cell] = {}
    for it in rankings:
        pair, ranks = (it.experiment, it.metric), it.mean_ranks
        tests = {"friedman_p": it.p_value, "critical_difference": it.critical_difference}
        facts = {"experiment": it.experiment, "metric": it.metric, "datasets": " ".join(it.scores.index)}
        data += [{**facts, "algorithm": name, "mean_rank": rank, **tests} for name, rank in ranks.items()]
        cells |= {(pair, name): Cell(number(rank, 2), rank, best=rank == ranks.min()) for name, rank in ranks.items()}
        cells[pair, "datasets"] = number_cell(len(it.scores), 0)
        cells[pair, "p"] = Cell(f"{it.p_value:.2g}", it.p_value) if it.testable else Cell("–")
        cells[pair, "difference"] = number_cell(it.critical_difference, 2)
    names = dict.fromkeys(name for it in rankings for name in it.scores.columns)
    return grid_table(
        "ranks",
        "Mean ranks",
        "Over the paper's datasets that are comparable and that all algorithms have, 1 is best; p of Friedman's test "
        "that all are equally good (F statistic of Iman and Davenport); and Nemenyi's critical difference. Both need "
        f"at least {FEWEST} datasets and algorithms.",
        pd.DataFrame(data),
        cells,
        corner="experiment",
        rows={(it.experiment, it.metric): pair_name((it.experiment, it.metric)) for it in rankings},
        columns={"datasets": "datasets"}
        | {name: name for name in names}
        | {"p": "Friedman p", "difference": "critical difference"},
    )


def duel_table(evidence: Evidence) -> Table:
    """Return wins, ties and losses of PKO+HSC: competitors × (experiment, metric)."""
    found = duels(evidence)
    run = set(found[["experiment", "metric"]].itertuples(index=False, name=None))
    return grid_table(
        "duels",
        "Wins / ties / losses of PKO+HSC",
        f"Over the same datasets. A difference of at most {TIE} or two standard errors over repeats is a tie.",
        found,
        {
            (it.competitor, (it.experiment, it.metric)): Cell(
                f"{it.wins} / {it.ties} / {it.losses}", it.wins - it.losses
            )
            for it in found.itertuples()
        },
        corner="against",
        rows={name: name for name in found["competitor"]},
        columns={pair: pair_name(pair) for pair in PAIRS if pair in run},
    )


def rank_chart(rankings: Sequence[Ranking], roles: dict[str, str]) -> Iterator[CaptionedFigure]:
    """Yield the mean ranks, a panel per ranking, with bars that join algorithms that do not differ significantly."""
    tested = [ranking for ranking in rankings if ranking.p_value == ranking.p_value]
    if not tested:
        return
    styles = algorithm_styles(roles)
    most = max(ranking.scores.shape[1] for ranking in tested)
    panels = Panels(len(tested), 3, size=(3.45, 0.75 + 0.2 * most))
    for ranking in tested:
        title = f"{pair_name((ranking.experiment, ranking.metric))}, {len(ranking.scores)} datasets"
        _rank_panel(panels, panels.add(title), ranking, styles)
    yield CaptionedFigure(
        name="ranks",
        title="Mean ranks and critical differences",
        caption=f"Algorithms joined by a grey bar do not differ significantly at the {ALPHA:.0%} level (Nemenyi).",
        panels=panels,
        data=rank_table(tested).data,
    )


def _rank_panel(panels: Panels, ax: Axes, ranking: Ranking, styles: dict[str, Style]) -> None:
    ranks = ranking.mean_ranks
    groups = cliques(ranks.to_numpy(), ranking.critical_difference)
    edge = len(ranks) + 1.1
    for slot, (first, last) in enumerate(groups):
        x = edge + 0.35 * slot
        (bar,) = ax.plot([x, x], [first - 0.25, last + 0.25], color=palette.AXIS, lw=2.5, solid_capstyle="butt")
        panels.name(bar)
    for i, (name, rank) in enumerate(ranks.items()):
        (dot,) = ax.plot([rank], [i], **{**styles[name], "ls": ""}, markersize=6)
        panels.name(dot, "", [f"{name}: mean rank {rank:.2f}"])
        ax.text(rank + 0.25, i, f"{rank:.2f}", va="center", fontsize=7, color=palette.SOFT)
    ax.set_yticks(np.arange(len(ranks)), ranks.index)
    ax.set_ylim(len(ranks) - 0.4, -0.6)
    ax.set_xlim(0.6, edge + 0.35 * max(len(groups), 1))
    ax.set_xticks(range(1, len(ranks) + 1))
    ax.set_xlabel(f"mean rank; critical difference {ranking.critical_difference:.2f}")
    ax.grid(visible=False, axis="y")


def section(evidence: Evidence, rankings: Sequence[Ranking]) -> Section:
    """Return mean ranks with tests, and the wins of PKO+HSC."""
    tables = [rank_table(rankings), duel_table(evidence)]
    return Section("ranks", "Ranks", [TEXT], tables=tables, figures=rank_chart(rankings, evidence.roles))
