"""Reading users' tables: the same matrix from every format, and a message that helps for every bad file."""

import gzip
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
SUFFIXES = [".csv", ".parquet", ".npz", ".npy"]


def write(path: Path, X: np.ndarray, kinds: list[str] | None = None) -> Path:
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    if path.suffix == ".npy":
        np.save(path, X)
    elif path.suffix == ".npz":
        np.savez(path, X=X, **({"kind": np.array(kinds)} if kinds else {}))
    else:
        frame = frame.assign(kind=kinds) if kinds else frame
        frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
    return path


def read(path: Path, label_column: str | None = None, **options: Any) -> Table:
    return read_table(path, Selection(label_column), **options)


def complaint(path: Path, *arguments: Any, **options: Any) -> str:
    """Return the message for a bad file, which must name the file."""
    with pytest.raises(InputError) as caught:
        read(path, *arguments, **options)
    assert str(path) in str(caught.value)
    return str(caught.value)


def csv(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(text)
    return path


# Formats


@pytest.mark.parametrize("kinds", [None, KINDS])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_the_same_matrix(tmp_path: Path, suffix: str, kinds: list[str] | None) -> None:
    path = write(tmp_path / f"table{suffix}", X, kinds)
    has_kinds = kinds is not None and suffix != ".npy"
    table = read(path, "kind" if has_kinds else None)
    np.testing.assert_array_equal(table.X, X)
    assert table.X.dtype == np.float64
    assert len(table.columns) == 2
    assert (None if table.y is None else list(table.y)) == (KINDS if has_kinds else None)
    if not has_kinds:
        assert "'kind'" in complaint(path, "kind")


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet", ".npz", ".npy"])
@pytest.mark.parametrize("content", [b"\xff\xfe\x00rubbish" * 20, b"PK\x03\x04 no archive", b"a,b\n1,2\n", None])
def test_another_type_damage_and_no_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, content: bytes | None
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / f"table{suffix}"
    path.write_bytes(content or b"")
    if content is None:
        monkeypatch.setattr(Path, "open", refuse)  # permissions do not bind root
        assert "cannot be read: Permission denied" in complaint(path)
    elif suffix != ".csv":
        assert f"expected the content of a {suffix} file" in complaint(path)
    elif not content.startswith(b"a"):
        assert "expected" in complaint(path)


def test_pickled_objects_are_never_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    message = complaint(tmp_path / "t.npy")
    assert "Python objects" in message
    assert "allow_pickle" not in message


def test_npz_uses_its_only_matrix_and_y(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", samples=X, y=[1, 2, 3], note=np.array("free"))
    table = read(tmp_path / "t.npz")
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, [1, 2, 3])
    np.savez(tmp_path / "t.npz", left=X, right=X)
    assert "['left', 'right']" in complaint(tmp_path / "t.npz")
    np.savez(tmp_path / "t.npz", X=X, y=[1, 2])
    assert "expected 3 labels" in complaint(tmp_path / "t.npz")
    scipy.sparse.save_npz(tmp_path / "t.npz", scipy.sparse.csr_matrix(X))
    assert "X.toarray()" in complaint(tmp_path / "t.npz")


@pytest.mark.parametrize("array", [np.arange(3.0), np.zeros((0, 3)), np.array([["a"]]), np.zeros((2, 2), complex)])
def test_npy_that_is_no_real_matrix(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "t.npy", array)
    assert "expected" in complaint(tmp_path / "t.npy")


def test_paths_and_settings_that_do_not_fit(tmp_path: Path) -> None:
    assert "Check the path" in complaint(tmp_path / "no.csv")
    for name in ("table.xls", "table.npy.gz"):
        (tmp_path / name).touch()
        assert "Save it as .csv or .xlsx" in complaint(tmp_path / name)
    assert "only text and .xlsx files" in complaint(write(tmp_path / "table.npy", X), header=False)
    assert "only an .xlsx file has sheets" in complaint(csv(tmp_path, "a,b\n1,2\n"), sheet="1")


def excel(path: Path, sheets: dict[str, list[list[object]]]) -> Path:
    with pd.ExcelWriter(path) as writer:
        for name, rows in sheets.items():
            pd.DataFrame(rows).to_excel(writer, sheet_name=name, header=False, index=False)
    return path


def test_excel(tmp_path: Path) -> None:
    rows = [[None, None, None], ["a", "b", "b"], [1, 2.5, "x"], [3, -4, "y"]]
    path = excel(tmp_path / "book.xlsx", {"first": rows, "second": [[5, 6], [7, 8]], "empty": []})
    table = read(path, "b.1")
    np.testing.assert_array_equal(table.X, [[1, 2.5], [3, -4]])
    assert list(table.y) == ["x", "y"]
    assert table.columns == ["a", "b"]
    assert table.notes == ("sheet 'first' (the others: second, empty)", "the first line names the columns")
    for sheet in ("second", "2"):
        np.testing.assert_array_equal(read(path, sheet=sheet).X, [[5, 6], [7, 8]])
    assert "no sheet '4'; found 'first', 'second', 'empty'" in complaint(path, sheet="4")
    assert "sheet 'empty' is empty" in complaint(path, sheet="empty")
    excel(path, {"first": [["city", 2001], ["x", 3]]})
    assert "--header yes or --header no" in complaint(path)
    assert read(path, "city", header=True).columns == ["2001"]


# Text


@pytest.mark.parametrize(
    "start",
    ["\ufeff1,2\n", '"1","2"\n', "\n1,2\n", "  \n\n1,2\n", "1, 2\n", "+1,2e0\n"],
    ids=["byte order mark", "quotes", "blank line", "blank lines", "space", "signs"],
)
def test_a_first_line_of_numbers_is_a_row(tmp_path: Path, start: str) -> None:
    table = read(csv(tmp_path, start + "3,4\n5,6\n"))
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4], [5, 6]])
    assert table.columns == ["0", "1"]
    assert table.notes == ("text separated by commas", "there is no header, the first line is a row")


