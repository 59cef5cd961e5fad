"""The section on the published figures says what forensics computes."""

import pandas as pd
import pytest

from hypercut.paper import forensics, published
from hypercut.report.render import palette
from hypercut.report.sections import published_figures as section


@pytest.fixture(scope="module")
def text():
    return " ".join(section.section().paragraphs)


def texts(table):
    return {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}


def test_gains_that_do_not_follow_are_named(text):
    assert "Of the paper's 42 printed average gains, 39 follow" in text
    for numbers in ("25.55 %, recomputed 25.24 %", "21.58 %, recomputed 21.52 %", "35.19 %, recomputed 35.15 %"):
        assert numbers in text


def test_granularity_in_words(text):
    assert "all purities of ORL and Corel are shares of the stated N" in text
    assert "Those of USPS are shares of 465." in text
    assert "2e-11, or 1e-08 if every N up to 465" in text
    assert "Those of YaleB, MNIST, Iris and Traj. are shares of no N" in text
    assert "465 samples, 5% of those stated; in Table 1, 2 of 8 purities are shares of 465" in text


def test_granularity_in_numbers():
    shown = texts(section.granularity_table())
    assert shown["ORL"] == ["400", "1 of 8", "none", "9 of 9", "400"]
    assert shown["Corel"] == ["1000", "4 of 8", "none", "9 of 9", "500, 1000"]
    assert shown["USPS"][-1] == "465, 930, 1395, … (621 in all)"
    assert list(shown) == list(published.DATASETS.values())


def test_the_files_have_all_tables(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(section.granularity_table().csv())
    data = pd.read_csv(path)
    assert data.groupby("table").size().to_dict() == {1: 7, 2: 7, 3: 7, 4: 4}
    usps = data[(data["table"] == 2) & (data["dataset"] == "usps")]["explaining"].item()
    assert len(usps.split()) == 621


def test_constant_differences_in_words_and_numbers(text):
    sentence = section.difference_sentence("PKO+HSC", "PKO+NC")
    assert sentence in text
    assert "exactly one differs" in text
    rows = [[cell.text for cell in row[1:5]] for row in section.difference_table().rows]
    assert rows == [
        ["Table 1", "NMI", "0.0103", "USPS, MNIST, Iris, Traj., Corel"],
        ["Table 1", "purity", "0.0167 to 0.0168", "USPS, MNIST, Iris, Traj., Corel"],
        ["Table 3", "NMI", "0.0147", "USPS, Iris, Corel"],
        ["Table 3", "purity", "0.0179 to 0.0180", "USPS, MNIST, Iris, Corel"],
    ]
    assert "0.0147 in NMI on 3 of 7 (Table 3)" in sentence
    assert all(row[2] in sentence for row in rows)


def test_pairs_without_a_constant_have_no_sentence():
    assert section.difference_sentence("PKO+HSC", "CSC") == ""


def test_the_picture_has_every_pair_and_the_constant_one_in_colour():
    (drawn,) = section.difference_chart()
    ax = drawn.figure.axes[0]
    assert ax.get_title(loc="left") == "Table 1: clean, NMI"
    (line,), others = ax.lines, ax.collections[0].get_segments()
    assert len(others) == 27
    assert line.get_color() == palette.VERMILLION
    differences = forensics.row_differences(published.scores("clean", "nmi"))["PKO+HSC", "PKO+NC"]
    assert line.get_xdata().tolist() == [2, 3, 4, 5, 6, 7]
    assert line.get_ydata().tolist() == pytest.approx([0, 0, 0, 0, 0.0149, (differences.max() - 103) / 10_000])
    assert [label.get_text() for label in ax.texts] == ["0.0103"]
