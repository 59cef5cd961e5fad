"""The scripts of examples/ run, on fewer samples."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hypercut

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(script, *arguments):
    source = str(Path(hypercut.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, EXAMPLES / script, *arguments], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_dask_predicts_in_parallel():
    pytest.importorskip("distributed", reason="needs Dask: pip install hypercut[examples]")
    printed = run("dask_predict.py", "250000", "1000")  # three blocks
    assert "predict 250,000 rows" in printed
    assert float(re.search(r"classes: (\S+)", printed)[1]) > 0.98


def test_every_example_has_a_title():
    """As Sphinx-Gallery needs it: a docstring whose first line is underlined."""
    scripts = sorted(EXAMPLES.rglob("*.py"))
    assert scripts
    for script in scripts:
        assert re.match(r'"""\n.+\n=+\n\n', script.read_text(encoding="utf-8")), script.name


def test_every_script_is_tested():
    tested = Path(__file__).read_text()
    for script in EXAMPLES.glob("*.py"):
        assert f'"{script.name}"' in tested


def test_the_gallery_runs_every_example():
    """``make docs`` shows a file of another name without running it."""
    names = [script.name for script in (EXAMPLES / "gallery").glob("*.py")]
    assert len(names) >= 6
    assert all(re.fullmatch(r"plot_\d_\w+\.py", name) for name in names)
