"""The published results are those of the reference in the repository, and follow from it alone."""

import re
from pathlib import Path

import pytest
import yaml

from hypercut.analysis.evidence import Evidence
from hypercut.benchmark.config import checked
from hypercut.errors import InputError
from hypercut.paper import published
from hypercut.report import publication
from hypercut.report.findings import Findings, find
from hypercut.report.render.table import Cell, Table
from hypercut.report.sections.claims import command
from tests import rows as fake

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("README.md", "docs/index.md", "docs/results.md")
SCHEMA = yaml.safe_load((ROOT / "src/hypercut/benchmark/config.schema.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def found() -> Findings:
    """Iris in full, of a benchmark that expects ORL too."""
    run = fake.run(config=checked({"datasets": {"iris": {}}}))
    rows = [
        *fake.scores({"iris": dict.fromkeys(fake.ALGORITHMS, 0.6)}),
        fake.row("iris", "clean", "PKO+HSC", None, repeat=1),
    ]
    expected = {"cells": [["iris", "clean", "PKO+HSC"], ["orl", "clean", "CSC"]], "variations": []}
    return find(Evidence(fake.frame(rows), {**run, "expected": expected, "commit": "0123456789abcdef"}))


def test_the_documents_have_the_results_of_the_reference() -> None:
    found = publication.findings_of(ROOT / "reference")
    for name in DOCUMENTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert publication.with_blocks(text, found) == text, "run: make results"
    for figure in publication.figures(found):
        assert (ROOT / "docs" / "images" / f"{figure.name}.svg").exists()


def test_all_documents_give_the_same_answer() -> None:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS]
    answers = {re.search("<!-- answer -->.*<!-- end of answer -->", text, re.DOTALL)[0] for text in texts}
    assert len(answers) == 1


def test_a_block_is_replaced_and_the_rest_is_kept() -> None:
    text = "before\n<!-- claims -->\nold\n<!-- end of claims -->\nafter\n"
    assert publication.with_block(text, "claims", "new") == text.replace("old", "new")


def test_a_document_without_blocks_is_an_error(found: Findings) -> None:
    with pytest.raises(InputError, match="none of the blocks"):
        publication.with_blocks("nothing to write", found)


def test_an_incomplete_benchmark_is_preliminary(found: Findings) -> None:
    text = publication.with_blocks("<!-- answer -->\n<!-- end of answer -->", found)
    assert "1 of 2 results" in text


def test_scores_stand_next_to_the_published_ones(found: Findings) -> None:
    table = publication.score_table(found.evidence, "clean").markdown()
    # One of two repeats failed and counts as 0; 0.798 is the paper's.
    assert "| PKO+HSC | 0.300/0.798 |" in table
    assert "| CSC | **0.600**/0.785 |" in table


def test_a_claim_comes_with_the_command_that_recomputes_what_speaks_most_against_it() -> None:
    scores = {name: dict.fromkeys(fake.ALGORITHMS, 0.6) for name in published.DATASETS}
    scores["mnist"] = scores["mnist"] | {"STSC": 0.9}
    judged = {it.claim.name: it for it in find(Evidence(fake.frame(fake.scores(scores)), fake.run())).judged}
    evidence = Evidence(fake.frame(fake.scores(scores)), fake.run())
    assert command(evidence, judged["best-clean"]) == "hypercut reproduce mnist clean STSC"
    assert command(evidence, judged["gain-clean"]) == "hypercut reproduce mnist clean STSC"
    assert command(evidence, judged["usps-time"]) == "hypercut reproduce usps clean PKO+HSC"


def test_cells_in_markdown() -> None:
    cells = [Cell("x|y"), Cell("0.5", spread="0.1", notes=("paper 0.6", "Δ −0.1"), best=True)]
    text = Table("t", "T", "", ["a", "b"], [cells], None).markdown()
    assert text == "| a | b |\n| --- | --- |\n| x\\|y | **0.5** ± 0.1 (paper 0.6; Δ −0.1) |"
