"""Section "Why the trace ratio loses" (if it does): the criterion of three partitions, and where P has its mass."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from hypercut.analysis.diagnostics import LOW_DEGREE_SHARE, NORMALIZED, OTHER, RATIO, Explanation, diagnosed, explain
from hypercut.analysis.evidence import Evidence
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Key, Panels, algorithm_styles
from hypercut.report.render.page import Section
from hypercut.report.render.table import Cell, Table, counted, grid_table

#: Above this multiple of its share of the vertices, P's mass on those of low degree is a concentration.
CONCENTRATED = 2


def findings(it: Explanation) -> list[str]:
    """Return what the diagnostics say, whichever way they come out."""
    of = counted(it.datasets, "dataset")
    found = [f"On the same similarity, {RATIO} loses to {NORMALIZED} in NMI on {it.lost} of {of} and wins on {it.won}."]
    if it.preferred:
        found.append(
            f"On {it.preferred} of the {it.lost}, the paper's criterion prefers the worse labels. A better optimiser "
            "would not help there."
        )
    if it.relaxed:
        found.append(
            f"On {it.relaxed} of the {it.lost}, {RATIO} has the larger trace ratio but labels that are worse by the "
            "criterion too: its P is harder to turn into labels."
        )
    if failed := it.lost - it.preferred - it.relaxed:
        found.append(f"On {failed} of the {it.lost}, {RATIO} does not even have the larger trace ratio.")
    found.append(f"The labels of {RATIO} have a larger criterion than the true classes on {it.above_truth} of {of}.")
    mass = f"The 5 % of vertices with the lowest degrees have {it.mass[RATIO]:.0%} of P's mass"
    mass += f" (median; {NORMALIZED}: {it.mass[NORMALIZED]:.0%}), "
    if it.mass[RATIO] > max(CONCENTRATED * LOW_DEGREE_SHARE, it.mass[NORMALIZED]):
        mass += "since PᵀP = I does not discount degrees, and the smallest cluster has "
        mass += f"{it.smallest[RATIO]:g} samples (median; {NORMALIZED}: {it.smallest[NORMALIZED]:g})."
    else:
        mass += "so low degrees do not explain the difference."
    return [*found, mass]


def criterion_table(evidence: Evidence, data: pd.DataFrame) -> Table:
    """Return both methods' NMI, criterion, mass of P and smallest cluster: a row per dataset."""
    methods = {name: data[data["algorithm"] == name].set_index("dataset") for name in (RATIO, NORMALIZED)}
    criteria = {f"criterion {name}": rows["criterion"] for name, rows in methods.items()}
    criteria["criterion true classes"] = methods[RATIO]["criterion_truth"]
    highest = pd.DataFrame(criteria).max(axis=1)
    columns = {f"NMI {name}": rows["nmi"] for name, rows in methods.items()} | criteria
    for head, column in (("mass", "low_degree_mass"), ("smallest", "smallest_cluster")):
        columns |= {f"{head} {name}": rows[column] for name, rows in methods.items()}
    return grid_table(
        "criterion",
        "The criterion, and where P has its mass",
        "Clean sets, means over repeats, at the σ that the labels choose for PKO+HSC. Criterion: edges within a "
        "cluster to edges between, mean over clusters, which the trace ratio relaxes, of the labels and of the true "
        "classes; bold is the largest. Mass: share of P's mass on the 5 % of vertices with the lowest degrees. "
        "Smallest: samples in the smallest cluster.",
        evidence.with_kind(data),
        {
            (dataset, head): Cell(
                f"{value:#.3g}".replace("inf", "∞"), value, best=head in criteria and value == highest[dataset]
            )
            for head, values in columns.items()
            for dataset, value in values.items()
        },
        corner="dataset",
        rows={name: evidence.label(name) for name in data["dataset"].unique()},
        columns={head: head for head in columns},
    )


def criterion_chart(evidence: Evidence, data: pd.DataFrame) -> Iterator[CaptionedFigure]:
    """Yield the criterion relative to that of the true classes, and the mass of P on vertices of low degree."""
    datasets = list(data["dataset"].unique())
    looks = algorithm_styles(evidence.roles)
    styles = {name: {**looks[name], "ls": "", "ms": 6} for name in (RATIO, OTHER, NORMALIZED) if name in looks}
    panels = Panels(2, 2, size=(5.2, 0.8 + 0.19 * len(datasets)), keys=[Key(*it) for it in styles.items()])
    data = data.assign(relative=(data["criterion"] / data["criterion_truth"]).where(np.isfinite(data["criterion"])))
    left, right = panels.add("criterion, labels / true classes"), panels.add("share of P's mass on 5 % of vertices")
    for ax, column, neutral in ((left, "relative", 1.0), (right, "low_degree_mass", LOW_DEGREE_SHARE)):
        ax.axvline(neutral, color=palette.AXIS, lw=1)
        for name, style in styles.items():
            part = data[(data["algorithm"] == name) & data[column].notna()]
            places = [len(datasets) - 1 - datasets.index(dataset) for dataset in part["dataset"]]
            (dots,) = ax.plot(part[column], places, **style)
            panels.name(
                dots, name, [f"{evidence.label(it.dataset)}: {getattr(it, column):.3g}" for it in part.itertuples()]
            )
        ax.set_yticks(range(len(datasets))[::-1], [evidence.label(name) for name in datasets])
        ax.set_ylim(-0.6, len(datasets) - 0.4)
    left.set_xlabel("right of the line, the criterion prefers the labels found")
    right.set(xlim=(0, 1), xlabel="those of the lowest degrees; at the line, as much as on others")
    yield CaptionedFigure(
        name="criterion",
        title="What the criterion prefers",
        caption="Each method at its σ of Table 1, PKO+NC at that of PKO+HSC. PK+HSC has a similarity of its own.",
        panels=panels,
        data=evidence.with_kind(data),
    )


def section(evidence: Evidence) -> Section:
    """Return the explanation; nothing for results without diagnostics."""
    data = diagnosed(evidence)
    if data.empty:
        return Section("why", "Why")
    found = explain(data)
    title = "Why the trace ratio loses" if found.lost > found.won else "The trace ratio and the normalised cut"
    return Section(
        "why",
        title,
        remarks=findings(found),
        tables=[criterion_table(evidence, data)],
        figures=criterion_chart(evidence, data),
    )
