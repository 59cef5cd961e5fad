"""Reading users' tables: the same matrix from every format, and a message that helps for every bad file."""

import gzip
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypercut.data.tables import Selection, Table, read_labels, read_table
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


def complaint(path: Path, **options: Any) -> str:
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
    assert table.notes == ("text separated by commas", "there is no header, the first line is a row")


@pytest.mark.parametrize("missing", ["", "NA", "nan", "NULL"])
def test_a_first_line_with_a_missing_number_is_a_row(tmp_path: Path, missing: str) -> None:
    assert "row 1, column '1' is missing" in complaint(csv(tmp_path, f"1,{missing}\n3,4\n"))


@pytest.mark.parametrize("start", ["a,b\n", "\ufeffa,b\n", '\n"a","b"\n', '"a\nx",b\n', "a,\n", "length in cm,width\n"])
def test_a_first_line_without_numbers_is_the_header(tmp_path: Path, start: str) -> None:
    table = read_table(csv(tmp_path, start + "1,2\n3,4\n"))
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    assert table.notes == ("text separated by commas", "the first line names the columns")


@pytest.mark.parametrize("first", ["5,6,x", "2001,2002,kind", "0,1,2", ",0,1"])
def test_a_first_line_that_may_be_both_is_asked_about(tmp_path: Path, first: str) -> None:
    path = csv(tmp_path, f"{first}\n1,2,0\n3,4,1\n")
    for word in (repr(first), "--header yes or --header no"):
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
    assert "only text and .xlsx files can have a header" in complaint(write(tmp_path / "table.npy", X), header=False)


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
    assert len(table.notes) == 2


@pytest.mark.parametrize("kind", ["datetime64[ns]", "datetime64[ns, UTC]", "timedelta64[ns]"])
def test_dates_and_durations_are_no_numbers(tmp_path: Path, kind: str) -> None:
    pd.DataFrame({"a": [1, 2], "when": pd.Series([10**18, 2 * 10**18]).astype(kind)}).to_parquet(tmp_path / "t.parquet")
    assert "column 'when' must hold numbers, but row 1 has Time" in complaint(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("text", "X", "note"),
    [
        ("a;b\n1.5;2\n", [[1.5, 2]], "text separated by semicolons"),
        ("a;b\n1,5;2\n", [[1.5, 2]], "text separated by semicolons, decimal commas"),
        ("1,5;2,5\n3;4\n", [[1.5, 2.5], [3, 4]], "text separated by semicolons, decimal commas"),
        ("x;y;z;a\np;q;r;3,5\np;q;r;4,5\n", [[3.5], [4.5]], "text separated by semicolons, decimal commas"),
        ("length, cm;width, cm\n1,5;2,5\n", [[1.5, 2.5]], "text separated by semicolons, decimal commas"),
        ("a\tb\n1\t2\n", [[1, 2]], "text separated by tabs"),
        ("1\t2\n3\t4\n", [[1, 2], [3, 4]], "text separated by tabs"),
        ("a|b\n1.5|2\n", [[1.5, 2]], "text separated by '|'"),
        ("1.5 2e3\n3 4\n", [[1.5, 2000], [3, 4]], "text separated by spaces"),
        ("  1.5  2 \n 10.5 -4 \n", [[1.5, 2], [10.5, -4]], "text separated by spaces"),
        ("a b\n1  2\n3 4\n", [[1, 2], [3, 4]], "text separated by spaces"),
        ("1,5 2,5\n3,5 4,5\n", [[1.5, 2.5], [3.5, 4.5]], "text separated by spaces, decimal commas"),
        ('"1,5","2,5"\n"3,5","4,5"\n', [[1.5, 2.5], [3.5, 4.5]], "text separated by commas, decimal commas"),
        ("x\n1,5\n2,5\n", [[1.5], [2.5]], "text with a single column, decimal commas"),
        ("1,2\n3,4\n", [[1, 2], [3, 4]], "text separated by commas"),
        ("sep=;\na;b\n1;2\n", [[1, 2]], "text separated by semicolons"),
        ("# made by hand\n# twice\na,b\n1,2\n", [[1, 2]], "text separated by commas"),
        ("a,when,b\n1,2020-01-01 10:00,2\n", [[1, 2]], "text separated by commas"),
        ("a,list,b\n1,x;y;z,2\n3,u;v;w,4\n", [[1, 2], [3, 4]], "text separated by commas"),
    ],
)
def test_separators_and_decimals(tmp_path: Path, text: str, X: list[list[float]], note: str) -> None:
    table = read_table(csv(tmp_path, text), selection=Selection(skip_text=True))
    np.testing.assert_array_equal(table.X, X)
    assert table.notes[0] == note


