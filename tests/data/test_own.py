"""A user's own data are datasets like the others."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from hypercut.data.datasets import resolve
from hypercut.data.features import Features
from hypercut.data.featurizing import check, featurize
from hypercut.data.store import acquire
from hypercut.errors import InputError
from tests.data.originals import image_bytes

X = np.random.default_rng(0).normal(size=(6, 4))
KINDS = ["b", "a", "b", "a", "c", "c"]


def own(entry: dict[str, Any], tmp_path: Path) -> Features:
    dataset, options = resolve("mine", entry)
    manifest = acquire(dataset, tmp_path / "data")
    assert manifest.kind == "own"
    return featurize(dataset, tmp_path / "data", options)


def write_table(path: Path, X: np.ndarray) -> Path:
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])]).assign(kind=KINDS)
    frame.to_csv(path, index=False)
    return path


def write_images(folder: Path, shape: tuple[int, ...], kind: str = "PNG") -> Path:
    rng = np.random.default_rng(1)
    for label in ("cat", "dog"):
        (folder / label).mkdir(parents=True)
        for number in range(2):
            pixels = rng.integers(0, 256, shape, dtype=np.uint8)
            (folder / label / f"{number}.{kind.lower()}").write_bytes(image_bytes(pixels, kind))
    (folder / "cat" / ".hidden").write_text("no image, and not looked at")
    return folder


def everyday() -> pd.DataFrame:
    """Numbered rows, a column of text, a missing value."""
    frame = pd.DataFrame(np.vstack([X, X]), columns=list("abcd")).assign(kind=KINDS * 2)
    frame.insert(0, "id", range(100, 112))
    frame.insert(1, "name", [f"sample {i}" for i in range(12)])
    frame.loc[3, "b"] = np.nan
    return frame


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_an_everyday_table(tmp_path: Path, suffix: str, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / f"table{suffix}"
    entry = {"path": str(path), "label_column": "kind", "missing": "drop"}
    if suffix == ".csv":
        everyday().to_csv(path, sep=";", decimal=",", index=False)
    else:
        with pd.ExcelWriter(path) as writer:
            pd.DataFrame({"note": ["the data are on the next sheet"]}).to_excel(writer, sheet_name="readme")
            everyday().to_excel(writer, sheet_name="data", index=False)
        entry["sheet"] = "data"
    with caplog.at_level("INFO"):
        features = own(entry, tmp_path)
    np.testing.assert_allclose(features.X, np.delete(np.vstack([X, X]), 3, axis=0), rtol=1e-6)
    np.testing.assert_array_equal(features.y, np.delete([1, 0, 1, 0, 2, 2] * 2, 3))
    for note in ("'id' left out: numbers the rows", "'name' left out: text", "1 row(s) with missing values left out"):
        assert note in caplog.text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, r"row 4, column 'b' is missing.* missing: drop or missing: median\.$"),
        ({"columns": ["name"]}, r"column 'name' must hold numbers.* ignore: \[name\] or label_column: name\.$"),
        (
            {"missing": "median", "label_column": None},
            r"no labels\..*\(label_column\).* Column 'kind' looks like classes",
        ),
        ({"label_column": "kinds"}, "expected a column 'kinds' with the labels.*Did you mean 'kind'"),
        ({"missing": "guess"}, "unknown missing 'guess'; expected one of drop, median"),
        ({"ignore": "name"}, "ignore must be a list of names"),
    ],
)
def test_an_everyday_table_needs_options(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    everyday().to_csv(tmp_path / "table.csv", index=False)
    entry = {"path": str(tmp_path / "table.csv"), "label_column": "kind"} | change
    with pytest.raises(InputError, match=message):
        own({key: value for key, value in entry.items() if value is not None}, tmp_path)


@pytest.mark.parametrize("labels", ["y.npy", "y.txt"])
def test_a_file_of_labels(tmp_path: Path, labels: str) -> None:
    np.save(tmp_path / "table.npy", np.where(np.arange(24).reshape(6, 4) == 14, np.nan, X))
    np.save(tmp_path / "y.npy", KINDS)
    (tmp_path / "y.txt").write_text("\n".join(KINDS))
    entry = {"path": str(tmp_path / "table.npy"), "labels": str(tmp_path / labels), "missing": "drop"}
    np.testing.assert_array_equal(own(entry, tmp_path).y, [1, 0, 1, 2, 2])


@pytest.mark.parametrize(
    ("features", "shape", "width"),
    [("pixels", (40, 50, 3), 1024), ("gist", (40, 50, 3), 960), ("gist", (40, 50), 320)],
)
def test_folder_of_images(tmp_path: Path, features: str, shape: tuple[int, ...], width: int) -> None:
    folder = write_images(tmp_path / "pictures", shape)
    result = own({"path": str(folder), "features": features}, tmp_path)
    assert result.X.shape == (4, width)
    np.testing.assert_array_equal(result.y, [0, 0, 1, 1])


def test_images_of_16_bits_keep_their_greys_and_32_bits_are_errors(tmp_path: Path) -> None:
    folder = write_images(tmp_path / "pictures", (32, 32))
    ramp = np.linspace(0, 65535, 32 * 32).reshape(32, 32).astype(np.uint16)
    (folder / "cat" / "9.png").write_bytes(image_bytes(ramp, "PNG"))
    result = own({"path": str(folder), "features": "pixels"}, tmp_path)
    greys = result.X[2].reshape(32, 32)
    np.testing.assert_allclose(greys / greys.max(), ramp / 65535, atol=0.02)
    (folder / "cat" / "9.tiff").write_bytes(image_bytes((ramp / 65535).astype(np.float32), "TIFF"))
    with pytest.raises(InputError, match="8 or 16 bits"):
        own({"path": str(folder), "features": "pixels"}, tmp_path)


def test_files_that_are_added_are_not_read_unrecorded(tmp_path: Path) -> None:
    folder = write_images(tmp_path / "pictures", (40, 50, 3))
    entry = {"path": str(folder), "features": "gist"}
    own(entry, tmp_path)
    dataset, _ = resolve("mine", entry)
    (folder / "dog" / "9.png").write_bytes(image_bytes(np.zeros((30, 30), dtype=np.uint8), "PNG"))
    for read in (featurize, check):
        with pytest.raises(InputError, match=r"dog/9\.png.*hypercut data get mine"):
            read(dataset, tmp_path / "data")
    assert own(entry, tmp_path).X.shape == (5, 960)  # a grey image among those in colour
    (folder / "cat" / "kittens").mkdir()
    with pytest.raises(InputError, match="kittens: expected the file"):
        own(entry, tmp_path)


def test_numbers_that_single_precision_would_merge_are_kept(tmp_path: Path) -> None:
    path = write_table(tmp_path / "table.csv", 1.6e9 + X)
    result = own({"path": str(path), "label_column": "kind"}, tmp_path)
    np.testing.assert_allclose(result.X - 1.6e9, X, atol=1e-6)


@pytest.mark.parametrize("unit", [1e-30, 1e30])
def test_units_in_which_squares_cannot_be_computed_with(tmp_path: Path, unit: float) -> None:
    path = write_table(tmp_path / "table.csv", unit * X)
    with pytest.raises(InputError, match="another unit"):
        own({"path": str(path), "label_column": "kind"}, tmp_path)


def test_trajectories_in_rows(tmp_path: Path) -> None:
    points = np.random.default_rng(2).normal(size=(6, 20))
    path = write_table(tmp_path / "paths.csv", points)
    result = own({"path": str(path), "label_column": "kind", "features": "dft"}, tmp_path)
    assert result.X.shape == (6, 18)
    np.testing.assert_allclose(result.X[:, 0], points[:, ::2].mean(axis=1), rtol=1e-5)


def test_trajectories_in_files(tmp_path: Path) -> None:
    for label, points in (("left", 9), ("right", 30)):
        (tmp_path / "paths" / label).mkdir(parents=True)
        pd.DataFrame({"x": np.arange(points), "y": 1.5}).to_csv(tmp_path / "paths" / label / "1.csv", index=False)
    result = own({"path": str(tmp_path / "paths"), "features": "dft"}, tmp_path)
    np.testing.assert_allclose(result.X[:, 0], [4, 14.5])
    np.testing.assert_allclose(result.X[:, 9], 1.5)


def test_features_of_another_file_than_the_recorded_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(Path("a.csv"), X)
    write_table(Path("b.csv"), X + 1)
    first, _ = resolve("mine", {"path": "a.csv", "label_column": "kind"})
    second, _ = resolve("mine", {"path": "b.csv", "label_column": "kind"})
    acquire(first, tmp_path / "data")
    for read in (featurize, check):
        with pytest.raises(InputError) as caught:
            read(second, tmp_path / "data")
        assert f"{tmp_path / 'b.csv'}" in str(caught.value)
        assert f"{tmp_path / 'a.csv'}" in str(caught.value)
        assert f"hypercut data get mine --root {tmp_path / 'data'} --entry" in str(caught.value)
    acquire(second, tmp_path / "data")
    features = featurize(second, tmp_path / "data")
    np.testing.assert_allclose(features.X, X + 1, rtol=1e-6)
    assert features.provenance["source"] == "b.csv"


def test_own_files_do_not_lie_where_hypercut_keeps_its_own(tmp_path: Path) -> None:
    """A user's file among the raw files of hypercut is an error."""
    raw = tmp_path / "data" / "mine" / "raw"
    raw.mkdir(parents=True)
    path = write_table(raw / "table.csv", X)
    dataset, _ = resolve("mine", {"path": str(path), "label_column": "kind"})
    with pytest.raises(InputError, match=r"raw/table\.csv: .*Move"):
        acquire(dataset, tmp_path / "data")
    assert path.exists()
    assert not (tmp_path / "data" / "mine" / "manifest.json").exists()
    with pytest.raises(InputError, match="a registered dataset has this name"):
        resolve("orl", {"path": "x.csv"})


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"path": "no/such.csv"}, r"no/such\.csv: does not exist"),
        ({"path": "x.csv", "colour": 1}, "unknown key 'colour'"),
        ({"path": "x.csv", "features": ["raw"]}, "features must be text"),
        ({"path": "x.csv", "header": "no"}, "header must be true or false"),
        ({"path": "table.npy", "header": True}, "only text and .xlsx files can have a header"),
        ({"path": "x.csv", "features": "sift"}, "unknown features 'sift'"),
        ({"path": "table.npy", "features": "gist"}, "need one folder of images per class"),
        ({"path": "table.npy", "features": "dft", "labels": "odd.txt"}, "expected 3 labels"),
        ({"path": "table.npy", "label_column": "a", "labels": "odd.txt"}, "not both"),
        ({"path": "table.npy"}, r"no labels\. Specify their column \(label_column\)"),
        ({"path": "one.npz"}, "at least two classes"),
        ({"path": "even.npz", "features": "dft"}, "trajectory 1: expected at least 9 points"),
        ({"path": "odd.npz", "features": "dft"}, "odd number of columns, 5"),
        ({"path": "bad", "features": "pixels"}, r"1\.png: expected an image"),
        ({"path": "empty"}, "one subfolder of files per class"),
        ({"path": "classes"}, "features of a folder must be pixels, gist or dft"),
        ({"path": "classes", "features": "dft"}, r"1\.csv: expected two columns"),
    ],
)
def test_entries_that_do_not_fit(
    entry: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("table.npy", np.zeros((3, 5)))
    np.savez("one.npz", X=np.zeros((3, 4)), y=np.zeros(3))
    for name, width in (("even", 4), ("odd", 5)):
        np.savez(f"{name}.npz", X=np.ones((3, width)), y=[0, 1, 1])
    Path("odd.txt").write_text("a\nb\n")
    Path("bad/one").mkdir(parents=True)
    Path("bad/one/1.png").write_bytes(b"no image")
    Path("empty").mkdir()
    Path("classes/one").mkdir(parents=True)
    Path("classes/one/1.csv").write_text("x\n1\n2\n")
    with pytest.raises(InputError, match=message):
        own(entry, tmp_path)
