"""The configuration, its schema, and the jobs it asks for."""

from pathlib import Path

import pytest
import yaml

from hypercut.benchmark import code
from hypercut.benchmark.config import OWN_FILE_KEYS, checked
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.presets import with_own_entries
from hypercut.benchmark.variations import Group
from hypercut.data import dataset as _base
from hypercut.data import datasets
from hypercut.data import own as _own
from hypercut.errors import InputError
from hypercut.paper import protocol
from hypercut.paper.published import WEIGHTS
from hypercut.paper.readings import pairs, readings
from hypercut.selection import SIGMA_FACTORS

ROOT = Path(__file__).parents[2]
SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
FULL = yaml.safe_load((ROOT / "config.yaml").read_text())
PRESETS = sorted((ROOT / "workflow/presets").glob("*.yaml"))
ALL_REPEATS = {"clean": 1, "noise": 1, "outlier": 1, "sweeps": 1, "readings": 1}
PAPER = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC", "CSC", "NRSC", "RWDSM", "STSC")


def benchmark(**changes) -> Benchmark:
    return Benchmark(checked({**FULL, **changes}, SCHEMA))


def preset(path: Path) -> Benchmark:
    keys = yaml.safe_load(path.read_text())
    own = keys.pop("own")
    return benchmark(**with_own_entries({**FULL, **keys}, FULL, own))


def test_the_full_benchmark_includes_that_of_the_paper() -> None:
    full = benchmark()
    assert full.datasets == ["orl", "yaleb", "usps", "usps465", "mnist", "iris", "traj", "corel", "digits", "libras"]
    paper = {f"{kind}-{name}": value for kind, levels in protocol.LEVELS.items() for name, value in levels.items()}
    assert full.levels == {"clean": 0.0, **paper}
    assert all(full.settings(dataset) == protocol.settings() for dataset in full.datasets)
    assert set(PAPER) <= set(full.methods)
    assert full.config["references"] == [
        "AK+NC without K",
        "KMeans",
        "SpectralClustering",
        "random labels",
        "true labels",
    ]
    assert full.config["sigma_factors"] == list(SIGMA_FACTORS)
    weights = {name: entry["weights"] for name, entry in full.config["datasets"].items()}
    assert {name for name, pair in weights.items() if pair == [0.6, 0.2]} == {"orl", "yaleb", "traj", "libras"}
    assert all(pair == [0.4, 0.4] for pair in weights.values() if pair != [0.6, 0.2])


def test_the_sweep_over_weights_includes_those_of_table_2() -> None:
    table_2 = [(0.2, 0.2), (0.2, 0.4), (0.2, 0.6), (0.4, 0.2), (0.4, 0.4), (0.6, 0.2), (0.6, 0.4), (0.2, 0), (0, 0.2)]
    assert set(table_2) <= {tuple(pair) for pair in FULL["sweeps"]["weights"]}


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_presets_are_valid(path: Path) -> None:
    small = preset(path)
    assert small.config["results"] == f"results/{path.stem}"
    assert set(PAPER) <= set(small.methods)


def test_quick_has_every_dataset_and_both_corruptions() -> None:
    quick = preset(ROOT / "workflow/presets/quick.yaml")
    assert set(quick.datasets) == set(benchmark().datasets) - {"usps465"}
    assert {setting.partition("-")[0] for setting in quick.settings("iris")} == {"clean", "noise", "outlier"}
    varied = {variation.name for variation in quick.variations()}
    assert varied == {"weights", "neighbors", "communities", "balance-degree", "ratio-initial"}


def test_every_key_of_the_configuration_is_explained() -> None:
    lines = (ROOT / "config.yaml").read_text().splitlines()
    for number, line in enumerate(lines):
        if line and line[0].isalpha() and not line.startswith(("data:", "tracking:", "give_up_after")):
            assert lines[number - 1].startswith("#"), line


def test_options_read_from_the_files_of_datasets() -> None:
    for name, dataset in datasets.registry().items():
        assert dataset.options == code.dataset_options(name)
        assert dataset.folder == code.dataset_files_of(name)


