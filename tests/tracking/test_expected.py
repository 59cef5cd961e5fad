"""Which result files enter a mean over datasets."""

from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.tracking.expected import Kind, expected_runs

LEVELS = ("clean", "noise-L1", "noise-L2")
Cell = tuple[str, str, str]


def benchmark(*datasets: str, algorithms: tuple[str, ...] = ("CSC", "STSC")) -> list[Cell]:
    return [(dataset, level, name) for dataset in datasets for level in LEVELS for name in algorithms]


def means(folder: Path, expected: list[Cell], missing: set[Cell]) -> dict[str, set[str]]:
    """Name of each run of a mean → the datasets of its files, with these results missing."""
    for cell in expected:
        path = Layout(folder).cell(*cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        if cell not in missing:
            path.touch()
    run = {"expected": {"cells": [list(cell) for cell in expected], "variations": []}}
    runs, count = expected_runs(folder, run, {})
    assert count == len(missing)
    return {it.name: {path.parts[-3] for path in it.files} for it in runs if it.kind == Kind.MEAN}


def test_a_mean_is_over_all_datasets_of_a_complete_benchmark(tmp_path: Path) -> None:
    found = means(tmp_path, benchmark("iris", "wine"), missing=set())
    assert found == {f"{name} · mean of 2 datasets, noise": {"iris", "wine"} for name in ("CSC", "STSC")}


def test_a_level_that_all_lack_is_missing(tmp_path: Path) -> None:
    cells = benchmark("iris", "wine")
    assert means(tmp_path, cells, missing={cell for cell in cells if cell[1] == "noise-L2"}) == {}


def test_all_means_are_over_the_same_datasets(tmp_path: Path) -> None:
    found = means(tmp_path, benchmark("iris", "orl", "wine"), missing={("orl", "noise-L2", "STSC")})
    assert found == {f"{name} · mean of 2 datasets, noise": {"iris", "wine"} for name in ("CSC", "STSC")}


def test_an_algorithm_with_one_complete_dataset_has_no_mean_and_takes_none_away(tmp_path: Path) -> None:
    found = means(tmp_path, benchmark("iris", "wine"), missing={("wine", "noise-L2", "STSC")})
    assert found == {"CSC · mean of 2 datasets, noise": {"iris", "wine"}}