@pytest.mark.parametrize("start", ["a,b\n", "\ufeffa,b\n", '\n"a","b"\n', '"a\nx",b\n', "a,\n", "length in cm,width\n"])
def test_a_first_line_without_numbers_is_the_header(tmp_path: Path, start: str) -> None:
    table = read(csv(tmp_path, start + "1,2\n3,4\n"))
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    assert table.notes == ("text separated by commas", "the first line names the columns")


@pytest.mark.parametrize("first", ["5,6,x", "2001,2002,kind", "0,1,2", ",0,1"])
def test_a_first_line_that_may_be_both_is_asked_about(tmp_path: Path, first: str) -> None:
    path = csv(tmp_path, f"{first}\n1,2,0\n3,4,1\n")
    for word in (repr(first), "--header yes or --header no"):
        assert word in complaint(path)
    assert len(read(path, header=True).X) == 2
    if first == "5,6,x":
        assert list(read(path, "2", header=False).y) == ["x", "0", "1"]


def test_labels_of_a_long_file_are_of_one_type(tmp_path: Path) -> None:
    """pandas parses a long file in parts: a class must not be a number in one part and text in the next."""
    row = "0.5," * 16
    rows = "".join(f"{row}{i % 2}\n" for i in range(70_000))
    path = csv(tmp_path, f"{','.join('abcdefghijklmnop')},kind\n{rows}{row}other\n")
    assert set(read(path, "kind").y.tolist()) == {"0", "1", "other"}


@pytest.mark.parametrize(
    ("text", "X", "note"),
    [
        ("a;b\n1.5;2\n", [[1.5, 2]], "text separated by semicolons"),
        ("a;b\n1,5;2\n", [[1.5, 2]], "text separated by semicolons, decimal commas"),
        ("1,5;2,5\n3;4\n", [[1.5, 2.5], [3, 4]], "text separated by semicolons, decimal commas"),
        ("x;y;z;a\np;q;r;3,5\np;q;r;4,5\n", [[3.5], [4.5]], "text separated by semicolons, decimal commas"),
        ("length, cm;width, cm\n1,5;2,5\n", [[1.5, 2.5]], "text separated by semicolons, decimal commas"),
        ("a\tb\n1\t2\n", [[1, 2]], "text separated by tabs"),
        ("a|b\n1.5|2\n", [[1.5, 2]], "text separated by '|'"),
        ("1.5 2e3\n3 4\n", [[1.5, 2000], [3, 4]], "text separated by spaces"),
        ("  1.5  2 \n 10.5 -4 \n", [[1.5, 2], [10.5, -4]], "text separated by spaces"),
        ("a b\n1  2\n3 4\n", [[1, 2], [3, 4]], "text separated by spaces"),
        ("1,5 2,5\n3,5 4,5\n", [[1.5, 2.5], [3.5, 4.5]], "text separated by spaces, decimal commas"),
        ('"1,5","2,5"\n"3,5","4,5"\n', [[1.5, 2.5], [3.5, 4.5]], "text separated by commas, decimal commas"),
        ("x\n1,5\n2,5\n", [[1.5], [2.5]], "text with a single column, decimal commas"),
        ("petal width\n1\n2\n", [[1], [2]], "text with a single column"),
        ("1,2\n3,4\n", [[1, 2], [3, 4]], "text separated by commas"),
        ("sep=;\na;b\n1;2\n", [[1, 2]], "text separated by semicolons"),
        ("# made by hand\n# twice\na,b\n1,2\n", [[1, 2]], "text separated by commas"),
        ("a,when,b\n1,2020-01-01 10:00,2\n", [[1, 2]], "text separated by commas"),
        ("a,list,b\n1,x;y;z,2\n3,u;v;w,4\n", [[1, 2], [3, 4]], "text separated by commas"),
    ],
)
def test_separators_and_decimals(tmp_path: Path, text: str, X: list[list[float]], note: str) -> None:
    table = read_table(csv(tmp_path, text), Selection(guess=True))
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
    """Programs quote fields with decimal commas if the separator is a comma."""
    path = tmp_path_factory.mktemp("text") / "table.csv"
    frame = pd.DataFrame(X, columns=list("abcd")[: X.shape[1]])
    frame.to_csv(path, sep=separator, decimal=decimal, index=False, header=header)
    np.testing.assert_allclose(read(path, header=header).X, X, rtol=1e-14)