def test_schema_and_code_agree_about_own_data() -> None:
    schema = SCHEMA["properties"]["datasets"]
    assert schema["propertyNames"]["pattern"] == datasets.NAME
    keys = schema["additionalProperties"]["properties"]
    assert keys["subset"]["minimum"] == _base.LEAST_SUBSET
    entry = {"path": "x.csv", "label_column": "a", "header": False, "weights": [0.4, 0.4], "repeats": ALL_REPEATS}
    own = benchmark(datasets={"mine": entry})
    assert own.acquisition_entry("mine") == {"path": "x.csv", "label_column": "a", "header": False}
    assert set(_own._KEYS) == OWN_FILE_KEYS <= set(keys)


def numbers(found: Benchmark, dataset: str) -> tuple[int, ...]:
    """Return the repeats of clean data, noise and outliers, and of the sweeps."""
    settings = ("clean", "noise-L1", "outlier-L3")
    swept = {v.repeats for v in found.variations() if v.dataset == dataset and v.group == Group.SWEEPS}
    return *(found.repeats(dataset, setting) for setting in settings), *swept


def test_repeats_of_the_protocol() -> None:
    """10 on clean data, 3 beyond N = 2500; under corruption 10, 5, 3 and 2, changing after 1000, 2000 and 2500."""
    full = benchmark()
    assert {dataset: numbers(full, dataset) for dataset in full.datasets} == {
        "orl": (10, 10, 10, 3),  # N = 400
        "yaleb": (10, 3, 3, 3),  # 2432
        "usps": (3, 2, 2, 1),  # 9298
        "usps465": (10, 10, 10, 3),
        "mnist": (10, 5, 5, 3),  # 2000
        "iris": (10, 10, 10, 3),
        "traj": (10, 3, 3, 3),  # 2500
        "corel": (10, 10, 10, 3),  # 1000
        "digits": (10, 5, 5, 3),  # 1797
        "libras": (10, 10, 10, 3),
    }


def test_options_that_change_the_size_change_the_repeats() -> None:
    changed = benchmark(datasets={"usps": {"subset": 1500}, "mnist": {"per_class": 250}, "yaleb": {}})
    assert [changed.repeats(dataset, "noise-L1") for dataset in changed.datasets] == [5, 3, 3]


def test_repeats_of_a_single_dataset() -> None:
    given = {"usps": {"repeats": 4}, "traj": {"repeats": {"noise": 7, "sweeps": 2}}, "iris": {}}
    found = benchmark(datasets=given, repeats={"clean": 5, "noise": {"up to 150": 6, "beyond": 1}, "outlier": 8})
    assert numbers(found, "usps") == (4, 4, 4, 1)
    assert numbers(found, "traj") == (5, 7, 8, 2)
    assert numbers(found, "iris") == (5, 6, 8, 3)
    assert numbers(benchmark(repeats=2, sweeps={"repeats": 1, "neighbors": [3]}), "usps") == (2, 2, 2, 1)


def test_own_data_are_read_for_their_size(tmp_path: Path) -> None:
    table, pictures = tmp_path / "my.csv", tmp_path / "pictures"
    table.write_text("a,kind\n" + "1,x\n2,y\n" * 600)
    for number in range(7):
        (pictures / f"class{number % 2}").mkdir(parents=True, exist_ok=True)
        (pictures / f"class{number % 2}" / f"{number}.png").touch()
    entry = {"path": str(table), "label_column": "kind"}
    by_size = {"up to 6": 4, "up to 7": 3, "up to 1199": 2, "beyond": 1}
    found = benchmark(
        datasets={
            "mine": entry,
            "part": {**entry, "subset": 6},
            "pictures": {"path": str(pictures), "features": "pixels"},
        },
        repeats={"clean": by_size, "noise": 1, "outlier": 1},
    )
    assert {dataset: found.repeats(dataset, "clean") for dataset in found.datasets} == {
        "mine": 1,
        "part": 4,
        "pictures": 3,
    }
    table.unlink()  # a finished benchmark does not need the files
    assert Benchmark(found.config).config == found.config


