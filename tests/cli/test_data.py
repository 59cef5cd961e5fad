"""``hypercut data``, as a user runs it."""

import json
from pathlib import Path

import numpy as np
import pytest

from hypercut.cli import main
from hypercut.data import datasets
from hypercut.data.features import load_features
from hypercut.data.store import MIRROR_VARIABLE
from tests.data.originals import write_mirror


@pytest.fixture(autouse=True)
def _no_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)


def test_get_list_check_featurize(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = ["--root", str(tmp_path / "data")]
    assert main(["data", "get", "iris", "traj", *root]) == 0
    assert "iris: real" in capsys.readouterr().out

    assert main(["data", "list", *root]) == 0
    rows = {line.split()[0]: line.split()[:5] for line in capsys.readouterr().out.splitlines() if line}
    assert rows["iris"] == ["iris", "150", "4", "3", "real"]
    assert rows["traj"] == ["traj", "2500", "18", "50", "generated"]
    assert rows["orl"] == ["orl", "400", "1024", "40", "-"]
    assert set(datasets.names()) <= set(rows)

    assert main(["data", "check", *root]) == 0
    assert "iris: ok" in capsys.readouterr().out
    out = tmp_path / "features" / "iris.npz"
    assert main(["data", "featurize", "iris", "--out", str(out), *root]) == 0
    assert "iris: 150×4 in 3 classes, real" in capsys.readouterr().out
    assert load_features(out).X.shape == (150, 4)


def test_one_failure_does_not_keep_the_others_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mirror" / "orl").mkdir(parents=True)
    (tmp_path / "mirror" / "orl" / "att_faces.zip").write_bytes(b"no archive")
    monkeypatch.setenv(MIRROR_VARIABLE, str(tmp_path / "mirror"))
    assert main(["data", "get", "orl", "iris", "--root", str(tmp_path / "data")]) == 2
    captured = capsys.readouterr()
    assert "iris: real" in captured.out
    assert "att_faces.zip: expected a zip archive" in captured.err
    assert "Traceback" not in captured.err


def test_other_content_is_accepted_when_asked_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["data", "get", "libras", "--root", str(tmp_path / "data")]
    arguments += ["--mirror", str(write_mirror(tmp_path / "mirror", "libras"))]
    assert main(arguments) == 2
    assert "expected content sha256" in capsys.readouterr().err
    assert main([*arguments, "--on-mismatch", "own"]) == 0
    assert "libras: own, from mirror" in capsys.readouterr().out


def test_own_data_through_an_entry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "my.csv").write_text("a,b,kind\n1,2,x\n3,4,y\n5,6,x\n")
    entry = ["--entry", json.dumps({"path": str(tmp_path / "my.csv"), "label_column": "kind"})]
    root = ["--root", str(tmp_path / "data")]
    assert main(["data", "get", "mine", *entry, *root]) == 0
    assert main(["data", "check", "mine", *entry, *root]) == 0
    capsys.readouterr()
    assert main(["data", "list", *root]) == 0
    listed = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["mine", "-", "-", "-", "own", str(tmp_path / "my.csv")] in listed
    for names in ([], ["mine"]):
        assert main(["data", "check", *names, *root]) == 0
        assert "mine: ok, own, 1 file(s)" in capsys.readouterr().out
    assert main(["data", "featurize", "mine", "--out", str(tmp_path / "mine.npz"), *entry, *root]) == 0
    np.testing.assert_array_equal(load_features(tmp_path / "mine.npz").y, [0, 1, 0])
    (tmp_path / "my.csv").write_text("a,b,kind\n1,2,x\n3,4,y\n5,7,x\n")
    assert main(["data", "check", *root]) == 1
    assert "mine: FAILED: " in capsys.readouterr().out


def test_a_place_where_nothing_can_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "get", "iris", "--root", "/proc/hypercut"]) == 2
    assert "/proc/hypercut: no such file or folder, and it cannot be created" in capsys.readouterr().err
    assert main(["data", "get", "iris", "--root", str(tmp_path)]) == 0
    assert main(["data", "featurize", "iris", "--out", "/proc/iris.npz", "--root", str(tmp_path)]) == 2
    assert "no such file or folder, and it cannot be created" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["get", "nosuch"], "Unknown dataset 'nosuch'"),
        (["featurize", "iris", "--out", "x.npz"], "hypercut data get iris"),
        (["get", "iris", "--entry", "{"], "expected JSON"),
        (["get", "iris", "--entry", "[1]"], "expected a JSON object"),
        (["get", "usps", "iris", "--entry", '{"size": 5}'], "Specify one"),
        (["get", "iris", "--entry", '{"size": 5}'], "unknown option 'size'"),
        (["get", "..", "--entry", '{"path": "x.csv"}'], "dataset '..': a name consists of letters"),
        (["featurize", "iris", "--out", "x.npz", "--entry", '{"subset": 1}'], "at least 2, found 1"),
        (["featurize", "iris", "--out", "x.txt"], "x.txt: expected a file ending in .npz, found .txt"),
        (["check", "nosuch"], "Unknown dataset 'nosuch'"),
    ],
)
def test_bad_arguments(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", *arguments, "--root", str(tmp_path / "data")]) == 2
    assert message in capsys.readouterr().err
    assert not Path("x.npz").exists()


def test_features_replace_a_file_only_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = ["--root", str(tmp_path / "data")]
    assert main(["data", "get", "iris", *root]) == 0
    out = tmp_path / "out.npz"
    out.write_text("mine")
    command = ["data", "featurize", "iris", "--out", str(out), *root]
    assert main(command) == 2
    assert f"--out {out}: exists" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert main([*command, "--overwrite"]) == 0
    assert load_features(out).X.shape == (150, 4)
