"""Result files of other code, data or configuration are found, reported, discarded, and not used."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from hypercut.benchmark.design import load_benchmark
from hypercut.benchmark.gather import gather, gather_current
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.provenance import COLUMNS, combined
from hypercut.benchmark.record import describe_rows, describe_run
from hypercut.benchmark.rows import read_origin, read_rows, write_rows
from hypercut.benchmark.state import inspect_state
from hypercut.benchmark.summary import best_scale
from hypercut.cli import main
from hypercut.data.manifest import find_manifest
from hypercut.errors import InputError
from hypercut.files import canonical_json, write_json
from tests import rows as fake
from tests.benchmark.current import origin_now, write_benchmark, write_config, write_features
from tests.rows import change_rows


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A complete benchmark whose results are all current."""
    write_benchmark(tmp_path)
    return tmp_path


def left_out(results: Path) -> dict[str, str]:
    """Return which results a partial report leaves out, and why."""
    benchmark = load_benchmark(results)
    _, stale = gather_current(results, benchmark, describe_run(results, benchmark)["datasets"])
    return {f"{cell['variation'] or cell['setting']} {cell['algorithm']}": cell["reason"] for cell in stale}


def test_current_results_are_all_used(results: Path) -> None:
    benchmark = load_benchmark(results)
    assert left_out(results) == {}
    table, _ = gather_current(results, benchmark, {})
    pd.testing.assert_frame_equal(table, gather(results, benchmark))


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("data_kind", "stand-in", "data_kind was stand-in, is real"),
        ("complete", False, "complete was False, is True"),
        ("n_samples", 20, "n_samples was 20, is 30"),
        ("level", 0.1, "level was 0.1, is 0.2"),
        ("parameters", '{"gamma": 3}', "other parameters"),
    ],
)
def test_a_stale_cell_is_not_used(results: Path, column: str, value: object, reason: str) -> None:
    change_rows(results / "clusters/yaleb/noise-L1/CSC.parquet", **{column: value})
    assert left_out(results) == {"noise-L1 CSC": reason}


def rewrite(path: Path, **changes) -> None:
    """Change the origin of a file."""
    rows = read_rows(path, labels=True).drop(columns=list(COLUMNS)).replace({np.nan: None}).to_dict("records")
    write_rows(path, rows, replace(read_origin(path), **changes))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"code": {}}, "computed by other code (corrupt, cluster)"),
        ({"data": "0ther"}, "data was 0ther, is da7a"),
        ({"corruption": {"scale": "absolute", "distribution": "gaussian"}}, "corruption was"),
    ],
)
def test_a_cell_of_other_code_data_or_noise_is_not_used(results: Path, changes: dict, reason: str) -> None:
    path = results / "clusters/yaleb/noise-L1/CSC.parquet"
    rewrite(path, **changes)
    [found] = left_out(results).items()
    assert found[0] == "noise-L1 CSC"
    assert found[1].startswith(reason)
    with pytest.raises(InputError, match=r"1 of 9 result files are stale(.|\n)*CSC.parquet: .*(.|\n)*hypercut discard"):
        gather(results, load_benchmark(results))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"code": "other"}, "features computed by other code"),
        ({"entry": {"subset": 20}}, 'features with other options ({"subset": 20})'),
        ({"data": "other"}, "features of other raw data"),
    ],
)
def test_results_from_stale_features_are_stale(results: Path, changes: dict, reason: str) -> None:
    benchmark = write_config(results, data={"root": str(results / "data")})
    manifest = {"dataset": "yaleb", "kind": "real", "source": "", "version": "", "terms": "", "acquired": ""}
    write_json(results / "data" / "yaleb" / "manifest.json", manifest | {"files": []})
    data = find_manifest("yaleb", results / "data").identity
    write_features(results, data=data)
    assert inspect_state(results, benchmark).stale() == []
    write_features(results, **({"data": data} | changes))
    state = inspect_state(results, benchmark)
    assert {file.stale for file in state.stale()} == {reason}
    assert results / "features" / "yaleb.npz" in state.files("stale")


