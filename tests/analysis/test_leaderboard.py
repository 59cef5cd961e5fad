"""The leaderboard has every method that was run, and the bold score of a column is the best of all."""

import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.leaderboard import leaderboard
from hypercut.report.sections.beyond import cluster_count_table
from hypercut.report.sections.leaderboard import leaderboard_table
from hypercut.report.sections.scores import score_table
from tests import rows as fake
from tests.rows import levels


def unscaled(dataset: str, algorithm: str, score: float, role: str) -> dict:
    given = {"role": role, "sigma_factor": None, "neighbor_information": None}
    return fake.row(dataset, "clean", algorithm, score, **given)


ROWS = [
    *fake.scores({"iris": {"PKO+HSC": 0.6}, "orl": {"PKO+HSC": 0.9}}),
    # A second σ, which the labels prefer and the label-free score does not.
    fake.row("iris", "clean", "PKO+HSC", 0.8, sigma_factor=1.0, neighbor_information=0.1),
    *(unscaled("iris", name, score, "beyond") for name, score in (("AK+NC", 0.85), ("AK+NC without K", 0.7))),
    *(unscaled("orl", name, 0.95, "beyond") for name in ("AK+NC", "AK+NC without K")),
    *(
        unscaled("iris", name, score, role)
        for name, score, role in (("KMeans", 0.5, "baseline"), ("mine", 0.4, "algorithm"))
    ),
    *(unscaled(dataset, "true labels", 1.0, "control") for dataset in ("iris", "orl")),
]


@pytest.fixture
def evidence() -> Evidence:
    return Evidence(fake.frame(ROWS), fake.run())


def test_ranks_and_means_are_over_the_datasets_that_all_have_without_stand_ins() -> None:
    rows = [*ROWS, *({**row, "dataset": "yaleb", "data_kind": "stand-in"} for row in ROWS if row["dataset"] == "iris")]
    data = leaderboard(Evidence(fake.frame(rows), fake.run()), "clean", "nmi")
    assert set(data.loc[data["in_mean"], "dataset"]) == {"iris"}


def test_everything_that_was_run_is_there_with_how_sigma_was_chosen(evidence: Evidence) -> None:
    table = leaderboard_table(evidence, "clean", "nmi")
    assert table.columns == ["method", "kind", "σ chosen", "mean rank", "mean", "ORL", "Iris"]
    assert [[cell.text for cell in row[:5]] for row in table.rows] == [
        ["AK+NC", "beyond the paper", "no σ", "1.00", "0.850"],
        ["PKO+HSC", "paper", "with labels", "2.00", "0.800"],
        ["AK+NC without K", "beyond the paper", "no σ", "3.00", "0.700"],
        ["PKO+HSC", "paper", "without labels", "4.00", "0.600"],
        ["KMeans", "baseline", "no σ", "5.00", "0.500"],
        ["mine", "yours", "no σ", "6.00", "0.400"],
        ["true labels", "control", "no σ", "–", "–"],
    ]


def test_a_method_on_other_datasets_only_does_not_take_the_ranks_from_the_others() -> None:
    rows = [*ROWS, unscaled("mine_too", "mine", 0.4, "algorithm")]
    rows = [row for row in rows if (row["dataset"], row["algorithm"]) != ("iris", "mine")]
    data = leaderboard(Evidence(fake.frame(rows), fake.run()), "clean", "nmi").set_index("algorithm")
    assert set(data.loc["AK+NC", "mean_rank"]) == {1.0}
    assert data.loc[["mine"], "mean_rank"].isna().all()


TABLES = {"leaderboard": (leaderboard_table, 5), "table": (score_table, 1)}


def best(evidence: Evidence, name: str, experiment: str, metric: str, dataset: int = 0) -> list[str]:
    """Return the methods that are bold in the column of a dataset."""
    table, first = TABLES[name]
    rows = table(evidence, experiment, metric).rows
    return [row[0].text.partition(" (")[0] for row in rows if row[first + dataset].best]


