"""A reference holds the rows of finished results, grows, is small, and never mixes code, data or settings."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut.benchmark.archive import archive
from hypercut.benchmark.design import load_benchmark
from hypercut.benchmark.gather import gather
from hypercut.benchmark.provenance import COLUMNS
from hypercut.benchmark.reference import LEFT_OUT, read_reference
from hypercut.benchmark.rows import METRICS, read_origin, read_rows, write_rows
from hypercut.cli import main
from hypercut.errors import InputError
from tests.benchmark.current import write_benchmark, write_config, write_features
from tests.rows import change_rows

CSC = "clusters/yaleb/noise-L1/CSC.parquet"


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    return tmp_path / "reference"


def other_code(path: Path, step: str = "cluster") -> None:
    """Record another code of a result file."""
    rows = read_rows(path, labels=True).drop(columns=list(COLUMNS)).replace({np.nan: None}).to_dict("records")
    origin = read_origin(path)
    write_rows(path, rows, replace(origin, code={**origin.code, step: "0ther"}))


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_table_of_a_reference_is_the_gathered_table(results: Path, reference: Path) -> None:
    outcome = archive(results, reference)
    assert (outcome.added, outcome.missing) == (9, 0)
    gathered = gather(results, load_benchmark(results))
    archived = read_reference(reference).table()
    assert list(archived) == list(gathered)
    dropped = [name for name in LEFT_OUT if name != "labels"]
    pd.testing.assert_frame_equal(
        archived.drop(columns=dropped), gathered.drop(columns=dropped), check_dtype=False, rtol=1e-3
    )
    exact = [*METRICS, "neighbor_information", "sigma", "sigma_factor"]
    pd.testing.assert_frame_equal(archived[exact], gathered[exact], check_exact=True)


def test_a_reference_names_no_folder_of_the_machine(results: Path, reference: Path) -> None:
    write_features(results, source=f"mirror {results}")
    archive(results, reference)
    assert str(results.parent) not in (reference / "reference.json").read_text()


def test_archiving_again_changes_nothing(results: Path, reference: Path) -> None:
    archive(results, reference)
    before = content(reference)
    outcome = archive(results, reference)
    assert (outcome.added, outcome.equal, outcome.changed) == (0, 9, False)
    assert content(reference) == before


def test_parts_of_two_machines_give_the_same_rows_as_the_whole(results: Path, reference: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(results, other)
    for path in results.glob("clusters/*/clean/*"):
        path.unlink()
    for path in [*other.glob("clusters/*/noise-L1/*"), *other.glob("variations/*/*/*/*")]:
        path.unlink()
    first = archive(results, reference)
    assert (first.added, first.missing) == (5, 4)
    assert ("yaleb", "clean", "CSC", "") in read_reference(reference).missing
    second = archive(other, reference)
    assert (second.added, second.equal, second.missing) == (4, 0, 0)
    write_benchmark(tmp_path / "whole")
    archive(tmp_path / "whole", tmp_path / "at once")
    parts, whole = read_reference(reference), read_reference(tmp_path / "at once")
    pd.testing.assert_frame_equal(parts.rows, whole.rows)
    assert [part["results"] for part in parts.contributions] == [5, 4]
    expected = parts.describe()["expected"]
    assert len(expected["cells"]) == 8
    assert expected["variations"] == [["yaleb", "clean", "neighbors", "PKO+HSC"]]


def test_the_same_result_from_two_machines_is_equal_if_only_time_and_processor_differ(
    results: Path, reference: Path
) -> None:
    archive(results, reference)
    before = content(reference)
    path = results / CSC
    rows = read_rows(path, labels=True).drop(columns=list(COLUMNS)).assign(wall_seconds=9.0, peak_bytes=1 << 30)
    origin = read_origin(path)
    other = replace(origin, environment={**origin.environment, "cpu": "another"}, computed="2026-02-03T00:00:00+00:00")
    write_rows(path, rows.replace({np.nan: None}).to_dict("records"), other)
    assert archive(results, reference).equal == 9
    assert content(reference) == before


def test_a_conflicting_result_is_refused_or_replaces_the_archived_one(results: Path, reference: Path) -> None:
    archive(results, reference)
    change_rows(results / CSC, nmi=0.5)
    before = content(reference)
    with pytest.raises(InputError, match="1 results conflict with archived ones") as error:
        archive(results, reference)
    assert "yaleb · noise-L1 · CSC: other rows (scores differ by up to 0." in str(error.value)
    assert content(reference) == before
    assert archive(results, reference, replace=True).replaced == 1
    table = read_reference(reference).table()
    chosen = (table["setting"] == "noise-L1") & (table["algorithm"] == "CSC")
    assert set(table.loc[chosen, "nmi"]) == {0.5}


def test_stale_results_are_refused(results: Path, reference: Path) -> None:
    other_code(results / CSC)
    with pytest.raises(InputError, match="1 of 9 results are stale") as error:
        archive(results, reference)
    assert "CSC.parquet: computed by other code (cluster)" in str(error.value)
    assert not reference.exists()


def test_archived_results_of_other_code_are_refused_or_dropped(
    results: Path, reference: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(results, reference)
    for setting in ("clean", "noise-L1"):
        (results / f"clusters/yaleb/{setting}/STSC.parquet").unlink()
    from hypercut.benchmark import staleness

    present = staleness._step_code
    edited = "hypercut.algorithms.stsc"
    monkeypatch.setattr(
        staleness, "_step_code", lambda step, module=None: "edited" if module == edited else present(step, module)
    )
    with pytest.raises(InputError, match="2 archived results are of other code, data or settings") as error:
        archive(results, reference)
    assert "yaleb · clean · STSC: computed by other code (cluster)" in str(error.value)
    outcome = archive(results, reference, replace=True)
    assert (outcome.dropped, outcome.missing) == (2, 2)
    assert "STSC" not in set(read_reference(reference).rows["algorithm"])


def test_results_from_other_data_are_refused(results: Path, reference: Path) -> None:
    archive(results, reference)
    shutil.rmtree(results / "features")
    path = results / CSC
    rows = read_rows(path, labels=True).drop(columns=list(COLUMNS)).replace({np.nan: None}).to_dict("records")
    write_rows(path, rows, replace(read_origin(path), data="0ther"))
    with pytest.raises(InputError, match="computed from other data than the other results of yaleb"):
        archive(results, reference)


def test_results_need_a_description_of_their_data(results: Path, reference: Path) -> None:
    shutil.rmtree(results / "features")
    with pytest.raises(InputError, match="The features of yaleb are missing"):
        archive(results, reference)


def test_other_settings_are_refused_and_a_larger_benchmark_is_not(results: Path, reference: Path) -> None:
    archive(results, reference)
    for path in [*results.glob("clusters/*/*/*"), *results.glob("variations/*/*/*/*")]:
        if path != results / CSC:
            path.unlink()
    write_config(results, corruptions={"noise": {"levels": {"L1": 0.2, "L2": 0.4}}})
    outcome = archive(results, reference)
    assert (outcome.added, outcome.equal, outcome.missing) == (0, 1, 4)
    assert ("yaleb", "noise-L2", "CSC", "") in read_reference(reference).missing
    # A part of the archived benchmark.
    write_config(results)
    archive(results, reference)
    assert "noise-L2" in {key[1] for key in read_reference(reference).missing}
    # Unless the smaller benchmark is wanted.
    archive(results, reference, replace=True)
    assert not read_reference(reference).missing


def test_results_with_other_settings_are_refused(results: Path, reference: Path) -> None:
    archive(results, reference)
    write_benchmark(results, time_limit=60)
    for path in results.glob("clusters/*/clean/*"):
        path.unlink()
    with pytest.raises(InputError, match="5 results conflict with archived ones and 4 archived results are of other"):
        archive(results, reference)
    outcome = archive(results, reference, replace=True)
    assert (outcome.replaced, outcome.dropped, outcome.missing) == (5, 4, 4)
    assert read_reference(reference).config["time_limit"] == 60


def test_a_damaged_or_later_reference_is_refused(results: Path, reference: Path) -> None:
    with pytest.raises(InputError, match="is not a reference"):
        read_reference(reference)
    archive(results, reference)
    path = reference / "reference.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(InputError, match="later version of hypercut"):
        archive(results, reference)
    path.write_text("{")
    with pytest.raises(InputError, match="is damaged"):
        read_reference(reference)


def test_the_command(results: Path, reference: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", str(results), str(reference)]) == 0
    assert "9 result files added" in capsys.readouterr().out
    (results / CSC).unlink()
    other_code(results / "clusters/yaleb/clean/CSC.parquet")
    assert main(["archive", str(results), str(reference)]) == 2
    assert "stale" in capsys.readouterr().err
