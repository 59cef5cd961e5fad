"""Section "The published figures": what the paper's tables say about themselves, without any result of ours."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from hypercut.paper import forensics, published
from hypercut.report.experiments import METRIC_NAMES, PAIRS, pair_name
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Key, Panels, Style
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid, number, number_cell

#: Figures that fit by chance less often than this are taken as shares k/N.
RARE = 0.001

#: The tables whose figures may be single runs: the others hold averages over levels.
SINGLE_TABLES = (1, 2)

#: More numbers of samples than this are not listed.
LISTED = 3

#: The pair of rows that isolates the partitioning: same similarity, trace ratio against normalised cut.
CUT_PAIR = (published.METHOD, "PKO+NC")

_CUT_LINE: Style = {"color": palette.VERMILLION, "marker": "o", "lw": 2, "zorder": 4}
_OTHER_LINE: Style = {"color": palette.GREYS[3], "lw": 0.8, "zorder": 2}
_BAND: Style = {"color": palette.SKY, "alpha": 0.25, "lw": 0}
_CUT, _OTHERS = " − ".join(CUT_PAIR), "each of the other pairs of algorithms"
_KEYS = (
    Key(_CUT, _CUT_LINE),
    Key(_OTHERS, _OTHER_LINE),
    Key("equal within one unit of the last printed place", {**_BAND, "lw": 7}, toggles=False),
)


def gain_sentence() -> str:
    """Return how many printed gains follow from the tables, and which do not."""
    gains = forensics.published_gains()
    others = [
        f"{METRIC_NAMES[row.metric]} over {row.competitor} in Table {published.EXPERIMENTS[row.experiment]}, printed "
        f"{number(row.printed, 2)} %, recomputed {number(row.recomputed, 2)} %"
        for row in gains[~gains["agrees"]].itertuples()
    ]
    return (
        f"Of the paper's {len(gains)} printed average gains, {gains['agrees'].sum()} follow from its own tables within "
        f"rounding. The others: {'; '.join(others)}. So the report shows published gains both as printed and as "
        "recomputed from the tables."
    )


def granularity_sentences() -> list[str]:
    """Return which purities of Table 2 are shares k/N, and what follows."""
    rows = forensics.published_granularity()
    rows = rows[rows["table"] == 2].assign(name=rows["dataset"].map(published.DATASETS))
    single = rows[(rows["fitting"] == rows["figures"]) & (rows["chance_stated"] < RARE)]
    fewer = rows[(rows["chance_counted"] < RARE) & (rows["chance_stated"] >= RARE)]
    unexplained = rows[rows["smallest"].isna()]
    text = [
        "The purity of one run on N samples is a share k/N, with k a whole number; a mean over runs need not be. In "
        f"Table 2 all purities of {_listed(single['name'])} are shares of the stated N, as those of single runs are.",
        *(
            f"Those of {row.name} are shares of {row.smallest}. The probability that {row.distinct} random figures are "
            f"is {_chance(row.chance)}, or {_chance(row.chance_counted)} if every N up to {row.smallest} counts as an "
            f"attempt. (Of the stated {row.stated}, {forensics.share_that_fits(row.stated):.0%} of all figures with "
            "four decimals are shares.)"
            for row in fewer.itertuples(index=False)
        ),
        f"Those of {_listed(unexplained['name'])} are shares of no N up to the stated one: means over several runs, or "
        "of another N.",
    ]
    follows = [
        *(
            f"So the figures of {row.name} in Table 2 most likely come from {row.smallest} samples, "
            f"{row.smallest / row.stated:.0%} of those stated; in Table 1, {_fitting(row.dataset, row.smallest)} "
            f"purities are shares of {row.smallest}, so the others are means or of other samples. Which samples is not "
            f"known: {row.name}-{row.smallest} draws others in each repeat. It and the whole {row.name} are compared "
            "with the paper."
            for row in fewer.itertuples(index=False)
            if row.dataset in published.PARTS.values()
        ),
        "Single runs have no spread, so small differences between published figures say little.",
    ]
    return [" ".join(text), " ".join(follows)]


def _fitting(dataset: str, samples: int) -> str:
    """Return how many purities of a dataset in Table 1 are shares of so many samples."""
    fits = forensics.fits(published.scores("clean", "purity")[dataset], samples)
    return f"{fits.sum()} of {len(fits)}"


def difference_sentence(first: str, second: str) -> str:
    """Return where two rows of the paper's tables differ by a constant, in one sentence; "" if nowhere."""
    found = forensics.published_differences()
    found = found[(found["first"] == first) & (found["second"] == second)]
    parts = [
        f"{_range(row.low, row.high)} in {METRIC_NAMES[row.metric]} on {len(row.datasets)} of "
        f"{len(published.datasets(row.experiment))} (Table {published.EXPERIMENTS[row.experiment]})"
        for row in found.itertuples()
    ]
    if not parts:
        return ""
    return f"In the paper's tables {first} minus {second} is the same on several datasets: {_listed(parts)}."


