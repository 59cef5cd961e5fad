"""Presets replace whole keys of the configuration, and keep a user's own datasets and algorithms."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from hypercut.benchmark.config import check_unique_keys
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.presets import with_own_entries, without_excess
from hypercut.errors import InputError
from hypercut.paper.published import PARTS
from tests.benchmark.test_design import FULL as CONFIG
from tests.benchmark.test_design import PAPER, ROOT, benchmark

MINE = {"path": "mine.csv", "weights": [0.6, 0.2]}
METHOD = {"module": "method.py"}
FULL: dict[str, Any] = {
    "repeats": 10,
    "datasets": {"iris": {}, "mine": MINE},
    "algorithms": {"CSC": {"parameters": {}}, "Mine": METHOD},
}


SMALL = {"path": "small.csv"}


@pytest.mark.parametrize(
    ("preset", "own", "datasets"),
    [
        ({"orl": {}}, None, {"orl": {}, "mine": MINE}),  # its entries replace those of the configuration
        ({"mine": SMALL}, {"subset": 5}, {"mine": SMALL}),
        ({"orl": {}}, {"subset": 5}, {"orl": {}, "mine": {**MINE, "subset": 5}}),
        ({"iris": {}, "mine": MINE}, False, {"iris": {}}),
    ],
)
def test_own_entries_under_a_preset(preset: dict, own: Any, datasets: dict) -> None:
    kept = with_own_entries({"datasets": preset, "algorithms": {"STSC": {}}}, FULL, own)
    assert kept["datasets"] == datasets
    assert kept["algorithms"] == {"STSC": {}} | ({} if own is False else {"Mine": METHOD})


def test_other_values_of_own_are_an_error() -> None:
    with pytest.raises(InputError, match="own = 'none'"):
        with_own_entries({}, FULL, own="none")


def test_a_subset_larger_than_its_dataset_is_the_dataset(tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("a,b,kind\n" + "1,2,x\n2,1,y\n" * 10)
    mine = {"path": str(table), "label_column": "kind"}
    part = {"part_of": "iris", "subset": 150}
    kept = {"digits": {"subset": 1797}, "part": part, "gone": {"path": "nowhere.csv", "subset": 5}}
    larger = {
        "iris": {"subset": 151},
        "mine": {**mine, "subset": 21, "weights": [0.4, 0.4]},
        "again": {**mine, "subset": 30, "resample": True},
        "flowers": {**part, "subset": 200},
    }
    config, notes = without_excess({"repeats": 2, "datasets": kept | larger})
    whole = {"iris": {}, "mine": {**mine, "weights": [0.4, 0.4]}, "again": {**mine, "subset": 20, "resample": True}}
    whole["flowers"] = part
    assert config == {"repeats": 2, "datasets": kept | whole}
    assert [note.partition(":")[0] for note in notes] == [f"datasets.{name}" for name in larger]


@pytest.mark.parametrize(
    ("text", "key"), [("datasets: {}\nresults: out\ndatasets: {}\n", "datasets"), ("sweeps:\n  - {a: 1, a: 2}\n", "a")]
)
def test_a_key_that_is_there_twice_is_an_error(tmp_path, text, key):
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=f"the key '{key}' twice"):
        check_unique_keys(file)


def test_the_configurations_have_every_key_once():
    for file in [ROOT / "config.yaml", *(ROOT / "workflow" / "presets").glob("*.yaml")]:
        check_unique_keys(file)


def preset_of(path: Path) -> Benchmark:
    keys = yaml.safe_load(path.read_text())
    own = keys.pop("own")
    return benchmark(**with_own_entries({**CONFIG, **keys}, CONFIG, own))


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/presets").glob("*.yaml")), ids=lambda path: path.stem)
def test_presets_are_valid(path: Path) -> None:
    small = preset_of(path)
    assert small.config["results"] == f"results/{path.stem}"
    assert set(PAPER) <= set(small.methods)


def test_quick_has_every_dataset_and_both_corruptions() -> None:
    quick = preset_of(ROOT / "workflow/presets/quick.yaml")
    assert set(quick.datasets) == set(benchmark().datasets) - PARTS.keys()
    assert {setting.partition("-")[0] for setting in quick.settings("iris")} == {"clean", "noise", "outlier"}
    varied = {variation.name for variation in quick.variations()}
    assert varied == {"weights", "neighbors", "communities", "balance-degree", "ratio-initial"}
