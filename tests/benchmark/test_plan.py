"""The plan of a benchmark: sums over its jobs, for a configuration small enough to add up by hand."""

import re
from pathlib import Path

import numpy as np
import pytest

from hypercut.benchmark import plan as plans
from hypercut.benchmark.code import step_code
from hypercut.benchmark.cost import Size
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.forecast import Forecast, Seconds
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.plan import Job, disk_bytes, plan, planned_jobs, wall_time, with_own_methods
from hypercut.benchmark.problems import make_problem, save_problem
from hypercut.benchmark.provenance import Origin
from hypercut.benchmark.variations import Group
from hypercut.data.features.file import Features
from tests import rows as fake
from tests.benchmark.costs import COSTS
from tests.benchmark.test_design import FULL, benchmark

METHODS = ("CSC", "STSC")
SIZES = {"iris": Size(150, 4, 3)}
FORECAST = Forecast(COSTS)


def small_benchmark(**changes: object) -> Benchmark:
    """One clean dataset, two algorithms, 3 scales, 5 repeats; a sweep of two values with 2 repeats."""
    given = {
        "datasets": {"iris": {"corruptions": []}},
        "leave_out": [name for name in benchmark().methods if name not in (*METHODS, *FULL["references"])],
        "references": [],
        "sigma_factors": [1, 2, 3],
        "repeats": 5,
        "sweeps": {"repeats": 2, "neighbors": [1, 2]},
        "readings": {},
    }
    return benchmark(**given | changes)


def test_the_jobs_and_their_core_seconds(tmp_path: Path) -> None:
    jobs = list(planned_jobs(tmp_path, small_benchmark(), SIZES, FORECAST))
    assert [(job.step, job.seconds.expected) for job in jobs] == [
        ("corrupt", 2.0),
        ("overcluster", pytest.approx(2 + 0.25 + 15 * 4 * 0.3)),
        ("cluster", 2 + 0.25 + 15 * (1 + 0.5)),
        ("cluster", 2 + 5 * 3),
        ("vary", 2 + 0.25 + 12 * (1 + 0.5)),
    ]
    assert not any(job.done for job in jobs)


def test_a_reading_that_changes_the_data_has_a_problem_and_over_clusterings_of_its_own(tmp_path: Path) -> None:
    left_out = [name for name in benchmark().methods if name not in ("PK+HSC", "PKO+NC", *FULL["references"])]
    given = small_benchmark(
        leave_out=left_out,
        sweeps={},
        readings={
            "names": ["features-unit", "balance-degree", "noise-uniform"],
            "repeats": 2,
            "pairs": ["iris"],
            "nearest": "balance-degree",
        },
    )
    jobs = list(planned_jobs(tmp_path, given, SIZES, FORECAST))
    each = {name: FORECAST.each(name, SIZES["iris"]) + 0.5 for name in ("PK+HSC", "PKO+NC")}
    assert [(job.step, job.group, job.seconds.expected) for job in jobs if job.group != Group.CELLS] == [
        ("corrupt", "readings", 2.0),
        ("overcluster", "readings", pytest.approx(2 + 0.25 + 6 * 4 * 0.3)),
        *(("vary", "readings", pytest.approx(2 + 0.25 + 6 * each[name])) for name in ("PK+HSC", "PKO+NC")),
        *(("vary", "nearest reading", pytest.approx(2 + 0.25 + 15 * each[name])) for name in ("PK+HSC", "PKO+NC")),
        *(("vary", "pairs", pytest.approx(2 + 0.25 + 6 * each[name])) for name in ("PK+HSC", "PKO+NC")),
    ]
    text = plan(tmp_path, given, cores=1, forecast=FORECAST)
    assert re.search(r"^readings +4  0\.0", text, flags=re.MULTILINE)
    assert re.search(r"^pairs +2  0\.0", text, flags=re.MULTILINE)
    assert re.search(r"^nearest reading +2  0\.0", text, flags=re.MULTILINE)


def test_results_that_are_current_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.write_cell(tmp_path, "iris", "clean", "CSC")  # of other code
    assert not any(job.done for job in planned_jobs(tmp_path, small_benchmark(), SIZES, FORECAST))
    monkeypatch.setattr("hypercut.benchmark.staleness._inspect_file", _without_comparison)
    done = [job.done for job in planned_jobs(tmp_path, small_benchmark(), SIZES, FORECAST)]
    assert done == [False, False, True, False, False]
    text = plan(tmp_path, small_benchmark(), cores=1, forecast=FORECAST)
    assert "jobs         4: 1 corrupt, 1 overcluster, 1 cluster, 1 vary" in text
    assert "done         1 jobs of 0.01 core-hours" in text


