"""Section "Ranks": mean ranks of the algorithms over datasets, tests, and wins of PKO+HSC."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import factorial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.stats import f, friedmanchisquare, studentized_range

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import PAIRS, pair_name
from hypercut.report.outcomes import TIE, compare
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Panels, Style, algorithm_styles
from hypercut.report.render.page import Section
from hypercut.report.render.table import EMPTY, Cell, Table, grid, number, number_cell

#: The level of the Friedman and Nemenyi tests.
ALPHA = 0.05

#: The tests need at least this many datasets and algorithms.
FEWEST = 3

SCOPES = {
    "paper": "the paper's datasets that are comparable",
    "all": "all complete datasets except stand-ins and USPS-465",
}


@dataclass(frozen=True)
class Ranking:
    """The ranks of the algorithms in one experiment and metric over the datasets that all of them have."""

    scope: str
    experiment: str
    metric: str
    scores: pd.DataFrame
    """datasets × algorithms, rounded, so that equal scores are equal"""

    @property
    def mean_ranks(self) -> pd.Series:
        """Mean rank over datasets, 1 is best, the best first; equal scores share the mean of their ranks."""
        return self.scores.rank(axis=1, ascending=False).mean().sort_values(kind="stable")

    @property
    def testable(self) -> bool:
        """Whether there are enough datasets and algorithms to test."""
        return min(self.scores.shape) >= FEWEST

    @property
    def p_value(self) -> float:
        """p of Friedman's test that all algorithms are equally good; NaN if that cannot be tested.

        F is infinite if all n datasets have the same order of the k algorithms. p is therefore at least the probability
        of that by chance, 1/k!^(n − 1).
        """
        if not self.testable or not self.scores.nunique(axis=1).gt(1).any():
            return float("nan")
        n, k = self.scores.shape
        statistic = iman_davenport(friedmanchisquare(*self.scores.to_numpy().T).statistic, datasets=n, algorithms=k)
        return max(float(f.sf(statistic, k - 1, (k - 1) * (n - 1))), factorial(k) ** -(n - 1))

    @property
    def critical_difference(self) -> float:
        """Nemenyi's critical difference q_α √(k(k + 1)/6n): mean ranks closer than this do not differ significantly.

        NaN if there is too little to test.
        """
        if not self.testable:
            return float("nan")
        n, k = self.scores.shape
        return _studentized_range(k) / np.sqrt(2) * float(np.sqrt(k * (k + 1) / (6 * n)))


def iman_davenport(chi_square: float, *, datasets: int, algorithms: int) -> float:
    """Return the F statistic of Friedman's test, with k − 1 and (k − 1)(n − 1) degrees of freedom.

    F = (n − 1) χ² / (n(k − 1) − χ²) (Iman and Davenport 1980). With few datasets, Friedman's own χ² finds too little.
    """
    rest = datasets * (algorithms - 1) - chi_square
    return (datasets - 1) * chi_square / rest if rest > 1e-9 else float("inf")


@cache
def _studentized_range(algorithms: int) -> float:
    """Return the quantile of the studentized range; computing it takes a tenth of a second."""
    return float(studentized_range.ppf(1 - ALPHA, algorithms, np.inf))


def ranking(evidence: Evidence, scope: str, experiment: str, metric: str) -> Ranking:
    """Rank the algorithms (no references, no controls) on the datasets of a scope that all of them have."""
    if scope == "paper":
        rows = evidence.comparable_averages(experiment)
    else:
        rows = evidence.averages(experiment)
        whole = [name for name in evidence.averaged if evidence.facts.loc[name, "complete"]]
        rows = rows[rows["complete"].astype(bool) & rows["dataset"].isin(whole)]
    algorithms = evidence.with_role("algorithm")
    rows = rows[(rows["metric"] == metric) & rows["algorithm"].isin(algorithms)]
    scores = rows.pivot(index="dataset", columns="algorithm", values="mean")
    # An algorithm without any dataset of the scope would leave no dataset that all have.
    present = [name for name in algorithms if name in scores]
    return Ranking(scope, experiment, metric, scores[present].dropna().round(12))


def rankings(evidence: Evidence) -> list[Ranking]:
    """Return the rankings that have a dataset; that of the scope ``all`` only if its datasets are not the paper's."""
    found = []
    for experiment, metric in PAIRS:
        paper = ranking(evidence, "paper", experiment, metric)
        every = ranking(evidence, "all", experiment, metric)
        found += [paper] if len(paper.scores) else []
        found += [every] if len(every.scores) and list(every.scores.index) != list(paper.scores.index) else []
    return found


