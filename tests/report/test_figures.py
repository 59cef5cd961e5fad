"""Figures show the numbers of the tables."""

import numpy as np
import pytest

from hypercut.benchmark.matrices import NAMES, Matrices
from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.readings import ReadingScores
from hypercut.report.render import palette
from hypercut.report.render.figure import algorithm_styles, score_limits
from hypercut.report.sections.cost import clustering_costs, cost_chart
from hypercut.report.sections.gains import average_gains, gain_chart, reading_spans
from hypercut.report.sections.label_free_sigma import label_free_losses, loss_chart
from hypercut.report.sections.ranks import cliques, rank_chart, ranking
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
#: With the fourth dataset that intervals need.
WITH_INTERVALS = Evidence(fake.frame([*ROWS, *fake.scores({"corel": {"PKO+HSC": 0.5, "CSC": 0.45}})]), fake.run())


def lines(ax):
    """The plotted lines: x and y by colour."""
    return {line.get_color(): (line.get_xdata().tolist(), line.get_ydata().tolist()) for line in ax.lines}


def test_gains_with_intervals_and_published_ones():
    table = average_gains(WITH_INTERVALS)
    (drawn,) = gain_chart(table, reading_spans(ReadingScores(WITH_INTERVALS), table, None), "nmi")
    (ax,) = drawn.figure.axes  # noise and outliers were not run
    row = table[(table["scope"] == "paper") & (table["metric"] == "nmi")].set_index("competitor").loc["CSC"]
    assert ax.get_title(loc="left") == "clean, NMI (4 datasets)"
    assert "Not run, or not comparable with the paper: noise and outliers." in drawn.caption
    y = len(published.COMPETITORS) - 1 - published.COMPETITORS.index("CSC")
    intervals = [path.vertices for path in ax.collections[1].get_paths()]
    (found,) = (ends for ends in intervals if ends[0][1] == pytest.approx(y + 0.12))
    assert found[:, 0].tolist() == pytest.approx([row["low"], row["high"]])
    _, *dots = ax.lines
    marks = [dict(zip(line.get_ydata().round(), line.get_xdata(), strict=True)) for line in dots]
    assert [values[y] for values in marks] == [row["ours"], row["published"]]
    assert drawn.data.set_index("competitor").loc["CSC", "ours"] == row["ours"]


def test_a_long_interval_of_a_gain_leaves_room_for_small_gains():
    table = average_gains(WITH_INTERVALS)
    table.loc[table["competitor"] == "CSC", ["ours", "low", "high"]] = [40.0, 5.0, 400.0]
    (drawn,) = gain_chart(table, reading_spans(ReadingScores(WITH_INTERVALS), table, None), "nmi")
    (ax,) = drawn.figure.axes
    zero, five, longest, end = (
        ax.transAxes.inverted().transform(ax.transData.transform((x, 0)))[0] for x in (0, 5, 400, ax.get_xlim()[1])
    )
    assert longest < end
    assert five - zero > 0.1


def test_cost_over_the_number_of_samples():
    (drawn,) = cost_chart(EVIDENCE)
    table = clustering_costs(EVIDENCE)
    time, memory = drawn.figure.axes
    assert time.get_ylabel() == "processor time, seconds"
    assert memory.get_ylabel().endswith("MB")
    for name, style in algorithm_styles(EVIDENCE.roles).items():
        part = table[table["algorithm"] == name]
        assert lines(time)[style["color"]] == (sorted(DATASETS.values()), part["cpu_seconds"].tolist())
    # Dots of datasets that differ in more than N are not joined.
    assert {line.get_linestyle() for line in time.lines} == {"None"}


def test_costs_are_processor_time_and_the_wall_time_beside_it():
    """Of the wall time of communities, as much was computing as of the clusterings that used them."""
    times = {"cpu_seconds": 1.0, "wall_seconds": 2.0, "shared_seconds": 6.0}
    rows = [fake.row("iris", "clean", name, 0.5, **times) for name in ("PKO+HSC", "PKO+NC")]
    rows += [fake.row("iris", "clean", "CSC", 0.5, cpu_seconds=1.0, wall_seconds=9.0, shared_seconds=0.0)]
    found = clustering_costs(Evidence(fake.frame(rows), fake.run())).set_index("algorithm")
    assert found.loc["PKO+HSC", ["cpu_seconds", "own_cpu_seconds", "wall_seconds"]].tolist() == [4.0, 1.0, 8.0]
    assert found.loc["CSC", ["cpu_seconds", "own_cpu_seconds", "wall_seconds"]].tolist() == [1.0, 1.0, 9.0]


