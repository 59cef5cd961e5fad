"""A comparison of two sets of results (:mod:`hypercut.results.compare`) as text and as an HTML page."""

from collections.abc import Iterator, Sequence
from html import escape

import pandas as pd

from hypercut.report.render.table import counted
from hypercut.results import compare as judged
from hypercut.results.compare import Comparison, Result

#: How many lines of each list the text shows. The page shows all.
SHOWN = 20
FORMAT = "{:.4f}".format

METHOD = (
    "Scores are means over repeats at the σ that the labels choose. Changed: beyond the noise of repeats, by a "
    "moderated t test at a false discovery rate of 5 % (docs/archive.md)."
)


def as_text(comparison: Comparison) -> str:
    """Return the comparison for a terminal."""
    lines = [*summary(comparison)]
    for title, table in _tables(comparison):
        lines += ["", title, table.head(SHOWN).to_string(index=False, float_format=FORMAT)]
        if len(table) > SHOWN:
            lines.append(f"  and {len(table) - SHOWN} more (--out comparison.html lists all)")
    return "\n".join([*lines, "", METHOD])


def as_html(comparison: Comparison) -> str:
    """Return the comparison as a page that needs no other file."""
    title = escape(f"{comparison.a.name} and {comparison.b.name}")
    parts = [f"<p>{escape(line)}</p>" for line in summary(comparison)]
    for heading, table in _tables(comparison):
        parts += [f"<h2>{escape(heading)}</h2>", table.to_html(index=False, border=0, float_format=FORMAT)]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        "<style>:root { color-scheme: light dark; } body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; } "
        "td { padding-right: 1rem; }</style></head>\n"
        f"<body><h1>{title}</h1>\n" + "\n".join(parts) + f"\n<p>{escape(METHOD)}</p></body></html>\n"
    )


def summary(comparison: Comparison) -> Iterator[str]:
    """Yield the answer in a few lines."""
    for letter, side in {"A": comparison.a, "B": comparison.b}.items():
        yield f"{letter}: {side.name}, {len(side.results)} results in {counted(len(side.files), 'result file')}"
    equal, noise, changed = map(comparison.count, (judged.EQUAL_ROWS, judged.WITHIN_NOISE, judged.CHANGED))
    total = len(comparison.results)
    yield f"Results in both: {total}, of which {equal} equal, {noise} differ within noise, {changed} changed."
    if comparison.only_a or comparison.only_b:
        yield f"Results only in A: {len(comparison.only_a)}; only in B: {len(comparison.only_b)}."
    differences = list(comparison.origins())
    yield "Code, data and environment: " + ("; ".join(differences) if differences else "the same") + "."


def _tables(comparison: Comparison) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the lists that are not empty, with their titles."""
    changed = comparison.changed
    names = ["dataset", "setting", "variation", "algorithm", "parameters"]
    scores = ["a", "b", "difference", "standard_error"]
    found = {
        f"Differences of {comparison.metric}, B − A, by dataset and algorithm": comparison.by_algorithm(),
        "Changed results": changed[[*names, *scores, "repeats", "paired", "failed_a", "failed_b"]],
        "Only in A, missing in B": _counted(comparison.only_a),
        "Only in B, missing in A": _counted(comparison.only_b),
    }
    yield from ((title, table) for title, table in found.items() if len(table))


def _counted(results: Sequence[Result]) -> pd.DataFrame:
    rows = pd.DataFrame(
        [(dataset, algorithm) for dataset, _, algorithm, *_ in results], columns=["dataset", "algorithm"]
    )
    return rows.value_counts(sort=False).reset_index(name="results")
