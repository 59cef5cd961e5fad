"""Runs name the code, data and versions that computed them."""

from pathlib import Path

import pandas as pd
import pytest

from hypercut.benchmark.rows import read_rows
from hypercut.errors import InputError
from hypercut.tracking.origin import Origin
from tests.tracking.results import RUNS, outcome, run_sync, runs

pytestmark = pytest.mark.server

ORIGIN = {
    "code": "c0de",
    "data": "da7a",
    "python": "3.11.9",
    "numpy": "2.1.0",
    "scipy": "1.14.0",
    "scikit_learn": "1.5.2",
    "blas": "openblas 0.3.27",
    "cpu": "Some CPU",
    "computed": "2024-05-01T10:00:00+00:00",
}


def write_origin(results: Path, changes: dict[tuple[str, str], dict[str, str]]) -> None:
    """Write the aggregated table with the columns of origin, changed for some settings and algorithms."""
    files = [*results.glob("clusters/*/*/*.parquet"), *results.glob("variations/*/*/*/*.parquet")]
    table = pd.concat([read_rows(path) for path in files], ignore_index=True).assign(**ORIGIN)
    for (setting, algorithm), values in changes.items():
        rows = (table["setting"] == setting) & (table["algorithm"] == algorithm) & (table["repeat"] == 1)
        for column, value in values.items():
            table.loc[rows, column] = value
    table.to_parquet(results / "table.parquet")


def test_runs_name_code_data_and_versions(synced: Path) -> None:
    write_origin(synced, {("noise-L1", "CSC"): {"numpy": "2.2.0"}, ("clean", "STSC"): {"cpu": None}})
    assert outcome(run_sync(synced, figures=False)) == (0, RUNS, 0, 0)
    found = {name: run.data.tags for name, run in runs(synced).items()}
    expected = {"hypercut.code": "c0de", "hypercut.data": "da7a", "scikit-learn": "1.5.2", "data": "real"}
    expected |= {name: ORIGIN[name] for name in ("python", "scipy", "blas", "cpu", "computed")}
    for name, tags in found.items():
        assert (expected if name != "report" else {"numpy": "2.1.0, 2.2.0"}).items() <= tags.items(), name
    for name in ("CSC · noise-L1", "CSC · iris noise"):
        assert found[name]["numpy"] == "2.1.0, 2.2.0"
    for name in ("STSC · noise-L1", "PKO+HSC · sweep weights", "CSC · clean"):
        assert found[name]["numpy"] == "2.1.0"
    assert found["report"]["versions"] == "several versions of numpy: 2.1.0, 2.2.0"


@pytest.mark.parametrize(
    ("column", "replaced"),
    [("code", 3), ("data", 3), ("scikit_learn", 3), ("blas", 3), ("cpu", 0), ("computed", 0)],
)
def test_another_origin_replaces_runs_unless_only_time_or_processor_differ(
    synced: Path, column: str, replaced: int
) -> None:
    write_origin(synced, {})
    run_sync(synced, figures=False)
    assert "versions" not in runs(synced)["report"].data.tags
    write_origin(synced, {("noise-L1", "CSC"): {column: "another"}})
    # The cell, its curve and the report.
    assert outcome(run_sync(synced, figures=False)) == (0, replaced, RUNS - replaced, 0)


def test_many_values_of_one_column_are_abbreviated() -> None:
    values = [f"2024-05-{day:02}" for day in range(1, 31)]
    origin = Origin({"computed": frozenset(values)})
    assert origin.tags == {"computed": "2024-05-01, …, 2024-05-30 (30 values)"}


def test_table_that_is_none(results: Path) -> None:
    (results / "table.parquet").write_text("rubbish")
    with pytest.raises(InputError, match=r"table\.parquet"):
        run_sync(results)
