"""Results of a reference are put back in place if the present code would compute them."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from hypercut.benchmark import staleness
from hypercut.benchmark.archive import archive
from hypercut.benchmark.design import load_benchmark
from hypercut.benchmark.gather import gather
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.restore import restore
from hypercut.benchmark.restored import split_restored
from hypercut.benchmark.rows import METRICS, read_origin, read_rows
from hypercut.benchmark.state import inspect_state
from hypercut.cli import main
from hypercut.errors import InputError
from tests.benchmark.current import write_config, write_features
from tests.rows import change_rows

CSC = "clusters/yaleb/noise-L1/CSC.parquet"


@pytest.fixture
def reference(results: Path, tmp_path: Path) -> Path:
    archive(results, tmp_path / "reference")
    return tmp_path / "reference"


@pytest.fixture
def edited(monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of STSC has been edited."""
    present = staleness._step_code
    monkeypatch.setattr(
        staleness,
        "_step_code",
        lambda step, module=None: "edited" if module == "hypercut.algorithms.stsc" else present(step, module),
    )


def test_restored_results_are_current_and_have_the_same_rows(results: Path, reference: Path, tmp_path: Path) -> None:
    before = gather(results, load_benchmark(results))
    fresh = tmp_path / "fresh"
    outcome = restore(reference, fresh)
    assert (outcome.restored, outcome.kept, outcome.not_restored) == (9, 0, {})
    for name in ("config.json", "features"):
        (shutil.copytree if name == "features" else shutil.copy)(results / name, fresh / name)
    after = gather(fresh, load_benchmark(fresh))
    dropped = ["solver", "traceback"]
    pd.testing.assert_frame_equal(after.drop(columns=dropped), before.drop(columns=dropped), rtol=1e-3)
    pd.testing.assert_frame_equal(after[list(METRICS)], before[list(METRICS)], check_exact=True)
    assert read_origin(fresh / CSC) == read_origin(results / CSC)
    assert read_rows(fresh / CSC, labels=True)["labels"].isna().all()
    assert not inspect_state(fresh, load_benchmark(fresh)).failed()
    # Archiving restored results adds nothing.
    assert archive(fresh, reference).changed is False


def test_results_of_other_code_are_not_restored(reference: Path, tmp_path: Path, edited: None) -> None:
    outcome = restore(reference, tmp_path / "fresh")
    assert outcome.restored == 7
    assert set(outcome.not_restored) == {("yaleb", "clean", "STSC", ""), ("yaleb", "noise-L1", "STSC", "")}
    assert "2 × computed by other code (cluster): yaleb" in str(outcome)
    assert not list(tmp_path.glob("fresh/clusters/*/*/STSC*"))


def test_results_from_other_data_than_those_present_are_not_restored(reference: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    write_config(fresh)
    write_features(fresh, kind="stand-in")
    outcome = restore(reference, fresh)
    assert outcome.restored == 0
    assert "data_kind was real, is stand-in" in str(outcome)


def test_results_computed_here_are_kept_and_stale_ones_replaced(results: Path, reference: Path) -> None:
    change_rows(results / CSC, nmi=0.5)  # current
    change_rows(results / "clusters/yaleb/clean/CSC.parquet", level=0.3)  # stale
    (results / "clusters/yaleb/clean/STSC.parquet").unlink()
    outcome = restore(reference, results)
    assert (outcome.restored, outcome.kept) == (2, 7)
    assert set(read_rows(results / CSC)["nmi"]) == {0.5}
    gather(results, load_benchmark(results))
    # Copies of a reference are replaced by the next.
    assert restore(reference, results).restored == 2


def test_restored_results_are_current_until_code_or_settings_change(
    reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = tmp_path / "fresh"
    restore(reference, fresh)
    layout = Layout(fresh)

    def split(**changes) -> tuple[int, set[str]]:
        current, outdated = split_restored(layout, write_config(fresh, **changes))
        return len(current), {str(path.relative_to(fresh)) for path in outdated}

    assert split() == (9, set())
    assert split(datasets={"yaleb": {"weights": [0.6, 0.2]}, "iris": {}}) == (9, set())
    weighted = {"clusters/yaleb/clean/PKO+HSC.parquet", "clusters/yaleb/noise-L1/PKO+HSC.parquet"}
    weighted |= {"variations/yaleb/clean/neighbors/PKO+HSC.parquet"}
    assert split(datasets={"yaleb": {"weights": [0.5, 0.2]}}) == (6, weighted)
    noisy = {f"clusters/yaleb/noise-L1/{name}.parquet" for name in ("PKO+HSC", "CSC", "STSC", "true labels")}
    assert split(corruptions={"noise": {"levels": {"L1": 0.3}}}) == (5, noisy)
    assert split(time_limit=7)[0] == split(repeats=3)[0] - 1 == 0  # the sweep has repeats of its own
    change_rows(fresh / CSC, labels=[[0, 1] * 15] * 6)  # computed since
    assert split() == (8, set())
    (fresh / "clusters/yaleb/clean/CSC.parquet").unlink()
    assert split() == (7, set())


def test_an_edit_of_the_code_outdates_restored_results(reference: Path, tmp_path: Path, request) -> None:
    fresh = tmp_path / "fresh"
    restore(reference, fresh)
    request.getfixturevalue("edited")
    current, outdated = split_restored(Layout(fresh), write_config(fresh))
    assert len(current) == 7
    assert {path.stem for path in outdated} == {"STSC"}


def test_nothing_is_in_place_until_all_is_written(
    reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hypercut.benchmark import restore as module

    written = []

    def failing(path: Path, *arguments) -> None:
        written.append(path)
        if len(written) == 5:
            raise OSError(28, "No space left on device", str(path))
        path.write_bytes(b"rows")

    monkeypatch.setattr(module, "write_rows", failing)
    with pytest.raises(InputError, match="the disk is full"):
        restore(reference, tmp_path / "fresh")
    assert not [path for path in tmp_path.glob("fresh/**/*") if path.is_file()]


def test_the_command(reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["restore", str(reference), str(tmp_path / "fresh")]) == 0
    assert "9 result files restored, without labels" in capsys.readouterr().out
    assert main(["restore", str(tmp_path), str(tmp_path / "fresh")]) == 2
    (tmp_path / "fresh" / "restored.json").write_text("[]")
    assert main(["restore", str(reference), str(tmp_path / "fresh")]) == 2
    assert "restored.json is damaged" in capsys.readouterr().err
