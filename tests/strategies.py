"""Random sample sets that include awkward cases: duplicates, ties, outliers, tiny N."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def sample_sets(draw, min_size=4, max_size=14):
    n = draw(st.integers(min_size, max_size))
    n_features = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = rng.standard_normal((n, n_features))
    kind = draw(st.sampled_from(["plain", "duplicates", "grid", "outlier", "blobs"]))
    if kind == "duplicates":
        x[rng.integers(n, size=n // 2)] = x[0]
    elif kind == "grid":
        x = np.round(x)  # many equal distances
    elif kind == "outlier":
        x[-1] += 20
    elif kind == "blobs":
        x[: n // 2] += 4
    if (x == x[0]).all():
        x[0] += 1
    return x
