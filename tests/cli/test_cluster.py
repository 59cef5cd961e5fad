import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from hypercut import algorithms
from hypercut.cli import main
from hypercut.metrics import nmi


@pytest.fixture
def iris(tmp_path):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(species=y)
    path = tmp_path / "iris.csv"
    frame.to_csv(path, index=False)
    return path


def run(*arguments):
    return main(["cluster", *map(str, arguments)])


READERS = {
    ".csv": pd.read_csv,
    ".tsv": lambda path: pd.read_csv(path, sep="\t"),
    ".xlsx": pd.read_excel,
    ".parquet": pd.read_parquet,
    ".npz": np.load,
    ".npy": lambda path: {"cluster": np.load(path)},
}
WRITERS = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    ".xlsx": lambda frame, path: frame.to_excel(path, index=False),
    ".parquet": lambda frame, path: frame.to_parquet(path),
    ".npz": lambda frame, path: np.savez(path, X=frame),
    ".npy": lambda frame, path: np.save(path, frame),
}


def read_labels(path):
    return np.asarray(READERS[path.suffix](path)["labels" if path.suffix == ".npz" else "cluster"])


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_format_in_and_out(iris, tmp_path, suffix, capsys):
    frame = pd.read_csv(iris)
    source, out = tmp_path / f"in{suffix}", tmp_path / f"out{suffix}"
    WRITERS[suffix](frame[["a", "b", "c", "d"]], source)
    assert run(source, "--algorithm", "PKO+NC", "--clusters", 3, "--sigma", 0.2, "--out", out) == 0
    assert nmi(frame["species"], read_labels(out)) == pytest.approx(0.798, abs=0.02)
    summary = capsys.readouterr().out
    printed = ("150 rows × 4 columns", "PKO+NC, seed 0", "3, as specified", "0.2 × mean distance", "ok, ", out.name)
    assert all(expected in summary for expected in printed)
    assert {path.name for path in tmp_path.iterdir()} == {"iris.csv", source.name, out.name}


def test_memory_is_checked_before_clustering(tmp_path, monkeypatch, capsys, caplog):
    np.save(tmp_path / "large.npy", np.random.default_rng(0).standard_normal((3000, 5)))
    monkeypatch.setattr("hypercut.core.memory.available_mb", lambda: 200)
    command = [tmp_path / "large.npy", "--clusters", 3, "--out", tmp_path / "labels.npy"]
    assert run(*command, "--algorithm", "PKO+HSC") == 2
    error = capsys.readouterr().err
    assert re.search(
        r"large\.npy: PKO\+HSC on 3000 × 5 needs about 0\.\d GB of memory, and 0\.2 GB are available\..*\(AK\+NC\)",
        error,
    )
    assert run(*command) == 2
    assert "Use fewer samples" in capsys.readouterr().err
    assert not (tmp_path / "labels.npy").exists()
    monkeypatch.setattr("hypercut.core.memory.available_mb", lambda: None)
    monkeypatch.setattr("hypercut.algorithms._base.ANNOUNCED_MB", 100)
    with caplog.at_level("INFO"):
        assert run(*command) == 0
    assert "3000 × 5: up to 0." in caplog.text


def test_a_file_larger_than_memory_is_not_read(tmp_path, monkeypatch, capsys):
    with (tmp_path / "huge.npy").open("wb") as file:
        file.truncate(10 * 2**30)  # a sparse file takes no disk space
    monkeypatch.setattr("hypercut.core.memory.available_mb", lambda: 4096)
    assert run(tmp_path / "huge.npy", "--out", tmp_path / "labels.npy") == 2
    assert (
        "huge.npy: reading it needs about 10.0 GB of memory, and 4.0 GB are available. Use a sample"
        in capsys.readouterr().err
    )


def test_running_out_of_memory_is_reported(iris, tmp_path, monkeypatch, capsys):
    def fit(*_):
        raise MemoryError

    monkeypatch.setattr("hypercut.HypergraphClustering.fit", fit)
    assert run(iris, "--truth", "species", "--out", tmp_path / "labels.csv") == 2
    assert "iris.csv: out of memory; nothing was written" in capsys.readouterr().err
    assert not (tmp_path / "labels.csv").exists()


