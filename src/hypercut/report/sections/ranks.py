"""Section "Ranks": mean ranks of the algorithms over datasets, tests, and wins of PKO+HSC."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import PAIRS, pair_name
from hypercut.analysis.outcomes import TIE, duels
from hypercut.analysis.ranks import ALPHA, Ranking, cliques
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Panels, Style, algorithm_styles
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, counted, grid_table

TEXT = (
    "Seven datasets decide little: most differences between neighbours stay below the critical difference. Nor are the "
    "datasets a random sample: the paper chose them."
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
    if not rankings:
        return
    styles = algorithm_styles(roles)
    most = max(ranking.scores.shape[1] for ranking in rankings)
    panels = Panels(len(rankings), 3, size=(3.45, 0.75 + 0.2 * most))
    rows: list[dict[str, Any]] = []
    for it in rankings:
        title = f"{pair_name((it.experiment, it.metric))}, {counted(len(it.scores), 'dataset')}"
        _rank_panel(panels, panels.add(title), it, styles)
        facts = {"experiment": it.experiment, "metric": it.metric, "datasets": " ".join(it.scores.index)}
        tests = {"friedman_p": it.p_value, "critical_difference": it.critical_difference}
        rows += [{**facts, "algorithm": name, "mean_rank": rank, **tests} for name, rank in it.mean_ranks.items()]
    yield CaptionedFigure(
        name="ranks",
        title="Mean ranks and critical differences",
        caption="Over the paper's datasets that are comparable and that all algorithms have; 1 is best. p: Friedman's "
        "test that all are equally good (F statistic of Iman and Davenport). Algorithms joined by a grey bar do not "
        f"differ significantly at the {ALPHA:.0%} level (Nemenyi).",
        panels=panels,
        data=pd.DataFrame(rows),
    )


def _rank_panel(panels: Panels, ax: Axes, ranking: Ranking, styles: dict[str, Style]) -> None:
    ranks, difference = ranking.mean_ranks, ranking.critical_difference
    is_tested = ranking.p_value == ranking.p_value
    groups = cliques(ranks.to_numpy(), difference) if is_tested else []
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
    tests = f", critical difference {difference:.2f}, p = {ranking.p_value:.2g}" if is_tested else ""
    ax.set_xlabel(f"mean rank{tests}")
    ax.grid(visible=False, axis="y")


def section(evidence: Evidence, rankings: Sequence[Ranking]) -> Section:
    """Return the wins of PKO+HSC, and mean ranks with tests."""
    figures = rank_chart(rankings, evidence.roles)
    return Section("ranks", "Ranks", [TEXT], tables=[duel_table(evidence)], figures=figures)
