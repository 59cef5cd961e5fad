"""Section "Under other readings": what changes if an open decision of the paper is read in another way."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, fields

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from hypercut.paper import published
from hypercut.paper.protocol import CLEAN
from hypercut.paper.readings import Reading, decisions, readings
from hypercut.report.experiments import PAIRS, level_name, pair_name
from hypercut.report.readings import Distance, Effect, ReadingScores
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, Panels, mark
from hypercut.report.render.page import Section
from hypercut.report.render.table import EMPTY, Cell, Table, bounds, counted, grid, number, number_cell
from hypercut.report.sections.claims import SHORT, Claim
from hypercut.report.verdicts import Verdict

AS_PRINTED = "as printed"

#: The competitors whose specification curves are drawn: the parts of the method, and the plain algorithm.
DRAWN = ("PKO+NC", "PK+HSC", "PO+HSC", "CSC")

#: The competitor that differs from PKO+HSC in the cut alone.
CUT = "PKO+NC"

#: More readings than this are not listed in a sentence.
LISTED = 5

TEXT = (
    "The paper leaves decisions open. Each reading below changes one of them and nothing else, on clean data (readings "
    "of the noise: at level L5), with σ chosen from the whole grid. Its kind says how near it is to the paper: text "
    "(its words allow it), plausible (a practitioner might have done it) or ours (beyond the paper; does not count for "
    "verdicts). “As printed” stands for the defaults of the benchmark. Only the algorithms that a reading changes were "
    "run again. All scores of this section, as printed too, are over the repeats that all readings have, and USPS-465 "
    "stands for USPS, so they differ slightly from Tables 1 and 3. With so many readings, some "
    "intervals exclude zero by chance."
)


def reading_table(under: ReadingScores) -> Table:
    """Return one row per reading, as printed first: what it changes, how near it comes, and which verdicts change."""
    rows, data = [], []
    for reading in (None, *under.single):
        distance = under.distance(reading)
        turned = verdict_changes(under, reading.name) if reading else {}
        datasets = under.datasets_of(reading)
        title = decisions()[reading.decisions[0]].title if reading else "–"
        where = f" ({level_name(reading.setting)})" if reading and reading.setting != CLEAN else ""
        rows.append(
            [
                Cell(reading.name if reading else AS_PRINTED),
                Cell(title),
                _alternative_cell(reading),
                Cell(reading.kind if reading else "–"),
                Cell(f"{len(datasets)}{where}", value=len(datasets)),
                *_distance_cells(distance, compared=reading is not None),
                _change_cell(under, reading),
            ]
        )
        data.append(
            {
                "reading": reading.name if reading else AS_PRINTED,
                "decision": title,
                "paper": decisions()[reading.decisions[0]].says if reading else "",
                "default": decisions()[reading.decisions[0]].default if reading else "",
                "alternative": reading.alternative if reading else "",
                "kind": reading.kind if reading else "",
                "why": reading.why if reading else "",
                "setting": reading.setting if reading else CLEAN,
                "datasets": " ".join(datasets),
                **_distance_facts(distance),
                "verdicts": "; ".join(f"{name}: {change}" for name, change in turned.items()),
            }
        )
    return Table(
        name="readings",
        title="The readings",
        caption="Distance: mean |ours − published| in NMI over the cells (dataset × algorithm) that compare, and over "
        "those of the four hypergraph methods; rank correlation: Spearman's between the algorithms of a dataset, mean "
        "over datasets. Small print: the same as printed, on the same cells. Last column: verdicts on this setting, by "
        "NMI and purity, that differ from those as printed on the same datasets. The file also quotes the paper. "
        f"{_rests(under)}",
        columns=[
            *("reading", "decision", "alternative", "kind", "datasets", "distance", "hypergraph methods"),
            *("rank correlation", "verdicts that change"),
        ],
        rows=rows,
        data=pd.DataFrame(data),
        numeric=False,
    )


def _rests(under: ReadingScores) -> str:
    run = [len(under.datasets_of(reading)) for reading in under.single]
    on = f"{min(run)} to {max(run)}" if min(run) < max(run) else f"{max(run)}"
    total = len(published.DATASETS)
    return f"{len(under.single)} of {len(readings())} readings have results, on {on} of the paper's {total} datasets."


def _alternative_cell(reading: Reading | None) -> Cell:
    if reading is None:
        return Cell("the defaults of the benchmark")
    return Cell(reading.alternative, notes=(f"instead of: {decisions()[reading.decisions[0]].default}",))


def _distance_cells(distance: Distance | None, *, compared: bool) -> list[Cell]:
    if distance is None:
        return [EMPTY, EMPTY, EMPTY]
    pairs = [
        (distance.mean, distance.as_printed, 3),
        (distance.hypergraphs, distance.hypergraphs_as_printed, 3),
        (distance.rank_correlation, distance.rank_as_printed, 2),
    ]
    return [
        Cell(number(value, digits), value=value, notes=(number(default, digits),) if compared else ())
        for value, default, digits in pairs
    ]


def _distance_facts(distance: Distance | None) -> dict[str, float]:
    names = [f"distance_{field.name}" for field in fields(Distance)]
    values = astuple(distance) if distance else (0, *[float("nan")] * (len(names) - 1))
    return dict(zip(names, values, strict=True))


def _change_cell(under: ReadingScores, reading: Reading | None) -> Cell:
    if reading is None:
        return EMPTY
    if under.testable(reading.name).empty:
        return Cell("not testable")
    changes = verdict_changes(under, reading.name)
    return Cell("; ".join(f"{SHORT[name]}: {change}" for name, change in changes.items()) or "none")


def verdict_changes(under: ReadingScores, reading: str) -> dict[str, str]:
    """Return the claims whose verdict a reading changes, with "before → after"."""
    rows = under.testable(reading)
    rows = rows[rows["verdict"] != rows["as_printed"]]
    return {row.claim: f"{row.as_printed} → {row.verdict}" for row in rows.itertuples()}


def effects(under: ReadingScores, competitor: str) -> list[tuple[Reading | None, Effect]]:
    """Return the gain over a competitor as printed (None) and in each reading that can change it, smallest first."""
    chosen: list[Reading | None] = [None, *under.changing(published.METHOD, competitor)]
    found = [(reading, under.effect(reading, competitor)) for reading in chosen]
    return sorted((it for it in found if it[1].datasets), key=lambda it: it[1].mean)


def effect_table(under: ReadingScores) -> Table:
    """Return the gain of PKO+HSC in NMI over each competitor: readings × competitors."""
    cells, data = {}, []
    for competitor in published.COMPETITORS:
        for reading, effect in effects(under, competitor):
            name = reading.name if reading else AS_PRINTED
            cells[name, competitor] = _effect_cell(effect)
            facts = {"reading": name, "kind": reading.kind if reading else "", "competitor": competitor}
            data.append({**facts, **vars(effect)})
    names = [AS_PRINTED, *(reading.name for reading in under.single)]
    used = [name for name in names if any((name, competitor) in cells for competitor in published.COMPETITORS)]
    return Table(
        name="reading-gains",
        title="Gain of PKO+HSC under each reading, NMI on clean data",
        caption="Mean over datasets of the difference in NMI to the competitor; below, its 95 % bootstrap interval "
        "over datasets: blue with ▲ above zero, orange with ▼ below. A dash: the reading changes neither.",
        columns=["reading", *published.COMPETITORS],
        rows=grid({name: name for name in used}, published.COMPETITORS, cells),
        data=pd.DataFrame(data),
    )


def _effect_cell(effect: Effect) -> Cell:
    tone = 0.6 if effect.low > 0 else -0.6 if effect.high < 0 else None
    return Cell(number(effect.mean, 3, sign=True), value=effect.mean, notes=_interval_notes(effect), tone=tone)


def _interval_notes(effect: Effect) -> tuple[str, ...]:
    return (_interval(effect),) if effect.low == effect.low else ()


def _interval(effect: Effect) -> str:
    return f"[{number(effect.low, 3, sign=True)}, {number(effect.high, 3, sign=True)}]"


# Specification curves


def specification_curves(under: ReadingScores) -> Iterator[CaptionedFigure]:
    """Yield the gains over four competitors, sorted, each above a matrix of the decisions that were changed."""
    curves = {name: effects(under, name) for name in DRAWN}
    curves = {name: found for name, found in curves.items() if len(found) > 1}
    if not curves:
        return
    changed = {it.decisions[0] for found in curves.values() for it, _ in found if it}
    rows = [name for name in decisions() if name in changed]
    kinds = [kind for kind in _KINDS if any(it and it.kind == kind for found in curves.values() for it, _ in found)]
    keys = [_AS_PRINTED_KEY, *(_KINDS[kind] for kind in kinds)]
    longest = max(len(found) for found in curves.values())
    size = (2.3 + max(0.17 * longest, 3.0), 3.4 + 0.17 * len(rows))
    panels = Panels(len(curves), 2, size=size, margins=(2.2, 0.1, 0.3, 1.0), keys=keys)
    everything = [effect for found in curves.values() for _, effect in found]
    limits = _effect_limits(everything)
    for competitor, found in curves.items():
        top, below = panels.add(f"PKO+HSC − {competitor}", split=0.17 * len(rows) / (size[1] - 1.3))
        _effect_panel(panels, top, found)
        top.set_ylim(*limits)
        top.set_ylabel("difference in NMI")
        _decision_panel(below, found, rows)
    yield CaptionedFigure(
        name="readings",
        title="Specification curves",
        caption="Mean difference in NMI on clean data between PKO+HSC and four competitors, one column per reading "
        "that can change it, sorted, with 95 % bootstrap intervals over datasets. The dot below says which decision "
        "the reading changes, the label which alternative it takes. Above the zero line PKO+HSC is better; an interval "
        "across it means that these datasets do not decide. The table of gains under each reading has all competitors.",
        alt="Specification curves: differences in NMI between PKO+HSC and "
        f"{', '.join(curves)} under each reading, above a matrix of decisions; the table of gains has all numbers.",
        panels=panels,
        data=effect_table(under).data,
        wide=True,
    )


_KINDS = {
    "text": mark("o", "the paper's text allows it"),
    "plausible": mark("s", "plausible"),
    "ours": mark("^", "ours (does not count)", mfc=palette.BACK),
}
_AS_PRINTED_KEY = mark("D", AS_PRINTED, palette.VERMILLION)


def _effect_limits(found: Sequence[Effect]) -> tuple[float, float]:
    """Return limits that hold all intervals and zero, and span at least 0.1."""
    ends = np.array([[effect.mean, effect.low, effect.high] for effect in found], dtype=float)
    low, high = min(float(np.nanmin(ends)), -0.05), max(float(np.nanmax(ends)), 0.05)
    return low - 0.04 * (high - low), high + 0.04 * (high - low)


def _effect_panel(panels: Panels, ax: Axes, found: Sequence[tuple[Reading | None, Effect]]) -> None:
    ax.axhline(0, color=palette.AXIS, lw=1)
    for key, kind in ((_AS_PRINTED_KEY, None), *((key, kind) for kind, key in _KINDS.items())):
        chosen = [(x, it, effect) for x, (it, effect) in enumerate(found) if (it.kind if it else None) == kind]
        if not chosen:
            continue
        xs, effects_ = [x for x, _, _ in chosen], [effect for _, _, effect in chosen]
        bars = ax.vlines(xs, [it.low for it in effects_], [it.high for it in effects_], color=key.style["color"], lw=1)
        (dots,) = ax.plot(xs, [it.mean for it in effects_], **{**key.style, "markersize": 4.5})
        panels.name(bars, key.label)
        names = [it.name if it else AS_PRINTED for _, it, _ in chosen]
        panels.name(dots, key.label, [f"{n}: {_describe(it)}" for n, it in zip(names, effects_, strict=True)])
    ax.set_xlim(-0.6, len(found) - 0.4)
    ax.set_xticks([])
    _mark_default(ax, found)


def _decision_panel(ax: Axes, found: Sequence[tuple[Reading | None, Effect]], rows: Sequence[str]) -> None:
    xs, ys = np.meshgrid(np.arange(len(found)), np.arange(len(rows)))
    ax.plot(xs.ravel(), ys.ravel(), ".", color=palette.GRID, ms=4, zorder=1)
    for kind, key in _KINDS.items():
        places = [(x, rows.index(it.decisions[0])) for x, (it, _) in enumerate(found) if it and it.kind == kind]
        if places:
            ax.plot(*zip(*places, strict=True), key.style["marker"], color=palette.INK, ms=4.5, zorder=3)
    labels = [reading.name.partition("-")[2] if reading else AS_PRINTED for reading, _ in found]
    ax.set_xlim(-0.6, len(found) - 0.4)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xticks(range(len(found)), labels, rotation=90, fontsize=7)
    ax.set_yticks(range(len(rows)), [decisions()[name].title for name in rows], fontsize=7.5)
    ax.grid(visible=False)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0)
    _mark_default(ax, found)


def _mark_default(ax: Axes, found: Sequence[tuple[Reading | None, Effect]]) -> None:
    place = next((x for x, (reading, _) in enumerate(found) if reading is None), None)
    if place is not None:
        ax.axvspan(place - 0.45, place + 0.45, color=palette.VERMILLION, alpha=0.13, lw=0, zorder=0)


# Pairs, and the nearest


def pair_table(under: ReadingScores) -> Table:
    """Return the pairs, the nearest to the published table first, with the gain over PKO+NC."""
    rows, data = [], []
    found = [(pair, under.distance(pair)) for pair in under.pairs]
    for pair, distance in sorted(found, key=lambda it: it[1].mean if it[1] else np.inf):
        effect = under.effect(pair, CUT)
        datasets = under.datasets_of(pair)
        cells = _distance_cells(distance, compared=True)
        rows.append([Cell(pair.name), Cell(pair.kind), number_cell(len(datasets), 0), *cells, _effect_cell(effect)])
        facts = {"pair": pair.name, "kind": pair.kind, "datasets": " ".join(datasets), **_distance_facts(distance)}
        data.append({**facts, "effect": effect.mean, "low": effect.low, "high": effect.high})
    return Table(
        name="reading-pairs",
        title="Pairs of readings",
        caption="Two decisions changed at a time, the nearest to the published table first. Columns as in the table of "
        f"readings; last: the mean difference in NMI between PKO+HSC and {CUT} with its 95 % interval over datasets.",
        columns=["pair", "kind", "datasets", "distance", "hypergraph methods", "rank correlation", f"PKO+HSC − {CUT}"],
        rows=rows,
        data=pd.DataFrame(data),
    )


def nearest_sentences(under: ReadingScores) -> list[str]:
    """Return which single reading and which pair come nearest to the published table, and how near."""
    text = []
    single = under.nearest([reading for reading in under.counted if reading.setting == CLEAN])
    if single:
        reading, distance = single
        text.append(
            f"The nearest single reading is {reading.name} ({reading.alternative}; {reading.kind}): mean |ours − "
            f"published| {number(distance.mean)} over {distance.cells} cells; as printed, "
            f"{number(distance.as_printed)}. "
            + ("" if distance.mean < distance.as_printed else "So none comes nearer than as printed. ")
            + _full_protocol(under, reading)
        )
    within = [name for name in under.datasets if any(name in under.datasets_of(pair) for pair in under.pairs)]
    found = under.nearest(under.pairs, within)
    if found:
        pair, distance = found
        alone = under.nearest([it for it in under.counted if it.setting == CLEAN], within)
        compared = f" and the nearest single reading ({alone[0].name}) {number(alone[1].mean)}" if alone else ""
        text.append(
            f"Of {counted(len(under.pairs), 'pair')} of readings, run on "
            f"{', '.join(under.evidence.label(name) for name in within)}, the nearest is {pair.name} "
            f"({pair.alternative}): {number(distance.mean)} over {distance.cells} cells. On the same datasets, the "
            f"results as printed have {number(distance.as_printed)}{compared}. The pair was found by looking at the "
            "published figures, so it shows how near a combination can come, not what the authors did."
        )
    return text


def _full_protocol(under: ReadingScores, nearest: Reading) -> str:
    named = (under.evidence.run.get("config", {}).get("readings") or {}).get("nearest")
    if named is None:
        return "The configuration runs no reading at the full protocol."
    if named != nearest.name:
        return f"The configuration runs another one, {named}, at the full protocol."
    done = under.evidence.nearest is not None
    return "The configuration runs it at the full protocol" + ("." if done else ", but these results are missing.")


def cut_sentence(under: ReadingScores) -> str:
    """Return whether PKO+HSC is above PKO+NC in any reading or pair."""
    singles = [(reading.name if reading else AS_PRINTED, effect) for reading, effect in effects(under, CUT)]
    both = [(pair.name, under.effect(pair, CUT)) for pair in under.pairs]
    found = {"reading": singles, "pair": both}
    if not any(found.values()):
        return ""
    above = _count_of(found, lambda effect: effect.low > 0)
    below = _count_of(found, lambda effect: effect.high < 0)
    places = [f"{name} {_describe(effect)}" for name, effect in (*singles, *both) if effect.low > 0]
    where = "; ".join(places) if len(places) <= LISTED else ""
    name, largest = max((*singles, *both), key=lambda it: it[1].mean)
    return (
        f"Does PKO+HSC beat {CUT} in NMI on clean data? The interval of the mean difference is above zero in {above}"
        + (f" ({where})" if where else "")
        + f", and below zero in {below}; as printed is one of the readings. The largest difference is "
        f"{_describe(largest)}, under {name}, on {counted(largest.datasets, 'dataset')}."
    )


def _count_of(found: Mapping[str, Sequence[tuple[str, Effect]]], holds: Callable[[Effect], bool]) -> str:
    """Return "2 of 16 readings and 1 of 37 pairs"."""
    known = {what: [effect for _, effect in effects if effect.low == effect.low] for what, effects in found.items()}
    counts = [
        f"{sum(map(holds, effects))} of {counted(len(effects), what)}" for what, effects in known.items() if effects
    ]
    return " and ".join(counts) or "none that has an interval"


def _describe(effect: Effect) -> str:
    return " ".join([number(effect.mean, 3, sign=True), *_interval_notes(effect)])


# The nearest reading at the full protocol


def nearest_gain_table(reading: Reading, ours: pd.DataFrame, nearest: pd.DataFrame) -> Table:
    """Return the average gains at the full protocol, as printed and under the nearest reading."""
    keys = ["experiment", "metric", "competitor"]
    columns = [*keys, "published", "ours", "low", "high", "n_datasets"]
    both = [rows.loc[rows["scope"] == "paper", columns] for rows in (ours, nearest)]
    data = both[0].merge(both[1].drop(columns="published"), on=keys, suffixes=("", "_nearest"))
    data = data[data["competitor"].isin(published.COMPETITORS)].reset_index(drop=True)
    cells = {}
    for row in data.itertuples():
        text = f"{number(row.ours, 2, sign=True)} → {number(row.ours_nearest, 2, sign=True)}"
        notes = [f"paper {number(row.published, 2, sign=True)}"]
        if row.low_nearest == row.low_nearest:
            notes.append(f"[{bounds(row.low_nearest, row.high_nearest)}]")
        tone = 0.6 if row.low_nearest > 0 else -0.6 if row.high_nearest < 0 else None
        cells[row.competitor, (row.experiment, row.metric)] = Cell(
            text, value=row.ours_nearest, notes=tuple(notes), tone=tone
        )
    return Table(
        name="nearest-gains",
        title=f"Average gain of PKO+HSC, as printed → {reading.name}, %",
        caption=f"At the full protocol, over the paper's datasets that are comparable; below, the published gain and "
        f"the 95 % interval under {reading.name}: blue with ▲ above zero, orange with ▼ below. Tables 1, 3 and 4 have "
        "the scores under it in small print.",
        columns=["over", *map(pair_name, PAIRS)],
        rows=grid({name: name for name in published.COMPETITORS}, PAIRS, cells),
        data=data,
    )


def nearest_verdict_table(reading: Reading, claims: Sequence[Claim], nearest: Mapping[str, Verdict]) -> Table:
    """Return the verdicts on scores at the full protocol, as printed and under the nearest reading."""
    chosen = [claim for claim in claims if claim.name in nearest]
    rows = [
        [Cell(it.title), *(Cell(str(found), badge=found.css) for found in (it.verdict, nearest[it.name]))]
        for it in chosen
    ]
    data = pd.DataFrame(
        [[it.name, str(it.verdict), str(nearest[it.name])] for it in chosen],
        columns=["claim", "as_printed", "nearest"],
    )
    return Table(
        name="nearest-verdicts",
        title=f"Verdicts, as printed and under {reading.name}",
        caption="Both at the full protocol, by the same criteria.",
        columns=["claim", AS_PRINTED, reading.name],
        rows=rows,
        data=data,
        numeric=False,
    )


def section(under: ReadingScores, nearest: Sequence[Table] = ()) -> Section:
    """Return the section; ``nearest`` are the tables of the nearest reading at the full protocol."""
    title = "Under other readings"
    if not under.single:
        return Section("readings", title, optional=True)
    text = [TEXT, *nearest_sentences(under), cut_sentence(under)]
    return Section(
        "readings",
        title,
        [line for line in text if line],
        tables=[reading_table(under), *nearest],
        figures=specification_curves(under),
        more=[effect_table(under), pair_table(under)],
        optional=True,
    )
