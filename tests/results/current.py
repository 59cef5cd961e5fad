"""A small complete benchmark of fake rows that the present code regards as current."""

from pathlib import Path

import numpy as np

from hypercut.benchmark.config import LIMITS, checked
from hypercut.benchmark.design import Benchmark, load_benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.recipe import expected, features_recipe, plain
from hypercut.benchmark.variations import Variation
from hypercut.data.features import Features, save_features
from hypercut.files import write_json
from hypercut.results.archive import archive
from hypercut.results.gather import finished, inspect
from hypercut.results.record import describe_run
from hypercut.results.rows import Origin, write_rows
from tests import rows as fake
from tests.benchmark.test_design import FULL


def write_config(results: Path, **changes) -> Benchmark:
    """Write and return a benchmark of one dataset, four algorithms and one sweep."""
    config = FULL | {
        "data": {"root": str(results / "raw")},  # not the data of the working folder
        "datasets": {"yaleb": {"weights": [0.6, 0.2]}},
        "corruptions": {"noise": {"levels": {"L1": 0.2}}},
        "leave_out": ["PK+HSC", "PO+HSC", "PKO+NC", "NRSC", "RWDSM", "AK+NC"],
        "baselines": ["true labels"],
        "sigma_factors": [0.2, 0.4, 0.6],
        "repeats": 2,
        "sweeps": {"repeats": 2, "datasets": None, "weights": [], "neighbors": [3, 5], "communities": []},
        "readings": {},
    }
    write_json(results / "config.json", checked(config | changes))
    return load_benchmark(results)


def write_features(results: Path, source: str = "", **changes) -> None:
    """Write features of Yale B as of the published data."""
    benchmark = load_benchmark(results)
    facts = dict.fromkeys(("title", "version", "terms", "files_sha256"), "") | {"options": {}, "complete": True}
    facts |= {**benchmark.data("yaleb"), "source": source, "recipe": features_recipe(benchmark, "yaleb"), **changes}
    labels = np.arange(fake.SAMPLES) % fake.CLASSES
    save_features(Layout(results).features("yaleb"), Features(np.zeros((fake.SAMPLES, 4)), labels, facts))


def origin_now(benchmark: Benchmark, result: Variation) -> Origin:
    """Return the origin that the present code would write."""
    limits = {name: benchmark.config[name] for name in LIMITS}
    return {**fake.ORIGIN, "recipe": plain(expected(benchmark, result)), "limits": limits}


def write_result(results: Path, benchmark: Benchmark, key: str) -> Path:
    """Write the file of a result as the present code would, with fake rows, and return it."""
    result = benchmark.result(key)
    names = (result.dataset, result.setting, result.algorithm)
    rows = [
        row
        for parameters in benchmark.combinations(result)
        for row in fake.cell_rows(*names, variation=result.name, parameters=parameters, repeats=result.repeats)
    ]
    path = Layout(results).result(result)
    write_rows(path, rows, origin_now(benchmark, result))
    return path


def write_benchmark(results: Path, **changes) -> Benchmark:
    """Write and return a complete benchmark whose results are all current."""
    benchmark = write_config(results, **changes)
    write_features(results)
    for result in benchmark.results():
        write_result(results, benchmark, result.key)
    return benchmark


def archive_results(results: Path, folder: Path, *, replace: bool = False) -> dict[str, int]:
    """Archive the results of a benchmark, as ``hypercut archive`` does."""
    benchmark = load_benchmark(results)
    found = list(inspect(results, benchmark))
    run = describe_run(results, benchmark, found)
    return archive(finished(results, found), benchmark, run, folder, replace=replace)