def test_code_is_compared_step_by_step(results: Path) -> None:
    path = results / "clusters/yaleb/clean/PKO+HSC.parquet"
    code = read_origin(path).code
    assert code.keys() == {"corrupt", "overcluster", "cluster"}
    rewrite(path, code={**code, "overcluster": "other"})
    assert left_out(results) == {"clean PKO+HSC": "computed by other code (overcluster)"}


def test_a_damaged_file_is_stale(results: Path) -> None:
    path = results / "clusters/yaleb/clean/CSC.parquet"
    path.write_bytes(path.read_bytes()[:500])
    assert left_out(results) == {"clean CSC": "the file is damaged or has no rows"}


@pytest.mark.slow
def test_rows_keep_the_versions_they_were_computed_with(results: Path) -> None:
    environment = {**fake.ORIGIN.environment, "numpy": "2.2.0"}
    rewrite(results / "clusters/yaleb/clean/CSC.parquet", environment=environment)
    table = gather(results, load_benchmark(results))
    assert set(table.loc[(table["algorithm"] == "CSC") & (table["setting"] == "clean"), "numpy"]) == {"2.2.0"}
    counts = describe_rows(table)["numpy"]
    assert counts == {"2.1.0": len(table) - 6, "2.2.0": 6}
    # The figures need an axis with two values.
    change_rows(results / "clusters/yaleb/clean/PKO+HSC.parquet", wall_seconds=0.5, peak_bytes=2)
    assert main(["report", str(results)]) == 0
    page = (results / "report" / "index.html").read_text(encoding="utf-8")
    assert "Computed with several versions of numpy: 2.1.0" in page


def test_status_and_discard(results: Path, capsys: pytest.CaptureFixture) -> None:
    cell = results / "clusters/yaleb/clean"
    rewrite(cell / "CSC.parquet", code={**read_origin(cell / "CSC.parquet").code, "corrupt": "other"})
    change_rows(cell / "STSC.parquet", status="timeout")
    (cell / "true labels.parquet").unlink()
    assert main(["status", str(results)]) == 0
    output = capsys.readouterr().out
    assert "8 of 9 result files exist" in output
    assert "1 missing:\n" in output
    assert "1 stale:\n" in output
    assert "STSC.parquet: 2 timeout" in output
    assert "numpy: 2.1.0 in 8 files; installed: " in output
    for folder in ("problems", "communities"):
        (results / folder / "yaleb").mkdir(parents=True)
        (results / folder / "yaleb" / "clean.npz").touch()
    assert main(["discard", str(results), "--stale"]) == 0
    gone = [cell / "CSC.parquet", results / "problems/yaleb/clean.npz", results / "communities/yaleb/clean.npz"]
    assert capsys.readouterr().out.splitlines()[:-1] == list(map(str, gone))
    assert not any(path.exists() for path in gone)
    assert main(["discard", str(results), "--failed"]) == 0
    assert not (cell / "STSC.parquet").exists()
    assert main(["discard", str(results), "--failed"]) == 0
    assert capsys.readouterr().out.endswith("Nothing to discard.\n")


def test_a_change_of_the_configuration_makes_only_affected_results_stale(results: Path) -> None:
    write_config(results, datasets={"yaleb": {"weights": [0.4, 0.4]}})
    assert left_out(results) == dict.fromkeys(
        ("clean PKO+HSC", "noise-L1 PKO+HSC", "neighbors PKO+HSC"), "other parameters"
    )
    write_config(results, repeats=3)
    assert set(left_out(results).values()) == {"repeats were 2, are 3"}
    write_config(results, repeats={"clean": {"up to 2431": 1, "beyond": 2}, "noise": 3, "outlier": 1})  # N = 2432
    assert {name.split()[0] for name in left_out(results)} == {"noise-L1"}
    write_config(results, datasets={"yaleb": {"weights": [0.6, 0.2], "repeats": {"sweeps": 1}}})
    assert left_out(results) == {"neighbors PKO+HSC": "repeats were 2, are 1"}
    write_config(results, sigma_factors=[0.2, 0.4])
    assert "clean CSC" in left_out(results)
    assert "clean STSC" not in left_out(results)  # it has no scale


