"""The command that measures costs: benchmarks/calibrate.py."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from hypercut.benchmark.cost import DISTANCES, OVERCLUSTERING, SCORES, Cost, Size, read_costs
from hypercut.benchmark.forecast import Forecast
from hypercut.benchmark.layout import Layout
from tests import rows as fake
from tests.benchmark.costs import COSTS

SIZES = [Size(n, f, k) for n in (200, 1000, 5000) for f in (4, 100) for k in (3, 40)]


@pytest.fixture(scope="module")
def calibrate() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "calibrate.py"
    spec = importlib.util.spec_from_file_location("calibrate", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["calibrate"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "true",
    [
        Cost(0.01, 0.2, 2.1, 0.3, 0.8, spread=1.0, scaled=True),
        Cost(0.05, 1.0, 1.2, 1.0, 0.1, spread=1.0, scaled=True),
    ],
)
def test_exponents_are_recovered(calibrate: ModuleType, true: Cost) -> None:
    fitted = calibrate.fit(SIZES, [true.seconds(size) for size in SIZES], scaled=True, features=True, clusters=True)
    found = (fitted.samples, fitted.features, fitted.clusters)
    assert found == pytest.approx((true.samples, true.features, true.clusters), abs=0.02)
    assert fitted.seconds(Size(9298, 256, 10)) == pytest.approx(true.seconds(Size(9298, 256, 10)), rel=0.05)
    assert fitted.spread == pytest.approx(1.0, abs=0.02)


def test_the_scatter_of_measurements_is_the_spread(calibrate: ModuleType) -> None:
    true = Cost(0.01, 0.2, 2.0, 0.0, 0.8, spread=1.0, scaled=True)
    factors = 1.5 ** np.random.default_rng(0).choice([-1, 1], len(SIZES))
    seconds = [true.seconds(size) * factor for size, factor in zip(SIZES, factors, strict=True)]
    fitted = calibrate.fit(SIZES, seconds, scaled=True, features=False, clusters=True)
    assert 1.3 < fitted.spread < 1.9
    assert fitted.features == 0


def test_a_calibration_on_the_smallest_dataset_writes_a_file_that_can_be_read(
    calibrate: ModuleType, tmp_path: Path
) -> None:
    table = calibrate.measure(calibrate.SETS[:1], ["CSC", "true labels"], cores=1)
    reference = table["name"] == calibrate.REFERENCE
    assert (table.loc[reference, "seconds"] > 0).all()
    table = table[~reference]
    calibrate.write_costs(tmp_path / "costs.toml", calibrate.fitted_costs(table), reference=0.5, job=2.25)
    costs = read_costs(tmp_path / "costs.toml")
    assert (costs.reference_seconds, costs.job_seconds) == (0.5, 2.25)
    assert set(costs.by_name) == {OVERCLUSTERING, DISTANCES, SCORES, "CSC", "true labels"}
    assert (costs.of("CSC").scaled, costs.of("true labels").scaled) == (True, False)
    assert costs.of("CSC").seconds(Size(150, 4, 3)) > 0


def test_datasets_have_the_size_that_their_entry_says(calibrate: ModuleType) -> None:
    for name, size in [entry for entry in calibrate.SETS if entry[1].samples <= 1000]:
        X, y = calibrate.samples_of(name, size)
        assert Size(*X.shape, len(np.unique(y))) == size, name


def test_forecast_and_measurement_are_compared_for_the_rows_that_are_there(
    calibrate: ModuleType, tmp_path: Path
) -> None:
    for algorithm in ("PKO+HSC", "CSC"):
        path = fake.write_cell(tmp_path, "iris", "clean", algorithm)
        fake.change_rows(path, cpu_seconds=2.0, wall_seconds=2.0, shared_seconds=0.6, n_clusters=10)
    parameters = {"communities_per_cluster": 4}
    rows = fake.cell_rows("iris", "clean", "PKO+HSC", variation="communities", parameters=parameters)
    fake.write_rows(Layout(tmp_path).variation("iris", "clean", "communities", "PKO+HSC"), rows, fake.ORIGIN)
    checked = calibrate.check(tmp_path, Forecast(COSTS))
    table = calibrate.comparison(checked, "algorithm") * 3600
    # Two repeats at three scales; the over-clusterings of both algorithms are the same.
    assert (checked["algorithm"].value_counts()[["CSC", "PKO+HSC", OVERCLUSTERING]] == [6, 12, 6]).all()
    assert table.loc["CSC", ["forecast", "measured"]].tolist() == pytest.approx([6 * 1.0, 6 * 2.0], abs=2)
    assert checked.groupby("algorithm")["seconds"].sum()[OVERCLUSTERING] == pytest.approx(6 * 0.6)
    sweep = checked[checked["variation"] == "communities"]
    assert sweep["forecast"].tolist() == pytest.approx([1 + 4 * 0.6] * 6)  # communities of 6 instead of 3 clusters
