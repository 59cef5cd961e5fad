"""Section "Failures": how clusterings ended, and which of them failed."""

import pandas as pd

from hypercut.benchmark.rows import FAILURES, RESULT_FILE, Status
from hypercut.report.evidence import Evidence
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid, number_cell

TEXT = [
    f"A failed clustering ({', '.join(status for status in Status if status in FAILURES)}) counts as 0 in every metric "
    "and is part of the average, which makes a failing σ less likely to be selected. Clusterings that are degenerate "
    "(the graph has at least K components, or there are at most K distinct samples) or did not converge count with "
    "the labels they returned.",
]


def status_table(evidence: Evidence) -> Table:
    """Return the number of clusterings: algorithms × statuses."""
    counts = pd.crosstab(evidence.table["algorithm"], evidence.table["status"])
    statuses = [str(status) for status in Status if status in counts]
    data = counts.loc[evidence.algorithms, statuses]
    cells = {(name, status): number_cell(count, 0) for (name, status), count in data.stack().items()}
    return Table(
        name="statuses",
        title="How clusterings ended",
        caption="Number of clusterings over all datasets (including stand-ins), settings, repeats and σ, of cells, "
        "sweeps and readings.",
        columns=["algorithm", *statuses],
        rows=grid({name: name for name in evidence.algorithms}, statuses, cells),
        data=data.reset_index(),
    )


def status_list(evidence: Evidence, statuses: frozenset[Status], name: str, title: str, caption: str) -> Table:
    """Return every cell, sweep or reading with clusterings of these statuses, with their number and a message."""
    rows = evidence.table[evidence.table["status"].isin(statuses)]
    groups = rows.assign(message=rows["message"].fillna("")).groupby([*RESULT_FILE, "status"])
    data = groups.agg(clusterings=("repeat", "size"), message=("message", "max")).reset_index()
    data = data.join(evidence.table.groupby(RESULT_FILE).size().rename("of"), on=RESULT_FILE)
    body = [
        [
            Cell(row.status, badge=name),
            *map(Cell, (evidence.label(row.dataset), row.setting, row.algorithm, row.variation or "–")),
            Cell(f"{row.clusterings} of {row.of}", value=row.clusterings),
            Cell(row.message or "–"),
        ]
        for row in data.itertuples()
    ]
    columns = ["status", *RESULT_FILE, "clusterings", "message"]
    return Table(name, title, caption, columns, body, evidence.with_kind(data), numeric=False)


def section(evidence: Evidence) -> Section:
    """Return the section."""
    caption = "Per cell, over repeats and σ. Each counts"
    failed = status_list(evidence, FAILURES, "failures", "Clusterings that failed", f"{caption} as 0.")
    title = "Clusterings that were degenerate or did not converge"
    statuses = frozenset({Status.DEGENERATE, Status.NOT_CONVERGED})
    noted = status_list(evidence, statuses, "noted", title, f"{caption} with the labels it returned.")
    return Section("failures", "Failures", TEXT, tables=[status_table(evidence), failed], more=[noted])
