"""The whole report: its files agree with each other, and it says what is missing, failed or no real data."""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut.data.features import Features
from hypercut.errors import InputError
from hypercut.files import write_json
from hypercut.paper import published
from hypercut.report.build import build_report
from hypercut.report.folder import replaced_folder
from hypercut.report.render.page import APPENDIX, INDEX
from hypercut.report.render.table import Cell, Table, escape_latex, number
from hypercut.results.matrices import save_matrices
from hypercut.results.similarity import similarity_matrices
from tests import rows as fake

pytestmark = pytest.mark.slow  # builds whole reports

ALGORITHMS = [*published.ALGORITHMS, "mine", "KMeans", "random labels", "true labels"]
SETTINGS = ["clean", *(f"outlier-L{level}" for level in (1, 2, 3)), "noise-L1"]
OWN = "own_set & <b>"
KINDS = {"yaleb": "stand-in", "corel": "stand-in", OWN: "own"}


def rows():
    """Four comparable sets, a stand-in and a user's own, with failures, a sweep and two repeats."""
    rng = np.random.default_rng(0)
    found = []
    for dataset in ("orl", "mnist", "usps", "iris", "yaleb", OWN):
        kind = KINDS.get(dataset, "real")
        for setting in SETTINGS if dataset in ("orl", OWN) else ["clean"]:
            for algorithm in ALGORITHMS:
                scaled = algorithm in ("PKO+HSC", "CSC", "mine") and dataset in ("orl", OWN)
                factors = (0.2, 0.4) if scaled else (None,)
                found += [
                    fake.row(dataset, setting, algorithm, score, repeat=repeat, sigma_factor=factor, data_kind=kind)
                    for repeat in range(2)
                    for factor in factors
                    for score in [None if (dataset, algorithm, repeat) == ("mnist", "NRSC", 1) else rng.random()]
                ]
    weights = [(alpha, beta, rng.random()) for alpha, beta in published.WEIGHTS]
    found += [fake.sweep_row("orl", "weights", score, alpha=alpha, beta=beta) for alpha, beta, score in weights]
    found += [fake.sweep_row("orl", "neighbors", rng.random(), n_neighbors=k) for k in (2, 3, 5)]
    found += [fake.sweep_row("orl", "communities", rng.random(), communities_per_cluster=c) for c in (2, 3)]
    return found


TABLE = fake.frame(rows())
RUN = fake.run(
    datasets={"corel": {"kind": "stand-in", "complete": True, "n_samples": 1000}},
    expected={
        "cells": [["orl", "clean", "CSC"], ["corel", "clean", "CSC"]],
        "variations": [["usps", "clean", "weights", "PKO+HSC"]],
    },
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("results") / "report"
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(3), 8)
    data = Features(np.eye(3)[labels] + 0.3 * rng.random((24, 3)), labels, {})
    similarity = out.with_name("similarity.npz")
    save_matrices(similarity, similarity_matrices(TABLE, data))
    write_json(out.with_name("headline.json"), build_report(TABLE, RUN, out, similarity=similarity))
    return out


@pytest.fixture(scope="module")
def flat(folder):
    """The main numbers, as MLflow gets them."""
    return json.loads(folder.with_name("headline.json").read_text())


@pytest.fixture(scope="module")
def pages(folder):
    """File → text."""
    return {name: (folder / name).read_text(encoding="utf-8") for name in (INDEX, APPENDIX)}


@pytest.fixture(scope="module")
def page(pages):
    """Both pages."""
    return "\n".join(pages.values())


@pytest.fixture(scope="module")
def tables(page):
    """The tables of both pages: name → rows → the texts of the cells."""
    found = {}
    for name, body in re.findall(r'<table[^>]* data-name="([^"]+)".*?>(.*?)</table>', page, re.DOTALL):
        lines = [re.findall(r"<t[dh].*?>(.*?)</t[dh]>", line, re.DOTALL) for line in body.split("<tr")[1:]]
        found[name] = [[" ".join(html.unescape(re.sub("<.*?>", " ", cell)).split()) for cell in line] for line in lines]
    return found


def read_latex(path):
    """The body of a LaTeX table: rows → cells, as text."""
    body = path.read_text().partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    return [line.removesuffix(" \\\\").split(" & ") for line in body.strip().split("\n")]


def figures(text):
    """All numbers in a text."""
    text = html.unescape(text).replace("$-$", "-").replace("−", "-")
    return [float(found) for found in re.findall(r"-?\d+\.\d+", text)]


@pytest.mark.parametrize("name", ["table1-nmi", "table1-purity", "table4-nmi", "table3-ari", "table1-matched-accuracy"])
def test_scores_agree_in_html_latex_and_csv(folder, tables, name):
    data = pd.read_csv(folder / "tables" / f"{name}.csv")
    latex = read_latex(folder / "tables" / f"{name}.tex")
    shown = tables[name]
    order = list(dict.fromkeys(data["dataset"]))
    assert len(shown[0]) - 1 == len(order) == (6 if name.startswith("table1") else 2)
    for line, printed in zip(shown[1:], latex, strict=True):
        algorithm = line[0].split(" (")[0]
        for dataset, cell, text in zip(order, line[1:], printed[1:], strict=True):
            row = data[(data["algorithm"] == algorithm) & (data["dataset"] == dataset)].iloc[0]
            expected = row[["ours", "spread", "published", "difference"]].astype(float).dropna()
            expected = [float(number(value, 3).replace("−", "-")) for value in expected]
            assert figures(cell) == figures(text) == expected


