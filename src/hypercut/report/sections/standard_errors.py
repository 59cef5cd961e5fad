"""Section "Standard errors": how precisely the repeats determine the mean NMI of each cell."""

import pandas as pd

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import EXPERIMENT_NAMES, level_name
from hypercut.analysis.precision import STANDARD_ERROR, cell_errors
from hypercut.paper import published
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, grid_table, number


def error_table(evidence: Evidence) -> Table:
    """Return the largest standard error of each dataset and kind of setting, and how many are above the limit."""
    data = cell_errors(evidence)
    return grid_table(
        "standard-errors",
        "Standard errors of the mean NMI",
        "The largest standard error over levels and algorithms (no controls), the cell that has it, and how many cells "
        f"are above {STANDARD_ERROR}, at which the benchmark aims. The CSV file has every cell, and the number of "
        "repeats that would bring it to the limit.",
        data.drop(columns="corruption"),
        {key: _largest(rows) for key, rows in data.groupby(["dataset", "corruption"])},
        corner="dataset",
        rows={name: evidence.label(name) for name in evidence.datasets},
        columns={kind: EXPERIMENT_NAMES[kind] for kind in published.EXPERIMENTS if kind in set(data["corruption"])},
    )


def _largest(rows: pd.DataFrame) -> Cell:
    if rows["nmi_error"].isna().all():
        return Cell("–", notes=("one repeat",))
    worst = rows.loc[rows["nmi_error"].idxmax()]
    where = f"{worst['algorithm']}, {level_name(worst['setting'])}"
    above = f"{rows['above'].sum()} of {len(rows)} above"
    return Cell(number(worst["nmi_error"]), value=worst["nmi_error"], notes=(where, above))


def section(evidence: Evidence) -> Section:
    """Return the largest errors by dataset."""
    return Section("standard-errors", "Standard errors", tables=[error_table(evidence)])