def test_a_power_of_the_number_of_samples_is_fitted_to_enough_sizes():
    rows = [
        fake.row(f"own{size}", "clean", "CSC", 0.5, n_samples=size, cpu_seconds=size**2 * 1e-6, shared_seconds=0.0)
        for size in (1000, 2000, 4000, 8000)
    ]
    (drawn,) = cost_chart(Evidence(fake.frame(rows), fake.run()))
    _, fit = drawn.figure.axes[0].lines
    (x0, x1), (y0, y1) = fit.get_data()
    assert np.log(y1 / y0) / np.log(x1 / x0) == pytest.approx(2)


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
    # α = 0.2 is the second column, β = 0.6 the uppermost row.
    best = texts[1.5, 0.5]
    assert best.get_text() == "0.670\n(0.823)"
    assert [text.get_weight() for text in texts.values()].count("bold") == 1
    assert best.get_weight() == "bold"


def test_a_sweep_is_in_the_order_of_its_values():
    (drawn,) = sweep_curves(EVIDENCE, "neighbors")
    (ax,) = drawn.figure.axes
    nmi, purity = ax.lines
    assert (nmi.get_xdata().tolist(), nmi.get_ydata().tolist()) == ([2, 3, 5], pytest.approx([0.5, 0.55, 0.65]))
    # A panel per dataset: the colour is that of the algorithm that is swept.
    assert {nmi.get_color(), purity.get_color()} == {algorithm_styles(EVIDENCE.roles)["PKO+HSC"]["color"]}
    assert [panel.dataset for panel in drawn.panels.panels] == ["ORL"]
    assert not list(sweep_curves(EVIDENCE, "communities"))


def test_choices_of_sigma_are_marked():
    figures = {drawn.name: drawn for drawn in scale_curves(EVIDENCE)}
    assert list(figures) == ["sigma-nmi"]
    panels = figures["sigma-nmi"].panels
    assert [panel.dataset for panel in panels.panels] == ["ORL", "MNIST", "Iris"]
    ax = panels.figure.axes[0]
    # Per algorithm a line, then the choice with labels and the one without.
    line, oracle, unsupervised = ax.lines[:3]
    assert line.get_ydata().tolist() == pytest.approx([0.5, 0.7])
    assert (oracle.get_xdata()[0], unsupervised.get_xdata()[0]) == (0.4, 0.2)
    assert "in 9 of 9 curves" in figures["sigma-nmi"].caption


def test_similarity_matrices():
    classes = np.array([0, 0, 1, 1])
    truth = (classes[:, None] == classes).astype(float)
    similarities = {symbol: truth * (1 + i) + 0.1 for i, symbol in enumerate(NAMES)}
    matrices = Matrices(0.4, 0.6, 0.2, "", classes, similarities)
    (drawn,) = similarity_figure(EVIDENCE, matrices)
    titles = [ax.get_title(loc="left") for ax in drawn.figure.axes]
    assert titles == ["ground truth", *(f"{NAMES[s]}\nalignment {matrices.alignment(s):.3f}" for s in NAMES)]
    assert drawn.figure.axes[2].images[0].get_array().tolist() == similarities["B"].tolist()
    assert not list(similarity_figure(EVIDENCE, None))


def test_mean_ranks():
    found = ranking(EVIDENCE, "paper", "clean", "nmi")
    (drawn,) = rank_chart([found], EVIDENCE.roles)
    (ax,) = drawn.figure.axes
    assert [tick.get_text() for tick in ax.get_yticklabels()] == list(found.mean_ranks.index)
    assert [text.get_text() for text in ax.texts] == [f"{rank:.2f}" for rank in found.mean_ranks]
    bars = [line.get_ydata() for line in ax.lines if line.get_color() == palette.AXIS]
    joined = cliques(found.mean_ranks.to_numpy(), found.critical_difference)
    assert [(round(low + 0.25), round(high - 0.25)) for low, high in bars] == joined


@pytest.mark.parametrize(
    ("ranks", "difference", "expected"),
    [
        ([1.0, 2.0, 3.0], 0.5, []),
        ([1.0, 2.0, 3.0], 5.0, [(0, 2)]),
        ([1.0, 1.5, 2.2, 4.0], 1.0, [(0, 1), (1, 2)]),
        ([1.0, 2.0], 1.0, []),  # as far apart as the critical difference: significant
    ],
)
def test_bars_join_what_does_not_differ_significantly(ranks, difference, expected):
    assert cliques(np.array(ranks), difference) == expected


@pytest.mark.parametrize("values", [[0.801, 0.802], [0.999, 1.0], [0.0, 1.0], [np.nan], []])
def test_axes_do_not_blow_up_small_differences(values):
    low, high = score_limits(values)
    assert high - low >= 0.2 - 1e-9
    assert all(low <= value <= high for value in values if value == value)
    assert high <= 1.1
