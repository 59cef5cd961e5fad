"""The recipe of a result changes if, and only if, something changes that decides the result."""

import json

import pytest

from hypercut.benchmark import code
from hypercut.benchmark import recipe as recipes
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.recipe import (
    acquisition_recipe,
    changed_steps,
    difference,
    digest_of_recipes,
    expected,
    features_recipe,
    overclustering_recipe,
    plain,
    problem_recipe,
    recipe,
)
from hypercut.files import canonical_json, write_json
from tests.benchmark.test_design import benchmark

#: Two datasets, one corruption with a level, four algorithms, one sweep and three readings.
SMALL = {
    "datasets": {"iris": {"weights": [0.4, 0.4]}, "orl": {"weights": [0.6, 0.2]}},
    "corruptions": {"noise": {"levels": {"L5": 1.0}}},
    "leave_out": ["PK+HSC", "PO+HSC", "PKO+NC", "NRSC", "RWDSM", "AK+NC"],
    "baselines": ["KMeans"],
    "sigma_factors": {"clean": [0.2, 0.4], "noise": [0.6], "outlier": [1.0]},
    "repeats": 3,
    "sweeps": {"repeats": 2, "datasets": ["iris"], "weights": [], "neighbors": [3, 5], "communities": []},
    "readings": {
        "names": ["communities-csc", "features-unit", "noise-absolute"],
        "datasets": ["iris"],
        "settings": ["clean"],
        "repeats": 1,
        "nearest": None,
    },
}


def small(**changes) -> Benchmark:
    return benchmark(**{**SMALL, **changes})


def all_recipes(found: Benchmark) -> dict[str, recipes.Recipe]:
    return {result.key: expected(found, result) for result in found.results()}


BEFORE = all_recipes(small())
IRIS = {key for key in BEFORE if key.startswith("iris/")}
NOISE = {key for key in BEFORE if "/noise-L5/" in key}
CLEAN = BEFORE.keys() - NOISE
PKO = {key for key in BEFORE if key.endswith("/PKO+HSC")}
CSC = {key for key in BEFORE if key.endswith("/CSC")}
CELLS = {key for key in BEFORE if key.count("/") == 2}
READINGS = {key for key in BEFORE if key.count("/") == 3 and "/neighbors/" not in key}
UNIT = {key for key in BEFORE if "/features-unit/" in key}
# Its σ is the best of the CSC cell.
AT_CSC = {"iris/clean/communities-csc/PKO+HSC"}
# Noise whose scale the reading sets does not depend on the configured one.
ABSOLUTE = {key for key in BEFORE if "/noise-absolute/" in key}


