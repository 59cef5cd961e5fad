"""The results that a configuration requests, and what each of them needs."""

from pathlib import Path

import pytest
import yaml

from hypercut.benchmark.config import checked
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.variations import Group
from hypercut.errors import InputError
from hypercut.paper import protocol
from hypercut.paper.published import DATASETS, INDICATED, PARTS, WEIGHTS
from hypercut.paper.readings import readings
from hypercut.selection import SIGMA_FACTORS

ROOT = Path(__file__).parents[2]
SCHEMA = yaml.safe_load((ROOT / "src/hypercut/benchmark/config.schema.yaml").read_text())
FULL = yaml.safe_load((ROOT / "config.yaml").read_text())
PAPER = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC", "CSC", "NRSC", "RWDSM", "STSC")


USPS465 = {"part_of": "usps", "subset": 465, "resample": True}


def benchmark(**changes) -> Benchmark:
    return Benchmark(checked({**FULL, **changes}))


def test_the_full_benchmark_includes_that_of_the_paper() -> None:
    full = benchmark()
    paper = [name for whole in DATASETS for name in (whole, *(part for part in PARTS if PARTS[part] == whole))]
    assert full.datasets == [*paper, "digits", "libras"]
    paper = {f"{kind}-{name}": value for kind, levels in protocol.LEVELS.items() for name, value in levels.items()}
    assert full.levels == {"clean": 0.0, **paper}
    assert all(full.settings(dataset) == protocol.settings() for dataset in full.datasets)
    assert set(PAPER) <= set(full.methods)
    assert full.config["sigma_factors"] == list(SIGMA_FACTORS)
    assert set(WEIGHTS) <= {tuple(pair) for pair in full.config["sweeps"]["weights"]}
    weights = {name: entry["weights"] for name, entry in full.config["datasets"].items()}
    assert {name for name, pair in weights.items() if pair == [0.6, 0.2]} == {
        *("orl", "yaleb", "yaleb373", "traj", "libras")
    }
    assert all(pair == [0.4, 0.4] for pair in weights.values() if pair != [0.6, 0.2])
    assert all(full.resampled_size(part) == INDICATED[whole] for part, whole in PARTS.items())


def numbers(found: Benchmark, dataset: str) -> tuple[int, ...]:
    """Return the repeats of clean data, noise and outliers, and of the sweeps."""
    settings = ("clean", "noise-L1", "outlier-L3")
    swept = {v.repeats for v in found.variations() if v.dataset == dataset and v.group == Group.SWEEPS}
    return *(found.repeats(dataset, setting) for setting in settings), *swept


def test_repeats_of_the_protocol() -> None:
    """10 on clean data, 3 beyond N = 2500; under corruption 10, 5, 3 and 2, changing after 1000, 2000 and 2500."""
    full = benchmark()
    sizes = {"orl": 400, "corel": 1000, "digits": 1797, "mnist": 2000, "yaleb": 2432, "traj": 2500, "usps": 9298}
    sizes |= {part: INDICATED[whole] for part, whole in PARTS.items()}
    for dataset, n in sizes.items():
        corrupted = 10 if n <= 1000 else 5 if n <= 2000 else 3 if n <= 2500 else 2
        clean, sweeps = (10, 3) if n <= 2500 else (3, 1)
        assert numbers(full, dataset) == (clean, corrupted, corrupted, sweeps)


def test_repeats_of_a_single_dataset() -> None:
    given = {"usps": {"repeats": 4}, "traj": {"repeats": {"noise": 7, "sweeps": 2}}, "iris": {}}
    found = benchmark(datasets=given, repeats={"clean": 5, "noise": {"up to 150": 6, "beyond": 1}, "outlier": 8})
    assert numbers(found, "usps") == (4, 4, 4, 1)
    assert numbers(found, "traj") == (5, 7, 8, 2)
    assert numbers(found, "iris") == (5, 6, 8, 3)
    assert numbers(benchmark(repeats=2, sweeps={"repeats": 1, "neighbors": [3]}), "usps") == (2, 2, 2, 1)


def test_own_data_are_read_for_their_size(tmp_path: Path) -> None:
    table, pictures = tmp_path / "my.csv", tmp_path / "pictures"
    table.write_text("a,kind\n" + "1,x\n2,y\n" * 10)
    for name in ("a/1", "a/2", "a/3", "b/4", "b/5", "b/6", "b/7"):
        (pictures / name).parent.mkdir(parents=True, exist_ok=True)
        (pictures / f"{name}.png").touch()
    entry = {"path": str(table), "label_column": "kind"}
    found = benchmark(
        datasets={"mine": entry, "part": {**entry, "subset": 6}, "pictures": {"path": str(pictures)}},
        repeats={"clean": {"up to 6": 4, "up to 7": 3, "up to 19": 2, "beyond": 1}, "noise": 1, "outlier": 1},
    )
    assert [found.repeats(dataset, "clean") for dataset in ("mine", "part", "pictures")] == [1, 4, 3]
    table.unlink()  # a finished benchmark does not need the files
    assert Benchmark(found.config).config == found.config


