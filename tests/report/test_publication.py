"""The published results are those of the reference in the repository, and follow from it alone."""

import re
from pathlib import Path

import pytest
import yaml

from hypercut.benchmark.config import checked
from hypercut.errors import InputError
from hypercut.report import publication
from hypercut.report.evidence import Evidence
from hypercut.report.findings import Findings, find
from tests import rows as fake
from tests.report.test_averages import levels

ROOT = Path(__file__).parents[2]
SCHEMA = yaml.safe_load((ROOT / "workflow" / "schemas" / "config.schema.yaml").read_text(encoding="utf-8"))
DOCUMENTS = ("README.md", "docs/results.md")


@pytest.fixture(scope="module")
def found() -> Findings:
    """Iris in full, of a benchmark that expects ORL too."""
    run = fake.run(config=checked({"datasets": {"iris": {}}}, SCHEMA))
    rows = [
        *fake.scores({"iris": dict.fromkeys(fake.ALGORITHMS, 0.6)}),
        fake.row("iris", "clean", "PKO+HSC", None, repeat=1),
    ]
    expected = {"cells": [["iris", "clean", "PKO+HSC"], ["orl", "clean", "CSC"]], "variations": []}
    return find(Evidence(fake.frame(rows), {**run, "expected": expected, "commit": "0123456789abcdef"}))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_documents_have_the_results_of_the_reference(published: Findings, name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert publication.with_blocks(text, published) == text, "run: make results"


@pytest.fixture(scope="module")
def published() -> Findings:
    return publication.findings_of(ROOT / "reference")


def test_no_line_of_a_paragraph_begins_a_list(published: Findings) -> None:
    lines = publication.sentences(published).splitlines()
    assert [line[:2] for line in lines if re.match(r"\s*([-+*]|\d+\.)\s", line)] == ["1.", "2.", "3.", "4.", "5."]


def test_the_pictures_are_there(published: Findings) -> None:
    for figure in publication.figures(published):
        assert (ROOT / "docs" / "images" / f"{figure.name}.svg").exists()


def test_a_block_is_replaced_and_the_rest_is_kept() -> None:
    text = "before\n<!-- gains -->\nold\n<!-- end of gains -->\nafter\n"
    assert publication.with_block(text, "gains", "new") == text.replace("old", "new")


@pytest.mark.parametrize(
    "text", ["<!-- gains -->\n", "<!-- end of gains -->\n<!-- gains -->\n", "<!-- gains -->\n<!-- gains -->\n"]
)
def test_a_block_without_its_end_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match="end of gains"):
        publication.with_block(text, "gains", "new")


def test_a_document_without_blocks_is_an_error(found: Findings) -> None:
    with pytest.raises(InputError, match="none of the blocks"):
        publication.with_blocks("nothing to write", found)


def test_what_is_missing_is_said_first(found: Findings) -> None:
    assert (
        "**Preliminary**: 1 of 2 results are available. Missing, in whole or in part: cells of"
        in (publication.sentences(found).splitlines()[0])
    )
    assert "**Preliminary**" in publication.short_answer(found)
    assert "commit 0123456789ab." in " ".join(publication.short_answer(found).split())


def test_verdicts_are_counted_and_the_claims_named(found: Findings) -> None:
    text = " ".join(publication.sentences(found).split())
    assert "Of 19 claims of the paper:" in text
    assert "not testable (best on every clean set, " in text


def test_scores_in_the_nearest_reading_stand_below_those_as_printed() -> None:
    run = fake.run(config=checked({"datasets": {"iris": {}}, "readings": {"nearest": "ratio-initial"}}, SCHEMA))
    under = {"variation": "ratio-initial"}
    rows = [
        *fake.scores({"iris": dict.fromkeys(fake.ALGORITHMS, 0.6)}),
        fake.row("iris", "clean", "PKO+HSC", 0.7, **under),
        fake.row("iris", "noise-L1", "PKO+HSC", 0.7, **under),
    ]
    table = publication.tables_block(find(Evidence(fake.frame(rows), run)))
    assert "| PKO+HSC | **0.600** (0.798) |\n| PKO+HSC, ratio-initial | 0.700 |\n" in table
    assert "CSC, ratio-initial" not in table


def test_readings_are_listed_by_their_distance_from_the_published_table() -> None:
    names = ("ratio-initial", "labels-kmeans", "noise-uniform")
    rows = [
        *fake.scores({"iris": dict.fromkeys(fake.ALGORITHMS, 0.6)}),
        *fake.scores({"iris": dict.fromkeys(fake.ALGORITHMS, 0.6)}, "noise-L5"),
        fake.row("iris", "clean", "PKO+HSC", 0.5, variation=names[0]),
        fake.row("iris", "clean", "PKO+HSC", 0.7, variation=names[1]),
        fake.row("iris", "noise-L5", "PKO+HSC", 0.7, variation=names[2]),
    ]
    run = fake.run(config=checked({"datasets": {"iris": {}}, "readings": {"names": list(names)}}, SCHEMA))
    block = publication.readings_block(find(Evidence(fake.frame(rows), run)))
    listed = [line.split(" | ")[0].removeprefix("| ") for line in block.splitlines() if line.startswith("| ")]
    assert listed == ["reading", "labels-kmeans", "as printed", "ratio-initial", "noise-uniform"]


