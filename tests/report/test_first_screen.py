"""The answer follows from the average gains."""

import pandas as pd
import pytest

from hypercut.paper import protocol, published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import PAIRS, experiment_settings
from hypercut.report.sections.first_screen import Answer, answer, shortfalls
from tests import rows as fake

KEYS = [(experiment, metric, name) for experiment, metric in PAIRS for name in published.COMPETITORS]


def gains(above: int = 0, below: int = 0, undecided: int = 0, *, datasets: int = 7) -> pd.DataFrame:
    ends = [(1.0, 2.0)] * above + [(-2.0, -1.0)] * below + [(-1.0, 1.0)] * undecided
    return pd.DataFrame(
        [["paper", *key, *interval, sum(interval) / 2, datasets] for key, interval in zip(KEYS, ends, strict=False)],
        columns=["scope", "experiment", "metric", "competitor", "low", "high", "ours", "n_datasets"],
    )


NO_SPANS = pd.DataFrame(columns=["experiment", "metric", "competitor", "least", "most", "lowest", "readings"])


def answer_to(rows: pd.DataFrame) -> Answer:
    return answer(rows, NO_SPANS)


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
    assert answer_to(gains(**counts)).word == word


def test_the_sentence_counts_all_gains_that_the_paper_reports() -> None:
    assert answer_to(gains(above=3, below=2, undecided=9)).sentence == (
        "The paper reports 42 average gains of PKO+HSC, all positive. In our runs, 3 gains are positive (95 % interval "
        "above zero), 2 negative (below zero), 9 undecided (across zero) and 28 have no interval (fewer than 4 "
        "datasets), over 7 datasets. PKO+HSC is ahead of its variants PK+HSC (1), PO+HSC (1) and PKO+NC (1), and "
        "behind CSC (1), and our reconstruction NRSC (1). No gain over RWDSM or STSC is decided."
    )
    assert "PKO+HSC is" not in answer_to(gains(undecided=9)).sentence
    assert "no interval" not in answer_to(gains(above=42)).sentence


def test_competitors_with_the_most_gains_come_first() -> None:
    assert answer_to(gains(above=8)).sentence.endswith(
        "PKO+HSC is ahead of its variants PK+HSC (2), PO+HSC (1) and PKO+NC (1), CSC (1) and STSC (1), and our "
        "reconstructions NRSC (1) and RWDSM (1)."
    )


def test_without_intervals_it_says_what_is_known() -> None:
    rows = gains(above=4, below=3, datasets=2).assign(low=float("nan"), high=float("nan"))
    assert answer_to(rows).sentence == (
        "Intervals need 4 of the paper's datasets in full. On the 2 here, PKO+HSC is ahead in 4 of 7 average gains; "
        "the paper reports 42."
    )


def test_other_scopes_and_references_do_not_count() -> None:
    rows = gains(above=2)
    rows.loc[0, "scope"] = "all"
    rows.loc[1, "competitor"] = "KMeans"
    assert answer_to(rows).word == "Not known yet."


def test_positive_gains_that_another_reading_reverses_are_counted() -> None:
    rows = gains(above=3, below=1)
    spans = rows[["experiment", "metric", "competitor"]].assign(
        least=[-1.0, 1.0, 2.0, -3.0], most=4.0, lowest=[-2.0, -0.5, 0.5, float("nan")], readings=5
    )
    assert answer(rows, spans).readings == (
        "On clean data, 2 of 3 positive gains stay above zero under all other readings (up to 4), 1 with the whole "
        "interval."
    )
    noise = [frame.assign(experiment="noise") for frame in (rows, spans.assign(readings=2))]
    assert answer(*noise).readings == (
        "Under noise and outliers, 2 of 3 positive gains stay above zero under the one other reading that was run, 1 "
        "with the whole interval."
    )


def test_all_gains_that_the_paper_reports_are_positive() -> None:
    assert all(published.printed_gains(*pair).min() > 0 for pair in PAIRS)


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
        "14 of 15 scales σ",
    ]
