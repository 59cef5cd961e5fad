"""Section "The published figures": what the paper's tables say about themselves, without any result of ours."""

from collections.abc import Sequence

from hypercut.analysis.experiments import METRIC_NAMES
from hypercut.paper import forensics, published
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid_table, number, number_cell, record_table

#: The tables whose figures may be single runs: the others hold averages over levels.
SINGLE_TABLES = (1, 2)

#: More numbers of samples than this are not listed.
LISTED = 3

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


def granularity_table() -> Table:
    """Return which numbers of samples explain the purities of Tables 1 and 2, per dataset."""
    data = forensics.published_granularity()
    cells: dict[tuple[str, str], Cell] = {}
    columns = {"stated": "stated N"}
    for it in data[data["table"].isin(SINGLE_TABLES)].itertuples():
        cells[it.dataset, "stated"] = number_cell(it.stated, 0)
        cells[it.dataset, f"fit {it.table}"] = Cell(f"{it.fitting} of {it.figures}", it.fitting / it.figures)
        cells[it.dataset, f"N {it.table}"] = _explaining_cell(it.explaining, it.chance, it.chance_counted)
        columns |= {f"fit {it.table}": f"Table {it.table}: fit the stated N"}
        columns |= {f"N {it.table}": f"Table {it.table}: N that all fit"}
    return grid_table(
        "published-granularity",
        "Which numbers of samples the published purities fit",
        "The purity of one run on N samples is k/N, with k a whole number; a mean over runs need not be. N that all "
        "fit: every N up to the stated one that all purities of the dataset fit, rounded to four decimals. Below: the "
        "probability that random figures fit the smallest of them, and a bound on that for this or a smaller N.",
        data.assign(explaining=[" ".join(map(str, numbers)) for numbers in data["explaining"]]),
        cells,
        corner="dataset",
        rows=published.DATASETS,
        columns=columns,
    )


def _explaining_cell(numbers: Sequence[int], chance: float, counted: float) -> Cell:
    if not numbers:
        return Cell("none")
    more = f", … ({len(numbers)} in all)" if len(numbers) > LISTED else ""
    notes = f"by chance {chance:.1g}", f"with the search {counted:.1g}"
    return Cell(", ".join(map(str, numbers[:LISTED])) + more, numbers[0], notes=notes)


def difference_table() -> Table:
    """Return the pairs of rows that differ by a constant."""
    data = forensics.published_differences()
    return record_table(
        "published-differences",
        "Constant differences between rows of the published tables",
        "Pairs of algorithms whose difference is the same, within 0.0001, on at least "
        f"{forensics.FEWEST_DATASETS} datasets; the probability for random differences between zero and the largest of "
        f"the pair, and among all {forensics.comparisons()} comparisons. Independent measurements are not expected to "
        "agree to four decimals.",
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
    tables = [granularity_table(), difference_table()]
    return Section("published-figures", "The published figures", [gain_sentence()], tables=tables)
