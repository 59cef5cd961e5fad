"""The published results are those of the reference in the repository, and follow from it alone."""

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
    assert "commit 0123456789ab," in publication.short_answer(found)


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
    remark = (
        "Purity never falls when a cluster is split. without K found more clusters than classes, so it is not bold."
    )
    assert purity.endswith(f"\n\n{remark}")
    assert remark not in nmi


def test_costs_count_clusterings_failures_and_shared_time_once(found: Findings) -> None:
    spent = publication.spent_by_dataset(found.evidence)["iris"]
    assert spent.clusterings == len(fake.ALGORITHMS) + 1
    assert spent.failures == {"timeout": 1}
    # A second of processor time each; the communities of half a second are those of one repeat at one σ.
    repeats = found.evidence.table.groupby(["repeat", "sigma_factor"], dropna=False).ngroups
    assert spent.hours == pytest.approx((spent.clusterings + 0.5 * repeats) / 3600)


def test_claims_that_cannot_be_tested_are_named_with_the_reason(found: Findings) -> None:
    assert "not run in full" in publication.untestable_block(found)
