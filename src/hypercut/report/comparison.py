"""A comparison of two sets of results (:mod:`hypercut.benchmark.comparison`) as text and as an HTML page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from hypercut.benchmark import comparison as judged
from hypercut.benchmark.comparison import Comparison, Result
from hypercut.benchmark.rows import ResultFile

#: How many lines of each list the text shows. The page shows all.
SHOWN = 20

METHOD = (
    "Scores are means over repeats at the σ that the labels choose. A difference is compared with the noise of repeats "
    "by a moderated t test: paired where both sides have the same draws, and with a variance shared by the differing "
    "results of a dataset and setting. Changed: found among the differing results at a false discovery rate of 5 % "
    "(Benjamini and Hochberg)."
)

Rows = list[list[str]]


def as_text(comparison: Comparison) -> str:
    """Return the comparison for a terminal."""
    return "\n".join(_lines(comparison))


def _lines(comparison: Comparison) -> Iterator[str]:
    yield from summary(comparison)
    for title, columns, rows in _tables(comparison):
        if rows:
            yield f"\n{title}"
            yield from _aligned([columns, *rows[:SHOWN]])
            if len(rows) > SHOWN:
                yield f"  and {len(rows) - SHOWN} more (--out comparison.html lists all)"
    yield f"\n{METHOD}"


def summary(comparison: Comparison) -> Iterator[str]:
    """Yield the answer in a few lines."""
    equal, noise, changed = (
        comparison.count(verdict) for verdict in (judged.EQUAL_ROWS, judged.WITHIN_NOISE, judged.CHANGED)
    )
    sides = {"A": comparison.a, "B": comparison.b}
    for letter, side in sides.items():
        files = f"{len(side.files)} result file{'' if len(side.files) == 1 else 's'}"
        yield f"{letter}: {side.name}, {len(side.results)} results in {files}"
    if any(len(side.results) > len(side.files) for side in sides.values()):
        yield "A result file of a sweep or reading has one result per set of parameters."
    total = len(comparison.results)
    yield f"Results in both: {total}, of which {equal} equal, {noise} differ within noise, {changed} changed."
    if comparison.only_a or comparison.only_b:
        yield f"Results only in A: {len(comparison.only_a)}; only in B: {len(comparison.only_b)}."
    differences = list(comparison.provenance())
    yield "Code, data and environment: " + ("; ".join(differences) if differences else "the same") + "."


def _tables(comparison: Comparison) -> Iterator[tuple[str, list[str], Rows]]:
    metric = comparison.metric.upper() if len(comparison.metric) == 3 else comparison.metric
    groups = comparison.by_algorithm()
    yield (
        f"Differences of {metric}, B − A, by dataset and algorithm",
        ["dataset", "algorithm", "results", "equal", "changed", "mean", "largest"],
        [
            [
                row.dataset,
                row.algorithm,
                *map(str, (row.results, row.equal, row.changed)),
                *map(_signed, (row.mean, row.largest)),
            ]
            for row in groups.itertuples()
        ],
    )
    yield (
        "Changed results",
        ["result", "parameters", "A", "B", "B − A", "± standard error", "repeats", "failed in A, B"],
        [
            [
                _name((row.dataset, row.setting, row.algorithm, row.variation)),
                row.parameters if row.variation else "",
                f"{row.a:.4f}",
                f"{row.b:.4f}",
                _signed(row.difference),
                f"{row.standard_error:.4f}",
                f"{row.repeats}{', paired' if row.paired else ''}",
                f"{row.failed_a}, {row.failed_b}",
            ]
            for row in comparison.changed.itertuples()
        ],
    )
    for side, missing in (("A", comparison.only_a), ("B", comparison.only_b)):
        other = "B" if side == "A" else "A"
        yield f"Only in {side}, missing in {other}", ["dataset", "algorithm", "results"], _counted(missing)


def _counted(results: Sequence[Result]) -> Rows:
    counts = Counter((dataset, algorithm) for dataset, _, algorithm, *_ in results)
    return [[dataset, algorithm, str(count)] for (dataset, algorithm), count in counts.items()]


def _name(key: ResultFile) -> str:
    dataset, setting, algorithm, variation = key
    return " · ".join(filter(None, (dataset, setting, variation, algorithm)))


def _signed(value: float) -> str:
    return f"{value:+.4f}"


def _aligned(rows: Rows) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #8884; }
"""


def as_html(comparison: Comparison) -> str:
    """Return the comparison as a page that needs no other file."""
    title = f"{comparison.a.name} and {comparison.b.name}"
    parts = [f"<p>{escape(line)}</p>" for line in summary(comparison)]
    for heading, columns, rows in _tables(comparison):
        if rows:
            head = "".join(f"<th>{escape(name)}</th>" for name in columns)
            body = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>\n" for row in rows)
            parts.append(
                f"<h2>{escape(heading)}</h2>\n<div><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
            )
    parts.append(f"<p>{escape(METHOD)}</p>")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n" + "\n".join(parts) + "\n</body></html>\n"
    )
