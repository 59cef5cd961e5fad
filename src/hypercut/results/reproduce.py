"""Computes one archived result again, starting from the data, and compares the two."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.benchmark import code
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError, listed
from hypercut.files import write_json
from hypercut.results.archive import located, read_archive
from hypercut.results.compare import Comparison, Side, common_metrics, compare
from hypercut.results.rows import display_name, read_result
from hypercut.results.summary import per_sigma

#: The largest difference of a mean score at a σ that is tolerated: other processors and BLAS libraries round
#: differently, so single samples change their cluster.
TOLERANCE = 0.01
#: Lines of a failed run that are shown.
SHOWN = 25


def reproduce(folder: Path, key: str, data: Path, cores: int = 1) -> tuple[float, Comparison]:
    """Compute a result of an archive in a temporary folder, and compare it.

    Returns the largest difference of a mean score at any σ, and the comparison of the tables' scores.
    """
    archive = read_archive(folder)
    found = archive.by_key()
    if key not in found:
        near = [name for name in found if name.split("/")[0] == key.split("/")[0]] or sorted(archive.datasets)
        raise InputError(listed(f"{key} is not in {folder}, which has:", near))
    with tempfile.TemporaryDirectory(prefix="hypercut-") as scratch:
        computed = read_result(_compute(located(archive.config, str(data.resolve())), key, Path(scratch), cores))
    names = [_data(rows) for rows, _ in (found[key], computed)]
    if names[0] != names[1]:
        raise InputError(
            f"The data differ from the archived ones: expected {names[0]}, found {names[1]}. "
            f"Get the original files: hypercut data get {key.split('/')[0]}"
        )
    sides = Side("archived", {key: found[key]}), Side("computed", {key: computed})
    one, other = (_means(rows, common_metrics(*sides)) for rows, _ in (found[key], computed))
    return float((one - other).abs().max(axis=None, skipna=False)), compare(*sides)


def _compute(config: Mapping[str, Any], key: str, folder: Path, cores: int) -> Path:
    """Run the workflow for one result file in a folder, and return the file."""
    snakefile = code.ROOT.parents[1] / "Snakefile"
    if not snakefile.is_file():
        raise InputError("hypercut reproduce runs the workflow. Use it from a clone of the repository.")
    # JSON is YAML. Snakemake looks for the configuration in its working folder.
    write_json(folder / "config.yaml", config)
    benchmark = Benchmark(config)
    target = Layout(Path(config["results"])).result(benchmark.result(key))
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile), "--directory", str(folder)]
    done = subprocess.run(
        [*command, "--cores", str(cores), "--", str(target)],
        env={**os.environ, "PYTHONPATH": str(code.ROOT.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-SHOWN:])
        raise InputError(f"The workflow failed:\n{last}")
    return folder / target


def _means(rows: pd.DataFrame, metrics: list[str]) -> pd.DataFrame:
    """Return the mean scores over repeats by parameters and σ, which is 0 for an algorithm without σ."""
    means = per_sigma(rows).fillna({"sigma_factor": 0.0}).set_index(["parameters", "sigma_factor"])
    return means[[f"{metric}_mean" for metric in metrics]]


def _data(rows: pd.DataFrame) -> str:
    facts = rows.iloc[0]
    name = display_name(facts["dataset"], facts["data_kind"], bool(facts["complete"]))
    return f"{name}, N = {facts['n_samples']}, {facts['n_features']} features"
