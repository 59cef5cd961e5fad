"""The public names are typed for users of mypy --strict."""

import subprocess
import sys
from pathlib import Path

import pytest

import hypercut

SNIPPET = """
import hypercut
from hypercut import HypergraphClustering, PKOHSC
from hypercut.algorithms import get
from hypercut.metrics import evaluate

reveal_type(PKOHSC(3, sigma_factor=0.4, random_state=0).fit([[0.0], [1.0]]))
reveal_type(HypergraphClustering().n_clusters)
reveal_type(evaluate([0], [0]))
PKOHSC(3, sigma=0.4)
hypercut.PKOHSX
"""


@pytest.mark.slow
def test_public_names_are_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "snippet.py").write_text(SNIPPET)
    configuration = Path(__file__).parents[1] / "pyproject.toml"
    options = ["--strict", f"--config-file={configuration}", "--no-incremental", "--follow-imports=silent"]
    command = [sys.executable, "-m", "mypy", *options, "snippet.py"]
    environment = {"MYPYPATH": str(Path(hypercut.__file__).parents[1])}
    checked = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    revealed = [line.split('"')[1] for line in checked.stdout.splitlines() if "Revealed" in line]
    assert revealed == ["hypercut.algorithms.pko_hsc.PKOHSC", "int | None", "dict[str, float]"]
    errors = [line for line in checked.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 2, checked.stdout + checked.stderr
    assert 'argument "sigma"' in errors[0]
    assert 'no attribute "PKOHSX"' in errors[1]
