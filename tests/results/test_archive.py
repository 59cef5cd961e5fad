"""An archive holds the rows of finished results, grows, is small, and never mixes code, data or settings."""

import fcntl
import json
import shutil
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from hypercut.benchmark import code
from hypercut.benchmark.archived import digest, read_index
from hypercut.benchmark.design import Benchmark, load_benchmark
from hypercut.cli import main
from hypercut.errors import InputError
from hypercut.files import write_json
from hypercut.results import archive as module
from hypercut.results.archive import ARCHIVE_SCHEMA, LEFT_OUT, read_archive
from hypercut.results.compare import EQUAL_ROWS, compare, read_side
from hypercut.results.gather import gather, inspect
from hypercut.results.rows import METRICS, Origin, read_result, write_rows
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
    assert (again["added"], again["archived already"]) == (0, 9)


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
    assert outcome == {"added": 0, "archived already": 9, "replaced": 0, "dropped": 0, "missing": 0}
    assert content(folder) == before


def test_parts_of_two_machines_give_the_same_rows_as_the_whole(results: Path, folder: Path, tmp_path: Path) -> None:
    other, both = tmp_path / "other", tmp_path / "both"
    shutil.copytree(results, other)
    for path in results.glob("clusters/*/clean/*.parquet"):
        path.unlink()
    for path in [*other.glob("clusters/*/noise-L1/*"), *other.glob("clusters/*/clean/*/*")]:
        path.unlink()
    first = archive_results(results, both)
    assert (first["added"], first["missing"]) == (5, 4)
    assert "yaleb/clean/CSC" in read_archive(both).missing
    second = archive_results(other, both)
    assert (second["added"], second["archived already"], second["missing"]) == (4, 0, 0)
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
    assert (outcome["replaced"], outcome["dropped"], outcome["missing"]) == (1, 1, 1)
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
    assert (outcome["added"], outcome["archived already"], outcome["missing"]) == (0, 1, 4)
    write_result(results, load_benchmark(results), "yaleb/noise-L2/CSC")
    assert archive_results(results, folder)["missing"] == 3
    assert "yaleb/noise-L2/STSC" in read_archive(folder).missing
    # A part of the archived benchmark.
    write_config(results)
    archive_results(results, folder)
    assert "yaleb/noise-L2/STSC" in read_archive(folder).missing
    # Unless the smaller benchmark is wanted.
    archive_results(results, folder, replace=True)
    assert not read_archive(folder).missing


def test_a_folder_that_is_no_archive_is_refused(results: Path, tmp_path: Path) -> None:
    for name in ("thesis.tex", "rows/iris.parquet", "rows/mine.parquet"):
        mine = tmp_path / name.replace("/", "-") / name
        mine.parent.mkdir(parents=True)
        mine.write_text("mine")
        with pytest.raises(InputError, match="neither an archive nor an empty folder"):
            archive_results(results, tmp_path / name.replace("/", "-"), replace=True)
        assert mine.read_text() == "mine"
    with pytest.raises(InputError, match="a file where a folder should be"):
        archive_results(results, mine)
    (tmp_path / "empty").mkdir()
    assert archive_results(results, tmp_path / "empty")["added"] == 9


