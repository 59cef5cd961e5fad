"""Pictures show the requested data."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits, load_iris, make_blobs, make_moons

from hypercut import CSC, HypergraphClustering, plot
from hypercut.cli import _summary

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def digits():
    X = load_digits().data[::4]
    return HypergraphClustering(10, random_state=0).fit(X), X


def test_the_profile_of_k_is_drawn() -> None:
    X, _ = make_blobs(300, 3, centers=4, random_state=0)
    model = HypergraphClustering(random_state=0).fit(X)
    ax = plot.k_profile(model)
    drawn = ax.lines[0].get_xydata()
    np.testing.assert_allclose(drawn.T, [model.k_profile_["n_clusters"], model.k_profile_["information"]])
    assert ax.get_legend_handles_labels()[1] == ["information", f"chosen: {model.n_clusters_}"]


def points(ax):
    """Return the drawn points, and the cluster of each according to its colour."""
    (scatter,) = ax.collections
    return np.asarray(scatter.get_offsets()), [tuple(color) for color in scatter.get_facecolors()]


def test_two_features_are_drawn_as_they_are() -> None:
    X = pd.DataFrame(make_moons(200, noise=0.05, random_state=0)[0], columns=["length", "width"])
    model = HypergraphClustering(random_state=0).fit(X)
    ax = plot.clustering(model, X)
    drawn, colors = points(ax)
    order, back = np.lexsort(drawn.T), np.lexsort(X.to_numpy().T)
    np.testing.assert_allclose(drawn[order], X.to_numpy()[back])
    # One colour per cluster.
    assert len(set(zip(model.labels_[back], (colors[i] for i in order), strict=True))) == model.n_clusters_
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("The two features", "length", "width")
    assert sorted(text.get_text() for text in ax.texts) == ["0", "1"]


def test_the_title_says_what_is_drawn(digits) -> None:
    model, X = digits
    assert plot.clustering(model, X).get_title() == "PCA of the features"
    assert plot.clustering(model, X, by="spectral").get_title() == "PCA of the spectral embedding"
    assert plot.clustering(model).get_title() == "PCA of the spectral embedding"
    scaled = HypergraphClustering(3, random_state=0).fit(load_iris().data * [1, 1, 1000, 1])
    scaled.view_ = "standardized"
    assert plot.clustering(scaled, load_iris().data).get_title() == "PCA of the standardized features"


def test_a_single_feature() -> None:
    X = np.r_[np.arange(10), np.arange(100, 110)][:, None]
    ax = plot.clustering(HypergraphClustering(2, random_state=0).fit(X), X)
    np.testing.assert_allclose(np.sort(points(ax)[0][:, 0]), X[:, 0])
    assert ax.get_xlabel() == "feature 0"
    assert len(ax.get_yticks()) == 0


def test_of_many_samples_some_are_drawn(digits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plot, "MOST_POINTS", 100)
    model, X = digits
    ax = plot.clustering(model, X)
    assert len(points(ax)[0]) == 100
    assert ax.get_title() == "PCA of the features, 100 of 450"


def test_what_cannot_be_drawn(digits) -> None:
    X = np.array([[0.0, 0, 0], [0.1, 0, 0], [5.0, 0, 0], [5.1, 0, 0]])
    model = HypergraphClustering(2, random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"no spectral embedding of two dimensions\. Pass the samples"):
        plot.clustering(model)
    with pytest.raises(ValueError, match="needs one or two features, found 3"):
        plot.clustering(model, X, by="features")
    with pytest.raises(ValueError, match="needs the features"):
        plot.clustering(model, by="pca")
    with pytest.raises(ValueError, match="found 'tsne'"):
        plot.clustering(model, X, by="tsne")
    with pytest.raises(AttributeError, match="K was given"):
        plot.k_profile(model)
    with pytest.raises(AttributeError, match="CSC has no memberships"):
        plot.memberships(CSC(2, sigma_factor=1).fit(X))


def test_sizes_are_drawn_by_number_and_of_many_clusters_largest_first(digits, monkeypatch) -> None:
    model, _ = digits
    counts = np.bincount(model.labels_).tolist()
    ax = plot.sizes(model)
    assert [bar.get_height() for bar in ax.patches] == counts
    assert [label.get_text() for label in ax.get_xticklabels()] == [str(number) for number in range(len(counts))]
    monkeypatch.setattr(plot, "MOST_LABELLED_BARS", 9)
    ax = plot.sizes(model)
    assert [bar.get_height() for bar in ax.patches] == sorted(counts, reverse=True)
    assert ax.get_xlabel() == "cluster, largest first"
    assert not ax.get_xticklabels()


def test_memberships_between_clusters_are_marked(digits) -> None:
    model, _ = digits
    ax = plot.memberships(model)
    largest = model.probabilities_.max(axis=1)
    every, border = (sum(bar.get_height() for bar in bars) for bars in ax.containers)
    assert (every, border) == (len(largest), (largest < plot.BORDER).sum())
    assert plot.BORDER == _summary.BORDER


def test_overview(digits) -> None:
    model, X = digits
    titles = [ax.get_title(loc="left") for ax in plot.overview(model, X).get_axes()]
    assert titles[:3] == ["PCA of the features", "PCA of the spectral embedding", "Sizes of the 10 clusters"]
    assert len(titles) == 4
    other = CSC(3, sigma_factor=0.4, random_state=0).fit(X)
    assert len(plot.overview(other, X).get_axes()) == 3


def test_many_clusters_have_colours_but_no_numbers() -> None:
    X = np.random.default_rng(0).normal(size=(500, 3))
    model = CSC(50, sigma_factor=0.4, random_state=0).fit(X)
    ax = plot.clustering(model, X)
    assert len(set(points(ax)[1])) == len(np.unique(model.labels_))
    assert not ax.texts
