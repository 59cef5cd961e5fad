"""A stand-in is named so in every table and figure, and is in no mean."""

import re

import pandas as pd
import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.label_free import label_free_losses
from hypercut.analysis.leaderboard import leaderboard
from hypercut.paper import published
from hypercut.report.build import build_report
from tests import rows as fake

pytestmark = pytest.mark.slow  # builds whole reports

KINDS = {"yaleb": "stand-in", "iris": "real", "corel": "stand-in"}


def both(algorithm, scores, **given):
    """One clean row at each of two σ for Yale B, a stand-in, and Iris."""
    return [
        fake.row(dataset, "clean", algorithm, score, sigma_factor=factor, data_kind=KINDS[dataset], **given)
        for dataset, by_scale in zip(("yaleb", "iris"), scores, strict=True)
        for factor, score in by_scale.items()
    ]


def without_scale(algorithm, scores, **given):
    return [row | {"sigma_factor": None} for row in both(algorithm, [{0.4: score} for score in scores], **given)]


ROWS = [
    *both("PKO+HSC", [{0.2: 0.1, 0.4: None}, {0.2: 0.6, 0.4: 0.8}]),
    *both("CSC", [{0.2: 0.3, 0.4: 0.2}, {0.2: 0.5, 0.4: 0.6}]),
    *without_scale("AK+NC", [0.9, 0.7], role="beyond"),
    *without_scale("AK+NC without K", [0.9, 0.5], role="beyond", n_found=4),
    *(
        fake.sweep_row(dataset, "weights", 0.5 + alpha / 10, alpha=alpha, beta=beta) | {"data_kind": KINDS[dataset]}
        for dataset in ("yaleb", "iris")
        for alpha, beta in published.WEIGHTS
    ),
    *(
        fake.row(dataset, "noise-L1", algorithm, score, data_kind=KINDS[dataset])
        for dataset in ("yaleb", "iris")
        for algorithm, score in (("PKO+HSC", 0.4), ("CSC", 0.3))
    ),
]
for number, _row in enumerate(ROWS):
    _row["wall_seconds"] = 1.0 + number
    _row["peak_bytes"] = 10**8 * (1 + number)
RUN = fake.run(
    datasets={name: {"kind": kind, "complete": True} for name, kind in KINDS.items()},
    expected={
        "cells": [["yaleb", "clean", "NRSC"], ["corel", "clean", "CSC"]],
        "variations": [["yaleb", "clean", "neighbors", "PKO+HSC"]],
    },
)
EVIDENCE = Evidence(fake.frame(ROWS), RUN)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("stand-ins") / "report"
    build_report(EVIDENCE.table, RUN, out)
    return out


def tables_of_ours(folder, suffix):
    """The tables with results of ours: the others are about the paper's own datasets."""
    return [path for path in (folder / "tables").glob(f"*.{suffix}") if not path.stem.startswith("published-")]


def test_every_file_that_has_a_dataset_tells_its_kind(folder):
    told = []
    for path in tables_of_ours(folder, "csv"):
        table = pd.read_csv(path)
        if "dataset" in table and path.stem != "datasets":
            assert table["data"].tolist() == table["dataset"].map(KINDS).tolist(), path.name
            told += [path.stem] * ("stand-in" in set(table["data"]))
    assert {
        *("table1-nmi", "table1-ari", "table2-nmi", "table2-purity", "table3-nmi", "sigma", "cost"),
        *("leaderboard-clean-nmi", "beyond-clusters", "failures", "missing"),
    } <= set(told)


def test_every_name_on_the_page_and_in_latex_is_marked(folder):
    files = [folder / "index.html", *tables_of_ours(folder, "tex")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    text = re.sub(r'<section id="published-figures">.*?</section>', "", text, flags=re.DOTALL)
    names = re.findall(r"(?:YaleB|Corel)\b.{11}", text)
    # The paper's own Table 2 is no stand-in's.
    unmarked = [name for name in names if not name[5:].startswith(" (stand-in)")]
    assert len(names) > 20
    assert set(unmarked) <= {"Corel and more t", "YaleB and more t"}
    # Bare identifiers are in the addresses of files, and in the configuration alone.
    bare = re.sub(r'(?:href|id|data-name|aria-\w+)="[^"]*"', "", text)
    assert not re.findall(r">yaleb|yaleb<|& *yaleb|yaleb *&", bare)


def test_means_are_without_stand_ins():
    losses = label_free_losses(EVIDENCE).set_index(["experiment", "metric", "algorithm"])
    assert losses.loc[("clean", "nmi", "PKO+HSC"), "oracle"] == pytest.approx(0.8)
    assert losses.loc[("clean", "nmi", "PKO+HSC"), "datasets"] == 1
    board = leaderboard(EVIDENCE, "clean", "nmi").set_index("algorithm")
    assert set(board.loc["AK+NC", "mean_score"]) == {0.7}


def test_other_content_than_the_published_is_compared_with_no_published_number(tmp_path):
    values = {"PKO+HSC": 0.6, "CSC": 0.5}
    rows = [*fake.scores({"orl": values}, data_kind="own"), *fake.scores({"iris": values})]
    evidence = Evidence(fake.frame(rows), fake.run())
    assert evidence.label("orl") == "ORL (own)"
    assert set(evidence.comparable_averages("clean")["dataset"]) == {"iris"}
    build_report(evidence.table, evidence.run, tmp_path / "report")
    table = pd.read_csv(tmp_path / "report" / "tables" / "table1-nmi.csv").set_index("dataset")
    assert table.loc["orl", ["published", "difference"]].isna().all(axis=None)
    assert table.loc["iris", "published"].notna().all()