def test_repeats_of_clean_data_share_the_samples_unless_each_draws_its_own() -> None:
    found = benchmark(
        datasets={"usps": {}, "usps465": {}, "iris": {"subset": 60, "resample": True, "repeats": 2}},
        sweeps={"repeats": 5, "neighbors": [3]},
    )
    assert [found.draws(dataset, "clean") for dataset in found.datasets] == [1, 10, 5]
    assert [found.draws(dataset, "noise-L1") for dataset in found.datasets] == [2, 10, 2]
    assert [found.resampled_size(dataset) for dataset in found.datasets] == [None, 465, 60]


def test_a_dataset_may_use_the_files_of_another() -> None:
    alone = benchmark(datasets={"usps465": {}})
    assert alone.files_of("usps465") == "usps"
    assert alone.acquisition_entry("usps") == alone.entry("usps") == {}
    assert alone.dataset_module("usps") == "hypercut.data.datasets.usps"
    with pytest.raises(InputError, match="unknown name 'mnist'"):
        alone.entry("mnist")


def test_an_unknown_level_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"unknown name 'noise-L11'; available: clean, noise-L1, .*outlier-L3"):
        benchmark().level("noise-L11")


def test_levels_are_sorted_by_number() -> None:
    shuffled = {"outlier": {"levels": {"L2": 0.4, "L1": 0.2}}, "noise": {"levels": {"L10": 2.0, "L2": 0.4}}}
    assert list(benchmark(corruptions=shuffled).levels) == [
        "clean",
        "noise-L2",
        "noise-L10",
        "outlier-L1",
        "outlier-L2",
    ]


def test_lists_whose_order_has_no_meaning_are_sorted() -> None:
    filled = checked({"datasets": {"iris": {"weights": [0.6, 0.2]}}, "sigma_factors": [1.0, 0.4]}, SCHEMA)
    assert filled["sigma_factors"] == [0.4, 1.0]
    assert filled["datasets"]["iris"]["weights"] == [0.6, 0.2]


