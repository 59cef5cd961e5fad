from pathlib import Path
from typing import Any

import pytest

from hypercut.benchmark.config import check_unique_keys
from hypercut.benchmark.presets import with_own_entries, without_excess
from hypercut.errors import InputError

MINE = {"path": "mine.csv", "weights": [0.6, 0.2]}
METHOD = {"module": "method.py"}
FULL: dict[str, Any] = {
    "repeats": 10,
    "datasets": {"iris": {}, "mine": MINE},
    "algorithms": {"CSC": {"parameters": {}}, "Mine": METHOD},
}


def test_own_entries_are_kept_and_others_replaced() -> None:
    preset = {"repeats": 2, "datasets": {"orl": {}}, "algorithms": {"STSC": {}}}
    assert with_own_entries(preset, FULL) == {
        "repeats": 2,
        "datasets": {"orl": {}, "mine": MINE},
        "algorithms": {"STSC": {}, "Mine": METHOD},
    }


def test_a_preset_without_these_keys_changes_nothing() -> None:
    assert with_own_entries(FULL, FULL) == FULL


def test_an_entry_of_the_preset_has_precedence() -> None:
    preset = {"datasets": {"mine": {"path": "small.csv"}}}
    assert with_own_entries(preset, FULL, {"subset": 5})["datasets"] == {"mine": {"path": "small.csv"}}


def test_options_for_own_datasets() -> None:
    kept = with_own_entries({"datasets": {"orl": {}}, "algorithms": {}}, FULL, {"subset": 5, "corruptions": []})
    assert kept == {
        "datasets": {"orl": {}, "mine": {**MINE, "subset": 5, "corruptions": []}},
        "algorithms": {"Mine": METHOD},
    }


@pytest.mark.parametrize("preset", [{"datasets": {"iris": {}}, "algorithms": {"CSC": {"parameters": {}}}}, FULL])
def test_own_entries_can_be_left_out(preset: dict[str, Any]) -> None:
    kept = with_own_entries(preset, FULL, own=False)
    assert kept["datasets"] == {"iris": {}}
    assert kept["algorithms"] == {"CSC": {"parameters": {}}}


def test_other_values_of_own_are_an_error() -> None:
    with pytest.raises(InputError, match="own = 'none': expected false to leave out"):
        with_own_entries({}, FULL, own="none")


def test_a_subset_larger_than_its_dataset_is_the_dataset(tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("a,b,kind\n" + "1,2,x\n2,1,y\n" * 10)
    mine = {"path": str(table), "label_column": "kind"}
    datasets = {
        "iris": {"subset": 151},
        "digits": {"subset": 1797},
        "mine": {**mine, "subset": 21, "weights": [0.4, 0.4]},
        "again": {**mine, "subset": 30, "resample": True},
        "few": {**mine, "subset": 20},
    }
    config, notes = without_excess({"repeats": 2, "datasets": datasets})
    assert config == {
        "repeats": 2,
        "datasets": {
            "iris": {},
            "digits": {"subset": 1797},
            "mine": {**mine, "weights": [0.4, 0.4]},
            "again": {**mine, "subset": 20, "resample": True},
            "few": {**mine, "subset": 20},
        },
    }
    assert notes == [
        "datasets.iris: all 150 samples are used, since there are no more (subset: 151).",
        "datasets.mine: all 20 samples are used, since there are no more (subset: 21).",
        "datasets.again: all 20 samples are used, since there are no more (subset: 30).",
    ]


def test_subsets_of_unknown_size_are_left_alone() -> None:
    datasets = {"usps465": {"subset": 20000}, "gone": {"path": "nowhere.csv", "subset": 5}}
    assert without_excess({"datasets": datasets}) == ({"datasets": datasets}, [])


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("datasets: {iris: {}}\nresults: out\ndatasets: {mine: {path: mine.csv}}\n", "datasets"),
        ("datasets:\n  iris: {}\n  iris: {subset: 3}\n", "iris"),
        ("sweeps:\n  - {a: 1, a: 2}\n", "a"),
    ],
)
def test_a_key_that_is_there_twice_is_an_error(tmp_path, text, key):
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=f"the key '{key}' twice"):
        check_unique_keys(file)


def test_the_configurations_have_every_key_once():
    root = Path(__file__).parents[2]
    for file in [root / "config.yaml", *(root / "workflow" / "presets").glob("*.yaml")]:
        check_unique_keys(file)