def test_headline_names_suit_mlflow(flat):
    assert all(re.fullmatch(r"[\w\-./ ]+", name, re.ASCII) for name in flat)
    assert all(np.isfinite(value) for value in flat.values())
    assert {"mean/clean/nmi/KMeans", "rank/clean/nmi/PKO-HSC"} <= set(flat)


def test_mean_scores_are_over_the_datasets_that_all_of_the_papers_algorithms_have(tmp_path):
    """CSC lacks Iris; k-means lacks ORL, so it has no mean that compares."""
    rows = fake.scores({"orl": {"PKO+HSC": 0.5, "CSC": 0.6}, "mnist": {"PKO+HSC": 0.7, "CSC": 0.8}})
    rows += fake.scores({"iris": {"PKO+HSC": 0.9, "KMeans": 0.9}, "mnist": {"KMeans": 0.9}})
    flat = build_report(fake.frame(rows), fake.run(), tmp_path / "report")
    means = {name: value for name, value in flat.items() if name.startswith("mean/clean/nmi/")}
    assert means == {"mean/clean/nmi/PKO-HSC": pytest.approx(0.6), "mean/clean/nmi/CSC": pytest.approx(0.7)}


def test_partial_report_says_what_is_missing(page, tables):
    assert "Partial report." in page
    assert "2 of 3 expected results are missing" in page
    assert tables["missing"][1:] == [
        ["Corel (stand-in)", "CSC", "–", "clean", "not computed"],
        ["USPS", "PKO+HSC", "weights", "clean", "not computed"],
    ]


def test_stand_ins_and_own_sets_are_marked_and_not_compared(folder, page, tables):
    assert tables["table1-nmi"][0] == ["algorithm", "ORL", "YaleB (stand-in)", "USPS", "MNIST", "Iris", f"{OWN} (own)"]
    data = pd.read_csv(folder / "tables" / "table1-nmi.csv")
    assert set(data.loc[data["published"].notna(), "dataset"]) == {"orl", "mnist", "usps", "iris"}
    assert "<b> (own)" not in page


def test_every_file_that_has_a_dataset_tells_its_kind(folder):
    told = set()
    for path in folder.glob("tables/*.csv"):
        table = pd.read_csv(path)
        if "dataset" in table and path.stem != "datasets" and not path.stem.startswith("published-"):
            assert table["data"].tolist() == [KINDS.get(name, "real") for name in table["dataset"]], path.name
            told |= {path.stem} if "stand-in" in set(table["data"]) else set()
    assert told >= {"table1-nmi", "table1-ari", "cost", "leaderboard-clean-nmi", "missing"}


def test_every_name_of_a_stand_in_on_the_page_and_in_latex_is_marked(folder, page):
    text = "\n".join([page, *(path.read_text() for path in folder.glob("tables/[!p]*.tex"))])
    # The published figures are about the paper's own datasets.
    text = re.sub(r'<section id="published-figures">.*?</section>', "", text, flags=re.DOTALL)
    names = re.findall(r"(?:YaleB|Corel)\b.{11}", text)
    assert len(names) > 10
    assert {name[5:] for name in names} - {" and more t"} == {" (stand-in)"}
    # Bare identifiers are in the addresses of files alone.
    bare = re.sub(r'(?:href|id|data-name|aria-\w+)="[^"]*"', "", text)
    assert not re.findall(r">yaleb|yaleb<|& *yaleb|yaleb *&", bare)


def test_failures_are_listed_with_their_reason(tables):
    (failure,) = (line for line in tables["failures"][1:] if line[3] == "NRSC")
    assert (failure[5], failure[-1]) == ("1 of 2", "took longer than 5 s")


def test_users_algorithms_are_in_tables_and_best_is_never_a_control(tables):
    lines = {line[0]: line for line in tables["table1-nmi"]}
    assert {"mine (yours)", "NRSC (reconstruction)"} <= set(lines)
    (control,) = (line for name, line in lines.items() if name.startswith("true labels"))
    assert all("(best)" not in cell for cell in control)
    assert sum("(best)" in cell for line in lines.values() for cell in line) == 6


def test_every_file_that_the_page_names_is_there_and_nothing_else(folder, page):
    named = set(re.findall(r'href="((?:tables|figures)/[^"]+)"', page))
    found = {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}
    assert {f"figures/{path.stem}.csv" for path in folder.glob("figures/*.svg")} <= named
    # The claims are on the page as text, and as a table only in files.
    assert found == named | {"tables/claims.csv", "tables/claims.tex"}


def test_every_section_has_its_figures(folder):
    names = {path.stem for path in (folder / "figures").glob("*.svg")}
    per_metric = {f"{kind}-{metric}" for kind in ("outlier", "noise", "weights") for metric in published.METRICS}
    others = {"gains-nmi", "sigma-nmi", "neighbors", "communities", "similarity-orl", "ranks", "published-sizes"}
    assert names == per_metric | others