def test_defaults_are_filled_in() -> None:
    filled = checked({"datasets": {"iris": {}}}, SCHEMA)
    assert filled["datasets"]["iris"]["weights"] == [0.4, 0.4]
    assert filled["data"] == {"root": "data", "mirror": None, "on_missing": "standin", "on_mismatch": "fail"}
    assert filled["repeats"] == FULL["repeats"]
    assert filled["sweeps"]["repeats"] == FULL["sweeps"]["repeats"]
    assert filled["sweeps"]["datasets"] is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sigma": [1]}, "unknown key 'sigma'; allowed: .*sigma_factors"),
        ({"sigma_factors": []}, r"sigma_factors = \[\]: expected a list of numbers above 0"),
        ({"sigma_factors": [0.2, -1]}, "sigma_factors.1 = -1: expected a number above 0"),
        ({"repeats": "many"}, "repeats = 'many': expected a whole number of at least 1"),
        ({"repeats": {"clean": 1}}, "repeats: 'noise' is a required property"),
        ({"repeats": {"clean": 1, "noise": {"up to 9": 1}, "outlier": 1}}, "repeats.noise: 'beyond' is a required"),
        ({"repeats": {"clean": 1, "noise": {"below 9": 1, "beyond": 1}, "outlier": 1}}, "expected 'up to' and a num"),
        ({"repeats": {"clean": 1, "noise": {"beyond": 0}, "outlier": 1}}, "repeats.noise.beyond = 0: expected a whole"),
        ({"sweeps": {"repeats": 0}}, "sweeps.repeats = 0: expected a whole number of at least 1, or numbers by N"),
        ({"datasets": {"iris": {"repeats": 0}}}, "datasets.iris.repeats = 0: expected a whole number of at least 1"),
        ({"datasets": {"iris": {"repeats": {"sweep": 1}}}}, "unknown key 'sweep'; .*Did you mean 'sweeps'"),
        ({"datasets": {"iris": {"resample": True}}}, "datasets.iris.resample: specify the size of the subset"),
        (
            {"datasets": {"mine": {"path": "nowhere.csv"}}},
            r"nowhere\.csv: does not exist, but is the path",
        ),
        ({"data": {"on_missing": "skip"}}, "data.on_missing = 'skip': expected one of 'standin', 'fail'"),
        ({"tracking": {"prefix": "a b"}}, "tracking.prefix = 'a b': expected letters, digits"),
        ({"datasets": {}}, "datasets = {}: expected at least one dataset"),
        ({"datasets": {"iris": None}}, "datasets.iris = None: expected a mapping"),
        ({"datasets": {"iris": {"weight": [0, 0]}}}, "datasets.iris: unknown key 'weight'.*Did you mean 'weights'"),
        ({"corruptions": {"noise": {"levels": {"one": 1}}}}, "expected a name such as L1"),
        ({"corruptions": {"outlier": {"levels": {"L1": 1.5}}}}, "outlier.levels.L1 = 1.5: expected a probability"),
        ({"datasets": {"iris": {"per_class": 3}}}, "datasets.iris: unknown option 'per_class'; available: .*subset"),
        ({"datasets": {"corel": {"crop": 3}}}, "datasets.corel.crop = 3: expected true or false"),
        ({"datasets": {"mine": {"path": "x.csv", "crop": True}}}, "datasets.mine: unknown option 'crop'; available: "),
        ({"algorithms": {"CSC": {"gamma": 1}}}, "algorithms.CSC: unknown key 'gamma'; allowed: module, parameters"),
        ({"references": ["Kmeans"]}, "unknown name 'Kmeans'; available: .*Did you mean 'KMeans'"),
        ({"sweeps": {"datasets": ["nope"]}}, "sweeps.datasets: unknown name 'nope'; available: .*iris"),
        ({"leave_out": ["CSD"]}, "leave_out: unknown name 'CSD'; available: .*CSC.*Did you mean 'CSC'"),
        ({"datasets": {"irs": {}}}, "datasets: unknown name 'irs'; available: .*Did you mean 'iris'"),
        ({"readings": {"names": ["balance-degre"]}}, "readings.names: unknown name .* Did you mean 'balance-degree'"),
        ({"readings": {"nearest": "sigma-metric"}}, "readings.nearest: unknown name 'sigma-metric'; available: "),
        ({"readings": {"nearest": "noise-global"}}, "readings.nearest: unknown name 'noise-global'; available: "),
        ({"readings": {"nearest": "balance"}}, "readings.nearest: unknown name 'balance'; available: .*balance-degree"),
        ({"readings": {"datasets": ["nope"]}}, "readings.datasets: unknown name 'nope'; available: .*iris"),
        ({"readings": {"pairs": ["ris"]}}, "readings.pairs: unknown name 'ris'; .*Did you mean 'iris'"),
        ({"readings": {"pairs": None}}, "readings.pairs = None: expected a list of datasets, possibly empty"),
        ({"sweeps": {"weights": [[0.9, 0.9]]}}, r"sweeps.weights = \[0.9, 0.9\]: expected α \+ β ≤ 1"),
    ],
)
def test_errors_name_the_key_the_value_and_what_is_allowed(changes, message) -> None:
    with pytest.raises(InputError, match=message):
        assert benchmark(**changes).methods


def test_jobs_get_only_the_part_they_use() -> None:
    full = benchmark(algorithms={"PKO+NC": {"parameters": {"n_neighbors": 5}}})
    assert full.parameters("orl", "PKO+HSC") == {"alpha": 0.6, "beta": 0.2}
    assert full.parameters("orl", "PKO+NC") == {"alpha": 0.6, "beta": 0.2, "n_neighbors": 5}
    assert full.parameters("orl", "CSC") == full.parameters("orl", "KMeans") == {}
    assert full.data_entry("orl") == {}
    assert full.corruption_options("noise-L1") == {"scale": "feature_std", "distribution": "gaussian"}
    assert full.corruption_options("outlier-L1") == full.corruption_options("clean") == {}


def test_an_algorithm_left_out() -> None:
    assert "NRSC" not in benchmark(leave_out=["NRSC"]).methods


