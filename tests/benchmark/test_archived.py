"""Results whose recipe is in the archive are taken from it; others are computed, if their data are available."""

from pathlib import Path

import pytest

from hypercut.benchmark.archived import CHECKSUM, MIRROR_VARIABLE, Sources, digest, sources
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.recipe import expected
from hypercut.errors import InputError
from hypercut.files import write_json
from tests.benchmark.test_design import FULL, benchmark

READINGS = {"names": ["communities-csc"], "datasets": None, "repeats": 1, "nearest": None}
MINE = "from sklearn.base import ClusterMixin\nclass Mine(ClusterMixin):\n    name = 'Mine'\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder without data, where there is no mirror."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def small(**changes) -> Benchmark:
    """A benchmark of three datasets, two of which no package registry has, that uses the archive."""
    config = {
        "archive": "archive",
        "datasets": {name: {"weights": [0.4, 0.4]} for name in ("yaleb", "corel", "iris")},
        "corruptions": {"noise": {"levels": {"L1": 0.2}}},
        "baselines": [],
        "sigma_factors": [0.4, 1.0],
        "repeats": 2,
        "sweeps": {**FULL["sweeps"], "repeats": 1, "weights": [], "neighbors": [3], "communities": []},
        "readings": READINGS,
    }
    return benchmark(**{**config, **changes})


def write_index(found: Benchmark) -> None:
    """Write the index of an archive that has all results of a benchmark."""
    results = {result.key: digest(expected(found, result)) for result in found.results()}
    index = {"format": 2, "recipes": results}
    write_json(Path("archive/archive.json"), {**index, CHECKSUM: digest(index)})


def split(found: Benchmark) -> tuple[set[str], set[str], set[str]]:
    """Return the keys of archived, unavailable and computed results."""
    parts = sources(found)
    archived, unavailable = ({result.key for result in part} for part in (parts.archived, parts.unavailable))
    assert not archived & unavailable
    return archived, unavailable, {result.key for result in found.results()} - archived - unavailable


def test_without_an_archive_everything_is_computed() -> None:
    assert sources(small(archive=None)) == Sources()


def test_an_archived_benchmark_has_nothing_to_compute() -> None:
    write_index(small())
    found = small(results="elsewhere", data={"on_missing": "fail"})
    assert split(found) == ({result.key for result in found.results()}, set(), set())


def test_only_an_own_method_is_computed_where_its_data_can_be_had() -> None:
    write_index(small())
    mine = {"Mine": {"module": "mine.py"}}
    archived, unavailable, computed = split(small(algorithms=mine))
    assert computed == {"iris/clean/Mine", "iris/noise-L1/Mine"}
    assert unavailable == {
        f"{dataset}/{setting}/Mine" for dataset in ("yaleb", "corel") for setting in ("clean", "noise-L1")
    }
    assert archived == {result.key for result in small().results()}


@pytest.mark.parametrize("how", ["data.mirror", "variable"])
def test_with_a_mirror_all_data_can_be_had(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_index(small())
    if how == "variable":
        monkeypatch.setenv(MIRROR_VARIABLE, "https://mirror.example.org")
    data = {"mirror": "https://mirror.example.org"} if how == "data.mirror" else {}
    _, unavailable, computed = split(small(algorithms={"Mine": {"module": "mine.py"}}, data=data))
    assert not unavailable
    assert {key.rpartition("/")[2] for key in computed} == {"Mine"}


@pytest.mark.parametrize("kind", ["real", "stand-in"])
def test_data_that_were_acquired_are_at_hand_unless_they_are_a_stand_in(kind: str) -> None:
    write_index(small())
    content = small().data("yaleb")["identity"] if kind == "real" else ""
    manifest = {"kind": kind, "content": content, "code": "c0de", "files": []}
    write_json(Path("data/yaleb/manifest.json"), manifest)
    archived, unavailable, computed = split(small(algorithms={"Mine": {"module": "mine.py"}}))
    assert archived == {result.key for result in small().results()}  # of the published data
    assert "yaleb/clean/Mine" in (computed if kind == "real" else unavailable)


def test_other_data_of_a_dataset_that_is_not_archived_are_computed() -> None:
    write_index(small(datasets={"iris": {"weights": [0.4, 0.4]}}))
    archived, unavailable, computed = split(small())
    assert {key.split("/")[0] for key in archived} == {"iris"}
    assert {key.split("/")[0] for key in computed} == {"yaleb", "corel"}
    assert not unavailable


def test_a_changed_parameter_takes_its_results_out_of_the_archive() -> None:
    write_index(small())
    changed = small(algorithms={"STSC": {"parameters": {"n_neighbors": 9}}})
    archived, unavailable, computed = split(changed)
    assert computed == {"iris/clean/STSC", "iris/noise-L1/STSC"}
    assert {key.rpartition("/")[2] for key in unavailable} == {"STSC"}
    assert len(archived) == len(list(changed.results())) - 6


def test_a_cell_whose_best_sigma_a_reading_needs_is_computed() -> None:
    write_index(small())
    archived, unavailable, computed = split(small(readings={**READINGS, "repeats": 2}))
    readings = {key for key in computed if "/communities-csc/" in key}
    assert readings
    assert computed - readings == {"iris/clean/CSC"}
    assert {key.split("/")[2] for key in unavailable} == {"communities-csc"}
    # A result that cannot be computed needs no cell.
    assert {"yaleb/clean/CSC", "corel/clean/CSC"} <= archived


def test_an_error_without_an_archive_in_the_folder() -> None:
    with pytest.raises(InputError, match=r"archive\.json is missing"):
        sources(small())
    write_json(Path("archive/archive.json"), [])
    with pytest.raises(InputError, match="is damaged"):
        sources(small())


def test_a_number_is_the_same_as_a_whole_or_a_decimal_number() -> None:
    write_index(small(time_limit=900, sigma_factors=[0.4, 1.0]))
    _, unavailable, computed = split(small(time_limit=900.0, sigma_factors=[0.4, 1]))
    assert not unavailable | computed