def test_restored_results_need_no_problems_and_over_clusterings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hypercut.benchmark.staleness._inspect_file", _without_comparison)
    benchmark, layout = small_benchmark(), Layout(tmp_path)
    for variation in benchmark.results():
        layout.of(variation).parent.mkdir(parents=True, exist_ok=True)
        layout.of(variation).touch()
    assert all(job.done for job in planned_jobs(tmp_path, benchmark, SIZES, FORECAST))
    layout.cell("iris", "clean", "CSC").unlink()  # needs the problem, but no over-clustering
    open_jobs = [job.step for job in planned_jobs(tmp_path, benchmark, SIZES, FORECAST) if not job.done]
    assert open_jobs == ["corrupt", "cluster"]


def test_files_between_steps_are_done_if_the_present_code_computed_them(tmp_path: Path) -> None:
    features = Features(np.zeros((4, 2)), np.array([0, 0, 1, 1]), {"kind": "own"})
    problem = make_problem("iris", features, setting="clean", level=0.0, draws=1)
    path = Layout(tmp_path).problem("iris", "clean")
    for code, done in (({"corrupt": "other"}, False), ({"corrupt": step_code("corrupt")}, True)):
        save_problem(path, problem, Origin(code=code, data=""))
        jobs = list(planned_jobs(tmp_path, small_benchmark(), SIZES, FORECAST))
        assert [job.done for job in jobs] == [done, False, False, False, False]
    path.write_text("damaged")
    assert not any(job.done for job in planned_jobs(tmp_path, small_benchmark(), SIZES, FORECAST))


def _without_comparison(layout, benchmark, variation, data, stale):  # type: ignore[no-untyped-def]
    from hypercut.benchmark.staleness import ResultFile

    path = layout.of(variation)
    return ResultFile(variation, path, fake.table() if path.exists() else None)


def test_wall_time_is_shared_by_the_cores_but_not_shorter_than_the_longest_job() -> None:
    def job(seconds: float, threads: int = 1) -> Job:
        return Job("cluster", Group.CELLS, "iris", threads, Seconds(seconds, seconds / 2, seconds * 2), done=False)

    assert wall_time([job(4), job(4), job(4)], cores=2) == (6, 3, 12)
    assert wall_time([job(4), job(20)], cores=4) == (20, 10, 40)
    assert wall_time([job(4), job(20, threads=2)], cores=4) == (10, 5, 20)
    assert wall_time([job(20, threads=2)], cores=1) == (20, 10, 40)
    assert wall_time([], cores=2) == (0, 0, 0)


def test_disk() -> None:
    draws = 4 * 150 * 4  # the clean samples once, in single precision
    labelings = 5 * (2 * 3 + 3 + 1)  # two over-clusterings and CSC at each scale, STSC once per repeat
    labelings += 2 * 3 * 2  # the sweep: two repeats, three scales, two values
    assert disk_bytes(small_benchmark(), SIZES, COSTS) == draws + 150 * labelings


def test_the_text(tmp_path: Path) -> None:
    seconds = 2 + (2 + 0.25 + 18) + (2 + 0.25 + 22.5) + 17 + (2 + 0.25 + 18)
    spread = 15 * 1.0  # the factor 2 of CSC: half as much, or twice
    low, high = (seconds - spread / 2) / 3600, (seconds + spread) / 3600
    lines = plan(tmp_path, small_benchmark(), cores=2, forecast=FORECAST).splitlines()
    hours = f"{seconds / 3600:.2f} ({low:.2f} to {high:.2f})"
    assert lines[1].split() == ["iris", "150", "4", "3", "5", *hours.split(), "0%"]
    assert "jobs         5: 1 corrupt, 1 overcluster, 2 cluster, 1 vary" in lines
    assert f"core-hours   {hours}" in lines
    half = f"{seconds / 7200:.2f} ({low / 2:.2f} to {high / 2:.2f})"
    assert f"wall time    {half} hours on 2 cores" in lines
    assert lines[-1].startswith("and corrected by 0 clusterings of past runs")


def test_a_plan_of_own_data_and_own_methods_works_before_anything_is_computed(tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text("a,b,label\n" + "1,0,x\n2,0,y\n" * 20)
    (tmp_path / "mine.py").write_text(
        "from sklearn.cluster import KMeans\n\n\nclass Mine(KMeans):\n    name = 'Mine'\n"
    )
    given = small_benchmark(
        datasets={"mine": {"path": str(tmp_path / "my.csv"), "label_column": "label", "corruptions": []}},
        algorithms={"Mine": {"module": str(tmp_path / "mine.py")}},
    )
    assert with_own_methods(FORECAST, given).costs.of("Mine").scaled is False
    text = plan(tmp_path / "results", given, cores=1, forecast=FORECAST)
    assert text.splitlines()[1].split()[:4] == ["mine", "40", "2", "2"]
    assert "Not calibrated, assumed to cost as much as PKO+HSC: Mine." in text


def test_past_runs_of_all_presets_count(tmp_path: Path) -> None:
    assert plans._past_root(tmp_path / "results" / "quick") == tmp_path / "results"
    assert plans._past_root(tmp_path / "results") == tmp_path / "results"
