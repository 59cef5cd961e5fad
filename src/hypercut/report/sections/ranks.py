"""Section "Ranks": mean ranks of the algorithms over datasets, tests, and wins of PKO+HSC."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import friedmanchisquare, studentized_range

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import PAIRS, pair_name
from hypercut.report.outcomes import TIE, compare
from hypercut.report.render.figure import CaptionedFigure, algorithm_styles
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
        """p of Friedman's test that all algorithms are equally good; NaN if that cannot be tested."""
        if not self.testable or not self.scores.nunique(axis=1).gt(1).any():
            return float("nan")
        return float(friedmanchisquare(*self.scores.to_numpy().T).pvalue)

    @property
    def critical_difference(self) -> float:
        """Nemenyi's critical difference q_α √(k(k + 1)/6n): mean ranks closer than this do not differ significantly."""
        n, k = self.scores.shape
        return float(studentized_range.ppf(1 - ALPHA, k, np.inf) / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * n)))


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
        "equally good; and Nemenyi's critical difference: ranks closer than this do not differ significantly. "
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


def critical_difference_figure(ranking: Ranking, roles: dict[str, str]) -> CaptionedFigure:
    """Return the diagram of the mean ranks, with bars that join algorithms that do not differ significantly."""
    # Imported here, since it takes a second and is rarely needed.
    from scikit_posthocs import critical_difference_diagram, posthoc_nemenyi_friedman

    styles, ranks, names = algorithm_styles(roles), ranking.mean_ranks, ranking.scores.columns
    p_values = posthoc_nemenyi_friedman(ranking.scores.to_numpy()).set_axis(names).set_axis(names, axis=1)
    figure = Figure(figsize=(8, 0.7 + 0.28 * (len(ranks) + 2)))
    ax = figure.subplots()
    ax.grid(False)
    drawn = critical_difference_diagram(
        ranks,
        p_values,
        ax=ax,
        alpha=ALPHA,
        label_fmt_left="{label} ({rank:.2f}) ",
        label_fmt_right=" {label} ({rank:.2f})",
        color_palette={name: styles[name]["color"] for name in ranks.index},
        label_props={"fontsize": 9.5},
        elbow_props={"linewidth": 1.2},
    )
    for bar in chain.from_iterable(drawn["crossbars"]):  # its points are in the order of a set
        bar.set_xdata(sorted(bar.get_xdata()))
    ax.spines["top"].set_visible(True)
    for text in ax.texts:  # names in light colours would be hard to read
        text.set_color("black")
    figure.subplots_adjust(left=0.2, right=0.8, top=0.86, bottom=0.04)
    title = pair_name((ranking.experiment, ranking.metric))
    figure.suptitle(f"{title}: mean rank over {len(ranking.scores)} datasets", y=0.985, fontsize=10.5)
    return CaptionedFigure(
        name=f"ranks-{ranking.scope}-{ranking.experiment}-{ranking.metric.replace('_', '-')}",
        title=f"Ranks: {title}",
        caption=f"{title}: mean ranks over {len(ranking.scores)} datasets, 1 is best. Algorithms joined by a bar do "
        f"not differ significantly at the {ALPHA:.0%} level (Nemenyi): their ranks differ by less than "
        f"{ranking.critical_difference:.2f}.",
        alt="Critical-difference diagram: " + ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.items()) + ".",
        figure=figure,
        wide=False,
    )


def rank_sentence(rankings: Sequence[Ranking]) -> str:
    """Return how much the datasets can decide."""
    first = next((ranking for ranking in rankings if ranking.testable), None)
    if first is None:
        return "Fewer than three datasets have all algorithms, or there are fewer than three algorithms: no test."
    n, k = first.scores.shape
    return (
        f"{n} datasets decide little: with {k} algorithms, mean ranks must differ by {first.critical_difference:.1f} "
        f"of at most {k - 1} places to be significant, so most differences between neighbours stay open. Nor are the "
        "datasets a random sample: the paper chose them."
    )


def section(evidence: Evidence, rankings: Sequence[Ranking]) -> Section:
    """Return the section."""
    tables = [rank_table(rankings), duel_table(duels(evidence))]
    tested = [ranking for ranking in rankings if ranking.p_value == ranking.p_value]
    figures = (critical_difference_figure(ranking, evidence.roles) for ranking in tested)
    return Section("ranks", "Ranks", [rank_sentence(rankings)], tables=tables, figures=figures)
