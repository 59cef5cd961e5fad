"""Section "Missing results": results that the configuration expects and the report lacks."""

import pandas as pd

from hypercut.analysis.evidence import Evidence
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, record_table
from hypercut.results.rows import RESULT_FILE


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
    """Return the expected results that the report lacks."""
    return Section("missing", "Missing results", tables=[missing_table(evidence)])
