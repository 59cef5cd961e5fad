"""The scripts of the gallery."""

import re
from pathlib import Path

GALLERY = Path(__file__).parents[1] / "examples" / "gallery"


def test_examples_are_run_and_have_titles():
    """``make docs`` runs files of such names, and needs a docstring whose first line is underlined."""
    scripts = sorted(GALLERY.glob("*.py"))
    assert scripts
    assert all(re.fullmatch(r"plot_\d_\w+\.py", script.name) for script in scripts)
    for script in scripts:
        assert re.match(r'"""\n.+\n=+\n\n', script.read_text(encoding="utf-8")), script.name