def test_the_scale_is_chosen_without_labels_and_parameters_reach_the_algorithm(iris, tmp_path, capsys):
    out = tmp_path / "labels.csv"
    common = [iris, "--algorithm", "PKO+HSC", "--clusters", 3, "--out", out, "--truth", "species", "--overwrite"]
    assert run(*common) == 0
    summary = " ".join(capsys.readouterr().out.split())  # lines break where the terminal ends
    assert "chosen without labels among 15" in summary
    assert f"nmi {nmi(pd.read_csv(iris)['species'], read_labels(out)):.4f}" in summary
    labels = []
    for alpha in (0.2, 1.0):
        settings = ["--set", f"alpha={alpha}", "--set", "beta=0", "--set", "n_neighbors=5"]
        assert run(*common, "--sigma", 1, "--quiet", *settings) == 0
        labels.append(read_labels(out))
    assert nmi(*labels) < 1
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--clusters", "3"], "data.csv: expected at least --clusters 3 rows to cluster, found 2"),
        (["--clusters", "1"], "--clusters 1: expected at least 2"),
        (["--algorithm", "CSC", "--sigma", "-1"], "sigma_factor > 0.*-1"),
        (["--seed", "-1"], "--seed -1: expected a number from 0 to 4294967295"),
        (["--algorithm", "CSC", "--sigma", "wide"], "--sigma wide: expected a number, found 'wide'"),
        (["--algorithm", "DBSCAN"], r"'DBSCAN'.*PKO\+HSC"),
        (["--algorithm", "PKO+HSC", "--set", "gamma=1"], "gamma=1.*alpha, .*beta"),
        (["--algorithm", "PKO+HSC", "--set", "alpha=2"], "^hypercut: --set alpha=2: Expected alpha between 0 and 1"),
        (["--algorithm", "PKO+HSC", "--set", "alpha=x"], "--set alpha=x: expected a number, found 'x'"),
        (["--algorithm", "STSC", "--sigma", "1"], "STSC has no scale"),
        (["--out", "labels.txt"], r"\.csv, \.tsv, \.xlsx, \.parquet, \.npz, \.npy, found '\.txt'"),
        (["--out", "labels"], r"\.npy, found no suffix"),
        (["--out", "./data.csv"], "is the input file"),
        (["--out", "nowhere/labels.csv"], "no folder nowhere"),
    ],
)
def test_bad_options_raise_an_error_and_write_nothing(tmp_path, monkeypatch, capsys, arguments, message):
    check_error(tmp_path, monkeypatch, capsys, "a,b\n1,2\n3,4\n", arguments, message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3,4\n5,x\n", "column 'b'.*row 3.*'x'"),
        ("a,b\n1,2\n1,2\n1,2\n", "All 3 samples are identical"),
        ("a,b\n1,2\n", "expected at least --clusters 2 rows to cluster, found 1"),
        ("", "empty"),
        (None, "expected a file, found nothing"),
    ],
)
def test_bad_files_raise_an_error_and_write_nothing(tmp_path, monkeypatch, capsys, content, message):
    check_error(tmp_path, monkeypatch, capsys, content, [], message)


def check_error(tmp_path, monkeypatch, capsys, content, arguments, message):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("data.csv").write_text(content)
    assert run("data.csv", "--clusters", 2, "--out", "labels.csv", *arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("hypercut: ")
    assert re.search(message, error), error
    left = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert left == ({} if content is None else {"data.csv": content})


def test_options_are_checked_before_the_file_is_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hypercut.data.tables.read_table", None)
    assert run("data.csv", "--clusters", 2, "--algorithm", "PKO+HSC", "--set", "beta=2", "--out", "o.csv") == 2
    monkeypatch.setattr("os.access", lambda path, mode: False)  # permissions do not bind root
    assert run("data.csv", "--out", "o.csv") == 2
    assert "o.csv: no folder . that can be written to" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options", [["--algorithm", "CSS"], ["--clusters", 151], ["--columns", "e"], ["--ignore", ","]]
)
def test_an_existing_output_is_reported_last(iris, tmp_path, capsys, options):
    """An existing file is reported last, after the errors that --overwrite would not remove."""
    (tmp_path / "labels.csv").touch()
    assert run(iris, "--out", tmp_path / "labels.csv", *options) == 2
    assert "exists" not in capsys.readouterr().err


@pytest.mark.parametrize("target", ["labels.csv", "nowhere.csv"])
def test_an_existing_output_is_replaced_only_if_asked(iris, tmp_path, capsys, target):
    (tmp_path / "labels.csv").write_text("years of work")
    out = tmp_path / "out.csv"
    out.symlink_to(target)
    command = [iris, "--truth", "species", "--clusters", 3, "--algorithm", "CSC", "--sigma", 0.4, "--out", out]
    assert run(*command) == 2
    assert "out.csv exists. Choose another --out, or add --overwrite to replace it." in capsys.readouterr().err
    assert (tmp_path / "labels.csv").read_text() == "years of work"
    assert run(*command, "--overwrite") == 0
    assert len(read_labels(out)) == 150
    (tmp_path / "link.csv").symlink_to(iris)
    for same in (iris, tmp_path / "link.csv"):
        assert run(*command[:-1], same, "--overwrite") == 2
        assert "is the input file" in capsys.readouterr().err


def test_the_algorithms_are_listed(capsys):
    with pytest.raises(SystemExit) as stop:
        run("--list-algorithms")
    assert stop.value.code == 0
    lines, _ = capsys.readouterr().out.split("\n\n")
    assert [line.split()[0] for line in lines.splitlines()] == algorithms.names()
    assert "STSC     self-tuning spectral clustering." in lines
