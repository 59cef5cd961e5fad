"""Figures show the numbers of the tables, with texts on hover and in colours that suit a dark page."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut.analysis.evidence import SIZES, Evidence
from hypercut.analysis.gains import average_gains, paper_gains
from hypercut.analysis.ranks import cliques, ranking
from hypercut.analysis.readings import ReadingScores, gain_spans
from hypercut.paper import published
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Panels, mark, save_figure, score_limits
from hypercut.report.render.theme import theme
from hypercut.report.sections.gains import gain_chart, gain_scatter
from hypercut.report.sections.ranks import rank_chart
from hypercut.report.sections.sensitivity import sigma_curves, similarity_figure, weight_maps
from hypercut.results.matrices import NAMES, Matrices
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


def test_gains_at_both_sizes_with_intervals_and_published_ones():
    part = fake.scores({"mnist599": {"PKO+HSC": 0.6, "CSC": 0.3}, "corel500": {"PKO+HSC": 0.5, "CSC": 0.4}})
    evidence = Evidence(pd.concat([WITH_INTERVALS.table, fake.frame(part)], ignore_index=True), fake.run())
    table = average_gains(evidence)
    (drawn,) = gain_chart(table, gain_spans(ReadingScores(evidence), table, None))
    (ax,) = drawn.figure.axes  # noise and outliers were not run
    assert ax.get_title(loc="left") == "clean, NMI (4 datasets)"
    rows = [paper_gains(table, size).query("metric == 'nmi'").set_index("competitor").loc["CSC"] for size in SIZES]
    found = [path.vertices for lines in ax.collections[1:] for path in lines.get_paths()]
    np.testing.assert_allclose([ends[:, 0] for ends in found], [[it["low"], it["high"]] for it in rows])
    _, *dots = ax.lines
    y = len(published.COMPETITORS) - 1 - published.COMPETITORS.index("CSC")
    marks = [dict(zip(line.get_ydata().round(), line.get_xdata(), strict=True)) for line in dots]
    assert [values[y] for values in marks] == [rows[0]["ours"], rows[1]["ours"], rows[0]["published"]]
    (scatter,) = gain_scatter(table)
    points = {tuple(point) for line in scatter.figure.axes[0].lines for point in line.get_xydata()}
    assert {(it["published"], it["ours"]) for it in rows} <= points


def test_maps_of_the_weights():
    drawn, _ = weight_maps(EVIDENCE)
    (ax,) = drawn.figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("α", "β")
    texts = {text.get_position(): text for text in ax.texts}
    assert len(texts) == len(published.WEIGHTS)
    # α = 0.2 is the second column, β = 0.6 the uppermost row.
    assert texts[1.5, 0.5].get_text() == "0.670"


def test_choices_of_sigma_are_marked():
    figures = {drawn.name: drawn for drawn in sigma_curves(EVIDENCE)}
    assert list(figures) == ["sigma-nmi"]
    panels = figures["sigma-nmi"].panels
    assert [ax.get_title(loc="left") for ax in panels.figure.axes] == ["ORL", "MNIST", "Iris"]
    ax = panels.figure.axes[0]
    assert ax.lines[0].get_ydata().tolist() == pytest.approx([0.5, 0.7])
    # After the lines of the three algorithms, two choices of each.
    assert {line.get_xdata()[0] for line in ax.lines[3:]} == {0.2, 0.4}


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
    found = ranking(EVIDENCE, "clean", "nmi")
    (drawn,) = rank_chart([found], EVIDENCE.roles)
    (ax,) = drawn.figure.axes
    assert [tick.get_text() for tick in ax.get_yticklabels()] == list(found.mean_ranks.index)
    assert [text.get_text() for text in ax.texts] == [f"{rank:.2f}" for rank in found.mean_ranks]
    bars = [line.get_ydata() for line in ax.lines if line.get_color() == palette.AXIS]
    joined = cliques(found.mean_ranks.to_numpy(), found.critical_difference)
    assert [(round(low + 0.25), round(high - 0.25)) for low, high in bars] == joined
    assert f"p = {found.p_value:.2g}" in ax.get_xlabel()
    assert drawn.data.set_index("algorithm")["mean_rank"].to_dict() == found.mean_ranks.to_dict()


@pytest.mark.parametrize("values", [[0.801, 0.802], [0.999, 1.0], [0.0, 1.0], [np.nan], []])
def test_axes_do_not_blow_up_small_differences(values):
    low, high = score_limits(values)
    assert high - low >= 0.2 - 1e-9
    assert all(low <= value <= high for value in values if value == value)
    assert high <= 1.1


def captioned(tips: list[str]) -> CaptionedFigure:
    """A figure of two panels with the same line."""
    panels = Panels(2, 2, keys=[mark("o", "a & b", palette.BLUE)])
    for dataset in ("ORL", "Iris <2>"):
        (line,) = panels.add(dataset).plot([1, 2, 3], [0.1, 0.2, 0.3], marker="o", color=palette.BLUE)
        panels.name(line, "a & b", tips)
    return CaptionedFigure("name", "Title", "", panels, pd.DataFrame({"x": [1]}))


@pytest.fixture
def saved(tmp_path: Path) -> tuple[str, str]:
    """The file and the markup of the page."""
    with theme():
        figure = save_figure(captioned(["first", "", "third < 4"]), tmp_path)
    return (tmp_path / "name.svg").read_text(), figure.markup


def test_marks_have_their_texts(saved: tuple[str, str]) -> None:
    for text in saved:
        assert re.findall("<title>(.*?)</title>", text) == 2 * ["a &amp; b · first", "a &amp; b · third &lt; 4"]


def test_texts_that_do_not_fit_the_marks_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="1 texts for 3 marks"):
        save_figure(captioned(["one"]), tmp_path)


def test_colours_are_literal_in_files_and_variables_on_the_page(saved: tuple[str, str]) -> None:
    file, markup = saved
    assert palette.BLUE.lower() in file
    assert palette.BLUE.lower() not in markup
    assert f"var({palette.variable(palette.BLUE)})" in markup


def test_every_colour_has_a_counterpart_on_dark_pages() -> None:
    colors = {value for name, value in vars(palette).items() if name.isupper() and isinstance(value, str)}
    assert colors | set(palette.GREYS) | set(palette.SERIES) <= {*palette.DARK, palette.ON_LIGHT, palette.ON_DARK}
    assert len(set(palette.DARK.values())) == len(palette.DARK)
