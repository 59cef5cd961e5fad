"""Section "What was run": datasets, configuration, code and machine, and what does not compare with the paper."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import EXPERIMENT_NAMES, PAPER_NOISE, other_levels
from hypercut.paper import published
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, record_table, thousands

#: Column of the rows → the name that is shown, of the software that computed them.
SOFTWARE = {"python": "Python", "numpy": "numpy", "scipy": "scipy", "scikit_learn": "scikit-learn", "blas": "BLAS"}


def dataset_table(evidence: Evidence) -> Table:
    """Return the datasets and their sources."""
    rows = []
    for name in evidence.datasets:
        facts, about = evidence.facts.loc[name], evidence.run.get("datasets", {}).get(name, {})
        sizes = [int(facts[column]) for column in ("n_samples", "n_features", "n_clusters")]
        sources = [about.get(key) for key in ("source", "version", "terms")]
        rows.append([evidence.label(name), about.get("title"), facts["data_kind"], *sizes, *sources])
    columns = ["dataset", "title", "data", "N", "features", "K", "source", "version", "terms"]
    data = pd.DataFrame(rows, columns=columns)

    def shown(value: object) -> str:
        # A SHA-256 of 64 letters would make its column too wide.
        return "" if value is None else re.sub(r"\b([0-9a-f]{12})[0-9a-f]{52}\b", r"\1…", str(value))

    heads = {name: lambda it, name=name: shown(getattr(it, name)) for name in columns}
    return record_table("datasets", "Datasets", "", data, heads, numeric=False)


def run_facts(evidence: Evidence) -> list[str]:
    """Return what was run, when, where and with which code."""
    run = evidence.run
    commit = str(run.get("commit") or "unknown")[:12] + (" with uncommitted changes" if run.get("dirty") else "")
    kinds = evidence.summary.groupby("corruption").agg(
        settings=("setting", "nunique"), least=("repeats", "min"), most=("repeats", "max")
    )
    settings = [
        f"{EXPERIMENT_NAMES[kind]}: {it.settings} with {it.least} to {it.most} repeats" for kind, it in kinds.iterrows()
    ]
    software = [f"{name} {_values(evidence, column)}" for column, name in SOFTWARE.items()]
    return [
        f"Settings: {'; '.join(settings)}.",
        f"Algorithms: {', '.join(evidence.with_role('algorithm', 'beyond', 'baseline'))}.",
        f"{thousands(len(evidence.table))} clusterings, computed {computed_days(evidence)} with {'; '.join(software)}; "
        f"processor: {_values(evidence, 'cpu')}.",
        f"Gathered {run.get('created', 'unknown')} by hypercut {run.get('version', 'unknown')}, commit {commit}, on "
        f"{_machine(run.get('machine') or {})}.",
    ]


def computed_days(evidence: Evidence) -> str:
    """Return the first and the last day on which results were computed."""
    days = sorted({str(value)[:10] for value in evidence.table["computed"].unique()})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _values(evidence: Evidence, column: str) -> str:
    return " and ".join(sorted(map(str, evidence.table[column].unique())))


def _machine(machine: Mapping[str, Any]) -> str:
    memory = f"{machine.get('memory_bytes', 0) / 2**30:.0f} GB"
    return ", ".join(map(str, [machine.get("cpu"), f"{machine.get('cores')} cores", memory, machine.get("platform")]))


def incomparable(evidence: Evidence) -> list[str]:
    """Return a sentence for everything that does not compare with the paper."""
    lines = []
    for name in evidence.datasets:
        kind, label = evidence.kind(name), evidence.label(name)
        if name in published.PARTS:
            whole = published.DATASETS[published.PARTS[name]]
            lines.append(f"{label}: in the place of {whole} at the indicated sizes, and in no other average or rank.")
        elif kind == "stand-in" or (name in published.DATASETS and not evidence.comparable(name, "clean")):
            lines.append(f"{label}: not the paper's data. Not compared with the paper.")
        elif kind == "generated":
            lines.append(f"{label}: the paper's set was never published. Ours is generated.")
    if evidence.noise != PAPER_NOISE and (evidence.cells["corruption"] == "noise").any():
        lines.append(f"Noise ({', '.join(evidence.noise.values())}): not the paper's. Not compared with the paper.")
    for experiment in ("noise", "outlier"):
        others = ", ".join(other_levels(evidence.cells, experiment))
        if others:
            lines.append(f"Levels of {EXPERIMENT_NAMES[experiment]} that are not the paper's: {others}. In no average.")
    return lines


def section(evidence: Evidence) -> Section:
    """Return what was run, and what of it does not compare with the paper."""
    config = json.dumps(evidence.run.get("config", {}), indent=2, ensure_ascii=False, default=str)
    return Section(
        "run",
        "What was run",
        remarks=[*run_facts(evidence), *incomparable(evidence)],
        tables=[dataset_table(evidence)],
        listing=config,
    )
