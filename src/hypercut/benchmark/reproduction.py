"""Computing one result of a reference again, from nothing, and comparing the two."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from hypercut.benchmark import code
from hypercut.benchmark.archive import located
from hypercut.benchmark.comparison import EQUAL
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.layout import Layout
from hypercut.benchmark.provenance import ENVIRONMENT, Origin
from hypercut.benchmark.reference import Reference, compact
from hypercut.benchmark.rows import COMBINATION, METRICS, ResultFile, display_name, read_origin, read_rows
from hypercut.benchmark.summary import summarize
from hypercut.errors import InputError
from hypercut.files import write_json
from hypercut.paper import published
from hypercut.paper.protocol import CLEAN

#: By how much a mean score at a σ may differ: other processors and BLAS libraries round differently, and single samples
#: change their cluster.
TOLERANCE = 0.01
#: Lines of a failed run that are shown.
SHOWN = 25


@dataclass(frozen=True)
class Agreement:
    """A result that was computed again, beside that of the reference."""

    key: ResultFile
    rows: int
    different: int
    """rows whose scores or status differ"""
    difference: float
    """the largest of a mean score at any σ"""
    archived: pd.Series
    """mean scores of the reference at the σ that the labels choose"""
    computed: pd.Series
    """mean scores at the same σ"""
    printed: Mapping[str, float]
    """scores that the paper prints"""
    notes: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether the scores differ no more than another processor or BLAS may cause."""
        return self.difference <= TOLERANCE

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        name = " · ".join(filter(None, self.key))
        if not self.different:
            yield f"{name}: all {self.rows} clusterings have the same scores as in the reference."
        else:
            verdict = "agrees" if self.agrees else "does not agree"
            yield f"{name}: {verdict} with the reference."
            yield f"  {self.different} of {self.rows} clusterings differ, mean scores by up to {self.difference:.4f}."
            yield f"  Up to {TOLERANCE} is expected of another processor or BLAS."
        yield f"  {'':<16}  {'paper':>9}  {'reference':>9}  {'computed':>9}"
        for metric in METRICS:
            printed = f"{self.printed[metric]:.4f}" if metric in self.printed else "–"
            yield f"  {metric:<16}  {printed:>9}  {self.archived[metric]:>9.4f}  {self.computed[metric]:>9.4f}"
        yield from (f"  {note}" for note in self.notes)


def reproduce(reference: Reference, key: ResultFile, data: Path, cores: int = 1) -> Agreement:
    """Compute a result of a reference in a temporary folder, and compare it."""
    found = {name: (rows, origin) for name, rows, origin in reference.results()}
    if key not in found:
        known = {name[:3] for name in found if name[3] == key[3]}
        raise InputError(
            f"{' · '.join(filter(None, key))} is not in the reference, which has {len(known)} such results. "
            f"Datasets: {', '.join(sorted({name[0] for name in found}))}. "
            f"Of {key[0]}, settings: {', '.join(sorted({name[1] for name in known if name[0] == key[0]})) or 'none'}; "
            f"algorithms: {', '.join(sorted({name[2] for name in known if name[0] == key[0]})) or 'none'}."
        )
    with tempfile.TemporaryDirectory(prefix="hypercut-") as folder:
        path = _compute(reference, key, Path(folder), data, cores)
        origin = read_origin(path) or Origin(code={}, data="")
        rows = compact(read_rows(path), origin)
    agreement = _agreement(key, *found[key], rows, origin)
    printed, remark = _paper(key, rows)
    notes = (remark, _description(reference, rows), *agreement.notes)
    return replace(agreement, printed=printed, notes=notes)


def _compute(reference: Reference, key: ResultFile, folder: Path, data: Path, cores: int) -> Path:
    """Run the workflow for one result file in a folder, and return the file."""
    snakefile = code.ROOT.parents[1] / "Snakefile"
    if not snakefile.is_file():
        raise InputError("hypercut reproduce runs the workflow. Use it from a clone of the repository.")
    config = located(reference.config, str(data.resolve()))
    # JSON is YAML. Snakemake looks for the configuration in its working folder.
    write_json(folder / "config.yaml", config)
    dataset, setting, algorithm, name = key
    benchmark = Benchmark(config)
    layout = Layout(Path(benchmark.config["results"]))
    if name:
        target = layout.of(benchmark.variation(dataset, setting, name, algorithm))
    else:
        target = layout.cell(dataset, setting, algorithm)
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile), "--directory", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(code.ROOT.parent)}
    done = subprocess.run(
        [*command, "--cores", str(cores), "--", str(target)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-SHOWN:])
        raise InputError(f"The workflow failed:\n{last}")
    return folder / target


