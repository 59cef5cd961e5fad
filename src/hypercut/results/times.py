"""The processor time of over-clusterings, of which rows record only the wall time.

Separate from :mod:`hypercut.results.forecast`, so that the report does not depend on the model of costs.
"""

import pandas as pd

SIZE = ["n_samples", "n_features", "n_clusters"]
"""columns with the size of a problem"""


def overclustering_seconds(rows: pd.DataFrame) -> "pd.Series[float]":
    """Return the core-seconds of the over-clustering that each row used, 0 for none.

    Over-clusterings record wall time. At each size, their core-seconds are in proportion to those of the clusterings
    that used them.
    """
    shared = rows["shared_seconds"].fillna(0.0)
    users = rows[["cpu_seconds", "wall_seconds"]].where((shared > 0) & rows["cpu_seconds"].notna())
    sums = users.groupby([rows[name] for name in SIZE]).transform("sum")
    return shared * sums["cpu_seconds"] / sums["wall_seconds"].clip(lower=1e-9)
