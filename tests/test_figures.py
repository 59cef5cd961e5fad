"""Figures in the documents were written by a command, or are listed here.

Blocks between ``<!-- name -->`` and ``<!-- end of name -->`` and the page on speed are written by commands. Elsewhere a
score, a duration or an amount of memory must be listed here, with what it is.
"""

import re
from pathlib import Path

import pytest
from benchmarks import beyond

ROOT = Path(__file__).parent.parent
BY_COMMAND = ("docs/speed.md",)
PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/[a-z]*/*.md"))
    if str(path.relative_to(ROOT)) not in BY_COMMAND and "generated" not in path.parts and "gallery" not in path.parts
)
BLOCK = re.compile(r"<!-- ([^>]+?) -->\n.*?<!-- end(?: of \1)? -->", re.DOTALL)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
FIGURE = re.compile(r"(?<![\w.])0\.\d{2,}|\d[\d.]*(?:\s(?:s|ms|min|minutes|seconds|hours|MB|GB|%))(?!\w)")

#: Figures that are no measurements, with what they are.
EXPLAINED = {
    "0.95": "definition of solved",
    **dict.fromkeys(["752 MB", "887 MB", "1856 MB", "50 min", "53 min", "57 min"], "tests/benchmark/test_requests.py"),
    **dict.fromkeys(["1 MB", "60 s", "30 seconds"], "settings of Snakemake and MLflow"),
    "45 minutes": "order of magnitude",
    "0.005": "aim of the repeats",
    "5 %": "false discovery rate; share of the vertices of low degree",
    "0.01": "a tie; tolerance of reproduce",
    "0.0067": "one sample of Iris",
    "95 %": "coverage of intervals",
    "88 %": "1 − 2/16: four values are all on one side of their median in 2 of 16 cases",
    "0.0001": "differences in the published tables",
    "0.05": "expected number of agreements",
    "0.99998": "bound of a test",
    "0.11": "smallest p of Wilcoxon's test over seven datasets, 2/2⁷, with Holm's correction for seven competitors",
    "0.1668": "range of the published Table 2 on YaleB",
    "1 %": "the chance of the best N below which it is the indicated size",
}


def figures(text: str) -> set[str]:
    """Return the figures of a page outside blocks and code."""
    return {re.sub(r"\s", " ", found) for found in FIGURE.findall(CODE.sub("", BLOCK.sub("", text)))}


def test_every_figure_was_written_by_a_command_or_is_explained() -> None:
    found = {page: figures((ROOT / page).read_text(encoding="utf-8")) for page in PAGES}
    assert {page: own - set(EXPLAINED) for page, own in found.items() if own - set(EXPLAINED)} == {}
    assert set().union(*found.values()) == set(EXPLAINED), "explained, but on no page"


@pytest.mark.parametrize("page", ["README.md", "docs/beyond.md"])
def test_the_figures_of_ak_nc_are_those_of_its_files(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert beyond.with_tables(text, beyond.BEYOND) == text, f"run: python -m benchmarks.beyond tables {page}"
