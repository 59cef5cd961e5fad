"""What the README shows is what happens."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_readme_says():
    code, output = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL).groups()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    # Another processor rounds otherwise, and a sample on a border may change sides: the figures may move a little.
    figure = re.compile(r"\d\.\d+")
    assert figure.sub("#", printed.getvalue()) == figure.sub("#", output)
    scores = re.compile(r"(?:NMI|purity) (\S+)")
    shown, found = (np.array(scores.findall(text), dtype=float) for text in (output, printed.getvalue()))
    np.testing.assert_allclose(found, shown, atol=0.03)


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((docs/[^)]+)\)", README):
        assert (Path(__file__).parent.parent / target).is_file(), target
