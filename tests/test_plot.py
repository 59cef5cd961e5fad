"""Pictures show what they are asked for."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_blobs

from hypercut import HypergraphClustering, plot

mpl.use("Agg")


def test_the_profile_of_k_is_drawn() -> None:
    X, _ = make_blobs(300, 3, centers=4, random_state=0)
    model = HypergraphClustering(random_state=0).fit(X)
    ax = plot.k_profile(model)
    drawn = ax.lines[0].get_xydata()
    np.testing.assert_allclose(drawn.T, [model.k_profile_["n_clusters"], model.k_profile_["information"]])
    assert ax.get_legend_handles_labels()[1] == ["information", f"chosen: {model.n_clusters_}"]


def test_a_given_k_has_no_profile() -> None:
    model = HypergraphClustering(2, random_state=0).fit([[0.0], [0.1], [5.0], [5.1]])
    with pytest.raises(AttributeError, match="K was given"):
        plot.k_profile(model)