@given(
    X=arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(2, 4)), elements=st.floats(-1e6, 1e6)),
    separator=st.sampled_from([",", ";", "\t", "|", " "]),
    decimal=st.sampled_from([".", ","]),
    header=st.booleans(),
)
def test_every_combination_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, X: np.ndarray, separator: str, decimal: str, header: bool
) -> None:
    """Decimal commas between commas are quoted by every program that writes them."""
    path = tmp_path_factory.mktemp("text") / "table.csv"
    frame = pd.DataFrame(X, columns=list("abcd")[: X.shape[1]])
    frame.to_csv(path, sep=separator, decimal=decimal, index=False, header=header)
    np.testing.assert_allclose(read_table(path, header=header).X, X, rtol=1e-14)


@pytest.mark.parametrize("header", [True, False])
def test_a_line_longer_than_the_sample(tmp_path: Path, header: bool) -> None:
    wide = np.random.default_rng(0).normal(size=(3, 30_000))
    path = tmp_path / "wide.csv"
    frame = pd.DataFrame(wide, columns=[f"f{i}" for i in range(wide.shape[1])])
    frame.to_csv(path, sep=";", decimal=",", index=False, header=header)
    np.testing.assert_allclose(read_table(path).X, wide, rtol=1e-14)


def test_names_are_distinct(tmp_path: Path) -> None:
    assert read_table(csv(tmp_path, "a ,a, a,b\n1,2,3,4\n")).columns == ["a", "a.1", "a.1.1", "b"]


def test_thousands_marks_are_no_decimals(tmp_path: Path) -> None:
    path = csv(tmp_path, "a;b\n1.234,5;2\n6,5;3\n7,5;3\n")
    assert "row 1 has '1.234,5'" in complaint(path)


def test_a_single_column_may_have_spaces_in_its_name(tmp_path: Path) -> None:
    np.testing.assert_array_equal(read_table(csv(tmp_path, "petal width\n1\n2\n")).X, [[1], [2]])


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", "text separated by commas"),
        ("utf-8-sig", "text separated by commas"),
        ("cp1252", "text separated by commas, not UTF-8, so read as Windows-1252"),
        ("utf-16", "text separated by commas, UTF-16"),
    ],
)
@pytest.mark.parametrize("rows", [2, 100_000])  # beyond the part that the encoding is guessed from
def test_encodings(tmp_path: Path, encoding: str, note: str, rows: int) -> None:
    (tmp_path / "table.csv").write_text("a,kind\n" + "1,a\n" * rows + "2,süß\n", encoding=encoding)
    table = read_table(tmp_path / "table.csv", label_column="kind")
    assert table.y[-1] == "süß"
    assert table.notes[0] == note


@pytest.mark.parametrize("content", ["größe,b\n1,2\n".encode("utf-16-le"), b"a,\x81\xff\n1,2\n"])
def test_unknown_encodings(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "table.csv").write_bytes(content)
    assert "Convert it to UTF-8" in complaint(tmp_path / "table.csv")


@pytest.mark.parametrize("name", ["table.csv.gz", "table.tsv.gz", "table.gz", "table.csv"])
def test_compressed_text(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"a;b\n1,5;2\n"))
    np.testing.assert_array_equal(read_table(path).X, [[1.5, 2]])
    path.write_bytes(path.read_bytes()[:-9])
    assert "the compressed file is damaged" in complaint(path)


def test_names_that_promise_compressed_text(tmp_path: Path) -> None:
    (tmp_path / "table.csv.gz").write_text("a,b\n1,2\n")
    assert "Remove .gz from the name" in complaint(tmp_path / "table.csv.gz")
    (tmp_path / "table.npy.gz").touch()
    assert "gunzip table.npy.gz" in complaint(tmp_path / "table.npy.gz")


def excel(path: Path, sheets: dict[str, list[list[object]]]) -> Path:
    with pd.ExcelWriter(path) as writer:
        for name, rows in sheets.items():
            pd.DataFrame(rows).to_excel(writer, sheet_name=name, header=False, index=False)
    return path