def test_repeats_of_clean_data_share_the_samples_unless_each_draws_its_own() -> None:
    found = benchmark(
        datasets={"usps": {}, "usps465": USPS465, "iris": {"subset": 60, "resample": True, "repeats": 2}},
        sweeps={"repeats": 5, "neighbors": [3]},
    )
    assert [found.draws(dataset, "clean") for dataset in found.datasets] == [1, 10, 2]
    assert [found.draws(dataset, "noise-L1") for dataset in found.datasets] == [2, 10, 2]
    assert [found.resampled_size(dataset) for dataset in found.datasets] == [None, 465, 60]


def test_a_part_uses_the_files_of_the_whole_which_need_not_be_in_the_benchmark() -> None:
    alone = benchmark(datasets={"usps465": USPS465})
    assert alone.files_of("usps465") == "usps"
    assert alone.acquisition_entry("usps") == alone.entry("usps") == {}
    assert alone.dataset_module("usps") == alone.dataset_module("usps465") == "hypercut.data.datasets.usps"
    assert alone.data_entry("usps465") == USPS465
    with pytest.raises(InputError, match="unknown name 'mnist'"):
        alone.entry("mnist")


def test_levels_are_sorted_by_number() -> None:
    shuffled = {"outlier": {"levels": {"L2": 0.4, "L1": 0.2}}, "noise": {"levels": {"L10": 2.0, "L2": 0.4}}}
    levels = ["noise-L2", "noise-L10", "outlier-L1", "outlier-L2"]
    assert list(benchmark(corruptions=shuffled).levels) == ["clean", *levels]


def combinations(found: Benchmark, name: str, algorithm: str = "PKO+HSC", setting: str = "clean") -> list[dict]:
    """Return the parameter sets of a variation on ORL."""
    return found.combinations(found.result(f"orl/{setting}/{name}/{algorithm}"))


def test_sweeps_vary_one_parameter_at_a_time() -> None:
    full = benchmark()
    base = {"alpha": 0.6, "beta": 0.2, "n_neighbors": 3, "communities_per_cluster": 2}
    for sweep, varied in (("weights", {"alpha", "beta"}), ("neighbors", {"n_neighbors"})):
        for combination in combinations(full, sweep):
            assert {name for name in base if combination[name] != base[name]} <= varied
    counts = [combination["communities_per_cluster"] for combination in combinations(full, "communities")]
    assert counts == [2, 3, 4, 5, 6]


def users(found: Benchmark, name: str) -> set[tuple[str, str, str]]:
    """Return dataset, setting and algorithm of the variations with a name."""
    return {(v.dataset, v.setting, v.algorithm) for v in found.variations() if v.name == name}


def test_a_reading_is_run_for_the_algorithms_and_in_the_setting_that_it_changes() -> None:
    given = {"datasets": ["orl", "iris"], "settings": ["clean", "outlier-L2"], "names": None}
    found = benchmark(readings=given, leave_out=["PO+HSC"])
    assert users(found, "ratio-step") == {
        (dataset, setting, algorithm)
        for dataset in ("orl", "iris")
        for setting in ("clean", "outlier-L2")
        for algorithm in ("PKO+HSC", "PK+HSC", "RWDSM")
    }
    assert {setting for _, setting, _ in users(found, "noise-uniform")} == {"noise-L5"}
    # The σ of these is chosen from the rows of the cells.
    assert not users(found, "sigma-metric") | users(found, "nrsc-sigma")
    without = benchmark(readings=given, datasets={"orl": {"corruptions": []}, "iris": {}})
    assert {dataset for dataset, _, _ in users(without, "noise-uniform")} == {"iris"}
    assert {setting for dataset, setting, _ in users(without, "ratio-step") if dataset == "orl"} == {"clean"}
    # Datasets of faces, including the part, whose files are those of the whole.
    faces = benchmark(readings={"names": ["features-equalized"], "datasets": None}, datasets={"orl": {}, "iris": {}})
    assert {dataset for dataset, _, _ in users(faces, "features-equalized")} == {"orl"}
    assert {dataset for dataset, _, _ in users(found, "features-equalized")} == {"orl"}
    # Over-clusterings at the best σ of CSC, which a benchmark without CSC does not have.
    reading = found.result("iris/clean/communities-csc/PKO+HSC")
    assert found.sigma_of(reading) == found.result("iris/clean/CSC")
    assert found.sigma_of(found.result("iris/clean/PKO+HSC")) is None
    assert not users(benchmark(readings=given, leave_out=["CSC"]), "communities-csc")


