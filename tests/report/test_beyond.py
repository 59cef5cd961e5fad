"""The tables of what goes beyond the paper, on results whose figures are known."""

import pytest

from hypercut.report.evidence import Evidence
from hypercut.report.sections.beyond import beyond_data, beyond_table, cluster_count_table
from hypercut.report.sections.scores import score_data
from tests import rows as fake


def beyond(dataset, score, found, algorithm="AK+NC without K", repeat=0):
    given = {"role": "beyond", "n_found": found, "sigma_factor": None, "neighbor_information": None, "repeat": repeat}
    return fake.row(dataset, "clean", algorithm, score, **given)


ROWS = [
    *fake.scores({"iris": {"PKO+HSC": 0.6, "KMeans": 0.5}, "orl": {"PKO+HSC": 0.9}}),
    # A second σ, better by the labels, worse without them.
    fake.row("iris", "clean", "PKO+HSC", 0.8, sigma_factor=1.0, neighbor_information=0.1),
    *(beyond(dataset, 0.7, 3, "AK+NC") for dataset in ("iris", "orl")),
    beyond("iris", 0.65, 4),
    beyond("iris", 0.75, 5, repeat=1),
    beyond("orl", 0.6, 3),
]


@pytest.fixture
def evidence() -> Evidence:
    return Evidence(fake.frame(ROWS), fake.run())


def test_the_papers_method_stands_there_under_both_rules(evidence: Evidence) -> None:
    scores = beyond_data(evidence, "clean", "nmi").set_index(["algorithm", "dataset"])["mean"]
    assert scores["PKO+HSC, σ by the labels", "iris"] == 0.8
    assert scores["PKO+HSC, σ without labels", "iris"] == 0.6
    assert scores["AK+NC without K", "iris"] == pytest.approx(0.7)


def test_the_mean_is_over_what_all_have_and_the_oracle_is_never_the_best(evidence: Evidence) -> None:
    table = beyond_table(evidence, "clean", "nmi")
    assert table.columns == ["method", "ORL", "Iris", "mean"]
    rows = {row[0].text: row[1:] for row in table.rows}
    # KMeans was not run on ORL: the mean is over Iris alone.
    assert [row[-1].text for row in rows.values()] == ["0.7000", "0.7000", "0.5000", "0.6000", "0.8000"]
    assert not any(cell.best for cell in rows["PKO+HSC, σ by the labels"])
    assert rows["AK+NC"][1].best
    assert rows["KMeans"][0].text == "–"


def test_the_number_of_clusters_beside_the_truth(evidence: Evidence) -> None:
    table = cluster_count_table(evidence)
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["ORL", "3", "3", "0.6000"],
        ["Iris", "3", "4 – 5", "0.7000"],
    ]
    assert set(table.data["algorithm"]) == {"AK+NC without K"}


def test_the_papers_tables_are_without_it(evidence: Evidence) -> None:
    assert set(score_data(evidence, "clean", "nmi")["algorithm"]) == {"PKO+HSC", "KMeans"}


def test_nothing_beyond_the_paper_no_table() -> None:
    evidence = Evidence(fake.frame(fake.scores({"iris": {"PKO+HSC": 0.6}})), fake.run())
    assert not beyond_table(evidence, "clean", "nmi").rows
    assert not cluster_count_table(evidence).rows
