"""The public names have their types for users of mypy --strict."""

import subprocess
import sys
from pathlib import Path

import pytest

import hypercut

SNIPPET = """
import hypercut
from hypercut import HypergraphClustering, PKOHSC
from hypercut.algorithms import get
from hypercut.metrics import evaluate, nmi

reveal_type(PKOHSC)
reveal_type(PKOHSC(3, sigma_factor=0.4, random_state=0).fit([[0.0], [1.0]]))
reveal_type(HypergraphClustering().n_clusters)
reveal_type(get("CSC"))
reveal_type(evaluate([0], [0]))
PKOHSC(3, sigma=0.4)
hypercut.PKOHSX
"""


@pytest.mark.slow
def test_public_names_are_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "snippet.py").write_text(SNIPPET)
    source = Path(hypercut.__file__).parents[1]
    configuration = Path(__file__).parents[1] / "pyproject.toml"
    options = ["--strict", f"--config-file={configuration}", "--no-incremental", "--follow-imports=silent"]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(tmp_path / "snippet.py")],
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": str(source)},
        cwd=tmp_path,
    )
    found = [line.partition(": ")[2] for line in checked.stdout.splitlines() if line.startswith("snippet.py")]
    revealed = [line.removeprefix("note: Revealed type is ").strip('"') for line in found if "Revealed" in line]
    assert revealed[1:] == [
        "hypercut.algorithms.pko_hsc.PKOHSC",
        "int | None",
        "type[hypercut.algorithms._base.Estimator]",
        "dict[str, float]",
    ]
    assert "sigma_factor: float | str" in revealed[0]
    errors = [line for line in found if line.startswith("error")]
    assert len(errors) == 2, checked.stdout + checked.stderr
    assert 'Unexpected keyword argument "sigma"' in errors[0]
    assert 'no attribute "PKOHSX"' in errors[1]
