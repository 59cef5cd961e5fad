"""Behaviour that all commands share."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hypercut
import hypercut.data
from hypercut.cli import main

COMMAND = [sys.executable, "-m", "hypercut"]


def test_the_installed_command_prints_its_help_without_importing_numpy():
    code = "import sys; sys.modules['numpy'] = None; from hypercut.cli import main; main(['cluster', '--help'])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert (Path(sys.executable).parent / "hypercut").exists()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("hypercut sta", {"status"}),
        ("hypercut cluster x.csv --algorithm PK", {"PK+HSC", "PKO+HSC", "PKO+NC"}),
        ("hypercut data get us", {"usps"}),
        ("hypercut cluster x.csv --stan", {"--standardize"}),
    ],
)
def test_shells_complete_commands_algorithms_and_datasets(tmp_path, line, expected):
    out = tmp_path / "completions"
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "IFS": "\n"}
    environment = {**os.environ, **asked, "_ARGCOMPLETE_STDOUT_FILENAME": str(out)}
    subprocess.run(COMMAND, env=environment, check=True)
    assert {word.strip() for word in re.split("[\x0b\n]", out.read_text())} == expected


@pytest.mark.parametrize(
    ("arguments", "command", "message"),
    [
        (["cluster", "x.csv", "--truht=kind"], "cluster", "--truht=kind. Did you mean --truth?"),
        (["cluster", "x.csv", "--colour", "--standardise"], "cluster", "Did you mean --columns and --standardize?"),
        (["cluster", "x.csv", "y.csv"], "cluster", "unrecognized arguments: y.csv"),
        (["data", "get", "orl", "--mirrors", "x"], "data get", "--mirrors x. Did you mean --mirror?"),
    ],
)
def test_unknown_options_print_the_usage_of_their_command(capsys, arguments, command, message):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    printed = capsys.readouterr().err
    assert printed.startswith(f"usage: hypercut {command} [-h]")
    assert printed.endswith(f"{message}\n")
    assert f"hypercut {command}: error: unrecognized arguments: " in printed


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["clutser", "x.csv"], 2, "Did you mean cluster?"),
        (["cluster", "x.csv", "--missing", "medain"], 2, "Did you mean median?"),
        (["cluster", "x.csv", "--missing", "nothing"], 2, "choose from"),
        (["--version"], 0, f"hypercut {hypercut.__version__}\n"),
        (["data", "get", "--help"], 0, "HYPERCUT_DATA_MIRROR"),
    ],
)
def test_misspelt_choices_get_a_suggestion(capsys, arguments, status, message):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == status
    assert message in "".join(capsys.readouterr())


def test_a_closed_pipe_is_not_an_error():
    command = [*COMMAND, "data", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


@pytest.mark.parametrize("output", [">/dev/full", ">&-", "2>&-", "<&-"])
@pytest.mark.parametrize("command", ["data list", "cluster x.csv --clusters 2 --out -"])
def test_output_that_cannot_be_written_is_an_error_without_a_traceback(tmp_path, output, command):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
    line = f"{sys.executable} -m hypercut {command} {output}"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert len((done.stdout + done.stderr).splitlines()) == 1
    assert (done.stdout + done.stderr).startswith("hypercut: ")


def test_ctrl_c_prints_one_line_and_writes_nothing(tmp_path):
    np.save(tmp_path / "large.npy", np.random.default_rng(0).standard_normal((4000, 30)))
    command = [*COMMAND, "cluster", "large.npy", "--clusters", "9", "--algorithm", "PKO+HSC", "--out", "labels.npy"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        process.stderr.readline()  # the clustering has started
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().splitlines()[-1] == "hypercut: interrupted"
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["large.npy"]


@pytest.mark.parametrize(
    ("arguments", "package", "extra"), [(["report"], "jinja2", "plot"), (["ui"], "mlflow", "workflow")]
)
def test_a_missing_dependency_is_reported(tmp_path, arguments, package, extra):
    code = f"import sys; sys.modules[{package!r}] = None; from hypercut.cli import main; sys.exit(main({arguments}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"hypercut: {package} is not installed. Install it with: pip install 'hypercut[{extra}]'\n"
    assert not list(tmp_path.iterdir())


def test_a_missing_hypercut_module_is_a_bug(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypercut.data.datasets", None)
    monkeypatch.delattr(hypercut.data, "datasets", raising=False)
    with pytest.raises(ModuleNotFoundError):
        main(["data", "list"])
