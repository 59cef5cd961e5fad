"""The recipe of a result: everything that decides it, by the step that uses it.

``featurize`` has the dataset and its options, ``corrupt`` the setting, ``overcluster`` and ``cluster`` the method and
its grid; each has the fingerprint of its code. A job gets its recipe as a parameter and stores it in its output,
with ``data``, the identity of the data that it found. A stored result is stale if its recipe differs from the expected
one, and the difference is the reason. Time limits are not part of a recipe, since they decide only whether there is a
result.

This module imports nothing slow, since the workflow writes the recipe of every job before any of them runs.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from hypercut.benchmark import code
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.variations import Variation, split_problem
from hypercut.files import canonical_json

Recipe = dict[str, Any]

#: To be raised by hand when neutral code (see :mod:`hypercut.benchmark.code`) changes a result after all.
RUNNER_VERSION = 1

DATA = "data"
STEPS = ("featurize", "corrupt", "overcluster", "cluster")


def acquisition_recipe(benchmark: Benchmark, dataset: str) -> Recipe:
    """Return the recipe of the raw files of a dataset, without options: all benchmarks share the files."""
    module = benchmark.dataset_module(dataset)
    # A checksum of own files, since a file may be replaced by an older one.
    own = {"files": benchmark.own_digest(dataset)} if "path" in benchmark.entry(dataset) else {}
    step = {"dataset": dataset, "module": module, "entry": benchmark.acquisition_entry(dataset), **own}
    return {"acquire": {**step, "code": code.acquisition_code(module)}}


def features_recipe(benchmark: Benchmark, dataset: str) -> Recipe:
    """Return the recipe of the features of a dataset."""
    module = benchmark.dataset_module(dataset)
    step = {"dataset": dataset, "module": module, "entry": benchmark.data_entry(dataset)}
    return {"featurize": {**step, "code": code.features_code(module)}}


def problem_recipe(benchmark: Benchmark, dataset: str, problem: str) -> Recipe:
    """Return the recipe of a dataset under a setting, possibly with data changed by a reading."""
    setting, _ = split_problem(problem)
    step = {
        "setting": setting,
        "level": benchmark.level(setting),
        "draws": benchmark.draws(dataset, problem),
        "options": benchmark.problem_options(problem),
        "code": code.problem_code(),
    }
    return {**features_recipe(benchmark, dataset), "corrupt": step}


def overclustering_recipe(benchmark: Benchmark, dataset: str, problem: str) -> Recipe:
    """Return the recipe of the over-clusterings of a problem, which several algorithms share."""
    setting, _ = split_problem(problem)
    step = {
        "repeats": benchmark.problem_repeats(dataset, problem),
        "sigma_factors": benchmark.sigma_factors(setting),
        "code": code.overclustering_code(),
        "runner": RUNNER_VERSION,
    }
    return {**problem_recipe(benchmark, dataset, problem), "overcluster": step}


def recipe(benchmark: Benchmark, result: Variation) -> Recipe:
    """Return the recipe of a cell, sweep or reading, without the identity of the data."""
    method = benchmark.method(result.algorithm)
    step = {
        "algorithm": method.name,
        "module": method.module,
        "uses": list(method.uses),
        "variation": result.name,
        "repeats": result.repeats,
        "sigma_factors": benchmark.sigma_factors(result.setting),
        "parameters": benchmark.combinations(result),
        "code": code.clustering_code(method.module),
        "runner": RUNNER_VERSION,
    }
    cell = benchmark.sigma_of(result)
    if cell is not None:
        step["overclustering_sigma_factor"] = recipe(benchmark, cell)["cluster"]
        step["sigma_choice"] = {"code": code.sigma_choice_code()}
    made = overclustering_recipe if "overclustering" in method.uses else problem_recipe
    return {**made(benchmark, result.dataset, result.problem), "cluster": step}


def expected(benchmark: Benchmark, result: Variation) -> Recipe:
    """Return the recipe that a result computed now would store."""
    return {**recipe(benchmark, result), DATA: benchmark.data(result.dataset)}


def digest_of_recipes(benchmark: Benchmark) -> str:
    """Return one checksum of the recipes of all results, which does not depend on their order in the configuration."""
    digest = sha256()
    for result in sorted(benchmark.results(), key=lambda result: result.key):
        digest.update(canonical_json(recipe(benchmark, result)).encode())
    return digest.hexdigest()


def plain(content: Mapping[str, Any]) -> Recipe:
    """Return a recipe in the form that it has after it was stored as JSON."""
    found: Recipe = json.loads(canonical_json(content))
    return found


def difference(stored: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return how a stored recipe differs from the present one; an empty text if it does not."""
    changes = list(_changes(plain(stored), plain(now)))
    steps = [path[0] for path, _, _ in changes if path[-1] in ("code", "runner")]
    other_code = [f"computed by other code ({', '.join(dict.fromkeys(steps))})"] if steps else []
    others = [
        f"{' '.join(path[1:] or path)} was {_text(old)}, is {_text(new)}"
        for path, old, new in changes
        if path[-1] not in ("code", "runner")
    ]
    return "; ".join([*other_code, *others])


def changed_steps(stored: Mapping[str, Any], now: Mapping[str, Any]) -> set[str]:
    """Return the steps in which a stored recipe differs from the present one."""
    return {path[0] for path, _, _ in _changes(plain(stored), plain(now))}


def _changes(old: Any, new: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from _changes(old.get(key), new.get(key), (*path, key))
    elif old != new:
        yield path, old, new


def _text(value: Any) -> str:
    text = canonical_json(value)
    return text if len(text) <= 100 else f"{text[:100]}…"
