"""The estimated number of clusters, on results whose figures are known."""

import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.report.sections.beyond import cluster_count_table
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


def test_the_number_of_clusters_beside_the_truth(evidence: Evidence) -> None:
    table = cluster_count_table(evidence)
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["ORL", "3", "3", "0.6000"],
        ["Iris", "3", "4 – 5", "0.7000"],
    ]
    assert set(table.data["algorithm"]) == {"AK+NC without K"}


def test_nothing_beyond_the_paper_no_table() -> None:
    evidence = Evidence(fake.frame(fake.scores({"iris": {"PKO+HSC": 0.6}})), fake.run())
    assert not cluster_count_table(evidence).rows
