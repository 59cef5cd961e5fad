"""The page: everything the report has, in one HTML file that needs no other."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hypercut.paper import published
from hypercut.report.claims import Claim, Verdict
from hypercut.report.evidence import Evidence
from hypercut.report.experiments import EXPERIMENT_NAMES, PAPER_NOISE
from hypercut.report.ranks import Ranking
from hypercut.report.tables import Table


@dataclass(frozen=True)
class Picture:
    """What the page shows of a drawing. The figure itself is not kept: fifty of them would fill the memory."""

    name: str
    title: str
    caption: str
    alt: str
    wide: bool
    svg: bytes

    @property
    def source(self) -> str:
        """The picture itself as an address. As an image, not inline: the identifiers of two SVGs would clash."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode("ascii")


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    name: str
    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()
    more: Sequence[Table] = ()
    """tables that are folded away"""
    pictures: Sequence[Picture] = ()


def render(evidence: Evidence, sections: Sequence[Section], claims: Sequence[Claim], headline: Table) -> str:
    """Return the page."""
    environment = Environment(
        loader=PackageLoader("hypercut.report", "template"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    loader = environment.loader
    assert loader is not None
    raw = {name: Markup(loader.get_source(environment, name)[0]) for name in ("page.css", "page.js")}
    return environment.get_template("page.html").render(
        style=raw["page.css"],
        script=raw["page.js"],
        sections=sections,
        claims=claims,
        counts={verdict: sum(claim.verdict == verdict for claim in claims) for verdict in Verdict},
        headline=headline,
        facts=run_facts(evidence),
        missing=len(evidence.missing_cells) + len(evidence.missing_sweeps),
        stale=len(evidence.stale),
        expected=sum(len(evidence.run.get("expected", {}).get(what, [])) for what in ("cells", "sweeps")),
        marks=[*mixed_versions(evidence), *not_real(evidence), *not_the_papers(evidence)],
        config=json.dumps(evidence.run.get("config", {}), indent=2, ensure_ascii=False, default=str),
        paper=published.TITLE,
    )


def run_facts(evidence: Evidence) -> list[tuple[str, str]]:
    """What was run, when, with which code and where, for the first screen."""
    run = evidence.run
    commit = str(run.get("commit") or "unknown")[:12] + (" with uncommitted changes" if run.get("dirty") else "")
    return [
        ("Datasets", ", ".join(map(evidence.label, evidence.datasets))),
        ("Settings", _settings(evidence)),
        ("Repeats", _repeats(evidence)),
        ("Algorithms", ", ".join(evidence.with_role("algorithm", "beyond", "reference"))),
        ("Clusterings", f"{len(evidence.table):,}".replace(",", " ")),
        ("Computed", _computed(evidence)),
        ("Computed with", "; ".join(f"{name} {_values(evidence, column)}" for name, column in _LIBRARIES.items())),
        ("Processor", _values(evidence, "cpu")),
        (
            "Report built",
            f"{run.get('created', 'unknown')}, hypercut {run.get('version', 'unknown')}, commit {commit}",
        ),
        ("Report built on", _machine(run.get("machine") or {})),
    ]


#: What computed the rows, as the first screen names it, and its column.
_LIBRARIES = {"Python": "python", "numpy": "numpy", "scipy": "scipy", "scikit-learn": "scikit_learn", "BLAS": "blas"}


def _computed(evidence: Evidence) -> str:
    days = sorted({str(value)[:10] for value in evidence.table["computed"]})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _values(evidence: Evidence, column: str) -> str:
    return " and ".join(sorted(map(str, evidence.table[column].unique())))


def mixed_versions(evidence: Evidence) -> list[str]:
    """Return a sentence for every library of which the rows come from several versions."""
    lines = []
    for name, column in _LIBRARIES.items():
        counts = evidence.table[column].value_counts()
        if len(counts) > 1:
            parts = [f"{value} ({count} clusterings)" for value, count in counts.items()]
            lines.append(f"Computed with several versions of {name}: {', '.join(parts)}.")
    return lines


def _settings(evidence: Evidence) -> str:
    pairs = evidence.cells[["corruption", "setting"]].drop_duplicates()
    counts = pairs.groupby("corruption").size()
    levels = [f"{counts[name]} {name} levels" for name in ("noise", "outlier") if name in counts]
    return ", ".join([*(["clean"] if "clean" in counts else []), *levels])


def _repeats(evidence: Evidence) -> str:
    counts = evidence.summary.groupby("corruption")["repeats"].agg(["min", "max"])
    parts = []
    for name in [name for name in EXPERIMENT_NAMES if name in counts.index]:
        low, high = counts.loc[name]
        parts.append(f"{low} {EXPERIMENT_NAMES[name]}" if low == high else f"{low}–{high} {EXPERIMENT_NAMES[name]}")
    return ", ".join(parts)


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


def not_real(evidence: Evidence) -> list[str]:
    """Which datasets are not the complete real ones, each with what follows from it."""
    lines = []
    for name in evidence.datasets:
        facts = evidence.facts.loc[name]
        if facts["data_kind"] == "stand-in":
            lines.append(f"{evidence.label(name)}: generated in place of data that could not be had. No comparison.")
        elif facts["data_kind"] == "own" and name in published.DATASETS:
            lines.append(f"{evidence.label(name)}: not the published content. No comparison.")
        elif not facts["complete"] and name in published.DATASETS:
            lines.append(f"{evidence.label(name)}: not the whole set. No comparison.")
        elif facts["data_kind"] == "generated":
            lines.append(
                f"{evidence.label(name)}: the paper's set was never published. Ours is generated, and differences "
                "from the paper may be the data's; gains are given with and without it."
            )
    return lines


def not_the_papers(evidence: Evidence) -> list[str]:
    """Which corruptions are other than the paper's, each with what follows from it."""
    lines = []
    if evidence.noise != PAPER_NOISE and (evidence.cells["corruption"] == "noise").any():
        ours, paper = (" and ".join(noise.values()) for noise in (evidence.noise, PAPER_NOISE))
        lines.append(f"Noise: its scale and distribution are {ours}, not {paper}. No comparison.")
    for experiment in ("noise", "outlier"):
        others = evidence.other_levels(experiment)
        if others:
            lines.append(
                f"Levels of {EXPERIMENT_NAMES[experiment]} that are not the paper's: {', '.join(others)}. They are in "
                "the curves, and in no average, gain or verdict."
            )
    return lines


def rank_sentence(rankings: Sequence[Ranking]) -> str:
    """How little the datasets can decide, in plain words."""
    tested = [ranking for ranking in rankings if ranking.testable]
    if not tested:
        return (
            "Fewer than three datasets have all algorithms: nothing can be tested, and ranks of so few are an accident."
        )
    first = tested[0]
    n, k = first.scores.shape
    return (
        f"{n} datasets decide little: with {k} algorithms, mean ranks must differ by {first.critical_difference:.1f} "
        f"of at most {k - 1} places before the test tells two apart, so most differences between neighbours stay open "
        "whatever their sign. The datasets are also no random sample of anything: they are those that the paper chose."
    )
