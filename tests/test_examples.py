"""The scripts of examples/ run, on fewer samples."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hypercut

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.slow
def test_dask_predicts_in_parallel():
    pytest.importorskip("distributed", reason="needs Dask: pip install hypercut[examples]")
    command = [sys.executable, EXAMPLES / "dask_predict.py", "150000", "1000"]  # two blocks
    environment = {**os.environ, "PYTHONPATH": str(Path(hypercut.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "predict 150,000 rows" in done.stdout
    assert float(re.search(r"classes: (\S+)", done.stdout)[1]) > 0.98


def test_examples_are_run_and_have_titles():
    """``make docs`` runs files of such names, and needs a docstring whose first line is underlined."""
    gallery, others = sorted(EXAMPLES.glob("gallery/*.py")), sorted(EXAMPLES.glob("*.py"))
    assert all(re.fullmatch(r"plot_\d_\w+\.py", script.name) for script in gallery)
    assert [script.name for script in others] == ["dask_predict.py"]
    for script in [*gallery, *others]:
        assert re.match(r'"""\n.+\n=+\n\n', script.read_text(encoding="utf-8")), script.name