def test_excel(tmp_path: Path) -> None:
    rows = [[None, None, None], ["a", "b", "b"], [1, 2.5, "x"], [3, -4, "y"]]
    path = excel(tmp_path / "book.xlsx", {"first": rows, "second": [[5, 6], [7, 8]], "empty": []})
    table = read_table(path, label_column="b.1")
    np.testing.assert_array_equal(table.X, [[1, 2.5], [3, -4]])
    assert list(table.y) == ["x", "y"]
    assert table.columns == ["a", "b"]
    assert table.notes == ("sheet 'first' (the others: second, empty)", "the first line names the columns")
    for sheet in ("second", "2"):
        np.testing.assert_array_equal(read_table(path, sheet=sheet).X, [[5, 6], [7, 8]])
    assert "no sheet '4'; found 'first', 'second', 'empty'" in complaint(path, sheet="4")
    assert "sheet 'empty' is empty" in complaint(path, sheet="empty")


def test_only_excel_has_sheets(tmp_path: Path) -> None:
    assert "only an .xlsx file has sheets" in complaint(csv(tmp_path, "a,b\n1,2\n"), sheet="1")


def test_excel_whose_first_row_may_be_names(tmp_path: Path) -> None:
    path = excel(tmp_path / "book.xlsx", {"first": [["city", 2001], ["x", 3]]})
    assert "--header yes or --header no" in complaint(path)
    assert read_table(path, header=True, label_column="city").columns == ["2001"]


def test_damaged_excel(tmp_path: Path) -> None:
    path = excel(tmp_path / "book.xlsx", {"first": [[1, 2], [3, 4]]})
    path.write_bytes(path.read_bytes()[:-200])
    assert "expected an Excel workbook" in complaint(path)
    np.savez(tmp_path / "arrays.npz", X=X)
    (tmp_path / "arrays.npz").rename(path)
    assert "expected an Excel workbook" in complaint(path)


@pytest.mark.parametrize("text", ["a;b\n1;2\n;\n;\n", "a,b\n1,2\n,\n"])
def test_empty_rows_at_the_end(tmp_path: Path, text: str) -> None:
    table = read_table(csv(tmp_path, text))
    np.testing.assert_array_equal(table.X, [[1, 2]])
    assert "at the end left out" in table.notes[-1]


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
    path = tmp_path / "table.xls"
    path.touch()
    assert "'.xls'" in complaint(path)
    assert ".parquet" in complaint(path)
    assert "Save it as .xlsx" in complaint(path)


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


# Which columns are features

LENIENT = Selection(skip_text=True, skip_row_numbers=True)


def selected(tmp_path: Path, frame: pd.DataFrame, **options: Any) -> Table:
    frame.to_parquet(tmp_path / "t.parquet")
    return read_table(tmp_path / "t.parquet", selection=replace(LENIENT, **options))


def everyday(n: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": rng.permutation(n) + 1000,
            "name": [f"sample {i}" for i in range(n)],
            "length": rng.normal(size=n),
            "species": np.array(["x", "y"])[np.arange(n) % 2],
            "when": pd.Timestamp("2020-01-01"),
            "nothing": np.nan,
            "width": rng.normal(size=n),
        }
    )


def test_columns_that_are_no_features_are_left_out_and_named(tmp_path: Path) -> None:
    table = selected(tmp_path, everyday(), ignore=["width"])
    assert table.columns == ["length"]
    assert table.left_out == {
        "width": "ignored",
        "name": "text",
        "species": "text",
        "when": "dates",
        "nothing": "empty",
        "id": "numbers the rows",
    }
    assert table.classes == ("species",)


def test_columns_that_are_asked_for_are_kept(tmp_path: Path) -> None:
    table = selected(tmp_path, everyday(), columns=["width", "id"])
    assert table.columns == ["width", "id"]
    np.testing.assert_array_equal(table.X, everyday()[["width", "id"]])
    with pytest.raises(InputError, match="'species' must hold numbers"):
        selected(tmp_path, everyday(), columns=["species"])


@pytest.mark.parametrize("option", ["columns", "ignore"])
def test_columns_that_do_not_exist(tmp_path: Path, option: str) -> None:
    with pytest.raises(InputError, match="expected a column 'colour'; found 'id', 'name'"):
        selected(tmp_path, everyday(), **{option: ["colour"]})


