"""Stale results are found, reported, discarded, and not used."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from hypercut.benchmark.design import load_benchmark
from hypercut.cli import main
from hypercut.errors import InputError
from hypercut.results.gather import gather, gather_current, inspect
from hypercut.results.record import describe_rows, describe_run
from hypercut.results.rows import METRICS, read_result
from hypercut.results.state import State, inspect_state
from tests.results.current import write_benchmark, write_config, write_result
from tests.rows import change_rows

CSC = "clusters/yaleb/noise-L1/CSC.parquet"


def stale(results: Path) -> dict[str, str]:
    """Return the stale results of a folder, with the reasons."""
    found = inspect(results, load_benchmark(results))
    return {file.variation.key.removeprefix("yaleb/"): file.stale for file in found if file.stale}


def state_of(results: Path) -> State:
    return inspect_state(results, load_benchmark(results))


def change_recipe(path: Path, step: str, **values) -> None:
    """Record that a result was computed with other values in a step of its recipe."""
    _, origin = read_result(path)
    recipe = origin["recipe"]
    change_rows(path, {**origin, "recipe": {**recipe, step: {**recipe[step], **values}}})


@pytest.mark.parametrize(
    ("status", "limit", "why"), [("timeout", 1, "time_limit was 1"), ("timeout", 1e6, ""), ("ok", 1, "")]
)
def test_a_result_that_a_smaller_limit_cut_short_is_stale(results: Path, status: str, limit: float, why: str) -> None:
    _, origin = read_result(results / CSC)
    scores = dict.fromkeys((*METRICS, "neighbor_information"), np.nan) if status == "timeout" else {}
    change_rows(results / CSC, {**origin, "limits": {**origin["limits"], "time_limit": limit}}, status=status, **scores)
    found = stale(results).get("noise-L1/CSC", "")
    assert why in found
    assert bool(why) == bool(found)


def write_inputs(results: Path, *problems: str) -> None:
    for folder in ("problems", "overclusterings"):
        (results / folder / "yaleb").mkdir(parents=True)
        for problem in problems:
            (results / folder / "yaleb" / f"{problem}.npz").touch()


def discarded(results: Path, what: str) -> set[str]:
    return {str(path.relative_to(results)) for path in state_of(results).files(what)}


def test_current_results_are_all_used(results: Path) -> None:
    found = list(inspect(results, load_benchmark(results)))
    assert not any(file.stale or file.missing for file in found)
    table = gather(results, found)
    assert len(table) == sum(len(read_result(file.path)[0]) for file in found)
    pd.testing.assert_frame_equal(table, gather_current(results, found))
    expected = describe_run(results, load_benchmark(results), found)["expected"]
    assert (len(expected["cells"]), len(expected["variations"])) == (8, 1)


@pytest.mark.parametrize(
    ("step", "values", "inputs"),
    [
        ("cluster", {"code": "0ther"}, set()),
        ("overcluster", {"code": "0ther"}, {"overclusterings"}),
        ("corrupt", {"level": 0.3}, {"overclusterings", "problems"}),
        ("featurize", {"entry": {"subset": 20}}, {"overclusterings", "problems", "features"}),
        ("data", {"kind": "stand-in", "identity": "0ther"}, {"overclusterings", "problems", "features"}),
    ],
)
def test_a_result_of_another_recipe_is_stale_and_discarded_with_its_inputs(
    results: Path, step: str, values: dict, inputs: set[str]
) -> None:
    write_inputs(results, "noise-L1", "clean")
    file = "clusters/yaleb/noise-L1/PKO+HSC.parquet"
    change_recipe(results / file, step, **values)
    assert stale(results).keys() == {"noise-L1/PKO+HSC"}
    paths = {"features": "features/yaleb.npz"} | {
        name: f"{name}/yaleb/noise-L1.npz" for name in ("problems", "overclusterings")
    }
    assert discarded(results, "stale") == {file, *(paths[name] for name in inputs)}
    found = list(inspect(results, load_benchmark(results)))
    with pytest.raises(InputError, match="1 of 9 result files are stale"):
        gather(results, found)
    used = gather_current(results, found)
    assert "CSC" in set(used["algorithm"])
    assert used[(used["setting"] == "noise-L1") & (used["algorithm"] == "PKO+HSC")].empty


def test_a_change_of_the_configuration_makes_the_results_stale_that_it_concerns(results: Path) -> None:
    write_config(results, datasets={"yaleb": {"weights": [0.4, 0.4]}})
    assert stale(results).keys() == {"clean/PKO+HSC", "noise-L1/PKO+HSC", "clean/neighbors/PKO+HSC"}
    write_config(results, corruptions={"noise": {"levels": {"L1": 0.3}}})
    write_inputs(results, "noise-L1", "clean")
    assert {key.split("/")[0] for key in stale(results)} == {"noise-L1"}
    assert {file for file in discarded(results, "stale") if not file.startswith("clusters/")} == {
        "problems/yaleb/noise-L1.npz",
        "overclusterings/yaleb/noise-L1.npz",
    }


def test_gathering_needs_every_file(results: Path) -> None:
    (results / CSC).unlink()
    with pytest.raises(InputError, match=r"CSC.parquet is missing \(1 of 9 result files are\)"):
        gather(results, list(inspect(results, load_benchmark(results))))


def test_results_are_used_without_the_file_of_their_method(results: Path) -> None:
    """A report may be built in another folder than the one to which the path of a module is relative."""
    module = results / "mine.py"
    module.write_text("from sklearn.base import ClusterMixin\nclass Mine(ClusterMixin):\n    name = 'Mine'\n")
    benchmark = write_benchmark(results, algorithms={"Mine": {"module": str(module)}})
    write_result(results, benchmark, "yaleb/clean/Mine")
    module.unlink()
    found = list(inspect(results, load_benchmark(results)))
    assert not any(file.stale for file in found)
    assert "Mine" in set(gather(results, found)["algorithm"])


def test_rows_keep_the_versions_they_were_computed_with(results: Path) -> None:
    path = results / "clusters/yaleb/clean/CSC.parquet"
    _, origin = read_result(path)
    change_rows(path, {**origin, "environment": {**origin["environment"], "numpy": "2.2.0"}})
    table = gather(results, list(inspect(results, load_benchmark(results))))
    assert set(table.loc[(table["algorithm"] == "CSC") & (table["setting"] == "clean"), "numpy"]) == {"2.2.0"}
    assert describe_rows(table)["numpy"] == {"2.1.0": len(table) - 6, "2.2.0": 6}
    assert len(state_of(results).other_versions()) == 9  # than those installed


def test_status_and_discard(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = results / "clusters/yaleb/clean"
    change_recipe(cell / "CSC.parquet", "corrupt", code="other")
    failed = dict.fromkeys(METRICS)
    change_rows(cell / "STSC.parquet", status="timeout", **failed)
    change_rows(cell / "PKO+HSC.parquet", status="failed", message="over-clustering: no such luck", **failed)
    (cell / "true labels.parquet").unlink()
    write_inputs(results, "clean")
    assert main(["status", str(results)]) == 0
    output = capsys.readouterr().out
    for expected in ("8 of 9 result files exist", "1 missing:\n", "1 stale:\n", "STSC.parquet: 2 timeout"):
        assert expected in output
    assert main(["discard", str(results), "--stale", "--dry-run"]) == 0
    assert (cell / "CSC.parquet").exists()
    assert main(["discard", str(results), "--stale"]) == 0
    assert not (cell / "CSC.parquet").exists()
    assert not (results / "problems/yaleb/clean.npz").exists()
    (results / "overclusterings/yaleb/clean.npz").touch()
    assert main(["discard", str(results), "--failed"]) == 0
    assert not (cell / "STSC.parquet").exists()
    assert not (results / "overclusterings/yaleb/clean.npz").exists()  # its failure is that of PKO+HSC
    capsys.readouterr()
    assert main(["discard", str(results), "--failed"]) == 0
    assert capsys.readouterr().out == "Nothing to discard.\n"


@pytest.mark.parametrize("damage", ["cut", "no rows", "other columns", "empty", "of another result"])
def test_a_damaged_file_is_stale_and_can_be_discarded(results: Path, damage: str) -> None:
    path = results / CSC
    match damage:
        case "cut":
            path.write_bytes(path.read_bytes()[:500])
        case "no rows":
            pq.write_table(pq.read_table(path).slice(0, 0), path)
        case "other columns":
            pd.DataFrame({"a": [1]}).to_parquet(path)
        case "empty":
            path.write_bytes(b"")
        case "of another result":
            shutil.copy(path.with_name("STSC.parquet"), path)
    assert stale(results).keys() == {"noise-L1/CSC"}
    assert CSC in discarded(results, "stale")


@pytest.mark.parametrize("text", ["{", "{}", "[]", '{"datasets": {"../../../EVIL": {"weights": [1, 0]}}}'])
def test_a_damaged_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    assert main(["status", str(tmp_path)]) == 2
    assert "config.json is damaged" in capsys.readouterr().err


@pytest.mark.slow
def test_a_report_leaves_stale_results_out_and_names_them(results: Path) -> None:
    for algorithm in ("CSC", "STSC"):
        change_recipe(results / f"clusters/yaleb/clean/{algorithm}.parquet", "data", kind="stand-in")
    # The figures need an axis with two values.
    change_rows(results / "clusters/yaleb/clean/PKO+HSC.parquet", wall_seconds=0.5, peak_bytes=2)
    assert main(["report", str(results)]) == 0
    missing = pd.read_csv(results / "report" / "tables" / "missing.csv")
    assert missing[["dataset", "setting", "algorithm"]].to_numpy().tolist() == [
        ["yaleb", "clean", name] for name in ("CSC", "STSC")
    ]
    table = pd.read_csv(results / "report" / "tables" / "table1-nmi.csv")
    assert set(table["algorithm"]) == {"PKO+HSC", "true labels"}
