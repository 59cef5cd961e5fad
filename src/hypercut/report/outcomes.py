"""When one algorithm beats another: wins, ties and losses."""

import numpy as np
import pandas as pd

from hypercut.paper import published

#: A difference between two algorithms on one dataset is a tie up to this, or up to two standard errors over repeats.
#: One sample of Iris is 0.0067.
TIE = 0.01


def outcome(ours: float, other: float, error: float = 0.0) -> int:
    """Return 1 if ``ours`` wins, −1 if it loses, 0 for a tie; ``error`` is the standard error of the difference."""
    margin = max(TIE, 2 * (0.0 if np.isnan(error) else error))
    difference = ours - other
    return 0 if abs(difference) <= margin else int(np.sign(difference))


def paired_outcomes(averages: pd.DataFrame, metric: str, competitor: str) -> pd.DataFrame:
    """Return the ``difference`` of PKO+HSC to a competitor and its ``outcome`` on each dataset that both have."""
    averages = averages[averages["metric"] == metric].set_index("dataset")
    ours, other = (averages[averages["algorithm"] == name] for name in (published.METHOD, competitor))
    both = ours.add_suffix("_ours").join(other.add_suffix("_other"), how="inner")
    errors = np.hypot(both["error_ours"], both["error_other"])
    pairs = zip(both["mean_ours"], both["mean_other"], errors, strict=True)
    results = [outcome(mine, theirs, float(error)) for mine, theirs, error in pairs]
    difference = (both["mean_ours"] - both["mean_other"]).round(12)
    return pd.DataFrame({"dataset": both.index, "difference": difference.to_numpy(), "outcome": results})