def difference_sentences() -> list[str]:
    """Return which pairs of rows differ by a constant, how often chance does that, and what follows."""
    found = forensics.published_differences()
    pairs = list(dict.fromkeys(zip(found["first"], found["second"], strict=True)))
    in_a_table = len(forensics.row_differences(published.scores(*PAIRS[0])))
    twice = forensics.published_differences(2)
    twice = twice[twice["datasets"].map(len) == 2]
    differing = "exactly one differs" if len(pairs) == 1 else f"{len(pairs)} differ"
    facts = [
        f"Of the {in_a_table} pairs of rows in Tables 1, 3 and 4, {differing} by the same amount, within one unit of "
        f"the last printed place, on {forensics.FEWEST_DATASETS} or more datasets of a table.",
        *(difference_sentence(*pair) for pair in pairs),
        f"From random differences (see the second table) one expects {_expected(forensics.FEWEST_DATASETS):.2f} such "
        f"agreements in all; there are {len(found)}, which are of few pairs of rows and so not independent. On two "
        f"datasets one expects {_expected(2):.1f}; there are {len(twice)}.",
    ]
    first, second = CUT_PAIR
    follows = (
        "Independent measurements are not expected to agree to four decimals, so the published differences between "
        f"{first} and {second} do not count as independent evidence from each dataset. The paper does not say how they "
        "came about. The claim that the trace ratio cuts better than the normalised cut rests on these two rows; our "
        "verdict on it rests on our own runs."
    )
    return [" ".join(facts), follows] if (first, second) in pairs else [" ".join(facts)]


def _expected(datasets: int) -> float:
    return sum(forensics.expected_agreements(published.scores(*pair), datasets) for pair in PAIRS)


def granularity_table() -> Table:
    """Return which numbers of samples explain the purities of Tables 1 and 2, per dataset."""
    data = forensics.published_granularity()
    searched = data[data["table"].isin(SINGLE_TABLES)]
    cells: dict[tuple[str, str], Cell] = {}
    for row in searched.itertuples():
        cells[row.dataset, "stated"] = number_cell(row.stated, 0)
        cells[row.dataset, f"fit {row.table}"] = Cell(f"{row.fitting} of {row.figures}", row.fitting / row.figures)
        cells[row.dataset, f"N {row.table}"] = _explaining_cell(row.explaining, row.chance, row.chance_counted)
    columns = ["stated", *(f"{part} {table}" for table in SINGLE_TABLES for part in ("fit", "N"))]
    heads = [f"Table {table}: {text}" for table in SINGLE_TABLES for text in ("fit the stated N", "N that all fit")]
    return Table(
        name="published-granularity",
        title="Which numbers of samples the published purities fit",
        caption="A purity fits N if it is k/N, rounded to four decimals. N that all fit: every N up to the stated one "
        "that all purities of the dataset fit. By chance: the probability that as many distinct random figures fit the "
        "smallest of them. With the search: a bound on the probability that they fit this or a smaller N; in "
        f"{len(searched)} searches a few percent are no evidence. The CSV file also has Tables 3 and 4, which are "
        "averages over levels, so that shares k/N are not expected.",
        columns=["dataset", "stated N", *heads],
        rows=grid(published.DATASETS, columns, cells),
        data=data.assign(explaining=[" ".join(map(str, numbers)) for numbers in data["explaining"]]),
    )


def _explaining_cell(numbers: Sequence[int], chance: float, counted: float) -> Cell:
    if not numbers:
        return Cell("none")
    text = ", ".join(map(str, numbers[:LISTED]))
    if len(numbers) > LISTED:
        text += f", … ({len(numbers)} in all)"
    return Cell(text, numbers[0], notes=(f"by chance {_chance(chance)}", f"with the search {_chance(counted)}"))


def difference_table() -> Table:
    """Return the pairs of rows that differ by a constant."""
    data = forensics.published_differences()
    rows = [
        [
            *map(Cell, (f"{row.first} − {row.second}", f"Table {published.EXPERIMENTS[row.experiment]}")),
            *map(Cell, (METRIC_NAMES[row.metric], _range(row.low, row.high))),
            Cell(", ".join(published.DATASETS[name] for name in row.datasets)),
            Cell(_chance(row.chance), row.chance),
            Cell(_chance(row.chance_counted), row.chance_counted),
        ]
        for row in data.itertuples()
    ]
    return Table(
        name="published-differences",
        title="Constant differences between rows of the published tables",
        caption="Pairs of algorithms whose difference is the same, within 0.0001, on at least "
        f"{forensics.FEWEST_DATASETS} datasets. The probability is for random differences, each independently anywhere "
        "between zero and the largest observed for the pair; the last column is for finding one among all "
        f"{forensics.comparisons()} comparisons (pairs of rows, Tables 1, 3 and 4, two metrics).",
        columns=["pair", "table", "metric", "difference", "datasets", "by chance", "with all comparisons"],
        rows=rows,
        data=data.assign(datasets=data["datasets"].map(" ".join)),
    )