def test_no_readings_are_said_to_be_none(found: Findings) -> None:
    assert publication.readings_block(found) == "No reading was run."


def test_scores_stand_next_to_the_published_ones(found: Findings) -> None:
    table = publication.tables_block(found)
    assert "| algorithm | Iris |" in table
    # One of two repeats failed and counts as 0; 0.798 is the paper's.
    assert "| PKO+HSC | 0.300 (0.798) |" in table
    assert "| CSC | **0.600** (0.785) |" in table


def test_the_best_score_is_over_the_most_levels() -> None:
    rows = [*levels("noise", [0.6] * 3, "PKO+HSC"), *levels("noise", [0.9] * 2, "CSC")]
    table = publication.tables_block(find(Evidence(fake.frame(rows), fake.run())))
    assert "| PKO+HSC | **0.600** † |" in table
    assert "| CSC | 0.900 † |" in table


def test_a_method_that_splits_clusters_is_not_bold_in_purity() -> None:
    rows = fake.scores({"iris": {"CSC": 0.5}}) + fake.scores({"iris": {"without K": 0.9}}, n_found=31)
    tables = publication.tables_block(find(Evidence(fake.frame(rows), fake.run())))
    nmi, purity = tables.split("**Table 1, clean, purity**")
    assert "| without K | **0.900** |" in nmi
    assert "| CSC | **0.500** (0.892) |" in purity
    assert "| without K | 0.900 |" in purity
    remark = "without K found more clusters than classes on some datasets, so it is not bold."
    assert " ".join(purity.split()).endswith(f"Purity never falls when a cluster is split. {remark}")
    assert remark not in " ".join(nmi.split())


def spent(rows: list[dict[str, object]], *datasets: str) -> dict[str, publication.Spent]:
    """What rows cost, of a benchmark of these datasets."""
    run = fake.run(config=checked({"datasets": {name: {} for name in datasets or ("iris",)}}, SCHEMA))
    return publication.spent_by_dataset(Evidence(fake.frame(rows), run))


def seconds(rows: list[dict[str, object]]) -> float:
    return spent(rows)["iris"].hours * 3600


def test_costs_count_clusterings_and_failures(found: Findings) -> None:
    spent = publication.spent_by_dataset(found.evidence)["iris"]
    assert spent.clusterings == len(fake.ALGORITHMS) + 1
    assert spent.failures == {"timeout": 1}


def test_the_wall_time_of_communities_becomes_processor_time() -> None:
    """Of their wall time, as much was computing as of the clustering that used them."""
    row = fake.row("iris", "clean", "PKO+HSC", 0.5, cpu_seconds=1.0, wall_seconds=2.0, shared_seconds=6.0)
    assert seconds([row]) == pytest.approx(1 + 3)


def test_communities_that_several_clusterings_share_are_counted_once() -> None:
    cells = [
        fake.row("iris", "clean", algorithm, 0.5, sigma_factor=sigma, repeat=repeat)
        for algorithm in ("PKO+HSC", "PKO+NC")
        for sigma in (0.2, 0.4)
        for repeat in (0, 1)
    ]
    assert seconds(cells) == pytest.approx(8 + 0.5 * 4)
    # A reading with the communities of one σ for all: those of the cells.
    given = {"variation": "communities-csc", "parameters": '{"community_factor": 0.4}'}
    reading = [fake.row("iris", "clean", "PKO+HSC", 0.5, sigma_factor=sigma, **given) for sigma in (0.2, 0.4, 0.6)]
    assert seconds([*cells, *reading]) == pytest.approx(8 + 3 + 0.5 * 4)


def test_a_timeout_counts_with_its_wall_time() -> None:
    timeout = fake.row("iris", "clean", "CSC", None, cpu_seconds=None, wall_seconds=5.0, shared_seconds=None)
    assert seconds([timeout, fake.row("iris", "clean", "KMeans", 0.5, shared_seconds=0.0)]) == pytest.approx(5 + 1)


def test_the_forecast_is_for_every_dataset_that_has_rows() -> None:
    """Datasets without rows have no size here, and take nothing from the others."""
    rows = fake.scores({"iris": {"CSC": 0.5}})
    alone, both = spent(rows, "iris")["iris"], spent(rows, "iris", "orl")["iris"]
    assert both.forecast == alone.forecast > 0


def test_the_text_names_what_only_the_forecast_includes(found: Findings) -> None:
    text = " ".join(publication.cost_block(found).split())
    for wanted in ("distances", "label-free scores", "the start of jobs", "missing"):
        assert wanted in text.partition("The forecast")[2]


def test_claims_that_cannot_be_tested_are_named_with_the_reason(found: Findings) -> None:
    assert "not run in full" in publication.untestable_block(found)
