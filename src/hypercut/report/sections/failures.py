"""Section "Failures and missing results": how clusterings ended, which of them failed, and what was not computed."""

import pandas as pd

from hypercut.analysis.evidence import Evidence
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid_table, number_cell, record_table
from hypercut.results.rows import RESULT_FILE
from hypercut.run.failures import FAILURES, Status

TEXT = (
    f"A failed clustering ({', '.join(status for status in Status if status in FAILURES)}) counts as 0 in every "
    "metric. Clusterings that are degenerate or did not converge count with the labels they returned."
)


def status_table(evidence: Evidence) -> Table:
    """Return the number of clusterings: algorithms × statuses."""
    counts = pd.crosstab(evidence.table["algorithm"], evidence.table["status"])
    statuses = [str(status) for status in Status if status in counts]
    data = counts.loc[evidence.algorithms, statuses]
    return grid_table(
        "statuses",
        "How clusterings ended",
        "Number of clusterings over all datasets, settings, repeats and σ, of cells, sweeps and readings.",
        data.reset_index(),
        {key: number_cell(count, 0) for key, count in data.stack().items()},
        corner="algorithm",
        rows={name: name for name in evidence.algorithms},
        columns={status: status for status in statuses},
    )


def status_list(evidence: Evidence, statuses: frozenset[Status], name: str, title: str) -> Table:
    """Return every cell, sweep or reading with clusterings of these statuses, with their number and a message."""
    rows = evidence.table[evidence.table["status"].isin(statuses)]
    groups = rows.assign(message=rows["message"].fillna("")).groupby([*RESULT_FILE, "status"])
    data = groups.agg(clusterings=("repeat", "size"), message=("message", "max")).reset_index()
    data = data.join(evidence.table.groupby(RESULT_FILE).size().rename("of"), on=RESULT_FILE)
    return record_table(
        name,
        title,
        "",
        evidence.with_kind(data),
        {
            "status": lambda it: Cell(it.status, badge=name),
            "dataset": lambda it: evidence.label(it.dataset),
            "setting": lambda it: it.setting,
            "algorithm": lambda it: it.algorithm,
            "variation": lambda it: it.variation,
            "clusterings": lambda it: Cell(f"{it.clusterings} of {it.of}", value=it.clusterings),
            "message": lambda it: it.message,
        },
        numeric=False,
    )


def missing_table(evidence: Evidence) -> Table:
    """Return the expected results that do not exist or are stale."""
    data = pd.DataFrame(evidence.missing, columns=RESULT_FILE)
    reasons = map(evidence.stale.get, evidence.missing)
    data["reason"] = [f"stale: {reason}" if reason else "not computed" for reason in reasons]
    data = evidence.with_kind(data)
    # One line for all settings: a benchmark that has just started lacks hundreds of results.
    names = ["dataset", "algorithm", "variation", "reason"]
    return record_table(
        "missing",
        "Missing results",
        "Results that the configuration expects and that do not exist, or that are not used because code, data or "
        "configuration have changed since.",
        data,
        {
            "dataset": lambda it: evidence.label(it.dataset),
            "algorithm": lambda it: it.algorithm,
            "variation": lambda it: it.variation,
            "settings": lambda it: it.setting,
            "reason": lambda it: it.reason,
        },
        shown=data.groupby(names, sort=False)["setting"].agg(" ".join).reset_index(),
        numeric=False,
    )


def section(evidence: Evidence) -> Section:
    """Return how clusterings ended, and the expected results that the report lacks."""
    failed = status_list(evidence, FAILURES, "failures", "Clusterings that failed")
    statuses = frozenset({Status.DEGENERATE, Status.NOT_CONVERGED})
    noted = status_list(evidence, statuses, "noted", "Clusterings that were degenerate or did not converge")
    tables = [missing_table(evidence), status_table(evidence), failed]
    return Section("failures", "Failures and missing results", [TEXT], tables=tables, more=[noted])