@pytest.mark.parametrize(
    ("changes", "concerned"),
    [
        ({"results": "elsewhere"}, set()),
        ({"data": {"mirror": "somewhere", "on_missing": "fail"}}, set()),
        ({"archive": "reference", "tracking": {"prefix": "alice"}}, set()),
        ({"datasets": {"iris": {"weights": [0.4, 0.4]}}}, set()),  # fewer datasets
        ({"datasets": {**SMALL["datasets"], "iris": {"weights": [0.6, 0.2]}}}, PKO & IRIS),
        ({"datasets": {**SMALL["datasets"], "iris": {"subset": 100}}}, IRIS),
        ({"datasets": {**SMALL["datasets"], "iris": {"repeats": {"sweeps": 1}}}}, {"iris/clean/neighbors/PKO+HSC"}),
        ({"datasets": {**SMALL["datasets"], "iris": {"corruptions": []}}}, set()),
        ({"corruptions": {"noise": {"levels": {"L5": 1.0, "L6": 1.2}}}}, set()),
        ({"corruptions": {"noise": {"levels": {"L5": 0.9}}}}, NOISE),
        ({"corruptions": {"noise": {"levels": {"L5": 1.0}, "scale": "global_std"}}}, NOISE - ABSOLUTE),
        ({"corruptions": {"noise": {"levels": {"L5": 1.0}, "distribution": "uniform"}}}, NOISE),
        ({"algorithms": {"CSC": {"parameters": {"n_init": 3}}}}, CSC | AT_CSC),
        ({"algorithms": {"PKO+HSC": {"parameters": {"n_neighbors": 7}}}}, PKO - {"iris/clean/neighbors/PKO+HSC"}),
        ({"leave_out": [*SMALL["leave_out"], "STSC"]}, set()),
        ({"baselines": ["KMeans", "true labels"]}, set()),
        ({"sigma_factors": {**SMALL["sigma_factors"], "noise": [0.8]}}, NOISE),
        ({"repeats": {"clean": 3, "noise": 4, "outlier": 3}}, NOISE & CELLS),
        # The sweep and the reading, too, use the over-clusterings of the cells.
        ({"repeats": {"clean": 4, "noise": 3, "outlier": 3}}, CLEAN - UNIT),
        ({"time_limit": 60, "give_up_after": 1}, set()),
        ({"sweeps": {**SMALL["sweeps"], "neighbors": [3, 5, 8]}}, {"iris/clean/neighbors/PKO+HSC"}),
        ({"sweeps": {**SMALL["sweeps"], "repeats": 1}}, {"iris/clean/neighbors/PKO+HSC"}),
        ({"readings": {**SMALL["readings"], "names": ["communities-csc"]}}, set()),
        ({"readings": {**SMALL["readings"], "repeats": 2}}, READINGS),
        ({"readings": {**SMALL["readings"], "nearest": "features-unit"}}, UNIT),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",  # a set has no order
)
def test_a_change_of_the_configuration_concerns(changes: dict, concerned: set[str]) -> None:
    after = all_recipes(small(**changes))
    shared = BEFORE.keys() & after.keys()
    assert {key for key in shared if after[key] != BEFORE[key]} == concerned & shared
    assert concerned <= shared


@pytest.mark.parametrize(
    ("step", "fingerprint", "concerned"),
    [
        ("featurize", "features_code", BEFORE.keys()),
        ("corrupt", "problem_code", BEFORE.keys()),
        ("overcluster", "overclustering_code", PKO),
        ("cluster", "clustering_code", BEFORE.keys()),
        ("cluster", "sigma_choice_code", AT_CSC),
    ],
)
def test_an_edit_of_a_step_concerns(
    monkeypatch: pytest.MonkeyPatch, step: str, fingerprint: str, concerned: set[str]
) -> None:
    monkeypatch.setattr(code, fingerprint, lambda *_: "edited")
    after = all_recipes(small())
    reasons = {key: difference(BEFORE[key], after[key]) for key in BEFORE}
    assert {key for key, reason in reasons.items() if reason} == concerned
    assert set(filter(None, reasons.values())) == {f"computed by other code ({step})"}
    assert {step} == set().union(*(changed_steps(BEFORE[key], after[key]) for key in BEFORE))


def test_an_edit_of_an_algorithm_concerns_its_results_and_those_at_its_best_sigma(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    present = code.clustering_code
    monkeypatch.setattr(
        code, "clustering_code", lambda module: "edited" if module.endswith(".csc") else present(module)
    )
    after = all_recipes(small())
    assert {key for key in BEFORE if difference(BEFORE[key], after[key])} == CSC | AT_CSC


def test_other_data_concern_the_results_of_their_dataset(tmp_path) -> None:
    manifest = {"kind": "stand-in", "content": "", "code": "c0de", "files": []}
    write_json(tmp_path / "iris" / "manifest.json", manifest)
    after = all_recipes(small(data={"root": str(tmp_path)}))
    assert {key for key in BEFORE if after[key] != BEFORE[key]} == IRIS
    assert "stand-in" in difference(BEFORE["iris/clean/CSC"], after["iris/clean/CSC"])


def test_the_difference_names_what_changed() -> None:
    changed = small(datasets={**SMALL["datasets"], "iris": {"weights": [0.6, 0.2]}}, repeats=4)
    after = expected(changed, changed.result("iris/noise-L5/PKO+HSC"))
    reason = difference(BEFORE["iris/noise-L5/PKO+HSC"], after)
    assert all(name in reason for name in ("repeats", "parameters"))
    assert "code" not in reason
    assert difference({}, after)


def test_a_recipe_survives_json() -> None:
    for found in BEFORE.values():
        assert plain(found) == json.loads(canonical_json(found))
        assert difference(json.loads(canonical_json(found)), found) == ""


def test_the_recipe_of_a_step_is_part_of_that_of_the_next() -> None:
    found = small()
    for result in found.results():
        parts = [
            features_recipe(found, result.dataset),
            problem_recipe(found, result.dataset, result.problem),
            overclustering_recipe(found, result.dataset, result.problem),
        ]
        whole = recipe(found, result)
        uses_overclusterings = "overclustering" in found.method(result.algorithm).uses
        for part in parts if uses_overclusterings else parts[:2]:
            assert part.items() <= whole.items()
        assert ("overcluster" in whole) == uses_overclusterings


def test_raw_files_are_shared_by_benchmarks_with_other_options_and_identified_by_their_content(tmp_path) -> None:
    plain_iris, part = small(), small(datasets={"iris": {"subset": 100, "weights": [0, 0.2]}})
    assert acquisition_recipe(plain_iris, "iris") == acquisition_recipe(part, "iris")
    table = tmp_path / "mine.csv"
    table.write_text("a,kind\n1,x\n2,y\n")
    datasets = {**SMALL["datasets"], "mine": {"path": str(table), "label_column": "kind"}}
    found = small(datasets=datasets)
    before = acquisition_recipe(found, "mine")
    table.write_text("a,kind\n1,x\n3,y\n")
    assert changed_steps(before, acquisition_recipe(found, "mine")) == {"acquire"}


def test_one_digest_for_all_recipes() -> None:
    assert digest_of_recipes(small()) == digest_of_recipes(small(results="elsewhere"))
    assert digest_of_recipes(small()) != digest_of_recipes(small(repeats=4))
