"""An archive holds the rows of finished results, grows, is small, and never mixes code, data or settings."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hypercut.benchmark import code
from hypercut.benchmark.archived import digest
from hypercut.benchmark.design import load_benchmark
from hypercut.cli import main
from hypercut.errors import InputError
from hypercut.results.archive import ARCHIVE_SCHEMA, LEFT_OUT, read_archive
from hypercut.results.compare import EQUAL_ROWS, compare, read_side
from hypercut.results.gather import gather, inspect
from hypercut.results.rows import METRICS, Origin, read_result
from hypercut.results.state import inspect_state
from tests.results.current import archive_results, write_config, write_features, write_result
from tests.rows import change_rows

CSC = "clusters/yaleb/noise-L1/CSC.parquet"
EXACT = [*METRICS, "neighbor_information", "sigma", "sigma_factor", "labels"]


@pytest.fixture
def folder(results: Path, tmp_path: Path) -> Path:
    """The archive of the complete benchmark."""
    archive_results(results, tmp_path / "archive")
    return tmp_path / "archive"


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def gathered(results: Path) -> pd.DataFrame:
    return gather(results, list(inspect(results, load_benchmark(results))))


def assert_same_rows(archived: pd.DataFrame, computed: pd.DataFrame) -> None:
    """Scores are equal, and times and memory nearly; labels, solver and traceback are left out."""
    columns = [name for name in computed if name not in LEFT_OUT]
    pd.testing.assert_frame_equal(archived[columns], computed[columns], check_dtype=False, rtol=1e-3)
    exact = [name for name in EXACT if name in columns]
    pd.testing.assert_frame_equal(archived[exact], computed[exact], check_exact=True)


def edit_stsc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Edit the code of an algorithm."""
    present = code.clustering_code
    monkeypatch.setattr(
        code, "clustering_code", lambda module: "edited" if module.endswith(".stsc") else present(module)
    )


def test_the_table_of_an_archive_is_the_gathered_table(results: Path, folder: Path) -> None:
    archived = read_archive(folder)
    assert_same_rows(archived.table(), gathered(results))
    assert not archived.missing
    for file in inspect(results, load_benchmark(results)):
        rows, origin = archived.by_key()[file.variation.key]
        assert origin == file.origin
        assert_same_rows(rows.reset_index(drop=True), file.rows)
    expected = archived.describe()["expected"]
    assert len(expected["cells"]) == 8
    assert expected["variations"] == [["yaleb", "clean", "neighbors", "PKO+HSC"]]


def test_a_benchmark_that_uses_the_archive_has_the_same_rows(results: Path, folder: Path, tmp_path: Path) -> None:
    """Nothing is computed; status finds every result, and discard none of the archive's files."""
    before = gathered(results)
    other = tmp_path / "other"
    write_config(other, archive=str(folder))
    assert_same_rows(gathered(other), before)
    state = inspect_state(other, load_benchmark(other))
    assert not state.missing()
    assert all(not state.files(what) for what in ("stale", "failed"))
    assert len(state.other_versions()) == 9
    assert state.files("other_versions") == []
    again = archive_results(other, folder)
    assert (again.added, again.equal) == (0, 9)


