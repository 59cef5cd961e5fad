"""The leaderboard has everything that was run, and the best of a column is the best of all."""

import pytest

from hypercut.report.evidence import Evidence
from hypercut.report.sections.leaderboard import leaderboard_data, leaderboard_table, winner_sentence
from hypercut.report.sections.scores import score_table
from tests import rows as fake


def unscaled(dataset: str, algorithm: str, score: float, role: str) -> dict:
    given = {"role": role, "sigma_factor": None, "neighbor_information": None}
    return fake.row(dataset, "clean", algorithm, score, **given)


ROWS = [
    *fake.scores({"iris": {"PKO+HSC": 0.6}, "orl": {"PKO+HSC": 0.9}}),
    # A second σ, better by the labels, worse without them.
    fake.row("iris", "clean", "PKO+HSC", 0.8, sigma_factor=1.0, neighbor_information=0.1),
    *(unscaled("iris", name, score, "beyond") for name, score in (("AK+NC", 0.85), ("AK+NC without K", 0.7))),
    *(unscaled("orl", name, 0.95, "beyond") for name in ("AK+NC", "AK+NC without K")),
    *(
        unscaled("iris", name, score, role)
        for name, score, role in (("KMeans", 0.5, "reference"), ("mine", 0.4, "algorithm"))
    ),
    *(unscaled(dataset, "true labels", 1.0, "control") for dataset in ("iris", "orl")),
]


@pytest.fixture
def evidence() -> Evidence:
    return Evidence(fake.frame(ROWS), fake.run())


def test_everything_that_was_run_is_there_with_how_sigma_was_chosen(evidence: Evidence) -> None:
    table = leaderboard_table(evidence, "clean", "nmi")
    assert table.columns == ["method", "kind", "σ chosen", "mean rank", "mean", "ORL", "Iris"]
    assert [[cell.text for cell in row[:5]] for row in table.rows] == [
        ["AK+NC", "beyond the paper", "no σ", "1.00", "0.850"],
        ["PKO+HSC", "paper", "with labels", "2.00", "0.800"],
        ["AK+NC without K", "beyond the paper", "no σ", "3.00", "0.700"],
        ["PKO+HSC", "paper", "without labels", "4.00", "0.600"],
        ["KMeans", "reference", "no σ", "5.00", "0.500"],
        ["mine", "yours", "no σ", "6.00", "0.400"],
        ["true labels", "control", "no σ", "–", "–"],
    ]


def test_ranks_and_means_are_over_the_datasets_that_all_have(evidence: Evidence) -> None:
    data = leaderboard_data(evidence, "clean", "nmi")
    assert set(data.loc[data["in_mean"], "dataset"]) == {"iris"}
    assert leaderboard_table(evidence, "clean", "nmi").caption.endswith(
        "Mean rank (1 is best) and mean are over 1 of 2 datasets. Left out: ORL (lacks methods)."
    )


def test_a_mean_over_one_dataset_names_it() -> None:
    only = Evidence(fake.frame([row for row in ROWS if row["dataset"] == "iris"]), fake.run())
    assert leaderboard_table(only, "clean", "nmi").caption.endswith("are over Iris.")


def test_a_part_of_a_dataset_and_a_stand_in_are_named_as_left_out_of_the_means() -> None:
    rows = [
        *fake.scores({name: {"PKO+HSC": 0.6, "CSC": 0.5} for name in ("orl", "usps", "usps465")}),
        *(fake.row("yaleb", "clean", name, 0.5, data_kind="stand-in") for name in ("PKO+HSC", "CSC")),
    ]
    caption = leaderboard_table(Evidence(fake.frame(rows), fake.run()), "clean", "nmi").caption
    assert caption.endswith(
        "Mean rank (1 is best) and mean are over 2 of 4 datasets. "
        "Left out: YaleB (stand-in), USPS-465 (part of USPS). "
        "A stand-in is generated, in place of a dataset that could not be fetched."
    )


def test_a_method_on_other_datasets_only_does_not_take_the_ranks_from_the_others() -> None:
    rows = [*ROWS, unscaled("mine_too", "mine", 0.4, "algorithm")]
    rows = [row for row in rows if (row["dataset"], row["algorithm"]) != ("iris", "mine")]
    data = leaderboard_data(Evidence(fake.frame(rows), fake.run()), "clean", "nmi").set_index("algorithm")
    assert set(data.loc["AK+NC", "mean_rank"]) == {1.0}
    assert data.loc[["mine"], "mean_rank"].isna().all()


@pytest.mark.parametrize("name", ["leaderboard", "table"])
def test_the_best_is_the_best_of_all_rows_but_controls(evidence: Evidence, name: str) -> None:
    table = (leaderboard_table if name == "leaderboard" else score_table)(evidence, "clean", "nmi")
    first = 5 if name == "leaderboard" else 1
    best = {
        column: [row[0].text for row in table.rows if row[first + i].best] for i, column in enumerate(("orl", "iris"))
    }
    label = "AK+NC" if name == "leaderboard" else "AK+NC (beyond the paper)"
    assert best["iris"] == [label]
    assert len(best["orl"]) == 2
    assert label in best["orl"]


def test_the_winner_is_named_with_and_without_labels(evidence: Evidence) -> None:
    assert winner_sentence(evidence) == (
        "On clean data, AK+NC (1.00, no σ) has the best mean rank in NMI, also against methods whose σ is chosen with "
        "the labels."
    )
    alone = Evidence(fake.frame([row for row in ROWS if row["algorithm"] in ("PKO+HSC", "KMeans")]), fake.run())
    assert winner_sentence(alone) == (
        "On clean data, PKO+HSC (1.00, σ with labels) has the best mean rank in NMI; among methods that use no labels, "
        "PKO+HSC (2.00, σ without labels)."
    )


def test_an_experiment_that_was_not_run_has_no_rows(evidence: Evidence) -> None:
    assert not leaderboard_table(evidence, "noise", "nmi").rows
