"""Reading users' tables: the same matrix from every format, and a message that helps for every bad file."""

import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypercut.data.tables import Table, read_labels, read_table
from hypercut.errors import InputError

X = np.array([[1.0, 2.5], [3.0, -4.0], [0.1, 1e-3]])
KINDS = ["a", "b", "a"]


def write(path: Path, X: np.ndarray, kinds: list[str] | None = None) -> Path:
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    if path.suffix == ".npy":
        np.save(path, X)
    elif path.suffix == ".npz":
        np.savez(path, X=X, **({"kind": np.array(kinds)} if kinds else {}))
    else:
        if kinds:
            frame["kind"] = kinds
        if path.suffix == ".csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
    return path


def complaint(path: Path, **options: str | bool) -> str:
    """The message for a bad file, which must name it."""
    with pytest.raises(InputError) as caught:
        read_table(path, **options)
    assert str(path) in str(caught.value)
    return str(caught.value)


def csv(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz", ".npy"])
def test_every_format_gives_the_same_matrix(tmp_path: Path, suffix: str) -> None:
    table = read_table(write(tmp_path / f"table{suffix}", X))
    np.testing.assert_array_equal(table.X, X)
    assert table.X.dtype == np.float64
    assert table.y is None
    assert len(table.columns) == 2


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz"])
def test_the_label_column_is_no_feature(tmp_path: Path, suffix: str) -> None:
    table = read_table(write(tmp_path / f"table{suffix}", X, KINDS), label_column="kind")
    np.testing.assert_array_equal(table.X, X)
    assert list(table.y) == KINDS


@given(X=arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=st.floats(-1e100, 1e100)))
def test_csv_keeps_every_finite_number(tmp_path_factory: pytest.TempPathFactory, X: np.ndarray) -> None:
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    np.testing.assert_allclose(read_table(write(path, X)).X, X, rtol=1e-14)


def test_csv_without_header(tmp_path: Path) -> None:
    table = read_table(csv(tmp_path, "1,2,0\n3,4,1\n"), label_column="2")
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(table.y, [0, 1])
    assert table.columns == ["0", "1"]


@pytest.mark.parametrize(
    "start",
    ["\ufeff1,2\n", '"1","2"\n', "\n1,2\n", "  \n\n1,2\n", "1, 2\n", "+1,2e0\n"],
    ids=["byte order mark", "quotes", "blank line", "blank lines", "space", "signs"],
)
def test_a_first_line_of_numbers_is_a_row(tmp_path: Path, start: str) -> None:
    table = read_table(csv(tmp_path, start + "3,4\n5,6\n"))
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4], [5, 6]])
    assert table.notes == ("there is no header, the first line is a row",)


@pytest.mark.parametrize("missing", ["", "NA", "nan", "NULL"])
def test_a_first_line_with_a_missing_number_is_a_row(tmp_path: Path, missing: str) -> None:
    assert "row 1, column '1' is missing" in complaint(csv(tmp_path, f"1,{missing}\n3,4\n"))


@pytest.mark.parametrize("start", ["a,b\n", "\ufeffa,b\n", '\n"a","b"\n', '"a\nx",b\n', "a,\n", "length in cm,width\n"])
def test_a_first_line_without_numbers_is_the_header(tmp_path: Path, start: str) -> None:
    table = read_table(csv(tmp_path, start + "1,2\n3,4\n"))
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    assert table.notes == ("the first line names the columns",)


@pytest.mark.parametrize("first", ["5,6,x", "2001,2002,kind", "0,1,2", ",0,1"])
def test_a_first_line_that_may_be_both_is_asked_about(tmp_path: Path, first: str) -> None:
    path = csv(tmp_path, f"{first}\n1,2,0\n3,4,1\n")
    for word in (repr(first), "--header yes or no", "header: true or false"):
        assert word in complaint(path)
    assert len(read_table(path, header=True).X) == 2


def test_a_class_in_the_first_row(tmp_path: Path) -> None:
    path = csv(tmp_path, "5.1,3.5,setosa\n4.9,3,setosa\n7,3.2,versicolor\n")
    table = read_table(path, label_column="2", header=False)
    np.testing.assert_array_equal(table.X, [[5.1, 3.5], [4.9, 3], [7, 3.2]])
    assert list(table.y) == ["setosa", "setosa", "versicolor"]


def test_labels_of_a_long_file_are_of_one_type(tmp_path: Path) -> None:
    """pandas parses a long file in parts: what is a number in one must not be another class as text in the next."""
    path = tmp_path / "long.csv"
    names = ",".join("abcdefghijklmnop")
    row = "0.5," * 16
    path.write_text(f"{names},kind\n" + "".join(f"{row}{i % 2}\n" for i in range(70_000)) + f"{row}other\n")
    y = read_table(path, label_column="kind").y
    assert set(y.tolist()) == {"0", "1", "other"}


