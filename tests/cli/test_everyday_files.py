"""Files as people have them: ``hypercut cluster`` clusters them, or fails with an error that helps."""

import gzip
import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine

from hypercut.cli import main
from hypercut.metrics import nmi

FEATURES = ["sepal length", "sepal width", "petal length", "petal width"]
#: Two of the three species touch, so that the estimated number of clusters is two.
SETOSA = np.repeat([1, 0, 0], 50)


@pytest.fixture
def iris() -> pd.DataFrame:
    data = load_iris()
    return pd.DataFrame(data.data, columns=FEATURES).assign(species=np.array(data.target_names)[data.target])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: object) -> int:
    return main(["cluster", *map(str, arguments)])


def labels(path: str | Path) -> np.ndarray:
    return pd.read_csv(path)["cluster"].to_numpy()


def fact(printed: str, name: str) -> str:
    """The text of a line of the summary, which may be wrapped."""
    found = re.search(rf"^{name} +(.*)$", re.sub(r"\n +", " ", printed), re.MULTILINE)
    assert found, printed
    return found[1]


@pytest.mark.parametrize(
    ("name", "options", "note"),
    [
        ("iris.csv", {"sep": ";", "decimal": ",", "encoding": "utf-8-sig"}, "semicolons, decimal commas; the first"),
        ("iris.tsv", {"sep": "\t"}, "tabs; the first line names the columns"),
        ("iris.csv.gz", {}, "commas; the first line names the columns"),
        ("iris.txt", {"sep": " ", "header": False}, "spaces; there is no header"),
    ],
)
def test_text(iris, capsys, name, options, note):
    iris[FEATURES].to_csv(name, index=False, **options)
    assert run(name) == 0
    printed = capsys.readouterr().out
    out = "iris.clusters.tsv" if name == "iris.tsv" else "iris.clusters.csv"
    assert nmi(SETOSA, labels(out)) == 1
    assert fact(printed, "input") == f"150 rows × 4 columns in {name}"
    assert f"separated by {note}" in fact(printed, "read as")
    assert fact(printed, "written") == out


def test_excel_with_its_columns_appended(iris, capsys):
    with pd.ExcelWriter("iris.xlsx") as writer:
        pd.DataFrame({"note": ["see the next sheet"]}).to_excel(writer, sheet_name="about")
        iris.to_excel(writer, sheet_name="flowers", index=False)
    assert run("iris.xlsx", "--sheet", "flowers", "--append", "--standardize") == 0
    assert "sheet 'flowers' (the others: about)" in capsys.readouterr().out
    written = pd.read_excel("iris.clusters.xlsx")
    pd.testing.assert_frame_equal(written.drop(columns="cluster"), iris, check_dtype=False)


def stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_standard_input_to_standard_output(iris, monkeypatch, capsys, folder, compress):
    stdin(monkeypatch, compress(iris.to_csv(index=False, sep=";").encode()))
    assert run("-") == 0
    captured = capsys.readouterr()
    assert nmi(SETOSA, labels(io.StringIO(captured.out))) == 1
    assert fact(captured.err, "input") == "150 rows × 5 columns in standard input"
    assert "standard output" in fact(captured.err, "written")
    stdin(monkeypatch, b"")
    assert run("-") == 2
    assert "standard input: expected a header line" in capsys.readouterr().err
    assert list(folder.iterdir()) == []


