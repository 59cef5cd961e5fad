"""Section "What was run": datasets, configuration, code and machine, and what does not compare with the paper."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import EXPERIMENT_NAMES, PAPER_NOISE, other_levels
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, counted, text_rows, thousands
from hypercut.report.sections.standard_errors import error_fact

#: Column of the rows → the name that is shown, of the software that computed them.
SOFTWARE = {"python": "Python", "numpy": "numpy", "scipy": "scipy", "scikit_learn": "scikit-learn", "blas": "BLAS"}


def dataset_table(evidence: Evidence) -> Table:
    """Return the datasets and their sources."""
    described = evidence.run.get("datasets", {})
    rows = []
    for name in evidence.datasets:
        facts, about = evidence.facts.loc[name], described.get(name, {})
        sizes = [int(facts[column]) for column in ("n_samples", "n_features", "n_clusters")]
        sources = [about.get(key) for key in ("source", "version", "terms")]
        rows.append([evidence.label(name), about.get("title"), facts["data_kind"], *sizes, *sources])
    columns = ["dataset", "title", "data", "N", "features", "K", "source", "version", "terms"]
    return Table(
        name="datasets",
        title="Datasets",
        caption="The datasets and their sources.",
        columns=columns,
        rows=text_rows([[_short_hash(value) for value in row] for row in rows]),
        data=pd.DataFrame(rows, columns=columns),
        numeric=False,
    )


def _short_hash(value: object) -> object:
    """Return a text with its SHA-256 cut short: a word of 64 letters would make its column too wide."""
    return re.sub(r"\b([0-9a-f]{12})[0-9a-f]{52}\b", r"\1…", value) if isinstance(value, str) else value


def run_facts(evidence: Evidence) -> list[tuple[str, str]]:
    """Return what was run, when, where and with which code."""
    run = evidence.run
    commit = str(run.get("commit") or "unknown")[:12] + (" with uncommitted changes" if run.get("dirty") else "")
    when = f"{run['created'][:16].replace('T', ' ')} UTC" if run.get("created") else "unknown"
    gathered = f"{when}, hypercut {run.get('version', 'unknown')}, commit {commit}"
    days = sorted({str(value)[:10] for value in evidence.table["computed"].unique()})
    return [
        ("Datasets", ", ".join(map(evidence.label, evidence.datasets))),
        ("Settings", _settings(evidence)),
        ("Repeats", _repeats(evidence)),
        ("Standard error of the mean NMI", error_fact(evidence)),
        ("Algorithms", ", ".join(evidence.with_role("algorithm", "beyond", "reference"))),
        ("Clusterings", thousands(len(evidence.table))),
        ("Computed", days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"),
        ("Computed with", "; ".join(f"{name} {_values(evidence, column)}" for column, name in SOFTWARE.items())),
        ("Processor", _values(evidence, "cpu")),
        ("Results gathered", gathered),
        ("Gathered on", _machine(run.get("machine") or {})),
    ]


def _values(evidence: Evidence, column: str) -> str:
    return " and ".join(sorted(map(str, evidence.table[column].unique())))


def _settings(evidence: Evidence) -> str:
    counts = evidence.cells.groupby("corruption")["setting"].nunique()
    found = [name for name in EXPERIMENT_NAMES if name in counts]
    return ", ".join("clean" if name == "clean" else counted(counts[name], f"{name} level") for name in found)


def _repeats(evidence: Evidence) -> str:
    counts = evidence.summary.groupby("corruption")["repeats"].agg(["min", "max"])
    counts = counts.reindex([name for name in EXPERIMENT_NAMES if name in counts.index])
    ranges = [f"{low}" if low == high else f"{low}–{high}" for low, high in counts.to_numpy()]
    return ", ".join(f"{EXPERIMENT_NAMES[name]} {found}" for name, found in zip(counts.index, ranges, strict=True))


def _machine(machine: Mapping[str, Any]) -> str:
    memory = machine.get("memory_bytes")
    parts = [
        str(machine.get("cpu", "")),
        f"{machine['cores']} cores" if machine.get("cores") else "",
        f"{memory / 2**30:.0f} GB" if memory else "",
        str(machine.get("platform", "")),
        f"Python {machine['python']}" if machine.get("python") else "",
    ]
    return ", ".join(part for part in parts if part) or "unknown"


def mixed_versions(evidence: Evidence) -> list[str]:
    """Return a sentence for every library of which several versions computed the rows."""
    lines = []
    for column, name in SOFTWARE.items():
        counts = evidence.table[column].value_counts()
        if len(counts) > 1:
            parts = [f"{value} ({counted(count, 'clustering')})" for value, count in counts.items()]
            lines.append(f"Computed with several versions of {name}: {', '.join(parts)}.")
    return lines


def incomparable_data(evidence: Evidence) -> list[str]:
    """Return a sentence for every dataset that is not the paper's complete real one."""
    remarks = {}
    for name, facts in evidence.facts.iterrows():
        if facts["data_kind"] == "stand-in":
            remarks[name] = "generated data in place of a set that was unavailable. Not compared with the paper."
        elif name in published.PARTS:
            title = evidence.run.get("datasets", {}).get(name, {}).get("title", "random parts of a dataset")
            whole = published.DATASETS[published.PARTS[name]]
            remarks[name] = f"{title}. Compared with the published {whole}, but not part of averages, gains and ranks."
        elif facts["data_kind"] == "own" and name in published.DATASETS:
            remarks[name] = "not the published content. Not compared with the paper."
        elif not facts["complete"] and name in published.DATASETS:
            remarks[name] = "not the whole set. Not compared with the paper."
        elif facts["data_kind"] == "generated":
            remarks[name] = (
                "the paper's set was never published. Ours is generated, so differences from the paper may come from "
                "the data; gains are given with and without it."
            )
    return [f"{evidence.label(name)}: {remarks[name]}" for name in evidence.datasets if name in remarks]


def incomparable_corruptions(evidence: Evidence) -> list[str]:
    """Return a sentence for every corruption that differs from the paper's."""
    lines = []
    if evidence.noise != PAPER_NOISE and (evidence.cells["corruption"] == "noise").any():
        ours, paper = (" and ".join(noise.values()) for noise in (evidence.noise, PAPER_NOISE))
        lines.append(f"Noise: its scale and distribution are {ours}, not {paper}. Not compared with the paper.")
    for experiment in ("noise", "outlier"):
        others = other_levels(evidence.cells, experiment)
        if others:
            lines.append(
                f"Levels of {EXPERIMENT_NAMES[experiment]} that are not the paper's: {', '.join(others)}. The curves "
                "show them; averages, gains and verdicts exclude them."
            )
    return lines


def section(evidence: Evidence) -> Section:
    """Return the section."""
    config = json.dumps(evidence.run.get("config", {}), indent=2, ensure_ascii=False, default=str)
    return Section(
        "run",
        "What was run",
        facts=run_facts(evidence),
        remarks=[*mixed_versions(evidence), *incomparable_data(evidence), *incomparable_corruptions(evidence)],
        tables=[dataset_table(evidence)],
        listing=config,
    )
