"""Section "Standard errors": how precisely the repeats determine the mean NMI of each cell."""

import numpy as np
import pandas as pd

from hypercut.benchmark.rows import CELL
from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import EXPERIMENT_NAMES, level_name
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, counted, grid, number, number_cell

#: Repeats should bring the standard error of the mean NMI of a cell below this.
STANDARD_ERROR = 0.005

#: Follows a standard error above the limit.
MARK = "*"

TEXT = [
    "The standard error of a mean over R repeats is s/√R, with s the standard deviation over repeats at the chosen σ. "
    "Repeats of a corruption differ in its draw and in the random starts, repeats of a clean set only in the starts, "
    f"unless each draws a subset to itself (USPS-465). The benchmark aims at {STANDARD_ERROR} for the NMI of a cell.",
]


def error_note(error: float) -> str:
    """Return the standard error below an entry of a table, marked above the limit.

    >>> error_note(0.0012), error_note(0.0051), error_note(float("nan"))
    ('SE 0.0012', 'SE 0.0051 *', 'one repeat')
    """
    if np.isnan(error):
        return "one repeat"
    return f"SE {number(error)}" + (f" {MARK}" if error > STANDARD_ERROR else "")


def error_remark(errors: pd.Series) -> str:
    """Return the sentence below a table about the marks of its entries."""
    above, single = int((errors > STANDARD_ERROR).sum()), int(errors.isna().sum())
    remark = f"SE is the standard error; {MARK} marks those above {STANDARD_ERROR}: {above} of {len(errors)} entries."
    if single:
        remark += f" With one repeat, and therefore no standard error: {single}."
    return remark


def cell_errors(evidence: Evidence) -> pd.DataFrame:
    """Return one row per cell, without controls: the mean NMI at the σ chosen with the labels, and its standard error.

    ``needed`` is the number of repeats that would bring the error to the limit, if the deviation stayed the same.
    """
    rows = evidence.summary
    rows = rows[(rows["rule"] == "oracle") & (rows["role"] != "control")]
    rows = rows[[*CELL, "corruption", "repeats", "sigma_factor", "nmi_mean", "nmi_std"]].copy()
    rows["nmi_error"] = rows["nmi_std"] / np.sqrt(rows["repeats"])
    rows["above"] = rows["nmi_error"] > STANDARD_ERROR
    rows["needed"] = np.ceil((rows["nmi_std"] / STANDARD_ERROR) ** 2).clip(lower=2)
    return evidence.with_kind(evidence.in_order(rows, "dataset", "algorithm"))


def error_table(evidence: Evidence) -> Table:
    """Return the largest standard error of each dataset and kind of setting, and how many are above the limit."""
    data = cell_errors(evidence)
    cells = {key: _summary(rows) for key, rows in data.groupby(["dataset", "corruption"])}
    kinds = [kind for kind in published.EXPERIMENTS if kind in set(data["corruption"])]
    return Table(
        name="standard-errors",
        title="Standard errors of the mean NMI",
        caption="The largest standard error over levels and algorithms (no controls), the cell that has it, and how "
        f"many cells are above {STANDARD_ERROR}. The CSV file has every cell, with the number of repeats that would "
        "bring its error to the limit.",
        columns=["dataset", *(EXPERIMENT_NAMES[kind] for kind in kinds)],
        rows=grid({name: evidence.label(name) for name in evidence.datasets}, kinds, cells),
        data=data.drop(columns="corruption"),
    )


def _summary(rows: pd.DataFrame) -> Cell:
    repeats = " to ".join(map(str, sorted({rows["repeats"].min(), rows["repeats"].max()})))
    over = "one repeat" if repeats == "1" else f"{repeats} repeats"
    if rows["nmi_error"].isna().all():
        return Cell("–", notes=(over,))
    worst = rows.loc[rows["nmi_error"].idxmax()]
    where = f"{worst['algorithm']}, {level_name(worst['setting'])}"
    mark = f" {MARK}" if worst["above"] else ""
    above = f"{rows['above'].sum()} of {len(rows)} above"
    return Cell(f"{number(worst['nmi_error'])}{mark}", value=worst["nmi_error"], notes=(where, above, over))


def flagged_table(evidence: Evidence) -> Table:
    """Return the cells above the limit, the largest error first."""
    data = cell_errors(evidence)
    data = data[data["above"]].sort_values("nmi_error", ascending=False, kind="stable", ignore_index=True)
    return Table(
        name="standard-errors-above",
        title=f"Cells with a standard error above {STANDARD_ERROR}",
        caption="The last column is the number of repeats that would bring the error to the limit.",
        columns=["dataset", "setting", "algorithm", "repeats", "mean NMI", "standard error", "repeats needed"],
        rows=[
            [
                *map(Cell, (evidence.label(row.dataset), row.setting, row.algorithm)),
                number_cell(row.repeats, 0),
                number_cell(row.nmi_mean),
                number_cell(row.nmi_error),
                number_cell(row.needed, 0),
            ]
            for row in data.itertuples()
        ],
        data=data.drop(columns="corruption"),
    )


def error_fact(evidence: Evidence) -> str:
    """Return in few words how many cells are above the limit."""
    data = cell_errors(evidence)
    single = int(data["nmi_error"].isna().sum())
    text = f"above {STANDARD_ERROR} in {data['above'].sum()} of {counted(len(data), 'cell')}"
    return text + (f", unknown in {single} with one repeat" if single else "")


def section(evidence: Evidence) -> Section:
    """Return the section."""
    text = [*TEXT, f"The standard error is {error_fact(evidence)}."]
    return Section(
        "standard-errors", "Standard errors", text, tables=[error_table(evidence)], more=[flagged_table(evidence)]
    )