def test_page_needs_no_network(page):
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)


def test_identifiers_are_unique_and_links_lead_somewhere_on_both_pages(pages):
    identifiers = {name: re.findall(r' id="([^"]+)"', text) for name, text in pages.items()}
    assert all(len(found) == len(set(found)) for found in identifiers.values())
    links = [
        (target or name, anchor)
        for name, text in pages.items()
        for target, anchor in re.findall(r'href="([^"#]*)#([^"]+)"', text)
    ]
    assert all(anchor in identifiers[target] for target, anchor in links)
    for name, text in pages.items():
        (other,) = pages.keys() - {name}
        assert f'href="{other}#' in text
        # No section is on both pages.
        assert not {anchor for target, anchor in links if target == other} & set(identifiers[name])


def test_the_answer_is_before_what_decides_it_and_the_rest_is_in_the_appendix(pages):
    sections = {name: re.findall(r'<section id="([^"]+)"', text) for name, text in pages.items()}
    main = ["answer", "leaderboard", "claims", "gains", "table1", "table2", "table3", "table4"]
    assert sections[INDEX] == [*main, "curves"]
    assert sections[APPENDIX][0] == "appendix"
    assert {"sensitivity", "cost", "published-figures", "failures", "run"} <= set(sections[APPENDIX])


def test_claims_appear_once_with_their_evidence_folded_and_untested_ones_apart(folder, page):
    claims = pd.read_csv(folder / "tables" / "claims.csv", keep_default_na=False)
    apart = page.index("claims that these results cannot test")
    for row in claims.itertuples():
        (text,) = re.findall(rf'<details class="claim" id="claim-{row.name}">(.*?)</details>', page, re.DOTALL)
        line, evidence = map(html.unescape, text.split("</summary>"))
        assert row.claim in line
        assert row.criterion in evidence
        is_apart = page.index(f'id="claim-{row.name}"') > apart
        assert is_apart == ({row.verdict, row.indicated} <= {"", "not testable"})


def test_figures_have_values_on_hover_and_change_colours_in_dark_mode(folder, page, pages):
    figure = page[page.index('<figure id="figure-outlier-nmi">') :]
    figure = figure[: figure.index("</figure>")]
    data = pd.read_csv(folder / "figures" / "outlier-nmi.csv")
    row = data[(data["dataset"] == "orl") & (data["algorithm"] == "CSC") & (data["setting"] == "outlier-L2")].iloc[0]
    assert f"<title>CSC · L2: {row['nmi_mean']:.3f} ± {row['nmi_std']:.3f}</title>" in figure
    assert all("#ffffff" not in text[text.index("<main>") :] for text in pages.values())
    assert "prefers-color-scheme: dark" in page


@pytest.fixture(scope="module")
def small():
    return fake.frame(fake.scores({"iris": {"PKO+HSC": 0.8, "CSC": 0.7}}))


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_same_input_same_bytes_whatever_was_there(tmp_path, small):
    build_report(small, fake.run(), tmp_path / "one")
    first = contents(tmp_path / "one")
    with replaced_folder(tmp_path / "one") as folder:
        (folder / "stale.svg").write_text("of an earlier report")
    build_report(small.sample(frac=1, random_state=0), fake.run(), tmp_path / "one")
    assert contents(tmp_path / "one") == first
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_little_is_enough(tmp_path, small):
    build_report(small[small["algorithm"] == "CSC"], {}, tmp_path / "report")
    # The published figures do not depend on results.
    assert '<section id="published-figures">' in (tmp_path / "report" / APPENDIX).read_text()


def test_no_results_are_errors(tmp_path, small):
    with pytest.raises(InputError, match="Run the benchmark first"):
        build_report(small[:0], {}, tmp_path / "report")


def test_latex_is_escaped():
    table = Table("t", "T", "50 % of a_b", ["a & b", "σ"], [[Cell("x_1"), Cell("0.5", spread="0.1", best=True)]], None)
    text = table.latex()
    assert "\\caption{50 \\% of a\\_b}" in text
    assert "a \\& b & $\\sigma$ \\\\" in text
    assert "x\\_1 & \\textbf{0.5} $\\pm$ 0.1 \\\\" in text
    assert escape_latex("\\{") == "\\textbackslash{}\\{"


def test_processes_with_different_hashes_write_equal_files(tmp_path, folder):
    """Strings hash differently in each process, which must not decide the order of anything."""
    program = (
        "import sys; from pathlib import Path; from hypercut.report.build import build_report\n"
        "from tests.report.test_report import RUN, TABLE\n"
        "build_report(TABLE, RUN, Path(sys.argv[1]), similarity=Path(sys.argv[2]))"
    )
    path = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "1"}
    command = [sys.executable, "-c", program, tmp_path / "report", folder.with_name("similarity.npz")]
    subprocess.run(command, env=environment, check=True)
    first, second = contents(folder), contents(tmp_path / "report")
    assert any("ranks" in name for name in first)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