def duels(evidence: Evidence) -> pd.DataFrame:
    """Return wins, ties and losses of PKO+HSC against each other algorithm, over the paper's comparable datasets."""
    rows = []
    competitors = [name for name in evidence.with_role("algorithm", "reference") if name != published.METHOD]
    for experiment in published.EXPERIMENTS:
        compared = compare(evidence.comparable_averages(experiment), competitors)
        for (metric, competitor), part in compared.groupby(["metric", "competitor"], sort=False):
            results = part["outcome"].tolist()
            rows.append([experiment, metric, competitor, results.count(1), results.count(0), results.count(-1)])
    return pd.DataFrame(rows, columns=["experiment", "metric", "competitor", "wins", "ties", "losses"])


def rank_table(rankings: Sequence[Ranking]) -> Table:
    """Return mean ranks and Friedman's test."""
    names = list(dict.fromkeys(name for ranking in rankings for name in ranking.scores.columns))
    body, data = [], []
    for ranking in rankings:
        means, p_value, difference = ranking.mean_ranks, ranking.p_value, ranking.critical_difference
        ranks = {name: Cell(number(rank, 2), value=rank, best=rank == means.min()) for name, rank in means.items()}
        body.append(
            [
                Cell(pair_name((ranking.experiment, ranking.metric))),
                Cell(ranking.scope),
                number_cell(len(ranking.scores), 0),
                *(ranks.get(name, EMPTY) for name in names),
                Cell(f"{p_value:.2g}" if p_value == p_value else "–", value=p_value),
                number_cell(difference, 2),
            ]
        )
        facts = {"scope": ranking.scope, "experiment": ranking.experiment, "metric": ranking.metric}
        facts["datasets"] = " ".join(ranking.scores.index)
        tests = {"friedman_p": p_value, "critical_difference": difference}
        data += [{**facts, "algorithm": name, "mean_rank": rank, **tests} for name, rank in means.items()]
    return Table(
        name="ranks",
        title="Mean ranks",
        caption="Mean ranks over the datasets that all algorithms have, 1 is best; p of Friedman's test that all are "
        "equally good (F statistic of Iman and Davenport); and Nemenyi's critical difference: ranks closer than this "
        f"do not differ significantly. Both need at least {FEWEST} datasets and algorithms. "
        f"Scopes: {'; '.join(f'{name}: {text}' for name, text in SCOPES.items())}.",
        columns=["experiment", "scope", "datasets", *names, "Friedman p", "critical difference"],
        rows=body,
        data=pd.DataFrame(data),
    )


def duel_table(duels: pd.DataFrame) -> Table:
    """Return wins, ties and losses of PKO+HSC: competitors × (experiment, metric)."""
    run = set(duels[["experiment", "metric"]].itertuples(index=False, name=None))
    pairs = [pair for pair in PAIRS if pair in run]
    cells = {
        (row.competitor, (row.experiment, row.metric)): Cell(
            f"{row.wins} / {row.ties} / {row.losses}", value=row.wins - row.losses
        )
        for row in duels.itertuples()
    }
    return Table(
        name="duels",
        title="Wins / ties / losses of PKO+HSC",
        caption=f"Over the paper's datasets that are comparable. A difference of at most {TIE} or two standard errors "
        "over repeats is a tie.",
        columns=["against", *map(pair_name, pairs)],
        rows=grid({name: name for name in duels["competitor"]}, pairs, cells),
        data=duels,
    )