def test_standard_input_in_a_pipe(iris):
    """The real streams: labels on one, the summary on the other."""
    done = subprocess.run(
        [sys.executable, "-m", "hypercut", "cluster", "-", "--append"],
        input=iris.to_csv(index=False),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    written = pd.read_csv(io.StringIO(done.stdout))
    assert list(written) == [*FEATURES, "species", "cluster"]
    assert "species (text)" in done.stderr


def test_a_text_column_is_skipped_named_and_suggested_as_truth(iris, capsys):
    iris.assign(note=[f"flower {i}" for i in range(150)]).to_csv("iris.csv", index=False)
    assert run("iris.csv") == 0
    printed = capsys.readouterr().out
    assert fact(printed, "features") == f"4: {', '.join(FEATURES)}"
    assert fact(printed, "left out") == "species, note (text)"
    assert "Column 'species' looks like classes. Compare the clusters with it: --truth species" in " ".join(
        printed.split()
    )
    assert "--truth note" not in printed
    assert nmi(SETOSA, labels("iris.clusters.csv")) == 1


def test_classes_as_numbers_are_pointed_out(capsys):
    digits = load_digits()
    frame = pd.DataFrame(digits.data, columns=digits.feature_names).assign(digit=digits.target)
    frame.iloc[::4].to_csv("digits.csv", index=False)
    assert run("digits.csv", "--clusters", 10) == 0
    assert "Column 'digit' looks like classes, but is used as a feature." in capsys.readouterr().out
    assert run("digits.csv", "--clusters", 10, "--truth", "digit", "--overwrite") == 0
    printed = capsys.readouterr().out
    assert "looks like classes" not in printed
    assert float(re.search(r"nmi (\S+),", fact(printed, "agreement"))[1]) > 0.8


def test_missing_values(iris, capsys):
    iris.loc[[3, 77], "sepal width"] = np.nan
    iris.loc[120, "petal width"] = np.nan
    iris.to_csv("iris.csv", index=False, na_rep="?")
    assert run("iris.csv") == 2
    error = capsys.readouterr().err
    for part in ("row 4, column 'sepal width' is missing", "in 3 of 150 rows", "--missing drop", "--missing median"):
        assert part in error

    assert run("iris.csv", "--missing", "drop") == 0
    printed = capsys.readouterr().out
    assert fact(printed, "left out") == "species (text), 3 of 150 rows, which have missing values"
    assert fact(printed, "written") == "iris.clusters.csv; rows left out have no label"
    found = labels("iris.clusters.csv")
    assert np.flatnonzero(np.isnan(found)).tolist() == [3, 77, 120]
    assert Path("iris.clusters.csv").read_text().splitlines()[4] in ("", '""')
    kept = ~np.isnan(found)
    assert nmi(SETOSA[kept], found[kept].astype(int)) == 1

    assert run("iris.csv", "--missing", "median", "--overwrite") == 0
    assert "3 missing value(s) replaced by the median of their column" in fact(capsys.readouterr().out, "read as")
    assert nmi(SETOSA, labels("iris.clusters.csv")) == 1


@pytest.mark.parametrize("suffix", [".npz", ".npy"])
def test_rows_without_a_label_in_arrays(iris, capsys, suffix):
    iris.loc[3, "sepal width"] = np.nan
    iris.to_csv("iris.csv", index=False)
    assert run("iris.csv", "--missing", "drop", "--out", f"labels{suffix}") == 0
    found = np.load(f"labels{suffix}")
    assert np.flatnonzero((found["labels"] if suffix == ".npz" else found) == -1).tolist() == [3]
    assert "rows left out have the label -1" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["id", "nothing in particular"])
@pytest.mark.parametrize("order", ["sorted", "shuffled"])
def test_row_numbers_are_no_feature(iris, capsys, name, order):
    """In a sorted file they separate the classes by themselves."""
    numbers = np.arange(1, 151) if order == "sorted" else np.random.default_rng(0).permutation(150)
    iris.insert(0, name, numbers)
    iris.to_csv("iris.csv", index=False)
    assert run("iris.csv", "--clusters", 3, "--truth", "species") == 0
    printed = capsys.readouterr().out
    assert fact(printed, "left out") == f"{name} (numbers the rows)"
    assert fact(printed, "features") == f"4: {', '.join(FEATURES)}"
    assert float(re.search(r"nmi (\S+),", fact(printed, "agreement"))[1]) == pytest.approx(0.81, abs=0.03)
    assert run("iris.csv", "--clusters", 3, "--columns", f"{name},petal length", "--overwrite") == 0
    assert fact(capsys.readouterr().out, "features") == f"2: {name}, petal length"