def test_very_long_lines(tmp_path: Path) -> None:
    wide = np.random.default_rng(0).normal(size=(3, 9_000))
    pd.DataFrame(wide).to_csv(tmp_path / "wide.csv", sep=";", decimal=",", index=False, header=False)
    np.testing.assert_allclose(read(tmp_path / "wide.csv").X, wide, rtol=1e-14)


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8-sig", "text separated by commas"),
        ("cp1252", "text separated by commas, not UTF-8, so read as Windows-1252"),
        ("utf-16", "text separated by commas, UTF-16"),
    ],
)
@pytest.mark.parametrize("rows", [2, 100_000])  # beyond the lines that the dialect is found from
def test_encodings(tmp_path: Path, encoding: str, note: str, rows: int) -> None:
    (tmp_path / "table.csv").write_text("a,kind\n" + "1,a\n" * rows + "2,süß\n", encoding=encoding)
    table = read(tmp_path / "table.csv", "kind")
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
    np.testing.assert_array_equal(read(path).X, [[1.5, 2]])
    path.write_bytes(path.read_bytes()[:-9])
    assert "the compressed file is damaged" in complaint(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found an empty file"),
        ("a,b\n", "found 0 rows"),
        ("a,b\n1,2\n3,4,5\n", "line 3"),
        ("a,b\n1,2,3\n3,4,5\n", "Give every column a name"),
        ("a;b\n1.234,5;2\n6,5;3\n7,5;3\n", "row 1 has '1.234,5'"),
        ("a,b\n1,2\n3,tall\n5,high\n", "column 'b' must hold numbers, but row 2 has 'tall'"),
        ("a,b\n1,2\n,4\n", "row 2, column 'a' is missing"),
        ("a,b\n1,2\ninf,4\n", "row 2, column 'a' is inf"),
        ("a,b\n1,2\n-1.7e308,1.7e308\n", "row 2, column 'a' is -1.7e+308 (2 such"),
    ],
)
def test_text_that_is_no_table_of_numbers(tmp_path: Path, text: str, message: str) -> None:
    assert message in complaint(csv(tmp_path, text))


def test_names_are_distinct_and_empty_rows_at_the_end_left_out(tmp_path: Path) -> None:
    assert read(csv(tmp_path, "a ,a, a,b\n1,2,3,4\n")).columns == ["a", "a.1", "a.1.1", "b"]
    table = read(csv(tmp_path, "a;b\n1;2\n;\n;\n"))
    np.testing.assert_array_equal(table.X, [[1, 2]])
    assert "at the end left out" in table.notes[-1]


# Labels


def test_labels_of_their_own(tmp_path: Path) -> None:
    np.save(tmp_path / "y.npy", [3, 1, 2])
    (tmp_path / "y.txt").write_text("\ufeffcat\ndog \ncat\n")
    np.testing.assert_array_equal(read_labels(tmp_path / "y.npy"), [3, 1, 2])
    assert list(read_labels(tmp_path / "y.txt")) == ["cat", "dog", "cat"]


@pytest.mark.parametrize("text", [None, "", "cat\n\ndog\n"])
def test_bad_labels_of_their_own(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "y.txt").write_text(text)
    with pytest.raises(InputError, match=r"y\.txt"):
        read_labels(tmp_path / "y.txt")


# Which columns are features

LENIENT = Selection(guess=True)


def selected(tmp_path: Path, frame: pd.DataFrame, **options: Any) -> Table:
    frame.to_parquet(tmp_path / "t.parquet")
    return read_table(tmp_path / "t.parquet", replace(LENIENT, **options))


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["species"]}, "'species' must hold numbers"),
        ({"columns": ["when"]}, "'when' must hold numbers, but row 1 has Time"),
        ({"columns": ["widht"]}, r"expected a column 'widht'; found 'id', 'name'.*Did you mean 'width'\?"),
        ({"ignore": ["colour"]}, "expected a column 'colour'"),
        ({"ignore": ["length", "width"]}, r"0 features; left out: .*id \(numbers the rows\). Specify .*--columns"),
        ({"label_column": "nothing"}, "row 1 has no label"),
    ],
)
def test_columns_that_cannot_be_used(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        selected(tmp_path, everyday(), **options)


@pytest.mark.parametrize(
    ("name", "values", "left_out"),
    [
        ("x", np.arange(20), True),
        ("x", np.arange(20)[::-1] - 7.0, True),
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
    assert read(tmp_path / "t.parquet").columns == ["a", name]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("columns", [["a", "b"], [0, 1]])
def test_row_numbers_without_a_name_are_left_out(tmp_path: Path, first: int, columns: list) -> None:
    path = tmp_path / "table.csv"
    pd.DataFrame(X, columns=columns, index=np.arange(3) + first).assign(kind=KINDS).to_csv(path)
    table = read(path, "kind", header=True)
    np.testing.assert_array_equal(table.X, X)
    assert table.columns == [str(column) for column in columns]
    assert table.left_out == {"Unnamed: 0": "numbers the rows"}


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
