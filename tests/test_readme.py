"""The examples and links of the documents are correct."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from hypercut.cli import build_parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
#: Without those that the build of the site writes.
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("config/*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/[a-z]*/*.md")])


@pytest.mark.slow
def test_the_example_prints_what_the_readme_says():
    code, output = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL).groups()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    # Rounding differs between processors, so a sample near a border may change its cluster.
    figure = re.compile(r"(?<= )\d\.\d{3}")
    assert figure.sub("#", printed.getvalue()) == figure.sub("#", output)
    scores = re.compile(r"(?:NMI|purity) (\S+)")
    shown, found = (np.array(scores.findall(text), dtype=float) for text in (output, printed.getvalue()))
    np.testing.assert_allclose(found, shown, atol=0.01)


def anchors(page):
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#:]*)#?([^):]*)\)", page.read_text(encoding="utf-8")):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_files_exist(page):
    for name in re.findall(r"`((?:\w+/)+\w+\.(?:py|smk|yaml))`", page.read_text(encoding="utf-8")):
        # The example of a user's own method.
        assert name == "methods/mine.py" or any((base / name).exists() for base in (ROOT, ROOT / "src/hypercut")), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_exist(page):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= set(targets)


@pytest.mark.parametrize("line", re.findall(r"^hypercut .*$", README, re.MULTILINE))
def test_commands_are_valid(line):
    build_parser().parse_args(shlex.split(line, comments=True)[1:])