def test_columns_to_use_and_to_ignore(iris, capsys):
    iris.assign(constant=1.0).to_csv("iris.csv", index=False)
    assert run("iris.csv", "--ignore", "sepal length, sepal width") == 0
    printed = capsys.readouterr().out
    assert fact(printed, "features") == "3: petal length, petal width, constant"
    assert fact(printed, "left out") == "sepal length, sepal width (ignored), species (text)"
    assert run("iris.csv", "--columns", "petal", "--overwrite") == 2
    assert "expected a column 'petal'; found 'sepal length'" in capsys.readouterr().err
    assert run("iris.csv", "--columns", "", "--overwrite") == 2
    assert "--columns '': expected the names of columns" in capsys.readouterr().err


WARNING = "Warning: feature 'proline' has 99.7 % of the variance; the others hardly matter."


@pytest.mark.parametrize("algorithm", ["AK+NC", "CSC"])
def test_a_feature_with_all_of_the_variance(capsys, algorithm):
    load_wine(as_frame=True).frame.to_csv("wine.csv", index=False)
    command = ["wine.csv", "--clusters", 3, "--truth", "target", "--algorithm", algorithm, "--overwrite"]
    agreement = {}
    for options in ([], ["--standardize"]):
        assert run(*command, *options) == 0
        printed = capsys.readouterr().out
        text = " ".join(printed.split())
        assert (f"{WARNING} If the features are in different units, add --standardize." in text) != bool(options)
        assert fact(printed, "features").startswith(f"13{', standardized' * bool(options)}: alcohol, ")
        assert ("features as given" in text) == (algorithm == "AK+NC" and not options)
        agreement[bool(options)] = float(re.search(r"nmi (\S+),", fact(printed, "agreement"))[1])
    assert agreement[False] < 0.45
    assert agreement[True] > 0.8


@pytest.mark.parametrize(
    ("scales", "warning"),
    [
        ([1, 1, 1, 1, 1, 1, 1, 1, 1, 1], None),
        ([99, 90, 1, 1, 1, 1, 1, 1, 1, 1], "the 2 features '0', '1' have together 99.9 % of the variance; the others"),
        ([99, 1], "feature '0' has 99.9 % of the variance; the others hardly matter"),
        ([1, 0, 0], None),  # constant features would not matter with --standardize either
    ],
)
def test_few_features_with_most_of_the_variance(capsys, scales, warning):
    rows = np.random.default_rng(0).permuted(np.tile(np.linspace(-1, 1, 60)[:, None], len(scales)), axis=0)
    np.save("data.npy", rows * scales)
    assert run("data.npy", "--clusters", 2, "--algorithm", "CSC", "--sigma", 1) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert (f"Warning: {warning}" in text) if warning else ("Warning" not in text)


def test_appended_text_is_written_like_the_input(iris):
    iris.to_csv("iris.csv", sep=";", decimal=",", index=False)
    assert run("iris.csv", "--append", "--quiet") == 0
    lines = Path("iris.clusters.csv").read_text().splitlines()
    assert lines[:2] == [
        "sepal length;sepal width;petal length;petal width;species;cluster",
        "5,1;3,5;1,4;0,2;setosa;0",
    ]
    assert run("iris.clusters.csv", "--ignore", "cluster", "--append", "--out", "again.csv", "--quiet") == 0
    again = pd.read_csv("again.csv", sep=";", decimal=",")
    np.testing.assert_array_equal(again["cluster"], again["cluster_2"])


def test_text_appended_to_excel_stays_text(iris):
    texts = ["=1+1", "+1", "-x", "@a", "#REF!", "_x0041_", "x" * 32_767]
    iris.assign(**{"=2+2": (texts * 22)[:150]}).to_parquet("iris.parquet")
    assert run("iris.parquet", "--append", "--out", "out.xlsx") == 0
    cells = list(openpyxl.load_workbook("out.xlsx").active.columns)[5]
    assert [cell.value for cell in cells[:8]] == ["=2+2", *texts]
    assert {cell.data_type for cell in cells} == {"s"}


