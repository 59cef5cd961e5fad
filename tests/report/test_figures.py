"""Figures show the numbers of the tables."""

import numpy as np
import pytest

from hypercut.benchmark.matrices import NAMES, Matrices
from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.render.figure import algorithm_styles, dataset_styles
from hypercut.report.sections.cost import clustering_costs, cost_chart
from hypercut.report.sections.gains import average_gains, gain_chart
from hypercut.report.sections.label_free_sigma import label_free_losses, loss_chart
from hypercut.report.sections.ranks import critical_difference_figure, ranking
from hypercut.report.sections.sensitivity import scale_curves, similarity_figure, sweep_curves, weight_maps
from tests import rows as fake

DATASETS = {"orl": 400, "mnist": 2000, "iris": 150}
ROWS = [
    fake.row(dataset, "clean", algorithm, score, sigma_factor=factor, n_samples=size, neighbor_information=1 - score)
    | {"wall_seconds": size * score}
    for i, (dataset, size) in enumerate(DATASETS.items())
    for algorithm, base in (("PKO+HSC", 0.5), ("CSC", 0.3), ("STSC", 0.2))
    for factor, score in ((0.2, base + 0.01 * i), (0.4, base + 0.2))
]
ROWS += [
    fake.sweep_row("orl", "weights", 0.5 + alpha / 10 + beta / 4, alpha=alpha, beta=beta) | {"n_samples": 400}
    for alpha, beta in published.WEIGHTS
]
ROWS += [fake.sweep_row("orl", "neighbors", 0.4 + k / 20, n_neighbors=k) | {"n_samples": 400} for k in (5, 2, 3)]
EVIDENCE = Evidence(fake.frame(ROWS), fake.run())


def lines(ax):
    """The plotted lines: x and y by colour."""
    return {line.get_color(): (line.get_xdata().tolist(), line.get_ydata().tolist()) for line in ax.lines}


def test_gains_with_intervals_and_published_ones():
    table = average_gains(EVIDENCE)
    (drawn,) = gain_chart(table)
    ax = drawn.figure.axes[0]
    row = table[(table["scope"] == "paper") & (table["metric"] == "nmi")].set_index("competitor").loc["CSC"]
    position = published.COMPETITORS.index("CSC")
    assert ax.get_title() == "clean, NMI (3 datasets)"
    bars = ax.containers[0]
    assert bars.lines[0].get_xdata()[position] == row["ours"]
    (low, _), (high, _) = bars.lines[2][0].get_segments()[position]
    assert (low, high) == (pytest.approx(row["low"]), pytest.approx(row["high"]))
    assert [line.get_xdata()[position] for line in ax.lines[-2:]] == [row["published"], row["printed"]]
    assert drawn.figure.axes[1].get_title() == "noise, NMI (nothing comparable)"


def test_cost_over_the_number_of_samples():
    (drawn,) = cost_chart(EVIDENCE)
    table = clustering_costs(EVIDENCE)
    time, memory = drawn.figure.axes
    assert memory.get_ylabel().endswith("MB")
    for name, style in algorithm_styles(EVIDENCE.roles).items():
        part = table[table["algorithm"] == name]
        assert lines(time)[style["color"]] == (sorted(DATASETS.values()), part["seconds"].tolist())


def test_loss_without_labels():
    losses = label_free_losses(EVIDENCE)
    (drawn,) = loss_chart(losses, EVIDENCE.roles)
    table = losses[losses["metric"] == "nmi"].set_index("algorithm")
    (ax,) = drawn.figure.axes
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    _, oracle, unsupervised = ax.collections
    assert names == ["PKO+HSC", "CSC", "STSC"]
    assert oracle.get_offsets()[:, 0].tolist() == table.loc[names, "oracle"].tolist()
    assert unsupervised.get_offsets()[:, 0].tolist() == table.loc[names, "unsupervised"].tolist()


def test_maps_of_the_weights():
    drawn, _ = weight_maps(EVIDENCE)
    (ax,) = drawn.figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("α", "β")
    texts = {text.get_position(): text for text in ax.texts}
    assert len(texts) == len(published.WEIGHTS)
    # α = 0.2 and β = 0.6 are the second and the last value.
    best = texts[1, 3]
    assert best.get_text() == "0.670\n(0.823)"
    assert [text.get_weight() for text in texts.values()].count("bold") == 1
    assert best.get_weight() == "bold"


def test_a_sweep_is_in_the_order_of_its_values():
    (drawn,) = sweep_curves(EVIDENCE, "neighbors")
    x, y = lines(drawn.figure.axes[0])[dataset_styles(EVIDENCE.datasets)["orl"]["color"]]
    assert (x, y) == ([2, 3, 5], pytest.approx([0.5, 0.55, 0.65]))
    assert not list(sweep_curves(EVIDENCE, "communities"))


def test_choices_of_sigma_are_marked():
    figures = {drawn.name: drawn for drawn in scale_curves(EVIDENCE)}
    assert list(figures) == ["sigma-orl", "sigma-mnist", "sigma-iris"]
    ax = figures["sigma-orl"].figure.axes[0]
    # Per algorithm a line, then the choice with labels and the one without.
    line, oracle, unsupervised = ax.lines[:3]
    assert line.get_ydata().tolist() == pytest.approx([0.5, 0.7])
    assert (oracle.get_xdata()[0], unsupervised.get_xdata()[0]) == (0.4, 0.2)
    assert "at the edge of the grid for PKO+HSC, CSC, STSC" in figures["sigma-orl"].caption


def test_similarity_matrices():
    classes = np.array([0, 0, 1, 1])
    truth = (classes[:, None] == classes).astype(float)
    similarities = {symbol: truth * (1 + i) + 0.1 for i, symbol in enumerate(NAMES)}
    matrices = Matrices(0.4, 0.6, 0.2, classes, similarities)
    (drawn,) = similarity_figure(EVIDENCE, matrices)
    titles = [ax.get_title() for ax in drawn.figure.axes]
    assert titles == ["ground truth", *(f"{NAMES[s]}\nalignment {matrices.alignment(s):.3f}" for s in NAMES)]
    assert drawn.figure.axes[2].images[0].get_array().tolist() == similarities["B"].tolist()
    assert not list(similarity_figure(EVIDENCE, None))


def test_mean_ranks():
    found = ranking(EVIDENCE, "paper", "clean", "nmi")
    drawn = critical_difference_figure(found, EVIDENCE.roles)
    texts = {text.get_text().strip() for text in drawn.figure.axes[0].texts}
    assert {f"{name} ({rank:.2f})" for name, rank in found.mean_ranks.items()} <= texts