def add_reading(results: Path, name: str, parameters: dict, **corruption: str) -> Path:
    """Add a reading of PKO+HSC on clean data to the benchmark, with current results; return their file."""
    benchmark = write_config(results, readings={"names": [name], "repeats": 2})
    path = Layout(results).variation("yaleb", "clean", name, "PKO+HSC")
    rows = fake.cell_rows("yaleb", "clean", "PKO+HSC", variation=name, parameters=parameters)
    write_rows(path, rows, replace(origin_now(benchmark, "clean", "PKO+HSC"), corruption=corruption))
    return path


WEIGHTS = {"alpha": 0.6, "beta": 0.2}


def test_a_reading_is_stale_with_other_parameters_or_data(results: Path) -> None:
    path = add_reading(results, "balance-degree", {**WEIGHTS, "balance": "degree"})
    assert left_out(results) == {}
    change_rows(path, parameters=canonical_json({**WEIGHTS, "balance": "norm"}))
    assert left_out(results) == {"balance-degree PKO+HSC": "other parameters"}
    path = add_reading(results, "features-unit", WEIGHTS, features="unit")
    assert left_out(results) == {}
    rewrite(path, corruption={})
    assert left_out(results) == {"features-unit PKO+HSC": "corruption was {}, is {'features': 'unit'}"}
    (file,) = inspect_state(results, load_benchmark(results)).stale()
    assert [input.name for input in file.inputs] == ["clean~features-unit.npz"] * 2


def test_a_reading_at_the_best_scale_of_another_algorithm_is_compared_with_that_scale(results: Path) -> None:
    path = add_reading(results, "communities-csc", {**WEIGHTS, "community_factor": 0.4})
    csc = Layout(results).cell("yaleb", "clean", "CSC")
    assert best_scale(read_rows(csc)) == {"community_factor": 0.4}
    assert left_out(results) == {}
    change_rows(csc, nmi=read_rows(csc)["sigma_factor"])  # the best is now the last
    assert left_out(results) == {"communities-csc PKO+HSC": "other parameters"}
    (file,) = inspect_state(results, load_benchmark(results)).stale()
    assert file.path == path
    assert file.inputs == (Layout(results).scale("yaleb", "clean", "CSC"),)
    csc.unlink()  # there is nothing to compare with
    assert left_out(results) == {}


@pytest.mark.slow
def test_results_of_a_stand_in_are_not_used_for_the_real_dataset(results: Path, capsys: pytest.CaptureFixture) -> None:
    for algorithm in ("CSC", "STSC"):
        change_rows(results / "clusters/yaleb/clean" / f"{algorithm}.parquet", data_kind="stand-in")
    change_rows(
        results / "clusters/yaleb/clean/PKO+HSC.parquet", wall_seconds=0.5, peak_bytes=2
    )  # the figures need an axis with two values
    assert main(["report", str(results)]) == 0
    assert "Not used: 2 results" in capsys.readouterr().out
    page = (results / "report" / "index.html").read_text(encoding="utf-8")
    assert "2 of 9 expected results are missing, 2 of them stale" in page
    missing = pd.read_csv(results / "report" / "tables" / "missing.csv")
    assert missing[["dataset", "data", "setting", "algorithm", "reason"]].to_numpy().tolist() == [
        ["yaleb", "real", "clean", name, "stale: data_kind was stand-in, is real"] for name in ("CSC", "STSC")
    ]
    table = pd.read_csv(results / "report" / "tables" / "table1-nmi.csv")
    assert set(table["algorithm"]) == {"PKO+HSC", "true labels"}