def rank_chart(rankings: Sequence[Ranking], roles: dict[str, str]) -> Iterator[CaptionedFigure]:
    """Yield the mean ranks, a panel per ranking, with bars that join algorithms that do not differ significantly."""
    tested = [ranking for ranking in rankings if ranking.p_value == ranking.p_value]
    if not tested:
        return
    styles = algorithm_styles(roles)
    most = max(ranking.scores.shape[1] for ranking in tested)
    panels = Panels(len(tested), 3, size=(3.45, 0.75 + 0.2 * most), margins=(0.85, 0.12, 0.3, 0.42))
    for ranking in tested:
        title = f"{pair_name((ranking.experiment, ranking.metric))}, {len(ranking.scores)} datasets ({ranking.scope})"
        _rank_panel(panels, panels.add(title), ranking, styles)
    ranks = rank_table(tested).data
    yield CaptionedFigure(
        name="ranks",
        title="Mean ranks and critical differences",
        caption=f"Mean ranks over datasets, 1 is best. Algorithms joined by a grey bar do not differ significantly at "
        f"the {ALPHA:.0%} level (Nemenyi): their ranks differ by less than the critical difference.",
        alt="Dot charts of the mean ranks of the algorithms; the table of ranks has all numbers.",
        panels=panels,
        data=ranks,
    )


def _rank_panel(panels: Panels, ax: Axes, ranking: Ranking, styles: dict[str, Style]) -> None:
    ranks = ranking.mean_ranks
    y = np.arange(len(ranks))
    groups = cliques(ranks.to_numpy(), ranking.critical_difference)
    edge = len(ranks) + 1.1
    for slot, (first, last) in enumerate(groups):
        x = edge + 0.35 * slot
        (bar,) = ax.plot([x, x], [first - 0.25, last + 0.25], color=palette.AXIS, lw=2.5, solid_capstyle="butt")
        panels.name(bar, "")
    for i, (name, rank) in enumerate(ranks.items()):
        (dot,) = ax.plot([rank], [i], **{**styles[name], "ls": ""}, markersize=6)
        panels.name(dot, "", [f"{name}: mean rank {rank:.2f}"])
        ax.text(rank + 0.25, i, f"{rank:.2f}", va="center", fontsize=7, color=palette.SOFT)
    ax.set_yticks(y, ranks.index)
    ax.set_ylim(len(ranks) - 0.4, -0.6)
    ax.set_xlim(0.6, edge + 0.35 * max(len(groups), 1))
    ax.set_xticks(range(1, len(ranks) + 1))
    ax.set_xlabel(f"mean rank; critical difference {ranking.critical_difference:.2f}")
    ax.grid(visible=False, axis="y")


def cliques(ranks: np.ndarray, difference: float) -> list[tuple[int, int]]:
    """Return first and last of every maximal run of sorted ranks that are closer than the critical difference.

    >>> cliques(np.array([1.0, 1.5, 2.2, 4.0]), 1.0)
    [(0, 1), (1, 2)]
    """
    last = [int(np.searchsorted(ranks, rank + difference)) - 1 for rank in ranks]
    runs = [(i, end) for i, end in enumerate(last) if end > i]
    return [(i, end) for i, end in runs if not any(j < i and end <= other for j, other in runs)]


def rank_sentence(rankings: Sequence[Ranking]) -> str:
    """Return how much the datasets can decide."""
    first = next((ranking for ranking in rankings if ranking.testable), None)
    if first is None:
        return "Fewer than three datasets have all algorithms, or there are fewer than three algorithms: no test."
    n, k = first.scores.shape
    return (
        f"{n} datasets decide little: with {k} algorithms, mean ranks must differ by {first.critical_difference:.1f} "
        f"of at most {k - 1} places to be significant, so most differences between neighbours stay open. Nor are the "
        "datasets a random sample: the paper chose them. Friedman's test uses the F statistic of Iman and Davenport, "
        "since its χ² finds too little with few datasets."
    )


def section(evidence: Evidence, rankings: Sequence[Ranking]) -> Section:
    """Return the section."""
    tables = [rank_table(rankings), duel_table(duels(evidence))]
    figures = rank_chart(rankings, evidence.roles)
    return Section("ranks", "Ranks", [rank_sentence(rankings)], tables=tables, figures=figures)
