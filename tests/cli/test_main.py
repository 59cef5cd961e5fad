"""What holds for every command."""

import signal
import subprocess
import sys

import numpy as np
import pytest

import hypercut
from hypercut.cli import main

COMMAND = [sys.executable, "-m", "hypercut"]


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"hypercut {hypercut.__version__}\n"


def test_a_reader_that_goes_away_is_no_error():
    command = [*COMMAND, "data", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_ctrl_c_ends_with_a_line_and_no_file(tmp_path):
    np.save(tmp_path / "large.npy", np.random.default_rng(0).standard_normal((4000, 30)))
    command = [*COMMAND, "cluster", "large.npy", "--clusters", "9", "--algorithm", "PKO+HSC", "--out", "labels.npy"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        process.stderr.readline()  # it is at work
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().splitlines()[-1] == "hypercut: interrupted"
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["large.npy"]


@pytest.mark.parametrize(
    ("arguments", "package", "extras"),
    [
        (["report"], "jinja2", "workflow"),
        (["ui"], "mlflow", "workflow"),
        (["server"], "psycopg2", "workflow,server"),
    ],
)
def test_what_is_not_installed_is_told(tmp_path, arguments, package, extras):
    code = f"import sys; sys.modules[{package!r}] = None; from hypercut.cli import main; sys.exit(main({arguments}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"hypercut: {package} is not installed. Install it with: pip install 'hypercut[{extras}]'\n"
    assert not list(tmp_path.iterdir())


def test_a_module_of_ours_that_is_missing_is_a_bug(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypercut.data.datasets", None)
    monkeypatch.delattr(hypercut.data, "datasets", raising=False)
    with pytest.raises(ModuleNotFoundError):
        main(["data", "list"])
