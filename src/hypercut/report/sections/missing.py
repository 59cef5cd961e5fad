"""Section "Missing results": results that the configuration expects and the report lacks."""

import pandas as pd

from hypercut.benchmark.rows import RESULT_FILE
from hypercut.report.evidence import Evidence
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, text_rows


def missing_sentence(evidence: Evidence) -> str:
    """Return what is missing in few words: of which datasets; nothing if the benchmark is complete."""
    rows = pd.DataFrame(evidence.missing, columns=RESULT_FILE)
    kinds = rows["variation"].map(lambda name: "sweeps and readings" if name else "cells")
    parts = [
        f"{kind} of {', '.join(map(evidence.label, group['dataset'].unique()))}" for kind, group in rows.groupby(kinds)
    ]
    return f"Missing, in whole or in part: {'; '.join(parts)}." if parts else ""


def missing_table(evidence: Evidence) -> Table:
    """Return the expected results that do not exist or are stale."""
    data = pd.DataFrame(evidence.missing, columns=RESULT_FILE)
    reasons = map(evidence.stale.get, evidence.missing)
    data["reason"] = [f"stale: {reason}" if reason else "not computed" for reason in reasons]
    data = evidence.with_kind(data)
    # Few lines per dataset and algorithm: a benchmark that has just started lacks hundreds of cells and variations.
    shown = data.assign(variation=data["variation"].replace("", "–"))
    for listed, by in (("setting", "variation"), ("variation", "setting")):
        names = ["dataset", "algorithm", by, "reason"]
        shown = shown.groupby(names, sort=False)[listed].agg(" ".join).reset_index()
    return Table(
        name="missing",
        title="Missing results",
        caption="Results that the configuration expects and that do not exist, or that are not used because code, data "
        "or configuration have changed since.",
        columns=["dataset", "algorithm", "variation", "settings", "reason"],
        rows=text_rows(
            [evidence.label(row.dataset), row.algorithm, row.variation, row.setting, row.reason]
            for row in shown.itertuples()
        ),
        data=data,
        numeric=False,
    )


def section(evidence: Evidence) -> Section:
    """Return the section."""
    return Section("missing", "Missing results", tables=[missing_table(evidence)], optional=True)