def test_a_long_file_takes_memory_in_proportion(tmp_path: Path) -> None:
    path = write(tmp_path / "long.csv", np.random.default_rng(0).normal(size=(50_000, 10)))
    tracemalloc.start()
    try:
        table = read_table(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table.X.shape == (50_000, 10)
    assert peak < 8 * table.X.nbytes


def test_only_text_files_have_a_header(tmp_path: Path) -> None:
    assert "only a .csv file can have a header" in complaint(write(tmp_path / "table.npy", X), header=False)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("columns", [["a", "b"], [0, 1]])
def test_row_numbers_without_a_name_are_left_out(tmp_path: Path, first: int, columns: list) -> None:
    path = tmp_path / "table.csv"
    pd.DataFrame(X, columns=columns, index=np.arange(3) + first).assign(kind=KINDS).to_csv(path)
    table = read_table(path, label_column="kind", header=True)
    np.testing.assert_array_equal(table.X, X)
    assert table.columns == [str(column) for column in columns]
    assert table.notes[-1] == "column 1 has no name and counts the rows: left out"


@pytest.mark.parametrize("text", ["a,b\n0,2\n1,4\n", ",b\n0,2\n2,4\n", "0,2\n1,4\n"])
def test_other_columns_stay(tmp_path: Path, text: str) -> None:
    table = read_table(csv(tmp_path, text))
    assert table.X.shape == (2, 2)
    assert len(table.notes) == 1


@pytest.mark.parametrize("kind", ["datetime64[ns]", "datetime64[ns, UTC]", "timedelta64[ns]"])
def test_dates_and_durations_are_no_numbers(tmp_path: Path, kind: str) -> None:
    pd.DataFrame({"a": [1, 2], "when": pd.Series([10**18, 2 * 10**18]).astype(kind)}).to_parquet(tmp_path / "t.parquet")
    assert "column 'when' must hold numbers, but row 1 has Time" in complaint(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("text", "found", "advice"),
    [
        ("a;b\n1.5;2\n", "';'", "sep=';'."),
        ("a;b\n1,5;2\n", "';'", "sep=';', decimal=','."),
        ("1,5;2,5\n3;4\n", "';'", "sep=';', decimal=','."),
        ("a\tb\n1\t2\n", "tabs", "sep='\\t'."),
        ("1\t2\n3\t4\n", "tabs", "sep='\\t'."),
        ("1.5 2e3\n3 4\n", "spaces", "sep=' +'."),
        ("a b\n1  2\n3 4\n", "spaces", "sep=' +'."),
        ("1,5 2,5\n3,5 4,5\n", "spaces", "sep=' +', decimal=','."),
    ],
)
def test_other_separators(tmp_path: Path, text: str, found: str, advice: str) -> None:
    message = complaint(csv(tmp_path, text))
    assert f"expected commas between the fields and points in the numbers, found {found}" in message
    assert advice in message


def test_a_single_column_may_have_spaces_in_its_name(tmp_path: Path) -> None:
    np.testing.assert_array_equal(read_table(csv(tmp_path, "petal width\n1\n2\n")).X, [[1], [2]])


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("text", ["größe,b\n1,2\n", "a,kind\n1,süß\n"])
def test_other_encodings(tmp_path: Path, encoding: str, text: str) -> None:
    (tmp_path / "table.csv").write_text(text, encoding=encoding)
    assert "Convert it to UTF-8" in complaint(tmp_path / "table.csv", label_column="kind")


@pytest.mark.parametrize("suffix", [".parquet", ".npz", ".npy"])
def test_text_under_another_name(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"table{suffix}").write_text("a,b\n1,2\n")
    message = complaint(tmp_path / f"table{suffix}")
    assert f"expected the content of a {suffix} file, found something else, perhaps text" in message
    assert "pickle" not in message


def test_sparse_matrix(tmp_path: Path) -> None:
    scipy.sparse.save_npz(tmp_path / "t.npz", scipy.sparse.csr_matrix(X))
    assert "X=matrix.toarray()" in complaint(tmp_path / "t.npz")


def test_damaged_compressed_archive(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    np.savez_compressed(path, X=np.arange(2000.0).reshape(100, 20))
    content = bytearray(path.read_bytes())
    content[100:200] = b"\xff" * 100
    path.write_bytes(content)
    assert "numpy.savez), but it is damaged" in complaint(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz", ".npy"])
def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    path = write(tmp_path / f"table{suffix}", X)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # permissions do not bind root
    assert "cannot be read: Permission denied" in complaint(path)


def test_npz_uses_its_only_matrix_and_y(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", samples=X, y=[1, 2, 3], note=np.array("free"))
    table = read_table(tmp_path / "t.npz")
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, [1, 2, 3])


def test_integers_and_booleans_are_numbers(tmp_path: Path) -> None:
    pd.DataFrame({"n": [1, 2], "flag": [True, False]}).to_parquet(tmp_path / "t.parquet")
    np.testing.assert_array_equal(read_table(tmp_path / "t.parquet").X, [[1, 1], [2, 0]])


def test_missing_file(tmp_path: Path) -> None:
    assert "Check the path" in complaint(tmp_path / "no.csv")


def test_unknown_suffix(tmp_path: Path) -> None:
    path = tmp_path / "table.xlsx"
    path.touch()
    assert "'.xlsx'" in complaint(path)
    assert ".parquet" in complaint(path)


@pytest.mark.parametrize("text", ["", "a,b\n"])
def test_empty(tmp_path: Path, text: str) -> None:
    assert "expected" in complaint(csv(tmp_path, text))


def test_only_labels(tmp_path: Path) -> None:
    assert "of 0 features" in complaint(csv(tmp_path, "kind\na\nb\n"), label_column="kind")


def test_text_names_column_row_and_value(tmp_path: Path) -> None:
    message = complaint(csv(tmp_path, "a,b\n1,2\n3,tall\n5,high\n"))
    assert "column 'b'" in message
    assert "row 2" in message
    assert "'tall'" in message


@pytest.mark.parametrize(("cell", "word"), [("", "missing"), ("nan", "NaN"), ("inf", "inf"), ("-inf", "-inf")])
def test_not_finite_names_row_and_column(tmp_path: Path, cell: str, word: str) -> None:
    message = complaint(csv(tmp_path, f"a,b\n1,2\n{cell},4\n"))
    assert "row 2, column 'a'" in message
    assert word in message


def test_ragged_csv(tmp_path: Path) -> None:
    assert "line 3" in complaint(csv(tmp_path, "a,b\n1,2\n3,4,5\n"))


def test_more_fields_than_header(tmp_path: Path) -> None:
    assert "Give every column a name" in complaint(csv(tmp_path, "a,b\n1,2,3\n3,4,5\n"))


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz", ".npy"])
def test_binary_rubbish(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"table{suffix}"
    path.write_bytes(b"\xff\xfe\x00rubbish" * 20)
    assert "expected" in complaint(path)


@pytest.mark.parametrize("suffix", [".parquet", ".npz", ".npy"])
def test_truncated(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"table{suffix}", X)
    path.write_bytes(path.read_bytes()[:-10])
    assert "expected" in complaint(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz", ".npy"])
def test_label_column_missing(tmp_path: Path, suffix: str) -> None:
    assert "'kind'" in complaint(write(tmp_path / f"table{suffix}", X), label_column="kind")


def test_label_missing_in_a_row(tmp_path: Path) -> None:
    assert "row 2 has no label" in complaint(csv(tmp_path, "a,kind\n1,x\n2,\n"), label_column="kind")


def test_npz_with_two_matrices_and_no_x(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", left=X, right=X)
    assert "['left', 'right']" in complaint(tmp_path / "t.npz")


def test_npz_with_too_few_labels(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", X=X, y=[1, 2])
    assert "expected 3 labels" in complaint(tmp_path / "t.npz")


@pytest.mark.parametrize("array", [np.arange(3.0), np.zeros((0, 3)), np.array([["a"]]), np.zeros((2, 2), complex)])
def test_npy_that_is_no_real_matrix(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "t.npy", array)
    assert "expected" in complaint(tmp_path / "t.npy")


def test_pickled_objects_are_errors(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert "it holds Python objects" in complaint(tmp_path / "t.npy")
    assert "allow_pickle" not in complaint(tmp_path / "t.npy")


def test_labels_of_their_own(tmp_path: Path) -> None:
    np.save(tmp_path / "y.npy", [3, 1, 2])
    (tmp_path / "y.txt").write_text("\ufeffcat\ndog \ncat\n")
    np.testing.assert_array_equal(read_labels(tmp_path / "y.npy"), [3, 1, 2])
    assert list(read_labels(tmp_path / "y.txt")) == ["cat", "dog", "cat"]


@pytest.mark.parametrize("text", [None, "", "cat\n\ndog\n"])
def test_bad_labels_of_their_own(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "y.txt"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=r"y\.txt"):
        read_labels(path)


def test_tables_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Table(X, None, ["a", "b"]).y = np.zeros(3)  # type: ignore[misc]