def _agreement(
    key: ResultFile, archived: pd.DataFrame, origin: Origin, computed: pd.DataFrame, other: Origin
) -> Agreement:
    if origin.data != other.data:
        raise InputError(
            f"The data of {key[0]} are not those of the reference: {computed['data_kind'].iloc[0]}, "
            f"{computed['n_samples'].iloc[0]} samples. Get the original files: hypercut data get {key[0]}"
        )
    names = [*COMBINATION, "sigma_factor", "repeat"]
    one, two = (rows.sort_values(names, ignore_index=True) for rows in (archived, computed))
    if not one[names].equals(two[names]):
        raise InputError("The result has other repeats, scales or parameters than that of the reference.")
    scores = list(METRICS)
    gap = (one[scores].fillna(0) - two[scores].fillna(0)).abs().max(axis=1)
    different = (gap > EQUAL) | (one["status"] != two["status"])
    means = [_means(rows) for rows in (one, two)]
    best = _best(one)
    return Agreement(
        key=key,
        rows=len(one),
        different=int(different.sum()),
        difference=float((means[0] - means[1]).abs().max().max()),
        archived=means[0].loc[best],
        computed=means[1].loc[best],
        printed={},
        notes=tuple(_notes(origin, other)),
    )


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean scores over repeats, by parameters and σ. Failures count as 0."""
    scores = rows[list(METRICS)].fillna(0.0)
    return scores.groupby([rows["parameters"], rows["sigma_factor"].fillna(0.0)]).mean()


def _best(rows: pd.DataFrame) -> tuple[str, float]:
    """Return the parameters and σ with the highest mean NMI, as tables choose them; 0 for no σ."""
    chosen = summarize(rows).query("rule == 'oracle'").fillna({"sigma_factor": 0.0})
    best = chosen.loc[chosen["nmi_mean"].round(12).idxmax()]
    return best["parameters"], best["sigma_factor"]


def _paper(key: ResultFile, rows: pd.DataFrame) -> tuple[dict[str, float], str]:
    """Return the scores that the paper prints for a result, and where they are or why there are none."""
    dataset, _, algorithm, variation = key
    facts = rows.iloc[0]
    experiment, name = facts["corruption"], published.PARTS.get(dataset, dataset)
    if variation or name not in published.datasets(experiment) or algorithm not in published.ALGORITHMS:
        return {}, "Paper: has no such result."
    table = f"Table {published.EXPERIMENTS[experiment]}"
    printed = {metric: float(published.scores(experiment, metric).loc[algorithm, name]) for metric in published.METRICS}
    if experiment != CLEAN:
        means = ", ".join(f"{metric} {value:.4f}" for metric, value in printed.items())
        return {}, f"Paper: prints no single level; its means over all levels are {means} ({table})."
    comparable = bool(facts["complete"]) and facts["data_kind"] in ("real", "generated")
    where = f"Paper: {table}, {published.DATASETS[name]} with N = {published.SAMPLES[name]}"
    return printed, where + ("." if comparable else f"; not comparable with {_data(rows)}.")


def _description(reference: Reference, rows: pd.DataFrame) -> str:
    """Return how and when the reference was computed, as far as it concerns these rows."""
    last = reference.contributions[-1]
    scales, repeats = rows["sigma_factor"].nunique(), rows["repeat"].nunique()
    grid = f" × {scales} values of σ, means at the one that the labels choose" if scales else ""
    commit = f" at commit {last['commit'][:7]}" if last["commit"] else ""
    archived = f"last archived by hypercut {last['version']}{commit}, {last['created'][:10]}"
    return f"Reference: {_data(rows)}, {repeats} repeats{grid}; {archived}."


def _data(rows: pd.DataFrame) -> str:
    facts = rows.iloc[0]
    return display_name(facts["dataset"], facts["data_kind"], bool(facts["complete"]), int(facts["n_samples"]))


def _notes(origin: Origin, other: Origin) -> Iterator[str]:
    for step in sorted(origin.code.keys() | other.code.keys()):
        if origin.code.get(step) != other.code.get(step):
            yield f"The code of the step {step} has changed since."
    for name in ENVIRONMENT:
        found = [one.environment.get(name, "unknown") for one in (origin, other)]
        if found[0] != found[1]:
            yield f"{name.replace('_', '-')}: reference {found[0]}, here {found[1]}"
