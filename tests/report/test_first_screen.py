"""The answer follows from the average gains."""

import pandas as pd
import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import PAIRS, experiment_settings
from hypercut.paper import protocol, published
from hypercut.report.sections.first_screen import answer, shortfalls
from tests import rows as fake

KEYS = [(experiment, metric, name) for experiment, metric in PAIRS for name in published.COMPETITORS]


def gains(above: int = 0, below: int = 0, undecided: int = 0, *, datasets: int = 7) -> pd.DataFrame:
    ends = [(1.0, 2.0)] * above + [(-2.0, -1.0)] * below + [(-1.0, 1.0)] * undecided
    return pd.DataFrame(
        [
            ["stated", "paper", *key, *interval, sum(interval) / 2, datasets]
            for key, interval in zip(KEYS, ends, strict=False)
        ],
        columns=["size", "scope", "experiment", "metric", "competitor", "low", "high", "ours", "n_datasets"],
    )


@pytest.mark.parametrize(
    ("counts", "word"),
    [
        ({"above": 42}, "Yes."),
        ({"above": 30, "undecided": 12}, "Mostly."),
        ({"above": 20}, "Only in part."),
        ({"above": 30, "below": 1}, "Only in part."),
        ({"above": 3, "undecided": 20}, "Only in part."),
        ({"below": 3, "undecided": 20}, "No."),
        ({"undecided": 20}, "Not shown."),
        ({}, "Not known yet."),
    ],
)
def test_the_word(counts: dict[str, int], word: str) -> None:
    assert answer(gains(**counts))[0] == word


def test_other_scopes_and_references_do_not_count() -> None:
    rows = gains(above=2)
    rows.loc[0, "scope"] = "real"
    rows.loc[1, "competitor"] = "KMeans"
    assert answer(rows)[0] == "Not known yet."


def complete_rows() -> list[dict]:
    """One clustering per algorithm at each level of each set, and at each scale on the clean sets."""
    return [
        fake.row(dataset, setting, algorithm, 0.5, sigma_factor=factor)
        for experiment in published.EXPERIMENTS
        for setting in experiment_settings(experiment)
        for dataset in published.datasets(experiment)
        for algorithm in published.ALGORITHMS
        for factor in (protocol.SIGMA_FACTORS if experiment == "clean" else [0.4])
        if experiment == "clean" or setting != "clean"
    ]


def test_a_run_of_the_whole_protocol_lacks_nothing() -> None:
    assert shortfalls(Evidence(fake.frame(complete_rows()), fake.run())) == []
    lacking = [row for row in complete_rows() if (row["dataset"], row["setting"]) != ("yaleb", "noise-L10")]
    assert shortfalls(Evidence(fake.frame(lacking), fake.run())) == ["6 of 7 datasets in full"]


def test_what_a_run_lacks_of_the_protocol_is_counted() -> None:
    rows = [
        {**row, "complete": row["dataset"] != "mnist"}
        for row in complete_rows()
        if row["algorithm"] != "STSC" and row["setting"] != "noise-L3" and row["sigma_factor"] != 1.0
        if (row["dataset"], row["algorithm"]) != ("orl", "CSC")
    ]
    assert shortfalls(Evidence(fake.frame(rows), fake.run())) == [
        "0 of 7 datasets in full",
        "7 of 8 algorithms",
        "9 of 10 noise levels",
        "14 of 15 values of σ",
    ]