def test_two_that_archive_into_one_folder_wait_for_each_other(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one starts while the first one writes; the results of both are archived."""
    other = tmp_path / "other"
    shutil.copytree(results, other)
    for path in results.glob("clusters/*/clean/**/*.parquet"):
        path.unlink()
    write, lock, waits, second = module._write, fcntl.flock, Event(), []

    def lock_and_tell(*arguments) -> None:
        if second:
            waits.set()
        lock(*arguments)

    def write_beside_another(*arguments) -> None:
        if not second:
            second.append(Thread(target=archive_results, args=(other, tmp_path / "both")))
            second[0].start()
            assert waits.wait(timeout=60)
        write(*arguments)

    monkeypatch.setattr(module, "_write", write_beside_another)
    monkeypatch.setattr(fcntl, "flock", lock_and_tell)
    archive_results(results, tmp_path / "both")
    second[0].join()
    assert not read_archive(tmp_path / "both").missing


def rewrite_index(folder: Path, **changes) -> None:
    """Write an index with other content and the checksums of its files, as someone who knows the format could."""
    index = read_index(folder)
    index |= {"files": module._checksums(folder), **changes}
    write_json(folder / "archive.json", {**index, "sha256": digest(index)})


def change_archived(folder: Path, name: str = "yaleb", **values) -> None:
    """Write the rows of an archive with other values, and its index accordingly."""
    path = folder / "rows" / "yaleb.parquet"
    table = pq.read_table(path)
    rows = table.to_pandas().assign(**values)
    path.unlink()
    path = path.with_name(f"{name}.parquet")
    pq.write_table(pa.Table.from_pandas(rows, schema=table.schema, preserve_index=False), path)
    rewrite_index(folder)


def test_a_damaged_or_later_archive_is_refused(results: Path, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not an archive"):
        read_archive(tmp_path / "results")
    path = folder / "archive.json"
    whole = path.read_text()
    for text in ("{", "[]", "7", "{}", '{"format": "2"}', whole.replace('"weights"', '"height"'), "[" * 100000):
        path.write_text(text)
        with pytest.raises(InputError, match="is damaged"):
            read_archive(folder)
    path.write_text(json.dumps(json.loads(whole) | {"format": 99}))
    with pytest.raises(InputError, match="later version of hypercut"):
        archive_results(results, folder)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"nmi": 7.0}, "nmi is 7.0"),
        ({"ari": -3.0}, "ari is -3.0"),
        ({"status": "banana"}, "'banana' is not a status"),
        ({"status": "timeout"}, "in a row of status timeout"),
        ({"neighbor_information": np.inf}, "is infinite"),
        ({"repeat": 0}, "has a row twice"),
        ({"algorithm": "CSC"}, "has a row twice"),
        ({"algorithm": "../../../EVIL"}, "is not a name"),
        ({"dataset": "../../../EVIL"}, "rows of another dataset"),
        ({"name": ".."}, "rows of another dataset"),
    ],
)
def test_impossible_rows_are_refused(folder: Path, changes: dict, reason: str) -> None:
    """Though all checksums are right."""
    change_archived(folder, **changes)
    with pytest.raises(InputError, match=reason):
        read_archive(folder)


def test_each_result_has_exactly_the_rows_of_its_recipe(results: Path, folder: Path) -> None:
    path = results / CSC
    rows, origin = read_result(path, labels=True)
    more = rows[rows["repeat"] == 1].assign(repeat=2)
    for changed in (rows[1:], rows[rows["repeat"] == 0], rows[rows["sigma_factor"] < 0.5], pd.concat([rows, more])):
        write_rows(path, changed.replace({np.nan: None}).to_dict("records"), origin)
        with pytest.raises(InputError, match="does not have the repeats, σ and parameters"):
            read_result(path)
    archived = folder / "rows" / "yaleb.parquet"
    table = pq.read_table(archived)
    pq.write_table(table.filter(pc.field("repeat") == 0), archived)
    rewrite_index(folder)
    with pytest.raises(InputError, match="does not have the repeats"):
        read_archive(folder)
    pq.write_table(table.filter(pc.field("algorithm") != "CSC"), archived)
    rewrite_index(folder)
    with pytest.raises(InputError, match="other results than its rows"):
        read_archive(folder)


def test_files_that_were_changed_added_or_removed_are_named(folder: Path) -> None:
    archived = folder / "rows" / "yaleb.parquet"
    copy = archived.with_name("yaleb copy.parquet")
    shutil.copy(archived, copy)
    with pytest.raises(InputError, match=r"changed, missing or added: rows/yaleb copy\.parquet"):
        read_archive(folder)
    rewrite_index(folder)
    with pytest.raises(InputError, match=r"yaleb copy\.parquet has rows of another dataset"):
        read_archive(folder)
    archived.write_bytes(archived.read_bytes()[:-1])
    copy.unlink()
    with pytest.raises(InputError, match=r"yaleb\.parquet"):
        read_archive(folder)


def test_the_configuration_of_an_archive_fits_the_schema(folder: Path) -> None:
    config = read_index(folder)["config"]
    entry = {"../../../EVIL": config["datasets"]["yaleb"]}
    for changes in ({"datasets": config["datasets"] | entry}, {"repeats": "many"}):
        rewrite_index(folder, config={**config, **changes})
        with pytest.raises(InputError, match="The configuration is invalid"):
            read_archive(folder)


def test_a_column_of_lists_is_an_error(results: Path, folder: Path) -> None:
    for path in (results / CSC, folder / "rows" / "yaleb.parquet"):
        table = pq.read_table(path)
        lists = pa.array([[value] for value in table["nmi"].to_pylist()])
        changed = table.set_column(table.column_names.index("nmi"), "nmi", lists)
        pq.write_table(changed, path)
    rewrite_index(folder)
    with pytest.raises(InputError, match="is damaged"):
        read_result(results / CSC)
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
    for name in ("recipes", "files", "sha256"):
        del index[name]
    index["config"]["references"] = index["config"].pop("baselines")
    index["config"]["datasets"]["usps465"] = index["config"]["datasets"]["yaleb"]
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
    assert Benchmark(old.config).resampled_size("usps465") == 465
    assert old.describe()["expected"]["variations"] == [["yaleb", "clean", "neighbors", "PKO+HSC"]]
    found = compare(read_side(folder), read_side(results))
    assert found.count(EQUAL_ROWS) == 10
    assert len(list(found.origins())) == 1
    # Its results have no recipe, so none is taken from it.
    assert not inspect_state(results, write_config(results, archive=str(folder))).stale()
    with pytest.raises(InputError, match="9 results have other code, data or settings"):
        archive_results(results, folder)
    assert archive_results(results, folder, replace=True)["replaced"] == 9
    assert [path.name for path in sorted(folder.glob("*.json"))] == ["archive.json"]


def test_the_command(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", str(results), str(tmp_path / "archive")]) == 0
    assert "9 added" in capsys.readouterr().out
    assert main(["archive", str(results), str(results)]) == 2
    write_config(tmp_path / "empty")
    assert main(["archive", str(tmp_path / "empty"), str(tmp_path / "none")]) == 2
    assert "no current results" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
