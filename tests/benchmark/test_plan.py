"""The estimate before a long run."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut.benchmark.plan import OVERCLUSTER, UNKNOWN, Size, core_hours, count_jobs, disk_bytes, measured_costs, plan
from tests import rows as fake
from tests.benchmark.test_design import benchmark


def rows(algorithm: str, constant: float, at_2000: float, sizes=(100, 400, 1600)) -> pd.DataFrame:
    seconds = [constant + at_2000 * (n / 2000) ** 2 for n in sizes]
    return pd.DataFrame({"algorithm": algorithm, "n_samples": sizes, "cpu_seconds": seconds, "shared_seconds": 0.0})


@pytest.mark.parametrize(("constant", "at_2000"), [(0.0, 3.0), (0.5, 1.0), (2.0, 0.0)])
def test_cost_is_recovered_from_past_rows(constant: float, at_2000: float) -> None:
    cost = measured_costs(rows("CSC", constant, at_2000))["CSC"]
    assert (cost.constant, cost.at_2000) == pytest.approx((constant, at_2000), abs=1e-6)
    assert cost.seconds(4000) == pytest.approx(constant + 4 * at_2000)


def test_communities_are_a_cost_of_their_own() -> None:
    past = rows("PKO+HSC", 0.1, 2.0).assign(shared_seconds=0.5)
    assert measured_costs(past)[OVERCLUSTER].seconds(800) == pytest.approx(0.5)


def test_hours_jobs_and_bytes_are_sums() -> None:
    small = benchmark(datasets={"iris": {}}, leave_out=[], repeats=4)
    sizes = {"iris": Size(150, 4)}
    scaled = {name: name != "STSC" and name not in small.config["references"] for name in small.methods}
    twice = core_hours(small, sizes, scaled, dict.fromkeys(small.methods, UNKNOWN))
    assert twice["iris"] > 0
    assert count_jobs(small)["cluster"] == len(small.cells())
    more = benchmark(datasets={"iris": {}}, repeats=8)
    assert disk_bytes(more, sizes, scaled) > disk_bytes(small, sizes, scaled)


def test_the_plan_says_what_it_rests_on(tmp_path: Path) -> None:
    small = benchmark(datasets={"iris": {"subset": 60}}, sweeps={})
    results = tmp_path / "results"
    assert "from 0 clusterings" in plan(results, small)
    fake.write_cell(results, "iris", "clean", "CSC")
    text = plan(results, small)
    assert "from 6 clusterings" in text
    assert "iris 60×4" in text
    assert np.all([word in text for word in ("jobs", "core-hours", "memory", "disk")])
