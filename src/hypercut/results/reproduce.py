"""Computes one archived result again, from nothing, and compares the two."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.benchmark import code
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError, listed
from hypercut.files import write_json
from hypercut.paper import published
from hypercut.paper.protocol import CLEAN
from hypercut.results.archive import located, read_archive
from hypercut.results.compare import Comparison, Side, compare
from hypercut.results.rows import METRICS, display_name, read_result
from hypercut.results.summary import per_sigma, summarize

#: By how much a mean score at a σ may differ: other processors and BLAS libraries round differently, and single samples
#: change their cluster.
TOLERANCE = 0.01
#: Lines of a failed run that are shown.
SHOWN = 25

#: Columns in which two computations must agree to be comparable.
_DATA = ["data_kind", "complete", "n_samples", "n_features"]
_GRID = ["parameters", "sigma_factor"]


@dataclass(frozen=True)
class Agreement:
    """A result that was computed again, beside the archived one."""

    key: str
    comparison: Comparison
    difference: float
    """the largest of a mean score at any σ"""
    scores: pd.DataFrame
    """mean scores at the archived result's best σ: a row per metric; columns paper, archived and computed"""
    paper: str
    """where the paper prints these scores, or why it does not"""

    @property
    def agrees(self) -> bool:
        """Whether the scores differ no more than another processor or BLAS may cause."""
        return self.difference <= TOLERANCE

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        verdict = "equal" if not self.difference else "agrees" if self.agrees else "does not agree"
        yield f"{self.key}: {verdict}. Mean scores differ by up to {self.difference:.4f}; {TOLERANCE} is tolerated."
        yield self.scores.to_string(float_format="{:.4f}".format, na_rep="–")
        yield self.paper
        yield from self.comparison.origins()


def reproduce(folder: Path, key: str, data: Path, cores: int = 1) -> Agreement:
    """Compute a result of an archive in a temporary folder, and compare it."""
    archive = read_archive(folder)
    found = archive.by_key()
    if key not in found:
        near = [name for name in found if name.split("/")[0] == key.split("/")[0]] or sorted(archive.datasets)
        raise InputError(listed(f"{key} is not in {folder}, which has:", near))
    archived = found[key]
    with tempfile.TemporaryDirectory(prefix="hypercut-") as scratch:
        computed = read_result(_compute(located(archive.config, str(data.resolve())), key, Path(scratch), cores))
    one, other = archived[0], computed[0]
    if not one[_DATA].iloc[0].equals(other[_DATA].iloc[0]):
        raise InputError(
            f"The data are not the archived ones: {_data(other)} instead of {_data(one)}. "
            f"Get the original files: hypercut data get {key.split('/')[0]}"
        )
    means = [_means(rows) for rows in (one, other)]
    best = _best(one)
    printed, where = _paper(one)
    columns = {"paper": printed, "archived": means[0].loc[best], "computed": means[1].loc[best]}
    return Agreement(
        key=key,
        comparison=compare(Side("archived", {key: archived}), Side("computed", {key: computed})),
        difference=float((means[0] - means[1]).abs().max().max()),
        scores=pd.DataFrame(columns, index=list(METRICS)),
        paper=where,
    )


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


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean scores over repeats, by parameters and σ, 0 for no σ."""
    means = per_sigma(rows).fillna({"sigma_factor": 0.0}).set_index(_GRID)
    return means[[f"{metric}_mean" for metric in METRICS]].set_axis(list(METRICS), axis=1)


def _best(rows: pd.DataFrame) -> tuple[str, float]:
    """Return the parameters and σ with the highest mean NMI, as tables choose them."""
    chosen = summarize(rows).query("rule == 'oracle'").fillna({"sigma_factor": 0.0})
    best = chosen.loc[chosen["nmi_mean"].round(12).idxmax()]
    return best["parameters"], best["sigma_factor"]


def _paper(rows: pd.DataFrame) -> tuple[dict[str, float], str]:
    """Return the scores that the paper prints for a result, and where they are or why there are none."""
    facts = rows.iloc[0]
    experiment, algorithm = facts["corruption"], facts["algorithm"]
    name = published.PARTS.get(facts["dataset"], facts["dataset"])
    if facts["variation"] or name not in published.datasets(experiment) or algorithm not in published.ALGORITHMS:
        return {}, "The paper has no such result."
    table = f"Table {published.EXPERIMENTS[experiment]}"
    printed = {metric: float(published.scores(experiment, metric).loc[algorithm, name]) for metric in published.METRICS}
    if experiment != CLEAN:
        means = ", ".join(f"{metric} {value:.4f}" for metric, value in printed.items())
        return {}, f"The paper prints no single level; its means over all levels are {means} ({table})."
    where = f"Paper: {table}, {published.DATASETS[name]} with N = {published.SAMPLES[name]}"
    comparable = bool(facts["complete"]) and facts["data_kind"] in ("real", "generated")
    return printed, where + ("." if comparable else f"; not comparable with {_data(rows)}.")


def _data(rows: pd.DataFrame) -> str:
    facts = rows.iloc[0]
    return display_name(facts["dataset"], facts["data_kind"], bool(facts["complete"]), int(facts["n_samples"]))