def combinations(found: Benchmark, name: str, algorithm: str = "PKO+HSC", setting: str = "clean") -> list[dict]:
    """Return the parameter sets of a variation on ORL."""
    return found.combinations(found.variation("orl", setting, name, algorithm))


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
    given = {"datasets": ["orl", "iris"], "names": None}
    found = benchmark(readings=given, leave_out=["PO+HSC"])
    assert users(found, "ratio-step") == {
        (dataset, "clean", algorithm) for dataset in ("orl", "iris") for algorithm in ("PKO+HSC", "PK+HSC", "RWDSM")
    }
    assert {setting for _, setting, _ in users(found, "noise-uniform")} == {"noise-L5"}
    # The σ of these is chosen from the rows of the cells.
    assert not users(found, "sigma-metric") | users(found, "nrsc-sigma")
    without = benchmark(readings=given, datasets={"orl": {"corruptions": []}, "iris": {}})
    assert {dataset for dataset, _, _ in users(without, "noise-uniform")} == {"iris"}
    # Without CSC there is no best scale of it.
    assert users(found, "communities-csc")
    assert not users(benchmark(readings=given, leave_out=["CSC"]), "communities-csc")


PAPER_DATASETS = ("orl", "yaleb", "usps465", "mnist", "iris", "traj", "corel")


def test_the_full_benchmark_has_all_readings_but_not_on_the_whole_usps() -> None:
    full = benchmark()
    single = [v for v in full.variations() if v.group == Group.READINGS]
    assert {v.name for v in single} == {name for name, reading in readings().items() if reading.is_run} - {
        full.config["readings"]["nearest"]
    }
    repeats = {v.dataset: v.repeats for v in single}
    assert repeats == {**dict.fromkeys(PAPER_DATASETS, 1), **dict.fromkeys(("orl", "usps465", "iris", "corel"), 3)}
    paired = [v for v in full.variations() if v.group == Group.PAIRS]
    assert {v.name for v in paired} == set(pairs())
    assert {v.dataset for v in paired} == {"orl", "iris", "usps465", "corel"}


def test_the_nearest_reading_is_run_where_the_cells_are() -> None:
    full = benchmark(readings={**FULL["readings"], "nearest": "balance-degree"})
    nearest = [v for v in full.variations() if v.group == Group.NEAREST]
    assert users(full, "balance-degree") == {
        cell for cell in full.cells() if cell[2] in ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC")
    }
    assert {v.name for v in nearest} == {"balance-degree"}
    assert all(v.repeats == full.repeats(v.dataset, v.setting) for v in nearest)


def test_the_repeats_of_readings_are_those_of_a_dataset_but_no_more_than_its_cells_have() -> None:
    found = benchmark(
        datasets={"orl": {"repeats": {"readings": 7}}, "iris": {"repeats": {"clean": 2}}, "yaleb": {}},
        readings={"names": ["balance-degree"]},
    )
    repeats = {v.dataset: v.repeats for v in found.variations() if v.name == "balance-degree"}
    assert repeats == {"orl": 7, "iris": 2, "yaleb": 1}


def test_a_reading_changes_the_parameters_of_the_cell() -> None:
    found = benchmark(
        algorithms={"PKO+NC": {"parameters": {"n_neighbors": 5}}},
        readings={**FULL["readings"], "nearest": "balance-degree"},
    )
    weights = {"alpha": 0.6, "beta": 0.2}
    assert combinations(found, "balance-degree", "PKO+NC", "noise-L3") == [
        {**weights, "n_neighbors": 5, "balance": "degree"}
    ]
    assert combinations(found, "features-unit") == [weights]
    assert combinations(found, "features-unit", "CSC") == [{}]
    assert combinations(found, "features-unit+balance-norm") == [{**weights, "balance": "norm"}]
    assert combinations(found, "balance-norm+ratio-step") == [{**weights, "balance": "norm", "newton_steps": 1}]