def test_mixed_data_without_features_are_an_error(results: Path, capsys: pytest.CaptureFixture) -> None:
    change_rows(results / "clusters/yaleb/clean/CSC.parquet", data_kind="stand-in")
    (results / "features" / "yaleb.npz").unlink()
    assert main(["report", str(results)]) == 2
    assert "Results of yaleb disagree on data_kind" in capsys.readouterr().err


def test_an_error_if_all_results_are_stale(results: Path) -> None:
    write_features(results, kind="stand-in")
    with pytest.raises(InputError, match="all 9 result files there are stale"):
        left_out(results)


def test_gathering_needs_every_file(results: Path) -> None:
    (results / "clusters/yaleb/clean/CSC.parquet").unlink()
    with pytest.raises(InputError, match=r"CSC.parquet is missing \(1 of 9 result files are\)"):
        gather(results, load_benchmark(results))


@pytest.mark.slow
def test_results_are_used_without_the_file_of_their_method(results: Path) -> None:
    """A report may be built in another folder than the one to which the path of a module is relative."""
    benchmark = write_config(results, algorithms={"Mine": {"module": "methods/mine.py"}})
    origin = origin_now(benchmark, "clean", "Mine")
    fake.write_cell(results, "yaleb", "clean", "Mine", parameters={"gamma": 2}, origin=origin)
    assert left_out(results) == {}
    assert main(["report", str(results)]) == 0


def test_a_file_of_another_cell_is_stale(results: Path) -> None:
    folder = results / "clusters/yaleb/clean"
    shutil.copy(folder / "STSC.parquet", folder / "CSC.parquet")
    assert left_out(results)["clean CSC"].startswith("computed by other code (cluster); it holds results of algorithm")


def test_after_a_change_of_level_the_problem_is_discarded_too(results: Path) -> None:
    benchmark = write_config(results, corruptions={"noise": {"levels": {"L1": 0.3}}})
    for folder in ("problems", "communities"):
        (results / folder / "yaleb").mkdir(parents=True)
        (results / folder / "yaleb" / "noise-L1.npz").touch()
    files = inspect_state(results, benchmark).files("stale")
    assert {results / "problems/yaleb/noise-L1.npz", results / "communities/yaleb/noise-L1.npz"} <= set(files)


def test_after_a_change_of_the_time_limit_the_problem_is_kept(results: Path) -> None:
    state = inspect_state(results, write_config(results, time_limit=1.0))
    assert len(state.stale()) == len(state.found)
    assert all(file.stale.startswith("limits were") for file in state.stale())
    assert not any("problems" in str(file) for file in state.files("stale"))


@pytest.mark.parametrize("damage", ["features", "no rows", "other columns", "empty"])
def test_status_and_discard_cope_with_damaged_files(results: Path, capsys: pytest.CaptureFixture, damage: str) -> None:
    path = results / "clusters/yaleb/clean/CSC.parquet"
    match damage:
        case "features":
            path = results / "features/yaleb.npz"
            path.write_bytes(path.read_bytes()[:100])
        case "no rows":
            pq.write_table(pq.read_table(path).slice(0, 0), path)
        case "other columns":
            pd.DataFrame({"a": [1]}).to_parquet(path)
        case "empty":
            path.write_bytes(b"")
    assert main(["status", str(results)]) == 0
    assert "damaged" in capsys.readouterr().out
    assert main(["discard", str(results), "--stale"]) == 0
    assert not path.exists()


@pytest.mark.parametrize("text", ["{", "{}", "[]"])
def test_a_damaged_configuration(tmp_path: Path, capsys: pytest.CaptureFixture, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    assert main(["status", str(tmp_path)]) == 2
    assert "config.json is damaged" in capsys.readouterr().err


def test_files_of_two_problems_are_not_combined() -> None:
    clean = replace(fake.ORIGIN, problem="iris clean 0.0")
    assert combined([clean, clean], {"cluster": "x"}).code["cluster"] == "x"
    with pytest.raises(InputError, match="different problems"):
        combined([clean, replace(clean, problem="iris noise-L5 1.0")], {})
