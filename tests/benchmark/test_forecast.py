"""The forecast of core-seconds: calibrated costs, the factor of this machine, and the correction by past rows."""

from pathlib import Path

import pandas as pd
import pytest

from hypercut.benchmark import forecast as forecasts
from hypercut.benchmark.cost import OVERCLUSTERING, Size
from hypercut.benchmark.forecast import HALF_BELIEVED, Forecast, core_seconds, past_rows
from hypercut.benchmark.staleness import expected_code
from hypercut.benchmark.times import overclustering_seconds
from hypercut.benchmark.work import Part
from tests import rows as fake
from tests.benchmark.costs import COSTS
from tests.benchmark.test_design import benchmark

SMALL, LARGE = Size(100, 4, 3), Size(9000, 4, 3)


def rows(count: int, **given: object) -> pd.DataFrame:
    row = fake.row("iris", "clean", "CSC", 0.5, shared_seconds=0.0, n_samples=100) | given
    return pd.DataFrame([{**row, "cpu": "a processor"}] * count)


def test_a_job_costs_its_parts_and_a_fixed_amount() -> None:
    seconds = Forecast(COSTS).of([Part("CSC", SMALL, 10), Part("STSC", SMALL, 2)])
    assert seconds == pytest.approx((2 + 10 + 6, 2 + 10 / 2 + 6, 2 + 10 * 2 + 6))
    assert Forecast(COSTS, factor=3.0).of([Part("CSC", SMALL, 10)]).expected == pytest.approx(3 * 12)


def test_past_rows_correct_the_cost_of_their_algorithm_and_narrow_its_range() -> None:
    corrected = Forecast(COSTS).corrected(rows(HALF_BELIEVED, cpu_seconds=4.0))
    seconds = corrected.of([Part("CSC", SMALL, 10)])
    # Half believed: the geometric mean of 1 s and 4 s, and the root of the factor 2 of the range.
    assert seconds == pytest.approx((2 + 20, 2 + 20 / 2**0.5, 2 + 20 * 2**0.5))
    assert corrected.of([Part("STSC", SMALL, 10)]) == Forecast(COSTS).of([Part("STSC", SMALL, 10)])
    many = Forecast(COSTS).corrected(rows(1000 * HALF_BELIEVED, cpu_seconds=4.0))
    assert many.of([Part("CSC", SMALL, 10)]).expected == pytest.approx(2 + 40, rel=0.01)


def test_past_rows_of_a_small_dataset_say_nothing_about_a_large_one() -> None:
    corrected = Forecast(COSTS).corrected(rows(100, cpu_seconds=4.0))
    assert corrected.of([Part("CSC", LARGE, 10)]).expected == pytest.approx(12, rel=1e-3)


def test_without_past_rows_nothing_is_corrected() -> None:
    empty = Forecast(COSTS).corrected(past_rows(Path("nowhere"), benchmark()))
    assert empty.past == {}


def test_overclusterings_are_rows_of_their_own() -> None:
    """Of their wall time, as much was computing as of the clustering that used them."""
    found = core_seconds(rows(1, cpu_seconds=1.0, wall_seconds=2.0, shared_seconds=6.0))
    assert list(zip(found["algorithm"], found["seconds"], strict=True)) == [("CSC", 1.0), (OVERCLUSTERING, 3.0)]


def test_overclusterings_of_each_size_have_their_own_share_of_processor_time() -> None:
    """Large datasets have several threads, and the machine was not equally busy with other jobs all the time."""
    small = rows(1, cpu_seconds=1.0, wall_seconds=2.0, shared_seconds=6.0)
    large = rows(1, cpu_seconds=9.0, wall_seconds=6.0, shared_seconds=6.0, n_samples=9000)
    unused = rows(1, cpu_seconds=1.0, wall_seconds=1.0)
    assert overclustering_seconds(pd.concat([small, large, unused], ignore_index=True)).tolist() == [3.0, 9.0, 0.0]


def test_only_rows_of_the_present_code_and_processor_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = benchmark()
    fake.write_cell(tmp_path, "iris", "clean", "CSC")
    fake.write_cell(tmp_path, "iris", "clean", "No algorithm of this benchmark")
    (tmp_path / "clusters" / "iris" / "clean" / "STSC.parquet").write_text("damaged")
    monkeypatch.setattr(forecasts, "cpu", lambda: "a processor")
    assert len(past_rows(tmp_path, given)) == 0
    monkeypatch.setattr(forecasts, "expected_code", lambda *_: dict(fake.ORIGIN.code))
    assert set(past_rows(tmp_path, given)["algorithm"]) == {"CSC"}
    monkeypatch.setattr(forecasts, "cpu", lambda: "another processor")
    assert len(past_rows(tmp_path, given)) == 0
    assert "cluster" in expected_code(given, "CSC")
