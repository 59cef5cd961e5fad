"""A small complete benchmark of fake rows that the present code regards as current."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import yaml

from hypercut.benchmark.code import step_code
from hypercut.benchmark.config import checked
from hypercut.benchmark.design import Benchmark, load_benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.provenance import Origin
from hypercut.benchmark.rows import write_rows
from hypercut.benchmark.staleness import expected_code
from hypercut.data.features.file import Features, save_features
from hypercut.files import write_json
from tests import rows as fake

ROOT = Path(__file__).parents[2]
SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())
SWEEP = [{"alpha": 0.6, "beta": 0.2, "n_neighbors": k, "communities_per_cluster": 2} for k in (3, 5)]


def write_config(results: Path, **changes) -> Benchmark:
    """Write and return a benchmark of one dataset, four algorithms and one sweep."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text()) | {
        "data": {"root": str(results / "raw")},  # not the data of the working folder
        "datasets": {"yaleb": {"weights": [0.6, 0.2]}},
        "corruptions": {"noise": {"levels": {"L1": 0.2}}},
        "leave_out": ["PK+HSC", "PO+HSC", "PKO+NC", "NRSC", "RWDSM", "AK+NC"],
        "references": ["true labels"],
        "sigma_factors": [0.2, 0.4, 0.6],
        "repeats": 2,
        "sweeps": {"repeats": 2, "datasets": None, "weights": [], "neighbors": [3, 5], "communities": []},
        "readings": {},
    }
    write_json(results / "config.json", checked(config | changes, SCHEMA))
    return load_benchmark(results)


DATA = "da7a"


def write_features(results: Path, kind: str = "real", samples: int = fake.SAMPLES, source: str = "", **changes) -> None:
    facts = dict.fromkeys(("title", "source", "version", "terms", "files_sha256"), "") | {"options": {}}
    benchmark = load_benchmark(results)
    code = step_code("featurize", benchmark.dataset_module("yaleb"))
    recipe = {"data": "", "entry": benchmark.data_entry("yaleb"), "code": code, **changes}
    facts |= {"fingerprint": DATA, "recipe": recipe, "source": source}
    labels = np.arange(samples) % fake.CLASSES
    features = Features(np.zeros((samples, 4)), labels, {**facts, "kind": kind, "complete": True})
    save_features(results / "features" / "yaleb.npz", features)


def origin_now(benchmark: Benchmark, setting: str, algorithm: str) -> Origin:
    """Return the origin that the present code would write."""
    code = expected_code(benchmark, algorithm)
    limits = {"time_limit": benchmark.config["time_limit"], "give_up_after": benchmark.config["give_up_after"]}
    corruption = benchmark.corruption_options(setting)
    return replace(fake.ORIGIN, code=code, data=DATA, corruption=corruption, limits=limits)


def write_benchmark(results: Path, **changes) -> None:
    """Write a complete benchmark whose results are all current."""
    benchmark = write_config(results, **changes)
    write_features(results)
    for dataset, setting, algorithm in benchmark.cells():
        parameters, origin = benchmark.parameters(dataset, algorithm), origin_now(benchmark, setting, algorithm)
        fake.write_cell(results, dataset, setting, algorithm, parameters=parameters, origin=origin)
    rows = [
        row for p in SWEEP for row in fake.cell_rows("yaleb", "clean", "PKO+HSC", variation="neighbors", parameters=p)
    ]
    origin = origin_now(benchmark, "clean", "PKO+HSC")
    write_rows(Layout(results).variation("yaleb", "clean", "neighbors", "PKO+HSC"), rows, origin)
