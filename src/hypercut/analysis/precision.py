"""How precisely the repeats determine the mean NMI of each cell."""

import numpy as np
import pandas as pd

from hypercut.analysis.evidence import Evidence
from hypercut.results.rows import CELL

#: Repeats should bring the standard error of the mean NMI of a cell below this.
STANDARD_ERROR = 0.005


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