@pytest.mark.parametrize("name", TABLES)
def test_the_best_is_the_best_of_all_rows_but_controls(evidence: Evidence, name: str) -> None:
    assert best(evidence, name, "clean", "nmi", 1) == ["AK+NC"]
    assert set(best(evidence, name, "clean", "nmi")) == {"AK+NC", "AK+NC without K"}


def test_the_estimated_numbers_of_clusters_are_beside_the_truth() -> None:
    rows = [unscaled("iris", "AK+NC without K", 0.65, "beyond") | {"n_found": 4}]
    rows += [unscaled("iris", "AK+NC without K", 0.75, "beyond") | {"n_found": 5, "repeat": 1}]
    rows += [unscaled("orl", name, 0.6, "beyond") for name in ("AK+NC without K", "AK+NC")]
    table = cluster_count_table(Evidence(fake.frame(rows), fake.run()))
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["ORL", "3", "3", "0.6000"],
        ["Iris", "3", "4 – 5", "0.7000"],
    ]


def noise_board(rows: list[dict]) -> tuple[Evidence, dict[str, list[str]]]:
    """Method → mean rank, mean and score under noise, with σ chosen with the labels or without σ."""
    evidence = Evidence(fake.frame(rows), fake.run())
    shown = [row for row in leaderboard_table(evidence, "noise", "nmi").rows if row[2].text != "without labels"]
    return evidence, {row[0].text: [cell.text for cell in row[3:]] for row in shown}


def test_an_average_without_the_hard_levels_is_marked_and_neither_ranked_nor_bold() -> None:
    falling = [0.9 - 0.05 * level for level in range(11)]
    rows = [*levels("noise", falling), *levels("noise", falling[:6], "STSC"), *levels("noise", [0.3] * 11, "PK+HSC")]
    evidence, found = noise_board(rows)
    assert found["CSC"] == ["1.50", "0.650", "0.650"]
    assert found["STSC"] == ["–", "–", "0.775 †"]
    assert set(best(evidence, "leaderboard", "noise", "nmi")) == {"CSC"}
    assert best(evidence, "table", "noise", "nmi") == ["CSC"]


def test_of_sets_of_levels_of_equal_size_the_commonest_counts() -> None:
    rows = [*levels("noise", [0.3] * 3), *levels("noise", [0.4] * 3, "STSC")]
    rows += [row for row in levels("noise", [0.9] * 4, "PK+HSC") if row["setting"] != "noise-L2"]
    _, found = noise_board(rows)
    assert found["PK+HSC"] == ["–", "–", "0.900 †"]
    assert found["STSC"][0] == "1.50"


def test_a_control_with_more_levels_takes_nobody_out() -> None:
    evidence, found = noise_board([*levels("noise", [0.9, 0.5]), *levels("noise", [1.0] * 11, "true labels")])
    assert found["CSC"] == ["1.50", "0.700", "0.700"]
    assert best(evidence, "table", "noise", "nmi") == ["CSC"]


def test_more_clusters_than_classes_are_neither_bold_nor_ranked_in_purity() -> None:
    """A method that finds more clusters than classes has a high purity for this reason alone."""
    rows = fake.scores({"orl": {"CSC": 0.5, "PKO+HSC": 0.6}})
    evidence = Evidence(
        fake.frame([*rows, unscaled("orl", "AK+NC without K", 0.9, "beyond") | {"n_found": 31}]), fake.run()
    )
    for name in TABLES:
        assert set(best(evidence, name, "clean", "nmi")) == {"AK+NC without K"}
        assert set(best(evidence, name, "clean", "purity")) == {"PKO+HSC"}
    nmi, purity = (leaderboard(evidence, "clean", it).set_index("algorithm") for it in ("nmi", "purity"))
    assert nmi.loc["AK+NC without K", "mean_rank"] == 1
    assert purity.loc[["AK+NC without K"], ["mean_rank", "mean_score"]].isna().all(axis=None)
    assert purity.loc["AK+NC without K", "score"] == 0.9
    assert set(purity.loc["PKO+HSC", "mean_rank"]) == {1.5}
