"""The configuration is checked against its schema and the names that exist, and completed with defaults."""

import pytest

from hypercut.algorithms import _registry
from hypercut.benchmark.config import OWN_FILE_KEYS, checked
from hypercut.data import dataset as _base
from hypercut.data import datasets, own
from hypercut.errors import InputError
from tests.benchmark.test_design import FULL, SCHEMA, benchmark


def test_lists_whose_order_has_no_meaning_are_sorted() -> None:
    filled = checked({"datasets": {"iris": {"weights": [0.6, 0.2]}}, "sigma_factors": [1.0, 0.4]})
    assert filled["sigma_factors"] == [0.4, 1.0]
    assert filled["datasets"]["iris"]["weights"] == [0.6, 0.2]


def test_defaults_are_filled_in() -> None:
    filled = checked({"datasets": {"iris": {}}})
    assert filled["datasets"]["iris"]["weights"] == [0.4, 0.4]
    assert filled["data"]["on_missing"] == "standin"
    assert (filled["repeats"], filled["sweeps"]["repeats"]) == (FULL["repeats"], FULL["sweeps"]["repeats"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sigma": [1]}, "'sigma'.*sigma_factors"),
        ({"sigma_factors": [0.2, -1]}, "sigma_factors.1 = -1.*above 0"),
        ({"repeats": {"clean": 1}}, "repeats: 'noise'"),
        ({"repeats": {"clean": 1, "noise": {"up to 9": 1}, "outlier": 1}}, "repeats.noise: 'beyond'"),
        ({"datasets": {"iris": {"repeats": {"sweep": 1}}}}, "'sweep'.*'sweeps'"),
        ({"datasets": {"iris": {"resample": True}}}, "datasets.iris: .*subset"),
        ({"datasets": {"some": {"part_of": "usps"}}}, "datasets.some: .*subset"),
        ({"datasets": {"some": {"part_of": "usp", "subset": 5}}}, "datasets.some.part_of: .*'usp'.*mean 'usps'"),
        ({"datasets": {"some": {"part_of": "usps", "subset": 5, "crop": True}}}, "datasets.some.*'crop'.*part_of"),
        ({"datasets": {"usps": {"part_of": "iris", "subset": 5}}}, "datasets.usps: .*another name"),
        ({"datasets": {"some": {"part_of": "iris", "subset": 5, "path": "my.csv"}}}, "unknown option 'part_of'"),
        # These names are compared with the paper; version 1.0 had a dataset usps465.
        ({"datasets": {"usps465": {}}}, r"datasets.usps465: .*\{part_of: usps, subset: 465\}.*another name"),
        ({"datasets": {"yaleb373": {"part_of": "yaleb", "subset": 60}}}, "part_of: yaleb, subset: 373"),
        ({"datasets": {"corel500": {"path": "my.csv", "subset": 500}}}, "part_of: corel, subset: 500"),
        ({"datasets": {"mine": {"path": "nowhere.csv"}}}, r"nowhere\.csv"),
        ({"data": {"on_missing": "skip"}}, "data.on_missing = 'skip'.*'standin', 'fail'"),
        ({"tracking": {"prefix": "a b"}}, "tracking.prefix = 'a b'"),
        ({"datasets": {}}, "datasets.*at least one"),
        ({"datasets": {"iris": None}}, "datasets.iris = None"),
        ({"corruptions": {"outlier": {"levels": {"L1": 1.5}}}}, "outlier.levels.L1 = 1.5.*probability"),
        ({"datasets": {"iris": {"per_class": 3}}}, "datasets.iris.*'per_class'.*subset"),
        ({"datasets": {"corel": {"crop": 3}}}, "datasets.corel.crop = 3"),
        ({"algorithms": {"CSC": {"gamma": 1}}}, "algorithms.CSC.*'gamma'.*parameters"),
        ({"leave_out": ["CSD"]}, "leave_out.*'CSD'.*mean 'CSC'"),
        ({"readings": {"nearest": "sigma-metric"}}, "readings.nearest.*'sigma-metric'"),
        ({"readings": {"datasets": ["nope"]}}, "readings.datasets.*'nope'.*iris"),
        ({"sweeps": {"weights": [[0.9, 0.9]]}}, "sweeps.weights.*0.9, 0.9"),
        ({"time_limit": float("inf")}, "time_limit = inf: expected seconds"),
        ({"sigma_factors": [0.4, float("nan")]}, "sigma_factors.1 = nan"),
        ({"corruptions": {"noise": {"levels": {"L1": float("inf")}}}}, "noise.levels.L1 = inf"),
        ({"corruptions": {"noise": {"levels": {1: 0.2}}}}, "noise.levels = 1: expected a name"),
        ({"datasets": {5: {}}}, "datasets = 5.*in quotes"),
        ({"datasets": {"report": {"path": "mine.csv"}}}, r"datasets\.report: .*another name"),
        ({"datasets": {"Yale B": {"path": "mine.csv"}}}, r"datasets\.Yale B: .*another name"),
        ({"results": "-rf"}, "results = '-rf'.*folder"),
        ({"results": "~/res"}, "results = '~/res'.*folder"),
        ({"data": {"root": "{x}"}}, "data.root = '{x}'.*folder"),
        ({"algorithms": {"PKO+HSC": {"module": "mine.py"}}}, r"algorithms\.PKO\+HSC: .*another"),
        ({"algorithms": {"random labels": {"module": "mine.py"}}}, r"algorithms\.random labels: .*another"),
        ({"leave_out": list(_registry.algorithms())}, "leave_out: no algorithm remains"),
    ],
)
def test_errors_name_the_key_the_value_and_what_is_allowed(changes, message) -> None:
    with pytest.raises(InputError, match=message):
        assert benchmark(**changes).methods


@pytest.mark.parametrize("parameter", ["sigma_factor", "affinity", "n_clusters", "random_state"])
def test_parameters_set_by_the_benchmark_are_an_error(parameter: str) -> None:
    with pytest.raises(InputError, match=f"algorithms.CSC.parameters.{parameter} is set by"):
        assert benchmark(algorithms={"CSC": {"parameters": {parameter: 1}}}).methods


def test_schema_and_code_agree_about_own_data() -> None:
    schema = SCHEMA["properties"]["datasets"]
    assert schema["propertyNames"]["pattern"] == datasets.NAME
    keys = schema["additionalProperties"]["properties"]
    assert keys["subset"]["minimum"] == _base.LEAST_SUBSET
    assert set(own._KEYS) == OWN_FILE_KEYS <= set(keys)