@pytest.mark.parametrize(
    ("name", "values", "left_out"),
    [
        ("x", np.arange(20), True),
        ("x", np.arange(20)[::-1] - 7, True),
        ("x", np.arange(20).astype(float), True),
        ("x", np.arange(20) * 2, False),
        ("x", np.arange(20) // 2, False),
        ("x", np.arange(20) + 0.5, False),
        ("ID", np.arange(20) ** 2, True),
        ("customer_id", np.arange(20) ** 2, True),
        ("PassengerId", np.arange(20) ** 2, True),
        ("id", np.arange(20) // 2, False),
        ("humid", np.arange(20) ** 2, False),
        ("acid", np.arange(20) ** 2, False),
    ],
)
def test_columns_that_number_the_rows(tmp_path: Path, name: str, values: np.ndarray, left_out: bool) -> None:
    frame = pd.DataFrame({"a": np.linspace(0, 1, 20) ** 2, name: values})
    assert (name in selected(tmp_path, frame).left_out) == left_out
    assert read_table(tmp_path / "t.parquet").columns == ["a", name]


def test_few_rows_are_not_numbered_by_chance(tmp_path: Path) -> None:
    assert selected(tmp_path, pd.DataFrame({"a": [1.5, 2.5, 4], "dose": [1, 2, 3]})).columns == ["a", "dose"]


def test_nothing_but_row_numbers(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"0 features; left out: x \(numbers the rows\). Specify .*--columns"):
        selected(tmp_path, pd.DataFrame({"x": np.arange(20)}))


def test_a_column_with_a_slip_is_an_error(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": ["1", "2", "three"]})
    with pytest.raises(InputError, match=r"'b' must hold numbers, but row 3 has 'three'.*--ignore b"):
        selected(tmp_path, frame)
    frame["b"] = ["1", "2", "3"]
    np.testing.assert_array_equal(selected(tmp_path, frame).X, [[1, 1], [2, 2], [3, 3]])


def test_missing_values(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.5, np.nan, 3, 7], "b": [1, 2, 3, np.inf], "kind": list("xyxy")})
    with pytest.raises(InputError, match=r"2 such value\(s\) in 2 of 4 rows.*--missing drop\), .*--missing median"):
        selected(tmp_path, frame)
    dropped = selected(tmp_path, frame, missing="drop", label_column="kind")
    np.testing.assert_array_equal(dropped.X, [[1.5, 1], [3, 3]])
    np.testing.assert_array_equal(dropped.kept, [True, False, True, False])
    assert list(dropped.y) == ["x", "x"]
    filled = selected(tmp_path, frame, missing="median")
    np.testing.assert_array_equal(filled.X, [[1.5, 1], [3, 2], [3, 3], [7, 2]])
    assert filled.kept is None
    assert filled.notes == ("2 missing value(s) replaced by the median of their column",)


@pytest.mark.parametrize("missing", ["drop", "median"])
def test_values_missing_everywhere(tmp_path: Path, missing: str) -> None:
    frame = pd.DataFrame({"a": [1.0, 2], "b": [np.inf, np.inf]})
    with pytest.raises(
        InputError, match=f"--missing {missing} cannot deal with the missing values: column 'b' has no value"
    ):
        selected(tmp_path, frame, missing=missing)


@pytest.mark.parametrize(
    ("columns", "classes"),
    [
        ({"species": np.arange(40) % 3}, ("species",)),
        ({"x": np.arange(40) % 3 + 1}, ("x",)),
        ({"x": np.arange(40) % 3, "z": np.arange(40) % 2}, ()),
        ({"x": np.arange(40) % 3, "target": np.arange(40) % 2}, ("target",)),
        ({"x": np.arange(40) % 3 + 5}, ()),
        ({"x": np.arange(40) % 3 * 2}, ()),
        ({"x": np.arange(40) // 2}, ()),
        ({"x": [f"k{i % 20}" for i in range(40)]}, ()),
    ],
)
def test_columns_that_look_like_classes(tmp_path: Path, columns: dict[str, Any], classes: tuple[str, ...]) -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 40))
    frame = pd.DataFrame({"a": a, "b": b, **columns})
    assert selected(tmp_path, frame).classes == classes
    assert selected(tmp_path, frame, label_column="a").classes == ()


def test_a_misspelt_column_is_corrected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Did you mean 'width'\?"):
        selected(tmp_path, everyday(), columns=["widht"])