@pytest.mark.parametrize(
    ("column", "out"),
    [
        (["x" * 32_768] * 150, "out.xlsx"),
        (["a\x01b"] * 150, "out.xlsx"),
        ([pd.Timestamp("2020-01-01", tz="UTC")] * 150, "out.xlsx"),
        ([1, "x"] * 75, "out.parquet"),
    ],
)
def test_columns_that_the_output_cannot_hold_are_an_error(iris, capsys, column, out):
    source = "in.xlsx" if out == "out.parquet" else "in.parquet"
    write = pd.DataFrame.to_excel if out == "out.parquet" else pd.DataFrame.to_parquet
    write(iris.assign(note=column), source, index=False)
    assert run(source, "--ignore", "note", "--append", "--out", out) == 2
    assert f"{out}: " in capsys.readouterr().err
    assert not Path(out).exists()


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}, [[1.0], [2.0]]])
def test_lists_in_parquet_are_text(iris, capsys, cell):
    iris.assign(tags=[cell] * 150, flag=[[1]] * 75 + [[2]] * 75).to_parquet("iris.parquet")
    assert run("iris.parquet", "--truth", "flag", "--append", "--out", "out.parquet") == 0
    assert fact(capsys.readouterr().out, "left out") == "species, tags (text)"
    assert list(pd.read_parquet("out.parquet")["flag"][0]) == [1]
    assert run("iris.parquet", "--columns", "tags", "--out", "out.csv") == 2
    assert "column 'tags' must hold numbers" in capsys.readouterr().err


def test_append_needs_a_table(iris, capsys):
    np.save("iris.npy", iris[FEATURES])
    assert run("iris.npy", "--append", "--out", "labels.npy") == 2
    assert "expected an output file ending in .csv, .tsv, .xlsx, .parquet, found '.npy'" in capsys.readouterr().err
    assert run("iris.npy", "--append") == 0
    assert list(pd.read_csv("iris.clusters.csv")) == ["0", "1", "2", "3", "cluster"]
    assert run("iris.npy") == 0
    assert np.load("iris.clusters.npy").shape == (150,)


def test_the_summary_says_how_sure_it_is(capsys):
    rng = np.random.default_rng(0)
    np.save("cloud.npy", rng.normal(size=(300, 4)))
    assert run("cloud.npy", "--clusters", 3) == 0
    printed = capsys.readouterr().out
    assert fact(printed, "evidence").startswith("weak: 0.")
    assert re.fullmatch(
        r"mean membership \d+%; \d+ of 300 samples \(\d+\.\d%\) are between clusters \(below 60%\)",
        fact(printed, "certainty"),
    )
    np.save("apart.npy", np.vstack([rng.normal(size=(100, 4)), rng.normal(size=(50, 4)) + 100]))
    assert run("apart.npy") == 0
    printed = capsys.readouterr().out
    assert fact(printed, "evidence") == "strong: the clusters are separate"
    assert fact(printed, "certainty").startswith("mean membership 100%; 0 of 150")
    assert fact(printed, "sizes") == "100, 50 (clusters 0 to 1)"
    assert fact(printed, "status").startswith("ok (the clusters are disconnected), 1 iteration, ")


def test_formatted_numbers_are_not_skipped_as_text(iris, capsys):
    """Otherwise a feature would be lost silently. Dates and other text with digits are not numbers."""
    iris["price"] = [f"1.{i:03},50" for i in range(150)]
    iris["day"] = [f"{i % 28 + 1:02}.05.2020" for i in range(150)]
    iris.to_csv("iris.csv", sep=";", decimal=",", index=False)
    assert run("iris.csv") == 2
    error = capsys.readouterr().err
    assert "column 'price' must hold numbers, but row 1 has '1.000,50'. Write it as a plain number" in error
    assert "--ignore price" in error
    assert run("iris.csv", "--ignore", "price") == 0
    assert fact(capsys.readouterr().out, "left out") == "price (ignored), species, day (text)"