def difference_chart() -> Iterator[CaptionedFigure]:
    """Yield, for every pair of rows, on how many datasets their differences are how close."""
    panels = Panels(len(PAIRS), 3, size=(3.6, 2.6), margins=(0.75, 0.1, 0.3, 0.42), keys=_KEYS)
    data = []
    for experiment, metric in PAIRS:
        ax = panels.add(f"Table {published.EXPERIMENTS[experiment]}: {pair_name((experiment, metric))}")
        ranges = _ranges(experiment, metric)
        _difference_panel(panels, ax, ranges, published.scores(experiment, metric))
        data += [
            [experiment, metric, *pair, count, value]
            for pair, values in ranges.items()
            for count, value in enumerate(values, 2)
        ]
        ax.set_ylabel("range of the differences")
        ax.set_xlabel("number of datasets")
    yield CaptionedFigure(
        name="published-differences",
        title="How constant the differences between published rows are",
        caption="Each line is a pair of algorithms. It shows the narrowest range that holds the differences between "
        "their published scores on 2, 3, … datasets. For example, a point at 4 datasets and 0.01: on some four "
        "datasets the differences are at most 0.01 apart, on no four are they closer. In the blue band the difference "
        "is the same on that many datasets; where there are three or more, its value is beside the last one. The axis "
        "is linear below 0.0001 and logarithmic above.",
        alt="Six line charts, one per table and metric, of the narrowest range of the differences between two rows "
        f"over the number of datasets. {difference_sentence(*CUT_PAIR)} The lines of the other pairs rise from two or "
        "three datasets on.",
        panels=panels,
        data=pd.DataFrame(data, columns=["experiment", "metric", "first", "second", "datasets", "narrowest_range"]),
    )


def _ranges(experiment: str, metric: str) -> dict[tuple[str, str], np.ndarray]:
    """Return, per pair of rows, the narrowest range of the differences on 2, 3, … datasets."""
    differences = forensics.row_differences(published.scores(experiment, metric))
    return {
        pair: np.divide(forensics.narrowest_ranges(values), forensics.UNITS) for pair, values in differences.items()
    }


def _difference_panel(
    panels: Panels, ax: Axes, ranges: dict[tuple[str, str], np.ndarray], scores: pd.DataFrame
) -> None:
    counts = np.arange(2, scores.shape[1] + 1)
    unit = 1 / forensics.UNITS
    others = [np.column_stack([counts, values]) for pair, values in ranges.items() if pair != CUT_PAIR]
    panels.name(ax.add_collection(LineCollection(others, color=_OTHER_LINE["color"], lw=0.8)), _OTHERS)
    (line,) = ax.plot(counts, ranges[CUT_PAIR], **_CUT_LINE, ms=4)
    panels.name(line, _CUT, [f"{n} datasets: {value:.4f}" for n, value in zip(counts, ranges[CUT_PAIR], strict=True)])
    for row in forensics.constant_differences(scores).itertuples():
        ax.text(len(row.datasets) + 0.3, 0, _range(row.low, row.high), va="center", fontsize=7.5)
    ax.axhspan(-0.4 * unit, 1.15 * unit, **_BAND)
    ax.set_yscale("symlog", linthresh=unit)
    ax.set_ylim(-0.4 * unit, 0.6)
    ax.set_xlim(1.8, counts[-1] + 0.2)
    ax.set_yticks([0, 0.0001, 0.001, 0.01, 0.1], ["0", "0.0001", "0.001", "0.01", "0.1"])
    ax.set_xticks(counts)


def _listed(names: Sequence[str]) -> str:
    """Return names as a list in words.

    >>> _listed(["a"]), _listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last


def _range(low: float, high: float) -> str:
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _chance(value: float) -> str:
    return f"{value:.2g}" if value >= RARE else f"{value:.0e}"


def section() -> Section:
    """Return the section."""
    text = [
        "This section uses only what the paper printed: its tables, its average gains and its numbers of samples. All "
        "statements are computed from these figures.",
        gain_sentence(),
        *granularity_sentences(),
        *difference_sentences(),
    ]
    tables = [granularity_table(), difference_table()]
    return Section("published-figures", "The published figures", text, tables=tables, figures=difference_chart())