def test_the_grid_of_weights_has_each_similarity_once() -> None:
    """PK+HSC depends on α : β, so (0.2, 0.2) and (0.4, 0.4) are the same; PO+HSC on α : 1 − α − β."""
    found = benchmark()
    grids = {name: [(p["alpha"], p["beta"]) for p in combinations(found, "weights-best", name)] for name in PAPER[1:3]}
    # Both hypergraphs have a weight.
    assert grids["PK+HSC"] == [pair for pair in WEIGHTS if min(pair) > 0 and pair != (0.4, 0.4)]
    assert grids["PO+HSC"] == [pair for pair in WEIGHTS if pair not in ((0.4, 0.2), (0.6, 0.4), (0.0, 0.2))]


def test_communities_at_the_scale_of_another_algorithm() -> None:
    full = benchmark()
    reading = full.variation("iris", "clean", "communities-csc", "PO+HSC")
    assert full.scale_of(reading) == full.cell("iris", "clean", "CSC")
    assert full.combinations(reading) == [{"alpha": 0.4, "beta": 0.4}]
    assert full.scale_of(full.cell("iris", "clean", "PO+HSC")) is None
    assert full.scale_of(full.variation("iris", "clean", "communities", "PKO+HSC")) is None


def test_a_reading_that_changes_the_data_shares_its_problem_with_its_pairs_alone() -> None:
    full = benchmark()
    problems = {v.name: v.problem for v in full.variations() if v.dataset == "usps465" and v.group != Group.NEAREST}
    assert problems["features-unit"] == problems["features-unit+balance-degree"] == "clean~features-unit"
    assert problems["noise-absolute"] == "noise-L5~noise-absolute"
    assert problems["weights"] == problems["labels-kmeans"] == problems["balance-norm+ratio-step"] == "clean"
    assert full.problem_options("clean~features-unit") == {"features": "unit"}
    assert full.problem_options("noise-L5~noise-absolute") == {"scale": "absolute", "distribution": "gaussian"}
    assert full.problem_options("noise-L5") == {"scale": "feature_std", "distribution": "gaussian"}
    draws = {name: full.draws("usps465", name) for name in ("clean", *full_problems(full))}
    assert draws == {"clean": 10, **dict.fromkeys(full_problems(full), 3)}
    assert full.draws("orl", "clean~features-unit") == 1
    assert [full.problem_repeats("orl", name) for name in ("clean", "clean~features-unit")] == [10, 3]
    changed = {dataset for dataset, problem in full.changed_problems if problem == "clean~features-unit"}
    assert changed == set(PAPER_DATASETS)


def full_problems(full: Benchmark) -> list[str]:
    """Return the problems of USPS-465 whose data a reading changes: three of the features, three of the noise."""
    found = [problem for dataset, problem in full.changed_problems if dataset == "usps465"]
    assert len(found) == 6
    return found


def test_readings_of_a_benchmark_with_fewer_datasets_need_no_key_of_their_own() -> None:
    found = benchmark(datasets={"digits": {}, "iris": {}})
    assert {v.dataset for v in found.variations() if v.group == Group.READINGS} == {"iris"}


def test_a_variation_that_is_not_part_of_the_benchmark() -> None:
    with pytest.raises(InputError, match="features-unit of CSC on digits, clean, is not part of the benchmark"):
        benchmark().variation("digits", "clean", "features-unit", "CSC")


@pytest.mark.parametrize("parameter", ["sigma_factor", "affinity", "n_clusters", "random_state"])
def test_parameters_set_by_the_benchmark_are_an_error(parameter: str) -> None:
    with pytest.raises(InputError, match=f"algorithms.CSC.parameters.{parameter} is set by"):
        assert benchmark(algorithms={"CSC": {"parameters": {parameter: 1}}}).methods


def test_cells_are_known_without_the_files_of_methods() -> None:
    named = benchmark(algorithms={"Mine": {"module": "nowhere/mine.py"}})
    assert ("iris", "clean", "Mine") in named.cells()
    with pytest.raises(InputError, match=r"nowhere/mine\.py"):
        assert named.methods


def test_a_problem_of_no_reading_is_an_error() -> None:
    with pytest.raises(InputError, match="clean~features-half of iris is not part of the benchmark: see readings"):
        benchmark().problem_repeats("iris", "clean~features-half")