def test_many_clusters(capsys):
    centers = np.arange(30)[:, None] * [100.0, 0, 0]
    rng = np.random.default_rng(0)
    np.save("many.npy", np.vstack([center + rng.normal(size=(20 + i, 3)) for i, center in enumerate(centers)]))
    assert run("many.npy") == 0
    printed = capsys.readouterr().out
    # No runner-up: numbers of clusters beyond the first few were not tried.
    assert fact(printed, "clusters") == "30, estimated: the samples fall into 30 separate parts"
    assert fact(printed, "sizes").startswith("49, 48, 47, ")
    assert fact(printed, "sizes").endswith(", 40, … (largest first; the smallest of 30 has 20)")


def test_k_estimated_by_information(capsys):
    np.save("digits.npy", load_digits().data[::3])
    assert run("digits.npy") == 0
    assert re.fullmatch(
        r"\d+, estimated by information \(0\.\d\d\); runner-up \d+ \(0\.\d\d\).*",
        fact(capsys.readouterr().out, "clusters"),
    )


@pytest.mark.parametrize("name", ["plot.html", "plot.PNG"])
def test_plot(iris, capsys, name):
    iris.to_csv("iris <1>.csv", index=False)
    assert run("iris <1>.csv", "--plot", name) == 0
    assert fact(capsys.readouterr().out, "written") == f"iris <1>.clusters.csv; plot: {name}"
    content = Path(name).read_bytes()
    if name == "plot.html":
        page = content.decode()
        assert "<h1>iris &lt;1&gt;.csv: 2 clusters</h1>" in page
        assert page.count("<svg") == 1
        assert "\nleft out\tspecies (text)\n" in page
        assert "<pre>Evidence for K. Dots: " in page
        assert "<script" not in page
        assert not re.search(r"(src|href)=.http", page)
    else:
        assert content.startswith(b"\x89PNG")
    for plot, reason in ((name, "exists. Choose another --plot"), ("plot.jpg", "expected an output file ending in")):
        assert run("iris <1>.csv", "--plot", plot, "--out", "other.csv") == 2
        assert f"{plot}: {reason}" in capsys.readouterr().err.replace(f"{plot} exists", f"{plot}: exists")
    assert not Path("other.csv").exists()


def test_a_plot_without_matplotlib_fails_before_clustering(iris, capsys, monkeypatch):
    iris.to_csv("iris.csv", index=False)
    monkeypatch.delitem(sys.modules, "hypercut.cli._plot", raising=False)
    monkeypatch.delattr("hypercut.cli._plot", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run("iris.csv", "--plot", "plot.png") == 2
    assert "matplotlib is not installed. Install it with: pip install 'hypercut[plot]'" in capsys.readouterr().err
    assert not Path("iris.clusters.csv").exists()


def test_only_a_long_search_over_scales_prints_its_progress(iris, caplog, monkeypatch):
    iris.iloc[::5].to_csv("iris.csv", index=False)
    caplog.set_level("INFO")
    command = ["iris.csv", "--clusters", 3, "--algorithm", "CSC", "--overwrite"]
    monkeypatch.setattr("hypercut.progress.PATIENCE_SECONDS", 3600.0)
    assert run(*command) == 0
    assert caplog.messages == []
    monkeypatch.setattr("hypercut.progress.PATIENCE_SECONDS", 0.0)
    assert run(*command) == 0
    assert len(caplog.messages) == 15


def test_long_work_says_what_it_is_doing(iris, capsys, monkeypatch):
    iris.to_csv("iris.csv", index=False)
    monkeypatch.setattr("hypercut.progress.PATIENCE_SECONDS", 0.0)
    assert run("iris.csv", "--plot", "plot.png") == 0
    assert capsys.readouterr().err.splitlines() == [
        "Reading iris.csv …",
        "Clustering 150 samples × 4 features with AK+NC …",
        "Drawing plot.png …",
    ]
    assert run("iris.csv", "--quiet", "--overwrite") == 0
    assert capsys.readouterr().err == ""