def test_the_full_benchmark_has_all_readings_at_the_indicated_sizes() -> None:
    full = benchmark()
    single = [v for v in full.variations() if v.group == Group.READINGS]
    run = {name for name, reading in readings().items() if reading.is_run}
    assert {v.name for v in single} == run - {full.config["readings"]["nearest"]}
    assert {v.dataset for v in single} == {*DATASETS, *PARTS} - {*PARTS.values()}
    assert {v.setting for v in single} == {"clean", "noise-L5", "outlier-L2"}
    # Where the cells have fewer than five repeats, as many as these.
    assert {(v.dataset, v.setting) for v in single if v.repeats < 5} == {
        ("traj", setting) for setting in ("noise-L5", "outlier-L2")
    }


def test_the_nearest_reading_is_run_where_the_cells_are() -> None:
    full = benchmark(readings={**FULL["readings"], "nearest": "balance-degree"})
    nearest = [v for v in full.variations() if v.group == Group.NEAREST]
    assert users(full, "balance-degree") == {
        cell
        for cell in full.cells()
        if cell[0] in full.config["readings"]["datasets"] and cell[2] in ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC")
    }
    assert {v.name for v in nearest} == {"balance-degree"}
    assert all(v.repeats == full.repeats(v.dataset, v.setting) for v in nearest)


def test_the_repeats_of_readings_are_those_of_a_dataset_but_no_more_than_its_cells_have() -> None:
    found = benchmark(
        datasets={"orl": {"repeats": {"readings": 7}}, "iris": {"repeats": {"clean": 2}}, "yaleb": {}},
        readings={"names": ["balance-degree"], "settings": ["clean"], "repeats": 3},
    )
    repeats = {v.dataset: v.repeats for v in found.variations() if v.name == "balance-degree"}
    assert repeats == {"orl": 7, "iris": 2, "yaleb": 3}


def test_a_reading_changes_the_parameters_of_the_cell() -> None:
    found = benchmark(
        algorithms={"PKO+NC": {"parameters": {"n_neighbors": 5}}},
        readings={**FULL["readings"], "nearest": "balance-degree"},
    )
    weights = {"alpha": 0.6, "beta": 0.2}
    assert combinations(found, "balance-degree", "PKO+NC", "noise-L3") == [
        {**weights, "n_neighbors": 5, "balance": "degree"}
    ]
    assert combinations(found, "ratio-step") == [{**weights, "newton_steps": 1}]


def test_the_grid_of_weights_has_each_similarity_once() -> None:
    """PK+HSC depends on α : β, so (0.2, 0.2) and (0.4, 0.4) are the same; PO+HSC on α : 1 − α − β."""
    found = benchmark()
    grids = {name: [(p["alpha"], p["beta"]) for p in combinations(found, "weights-best", name)] for name in PAPER[1:3]}
    # Both hypergraphs have a weight.
    assert grids["PK+HSC"] == [pair for pair in WEIGHTS if min(pair) > 0 and pair != (0.4, 0.4)]
    assert grids["PO+HSC"] == [pair for pair in WEIGHTS if pair not in ((0.4, 0.2), (0.6, 0.4), (0.0, 0.2))]


def test_a_reading_that_changes_the_data_has_a_problem_to_itself() -> None:
    full = benchmark()
    variations = [v for v in full.variations() if v.dataset == "usps465" and v.group != Group.NEAREST]
    problems = {name: {v.problem for v in variations if v.name == name} for name in {v.name for v in variations}}
    settings = ("clean", "noise-L5", "outlier-L2")
    assert problems["features-unit"] == {f"{setting}~features-unit" for setting in settings}
    assert problems["noise-absolute"] == {"noise-L5~noise-absolute"}
    assert problems["labels-kmeans"] == set(settings)
    assert problems["weights"] == {"clean"}  # a sweep
    assert full.problem_options("clean~features-unit") == {"features": "unit"}
    assert full.problem_options("noise-L5~noise-absolute") == {"scale": "absolute", "distribution": "gaussian"}
    assert [full.draws("usps465", name) for name in ("clean", "clean~features-unit")] == [10, 5]
    assert [full.problem_repeats("orl", name) for name in ("clean", "clean~features-unit")] == [10, 5]


def test_results_are_found_by_their_key() -> None:
    full = benchmark()
    keys = [result.key for result in full.results()]
    assert len(keys) == len(set(keys))
    assert all(full.result(key).key == key for key in keys)
    with pytest.raises(InputError, match="digits/clean/features-unit/CSC is not part of the benchmark"):
        full.result("digits/clean/features-unit/CSC")


def test_cells_are_known_without_the_files_of_methods() -> None:
    named = benchmark(algorithms={"Mine": {"module": "nowhere/mine.py"}})
    assert ("iris", "clean", "Mine") in named.cells()
    with pytest.raises(InputError, match=r"nowhere/mine\.py"):
        assert named.methods