def test_own_results_stand_beside_archived_ones(
    results: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Yale B cannot be had here: a method of one's own has no results on it, and nothing is missing."""
    monkeypatch.delenv("HYPERCUT_DATA_MIRROR", raising=False)
    module = tmp_path / "mine.py"
    module.write_text("from sklearn.base import ClusterMixin\nclass Mine(ClusterMixin):\n    name = 'Mine'\n")
    other = tmp_path / "other"
    datasets = {"yaleb": {"weights": [0.6, 0.2]}, "iris": {"weights": [0.4, 0.4]}}
    own = {"algorithms": {"Mine": {"module": str(module)}}, "archive": str(folder)}
    benchmark = write_config(other, datasets=datasets, **own)
    for result in benchmark.results():
        if result.dataset == "iris":
            write_result(other, benchmark, result.key)
    found = list(inspect(other, benchmark))
    assert {file.variation.key for file in found if file.unavailable} == {"yaleb/clean/Mine", "yaleb/noise-L1/Mine"}
    table = gather(other, found)
    assert set(table.loc[table["algorithm"] == "Mine", "dataset"]) == {"iris"}
    assert_same_rows(table[table["dataset"] == "yaleb"].reset_index(drop=True), gathered(results))


def test_an_archive_names_no_folder_of_the_machine(results: Path, tmp_path: Path) -> None:
    write_features(results, source=f"mirror {results}")
    archive_results(results, tmp_path / "archive")
    assert str(results.parent) not in (tmp_path / "archive" / "archive.json").read_text()


def test_archiving_again_changes_nothing(results: Path, folder: Path) -> None:
    """Also if only time, memory and machine differ."""
    before = content(folder)
    path = results / CSC
    _, origin = read_result(path)
    machine = {"environment": {**origin["environment"], "cpu": "another"}, "computed": "2026-02-03T00:00:00+00:00"}
    change_rows(path, {**origin, **machine}, wall_seconds=9.0, peak_bytes=1 << 30)
    outcome = archive_results(results, folder)
    assert (outcome.added, outcome.equal, outcome.replaced, outcome.dropped) == (0, 9, 0, 0)
    assert content(folder) == before


def test_parts_of_two_machines_give_the_same_rows_as_the_whole(results: Path, folder: Path, tmp_path: Path) -> None:
    other, both = tmp_path / "other", tmp_path / "both"
    shutil.copytree(results, other)
    for path in results.glob("clusters/*/clean/*.parquet"):
        path.unlink()
    for path in [*other.glob("clusters/*/noise-L1/*"), *other.glob("clusters/*/clean/*/*")]:
        path.unlink()
    first = archive_results(results, both)
    assert (first.added, first.missing) == (5, 4)
    assert "yaleb/clean/CSC" in read_archive(both).missing
    second = archive_results(other, both)
    assert (second.added, second.equal, second.missing) == (4, 0, 0)
    parts, whole = read_archive(both), read_archive(folder)
    pd.testing.assert_frame_equal(parts.rows, whole.rows)
    assert [part["results"] for part in parts.contributions] == [5, 4]


def test_results_of_other_code_replace_archived_ones_if_asked(
    results: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(folder)
    edit_stsc(monkeypatch)
    with pytest.raises(InputError, match="2 of 9 result files are stale"):
        archive_results(results, folder, replace=True)
    write_result(results, load_benchmark(results), "yaleb/clean/STSC")
    change_rows(results / "clusters/yaleb/clean/STSC.parquet", nmi=0.5)
    (results / "clusters/yaleb/noise-L1/STSC.parquet").unlink()
    with pytest.raises(InputError, match="2 results have other code, data or settings") as error:
        archive_results(results, folder)
    assert "yaleb/noise-L1/STSC: computed by other code (cluster)" in str(error.value)
    assert content(folder) == before
    outcome = archive_results(results, folder, replace=True)
    assert (outcome.replaced, outcome.dropped, outcome.missing) == (1, 1, 1)
    archived = read_archive(folder)
    assert archived.missing == {"yaleb/noise-L1/STSC"}
    rows, origin = archived.by_key()["yaleb/clean/STSC"]
    assert set(rows["nmi"]) == {0.5}
    assert origin["recipe"]["cluster"]["code"] == "edited"
    index = json.loads((folder / "archive.json").read_text())
    assert index["recipes"]["yaleb/clean/STSC"] == digest(origin["recipe"])


def test_a_larger_benchmark_and_a_part_of_the_archived_one_are_added(results: Path, folder: Path) -> None:
    for path in results.glob("clusters/**/*.parquet"):
        if path != results / CSC:
            path.unlink()
    write_config(results, corruptions={"noise": {"levels": {"L1": 0.2, "L2": 0.4}}})
    outcome = archive_results(results, folder)
    assert (outcome.added, outcome.equal, outcome.missing) == (0, 1, 4)
    write_result(results, load_benchmark(results), "yaleb/noise-L2/CSC")
    assert archive_results(results, folder).missing == 3
    assert "yaleb/noise-L2/STSC" in read_archive(folder).missing
    # A part of the archived benchmark.
    write_config(results)
    archive_results(results, folder)
    assert "yaleb/noise-L2/STSC" in read_archive(folder).missing
    # Unless the smaller benchmark is wanted.
    archive_results(results, folder, replace=True)
    assert not read_archive(folder).missing


def test_a_folder_that_is_no_archive_is_refused(results: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("mine")
    for target in (tmp_path / "mine", tmp_path / "mine" / "thesis.tex"):
        with pytest.raises(InputError, match="neither an archive nor an empty folder"):
            archive_results(results, target, replace=True)
    (tmp_path / "empty").mkdir()
    assert archive_results(results, tmp_path / "empty").added == 9


def test_a_damaged_or_later_archive_is_refused(results: Path, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not an archive"):
        read_archive(tmp_path / "results")
    path = folder / "archive.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(InputError, match="later version of hypercut"):
        archive_results(results, folder)
    path.write_text("{")
    with pytest.raises(InputError, match="is damaged"):
        read_archive(folder)


def as_format_1(folder: Path) -> None:
    """Rewrite an archive as hypercut 1.0 wrote it, without recipes."""

    def old(text: str) -> str:
        origin: Origin = json.loads(text)
        recipe = origin.pop("recipe")
        origin |= {"code": {"cluster": recipe["cluster"]["code"]}, "data": recipe["data"]["identity"]}
        return json.dumps({**origin, "corruption": {}, "limits": {}, "problem": "yaleb clean 0.0"})

    index = json.loads((folder / "archive.json").read_text())
    del index["recipes"]
    index["config"]["references"] = index["config"].pop("baselines")
    (folder / "archive.json").unlink()
    (folder / "reference.json").write_text(json.dumps({**index, "format": 1}))
    path = folder / "rows" / "yaleb.parquet"
    rows = pq.read_table(path, schema=ARCHIVE_SCHEMA).to_pandas()
    pq.write_table(pa.Table.from_pandas(rows.assign(origin=rows["origin"].map(old)), schema=ARCHIVE_SCHEMA), path)


def test_an_archive_of_version_1_is_read_and_compared_and_only_replaced(results: Path, folder: Path) -> None:
    table = read_archive(folder).table()
    as_format_1(folder)
    old = read_archive(folder)
    assert_same_rows(old.table().drop(columns="code"), table.drop(columns="code"))
    assert old.describe()["expected"]["variations"] == [["yaleb", "clean", "neighbors", "PKO+HSC"]]
    found = compare(read_side(folder), read_side(results))
    assert found.count(EQUAL_ROWS) == 10
    assert len(list(found.origins())) == 1
    # Its results have no recipe, so none is taken from it.
    assert not inspect_state(results, write_config(results, archive=str(folder))).stale()
    with pytest.raises(InputError, match="9 results have other code, data or settings"):
        archive_results(results, folder)
    assert archive_results(results, folder, replace=True).replaced == 9
    assert [path.name for path in sorted(folder.glob("*.json"))] == ["archive.json"]


def test_the_command(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", str(results), str(tmp_path / "archive")]) == 0
    assert "9 result files added" in capsys.readouterr().out
    assert main(["archive", str(results), str(results)]) == 2
    write_config(tmp_path / "empty")
    assert main(["archive", str(tmp_path / "empty"), str(tmp_path / "none")]) == 2
    assert "no current results" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
