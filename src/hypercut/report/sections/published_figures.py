"""Section "The published figures": what the paper's tables say about themselves, without any result of ours."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from hypercut.analysis.experiments import METRIC_NAMES
from hypercut.paper import forensics, published
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Key, Panels, mark
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, number, number_cell, record_table, thousands

#: The pair of rows that isolates the partitioning: same similarity, trace ratio against normalised cut.
CUT_PAIR = (published.METHOD, "PKO+NC")


def gain_sentence() -> str:
    """Return how many printed gains follow from the tables, and which do not."""
    gains = forensics.published_gains()
    others = [
        f"{METRIC_NAMES[it.metric]} over {it.competitor} in Table {published.EXPERIMENTS[it.experiment]}, printed "
        f"{it.printed:.2f} %, recomputed {it.recomputed:.2f} %"
        for it in gains[~gains["agrees"]].itertuples()
    ]
    return (
        f"Of the paper's {len(gains)} printed average gains, {gains['agrees'].sum()} follow from its own tables within "
        f"rounding. The others: {'; '.join(others)}."
    )


def difference_sentence() -> str:
    """Return where the two rows that isolate the partitioning differ by a constant."""
    found = forensics.published_differences()
    found = found[(found["first"] == CUT_PAIR[0]) & (found["second"] == CUT_PAIR[1])]
    parts = [
        f"{_range(it.low, it.high)} in {METRIC_NAMES[it.metric]} on {len(it.datasets)} datasets of Table "
        f"{published.EXPERIMENTS[it.experiment]}"
        for it in found.itertuples()
    ]
    return f"In the paper's tables {' minus '.join(CUT_PAIR)} is the same on several datasets: {'; '.join(parts)}."


def size_sentence() -> str:
    """Return which sizes the published purities indicate, and what follows for a comparison."""
    found = forensics.published_sizes()
    other = found[found["indicated"] != found["stated"]]
    names = [f"{published.DATASETS[it.dataset]} {it.indicated} (stated {it.stated})" for it in other.itertuples()]
    return (
        f"For {len(other)} of {len(found)} datasets, the purities of Table 2, which Table 1 repeats for "
        f"{published.METHOD}, indicate another number of samples than the text: {', '.join(names)}. Scores depend on "
        "the number of samples, NMI even for random labels, so these datasets are best compared at both sizes."
    )


def size_table() -> Table:
    """Return, per dataset, the number of samples that the purities of Table 2 fit best."""
    return record_table(
        "published-sizes",
        "Sizes that the published purities indicate",
        "The purity of one run on N samples is k/N, with k a whole number. Best N: of all up to the stated one, the N "
        "with the smallest chance that random figures fit as well (k/N rounded to four decimals). Random figures are "
        "uniform between the lowest and the highest purity of the dataset. Chance of the best N: how often a random "
        f"row of as many distinct figures has a best N of a chance as small, among {thousands(forensics.RANDOM_ROWS)} "
        f"and the published one. Below {forensics.RARE:g} the best N is the indicated size, else the stated one is.",
        forensics.published_sizes(),
        {
            "dataset": lambda it: published.DATASETS[it.dataset],
            "stated N": lambda it: number_cell(it.stated, 0),
            "best N": lambda it: number_cell(it.best, 0),
            "distinct purities that fit": _fit_cell,
            "chance at that N": lambda it: Cell(f"{it.chance:.1g}", it.chance),
            "chance of the best N": lambda it: _chance_cell(it.chance_of_best),
        },
    )


def _chance_cell(chance: float) -> Cell:
    # Random rows resolve no smaller probability.
    return Cell("< 0.001" if chance < 0.001 else f"{chance:.2g}", chance)


def _fit_cell(it: Any) -> Cell:
    # At a mean over several runs, k/N becomes k/(runs · N). Without an indicated N, a multiple means nothing.
    more = it.best == it.indicated and it.most_fitting > it.fitting
    notes = [f"{it.most_fitting} of {it.distinct} at {it.multiple // it.best} × {it.best}"] if more else []
    return Cell(f"{it.fitting} of {it.distinct}", it.fitting / it.distinct, notes=tuple(notes))


_FITTING = mark("o", "distinct purities that fit N", palette.BLUE, ms=2.5)
_BEST = mark("D", "best N, filled if it is indicated", palette.VERMILLION, ms=6, clip_on=False)
_EXPECTED = Key("expected for random figures", {"color": palette.AXIS, "lw": 1.2})

#: Marks are drawn at this many places of an axis: a mark for every N would make the page large.
_PLACES = 100


def size_chart() -> CaptionedFigure:
    """Return how many distinct purities of Table 2 fit every N, a panel per dataset."""
    found = forensics.published_sizes()
    panels = Panels(len(found), 4, size=(2.75, 2.1), keys=[_FITTING, _BEST, _EXPECTED])
    drawn = []
    for it in found.itertuples():
        counts = forensics.fit_counts(published.weight_scores("purity").loc[it.dataset], it.stated).reset_index()
        counts = counts.assign(dataset=it.dataset, expected=it.distinct * counts["share"])
        drawn.append(counts[["dataset", "samples", "fitting", "expected"]].round(3))
        _size_panel(panels, panels.add(published.DATASETS[it.dataset]), it, counts)
    return CaptionedFigure(
        name="published-sizes",
        title="How many distinct purities of Table 2 fit N samples",
        caption="N runs from 1 to the stated one. Any figure fits a large N, so what counts is how far above the "
        "expected number a mark is.",
        panels=panels,
        data=pd.concat(drawn),
    )


def _size_panel(panels: Panels, ax: Axes, it: Any, counts: pd.DataFrame) -> None:
    places = (_PLACES * np.log(counts["samples"]) / np.log(it.stated)).round()
    marks = counts[~counts.assign(place=places).duplicated(["place", "fitting"])]
    ax.plot(counts["samples"][~places.duplicated()], counts["expected"][~places.duplicated()], **_EXPECTED.style)
    ax.plot(marks["samples"], marks["fitting"], **_FITTING.style)
    fill = _BEST.style["color"] if it.best == it.indicated else palette.BACK
    (best,) = ax.plot([it.best], [it.fitting], **{**_BEST.style, "mfc": fill})
    text = f"{it.best}: {it.fitting} of {it.distinct}"
    panels.name(best, "best N", [text])
    ax.annotate(text, (it.best, it.fitting), (-7, 0), textcoords="offset points", ha="right", va="center")
    ax.set(xscale="log", xlim=(1, 1.06 * it.stated), ylim=(-0.6, it.distinct + 0.6), xlabel="N", ylabel="")
    decades = [10**power for power in range(4) if 10**power < it.stated / 3]
    ax.set_xticks([*decades, it.stated], [str(tick) for tick in (*decades, it.stated)])
    ax.minorticks_off()
    ax.set_yticks(range(0, it.distinct + 1, 3))
    ax.grid(visible=False, axis="y")


def difference_table() -> Table:
    """Return the pairs of rows that differ by a constant."""
    data = forensics.published_differences()
    return record_table(
        "published-differences",
        "Constant differences between rows of the published tables",
        f"Pairs whose difference is the same, within 0.0001, on at least {forensics.FEWEST_DATASETS} datasets; the "
        "probability for random differences between zero and the largest of the pair, and among all "
        f"{forensics.COMPARISONS} comparisons. Independent measurements are not expected to agree to four decimals.",
        data.assign(datasets=data["datasets"].map(" ".join)),
        {
            "pair": lambda it: f"{it.first} − {it.second}",
            "table": lambda it: f"Table {published.EXPERIMENTS[it.experiment]}",
            "metric": lambda it: METRIC_NAMES[it.metric],
            "difference": lambda it: _range(it.low, it.high),
            "datasets": lambda it: ", ".join(published.DATASETS[name] for name in it.datasets.split()),
            "by chance": lambda it: Cell(f"{it.chance:.1g}", it.chance),
            "with all comparisons": lambda it: Cell(f"{it.chance_counted:.1g}", it.chance_counted),
        },
    )


def _range(low: float, high: float) -> str:
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def section() -> Section:
    """Return what the published tables say about themselves."""
    return Section(
        "published-figures",
        "The published figures",
        [gain_sentence(), size_sentence()],
        tables=[difference_table(), size_table()],
        figures=[size_chart()],
    )
