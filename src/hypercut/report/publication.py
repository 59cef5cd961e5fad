"""Writes the results of a reference into the documents: ``python -m hypercut.report.publication`` (make results).

A document has blocks between ``<!-- name -->`` and ``<!-- end of name -->``. Each block named in :data:`BLOCKS` is
replaced; everything else is written by hand. All text of a block follows from the reference alone, so that a test can
tell whether the documents are current.
"""

import argparse
import json
import math
import shutil
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from hypercut.benchmark.archive import located
from hypercut.benchmark.cost import Size, calibrated
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.forecast import Forecast
from hypercut.benchmark.plan import planned_jobs, total
from hypercut.benchmark.reference import SIMILARITY, read_reference
from hypercut.benchmark.rows import FAILURES, Status
from hypercut.benchmark.times import overclustering_seconds
from hypercut.errors import InputError
from hypercut.files import atomic_write
from hypercut.paper import published
from hypercut.paper.readings import Reading
from hypercut.report.competing import FEWER_LEVELS, purity_remark
from hypercut.report.evidence import Evidence, present
from hypercut.report.experiments import PAIRS, pair_name
from hypercut.report.findings import Findings, current_matrices, find
from hypercut.report.render import palette
from hypercut.report.render.figure import CaptionedFigure, FigureWriter
from hypercut.report.render.table import Cell, Table, bounds, counted, is_same, number, thousands
from hypercut.report.render.theme import theme
from hypercut.report.sections import (
    curves,
    first_screen,
    gains,
    leaderboard,
    missing,
    readings,
    scores,
    standard_errors,
    weights,
)
from hypercut.report.sections.claims import SHORT
from hypercut.report.verdicts import Verdict

#: Length of a line of text.
LINE = 120
#: Rows of the leaderboard on the page.
LEADERS = 12
#: Cells with a large standard error that are listed by name.
LISTED = 10


def publish(reference: Path, documents: Iterable[Path], pictures: Path) -> None:
    """Write the blocks of all documents, and the pictures that they show."""
    found = findings_of(reference)
    written = {path: with_blocks(path.read_text(encoding="utf-8"), found) for path in documents}
    pictures.mkdir(parents=True, exist_ok=True)
    # With a background, since a picture does not know whether the page around it is light or dark.
    with TemporaryDirectory() as scratch, theme(**{"savefig.facecolor": palette.BACK}):
        folder = Path(scratch)
        writer = FigureWriter(folder, folder / "inline")
        (folder / "inline").mkdir()
        for figure in figures(found):
            writer.write(figure)
            shutil.copy(folder / f"{figure.name}.svg", pictures)
    for path, text in written.items():
        with atomic_write(path) as part:
            part.write_text(text, encoding="utf-8")


def findings_of(folder: Path) -> Findings:
    """Return what a reference says about the paper."""
    reference = read_reference(folder)
    evidence = Evidence(reference.table(), reference.describe())
    similarity = folder / SIMILARITY
    return find(evidence, current_matrices(evidence, similarity if similarity.exists() else None))


def with_blocks(text: str, found: Findings) -> str:
    """Return a document with its blocks replaced; raise an error if it has none."""
    names = [name for name in BLOCKS if f"<!-- {name} -->" in text]
    if not names:
        raise InputError(f"The document has none of the blocks {', '.join(BLOCKS)}: mark one as <!-- answer -->.")
    for name in names:
        text = with_block(text, name, BLOCKS[name](found))
    return text


def with_block(text: str, name: str, content: str) -> str:
    """Return a document with the content of one block replaced."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise InputError(f"The document needs one {begin.strip()} and, after it, one {end}.")
    return text[: text.index(begin) + len(begin)] + content.strip("\n") + "\n" + text[text.index(end) :]


def figures(found: Findings) -> Iterable[CaptionedFigure]:
    """Yield the pictures: gains, and the curves of NMI under noise and outliers."""
    yield from gains.gain_chart(found.gains, found.spans, "nmi")
    for experiment in ("noise", "outlier"):
        yield from islice(curves.level_curves(found.evidence, experiment), 1)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table.

    >>> print(markdown(["a", "b"], [["1", "x|y"]]))
    | a | b |
    |---|---|
    | 1 | x\\|y |
    """
    lines = [list(columns), *map(list, rows)]
    texts = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]
    texts.insert(1, "|---" * len(columns) + "|")
    return "\n".join(texts)


# The answer


def short_answer(found: Findings) -> str:
    """Return the answer with its picture, for the README."""
    answer = first_screen.answer(found.gains, found.spans)
    preliminary = _preliminary(found.evidence).partition(" Missing")[0]
    return "\n\n".join(
        [
            _lines(f"**{first_screen.QUESTION} {answer.word}** {answer.sentence} {preliminary}"),
            f"![{_ALT}](docs/images/gains-nmi.svg)",
            _lines(f"{_legend(found)} {_stamp(found.evidence)} [All results](docs/results.md)."),
        ]
    )


_ALT = "average gains of PKO+HSC in NMI over seven competitors, published and ours"


def _legend(found: Findings) -> str:
    legend = (
        "Average gain of PKO+HSC in NMI over each competitor: ours (dots, with 95 % bootstrap intervals over datasets) "
        "and published, over the same datasets (diamonds)."
    )
    spans = "" if found.spans.empty else " Wide bars: the range over the readings of the paper that were run."
    return f"{legend}{spans} The axis is logarithmic beyond ±{gains.LINEAR} %. {gains.COMPETITORS_TEXT}"


def sentences(found: Findings) -> str:
    """Return the answer in five sentences, and how complete the results are."""
    answer = first_screen.answer(found.gains, found.spans)
    texts = [
        f"**{first_screen.QUESTION} {answer.word}** {answer.sentence} {answer.readings}",
        _verdict_counts(found),
        _robustness(found),
        _nearest(found),
        _in_practice(found),
    ]
    listed = "\n".join(_lines(f"{i}. {text}", indent=3) for i, text in enumerate(filter(None, texts), start=1))
    legend = _lines(f"{_legend(found)} {_stamp(found.evidence)}")
    parts = [_lines(_preliminary(found.evidence)), listed, f"![{_ALT}](images/gains-nmi.svg)", legend]
    return "\n\n".join(part for part in parts if part)


def _lines(text: str, indent: int = 0) -> str:
    """Return a paragraph in lines as long as those that are written by hand."""
    # At the start of a line, a plus sign would begin a list.
    return textwrap.fill(
        text.strip().replace(" + ", "\N{NO-BREAK SPACE}+ "),
        LINE,
        subsequent_indent=indent * " ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _verdict_counts(found: Findings) -> str:
    parts = []
    for verdict in Verdict:
        names = [SHORT[claim.name] for claim in found.claims if claim.verdict == verdict]
        if names:
            count = f"{len(names)} {verdict}".replace("depends on", "depending on")
            parts.append(f"{count} ({', '.join(names)})")
    return f"**Claims.** Of {counted(len(found.claims), 'claim')} of the paper: {'; '.join(parts)}."


def _robustness(found: Findings) -> str:
    claim = next(claim for claim in found.claims if claim.name == "robust")
    return f"**Robustness**, the claim that its lead grows under noise: {claim.verdict}. {claim.finding}"


def _nearest(found: Findings) -> str:
    reading = found.evidence.nearest
    if reading is None or found.nearest is None:
        return ""
    verdicts = [(claim, found.nearest.verdicts.get(claim.name, Verdict.UNTESTABLE)) for claim in found.as_printed]
    decided = [(claim, it) for claim, it in verdicts if Verdict.UNTESTABLE not in (claim.verdict, it)]
    changes: dict[str, list[str]] = {}
    for it, verdict in decided:
        if verdict != it.verdict:
            changes.setdefault(f"{verdict} instead of {it.verdict}", []).append(SHORT[it.name])
    changed = sum(map(len, changes.values()))
    turned = f" It changes {changed} of {counted(len(decided), 'verdict')}" if decided else ""
    turned += "".join(f"{'; ' if i else ': '}{', '.join(changes[it])} ({it})" for i, it in enumerate(changes))
    name = f"{reading.name} ({reading.alternative}; {reading.kind}){_share(found.evidence, reading)}"
    gains = found.nearest.gains
    counts = f" Under it, {first_screen.counts(gains, explained=False)}" if gains["low"].notna().any() else ""
    nearest = f"**Nearest reading.** Of all readings, {name} comes nearest to the published Table 1."
    return f"{nearest}{counts}{turned}{'.' if turned else ''}"


def _in_practice(found: Findings) -> str:
    """Return what matters to a user: σ without labels, each hypergraph alone, and the best methods."""
    label_free = found.unsupervised_gains
    texts = []
    if label_free["low"].notna().any():
        counts = first_screen.counts(label_free, explained=False)
        texts.append(f"With σ chosen without labels, as users must, {counts}")
    winner = leaderboard.winner_sentence(found.evidence)
    texts += [weights.alone_sentence(found.evidence), winner]
    if any(name in winner for name in found.evidence.with_role("beyond")):
        texts.append("AK+NC is ours, and was developed on most of these datasets.")
    texts.append(leaderboard.reference_sentence(found.evidence))
    text = " ".join(filter(None, texts))
    return f"**In practice.** {text}" if text else ""


def _share(evidence: Evidence, reading: Reading) -> str:
    """Say how many results of a reading there are; nothing if there are all."""
    missing = sum(variation == reading.name for *_, variation in evidence.missing)
    expected = sum(name == reading.name for _, _, name, _ in evidence.run["expected"]["variations"])
    return f" ({expected - missing} of {expected} results)" if missing else ""


def _preliminary(evidence: Evidence) -> str:
    """Say how much is missing; nothing if the benchmark is complete."""
    if not evidence.missing:
        return ""
    expected = sum(len(evidence.run["expected"][kind]) for kind in ("cells", "variations"))
    there = f"**Preliminary**: {expected - len(evidence.missing)} of {expected} results are available."
    return f"{there} {missing.missing_sentence(evidence)}"


def _stamp(evidence: Evidence) -> str:
    days = sorted({str(value)[:10] for value in evidence.table["computed"].unique()})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    commit = str(evidence.run.get("commit") or "unknown")[:12]
    return (
        f"{thousands(len(evidence.table))} clusterings, computed {when} with one version of the clustering code; last "
        f"archived at commit {commit}."
    )


# Claims


def claims_block(found: Findings) -> str:
    """Return the claims that can be tested, with verdicts as printed and in the nearest reading."""
    printed = {claim.name: claim for claim in found.as_printed}
    nearest = found.nearest.verdicts if found.nearest else {}
    rows = [
        [
            f"{claim.title} ({claim.source})",
            f"**{claim.verdict}**",
            str(printed[claim.name].verdict),
            str(nearest.get(claim.name, "–")),
            " ".join(filter(None, [claim.finding, claim.readings])),
        ]
        for claim in found.claims
        if claim.verdict != Verdict.UNTESTABLE
    ]
    columns = ["claim", "verdict", "as printed", "nearest reading", "evidence"]
    return markdown(columns, rows) if rows else "No claim can be tested yet."


def untestable_block(found: Findings) -> str:
    """Return the claims that cannot be tested, and why."""
    rows = [[it.title, it.reason, it.finding] for it in found.claims if it.verdict == Verdict.UNTESTABLE]
    return markdown(["claim", "why", "what there is"], rows) if rows else "All claims can be tested."


# Scores


def tables_block(found: Findings) -> str:
    """Return Tables 1, 3 and 4: ours, as printed and in the nearest reading, and the published scores."""
    parts = [
        f"**Table {published.EXPERIMENTS[experiment]}, {pair_name((experiment, metric))}**\n\n"
        f"{_score_table(found, experiment, metric)}"
        for experiment, metric in PAIRS
        if len(found.evidence.averages(experiment))
    ]
    return "\n\n".join(parts)


def _score_table(found: Findings, experiment: str, metric: str) -> str:
    evidence = found.evidence
    data = scores.score_data(evidence, experiment, metric, found.nearest.evidence if found.nearest else None)
    data = data[data["role"] != "control"]
    datasets = present(evidence.datasets, data["dataset"])
    best = data[data["competes"]].groupby("dataset")["ours"].max()
    rows = {}
    for name, part in data.groupby("algorithm", sort=False):
        rows[str(name)] = {row.dataset: _score(row, best) for row in part.itertuples()}
        if evidence.nearest and part["nearest"].notna().any():
            under = part.dropna(subset="nearest").set_index("dataset")["nearest"]
            rows[f"{name}, {evidence.nearest.name}"] = {dataset: number(score, 3) for dataset, score in under.items()}
    table = markdown(
        ["algorithm", *map(evidence.label, datasets)],
        [[name, *(cells.get(dataset, "–") for dataset in datasets)] for name, cells in rows.items()],
    )
    remark = purity_remark(evidence, data["algorithm"], metric, "not bold")
    return f"{table}\n\n{_lines(remark)}" if remark else table


def _score(row: Any, best: "pd.Series[float]") -> str:
    text = number(row.ours, 3)
    text = f"**{text}**" if row.competes and is_same(row.ours, best[row.dataset]) else text
    text += "" if row.all_levels else f" {FEWER_LEVELS}"
    return f"{text} ({number(row.published, 3)})" if row.published == row.published else text


def gains_block(found: Findings) -> str:
    """Return the 42 gains with intervals, next to the published ones and those in the nearest reading."""
    keys = ["competitor", "experiment", "metric"]
    tables = [rows[rows["scope"] == "paper"].set_index(keys) for rows in _both(found)]
    rows = []
    for competitor in published.COMPETITORS:
        cells = [_gain(tables, (competitor, *pair)) for pair in PAIRS]
        rows.append([competitor, *cells])
    return markdown(["over", *map(pair_name, PAIRS)], rows)


def _both(found: Findings) -> list[pd.DataFrame]:
    return [found.gains, *([found.nearest.gains] if found.nearest else [])]


def _gain(tables: Sequence[pd.DataFrame], key: tuple[str, str, str]) -> str:
    if key not in tables[0].index:
        return "–"
    ours = tables[0].loc[key]
    text = _with_interval(ours)
    if ours["low"] > 0 or ours["high"] < 0:
        text = f"**{text}**"
    text += f" (paper {number(ours['published'], 1, sign=True)}"
    if len(tables) > 1 and key in tables[1].index:
        text += f"; nearest {_with_interval(tables[1].loc[key])}"
    return text + ")"


def _with_interval(row: "pd.Series[float]") -> str:
    gain = number(row["ours"], 1, sign=True)
    return f"{gain} [{bounds(row['low'], row['high'])}]" if row["low"] == row["low"] else gain


def readings_block(found: Findings) -> str:
    """Return which readings come nearest to the published table, and what each changes."""
    if not found.under.single:
        return "No reading was run."
    texts = [*readings.nearest_sentences(found.under), readings.cut_sentence(found.under)]
    table = readings.reading_table(found.under)
    shown = [name for name in table.columns if name not in ("decision", "datasets")]
    places = [table.columns.index(name) for name in shown]
    # Readings of the noise have no distance, and come last.
    order = table.data["distance_mean"].fillna(math.inf).argsort(kind="stable")
    listed = markdown(shown, [[table.rows[i][place].text for place in places] for i in order])
    return "\n\n".join([*(_lines(text) for text in texts if text), listed])


def weights_block(found: Findings) -> str:
    """Return the scores of each hypergraph alone, and the gains with weights chosen by the labels."""
    table = weights.alone_table(found.evidence)
    if not table.rows:
        return "The weights were not swept."
    tuned = weights.tuned_table(found.evidence)
    gains = [[row[0].text, *(" ".join([cell.text, *cell.notes]) for cell in row[1:])] for row in tuned.rows]
    parts = [
        _lines(weights.alone_sentence(found.evidence)),
        _best_bold(table.columns, table.rows),
        _lines(weights.tuned_sentence(found.evidence)),
        *([f"**{tuned.title}.** {tuned.caption}", markdown(tuned.columns, gains)] if gains else []),
    ]
    return "\n\n".join(filter(None, parts))


def _best_bold(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    return markdown(columns, [[f"**{cell.text}**" if cell.best else cell.text for cell in row] for row in rows])


def leaderboard_block(found: Findings) -> str:
    """Return the best rows of the leaderboards in NMI: everything that was run."""
    parts = []
    for experiment in published.EXPERIMENTS:
        table = leaderboard.leaderboard_table(found.evidence, experiment, "nmi")
        if table.rows:
            parts.append(f"**{table.title}.** {table.caption}\n\n{_leaders(table)}")
    return "\n\n".join(parts)


def _leaders(table: Table) -> str:
    ranked = [row for row in table.rows if row[3].text != "–"]
    rest = f"\n\nThe first {LEADERS} of {len(ranked)} rows; `hypercut report reference` shows all."
    return _best_bold(table.columns, ranked[:LEADERS]) + (rest if len(ranked) > LEADERS else "")


# Precision and cost


def precision_block(found: Findings) -> str:
    """Return the standard errors that were reached, and the cells above the limit."""
    errors = standard_errors.cell_errors(found.evidence)
    above = errors[errors["above"]].sort_values("nmi_error", ascending=False)
    text = f"The standard error of the mean NMI is {standard_errors.error_fact(found.evidence)}."
    if above.empty:
        return text
    counts = above.groupby("dataset").size()
    by_dataset = ", ".join(f"{found.evidence.label(str(name))} {count}" for name, count in counts.items())
    largest = ", ".join(
        f"{row.algorithm} on {found.evidence.label(row.dataset)}, {row.setting} ({number(row.nmi_error)})"
        for row in above.head(LISTED).itertuples()
    )
    return _lines(f"{text} By dataset: {by_dataset}. The largest: {largest}. `hypercut report reference` lists all.")


@dataclass(frozen=True)
class Spent:
    """What the results of a dataset cost."""

    clusterings: int
    failures: Mapping[str, int]
    hours: float
    forecast: float


def cost_block(found: Findings) -> str:
    """Return clusterings, failures and core-hours per dataset, measured and forecast, and the machine."""
    spent = spent_by_dataset(found.evidence)
    rows = [
        [
            found.evidence.label(name),
            thousands(it.clusterings),
            ", ".join(f"{count} {status}" for status, count in it.failures.items()) or "0",
            number(it.hours, 2),
            number(it.forecast, 2),
        ]
        for name, it in spent.items()
    ]
    columns = ["dataset", "clusterings", "failures", "core-hours", "forecast"]
    cpus = ", ".join(sorted(found.evidence.table["cpu"].dropna().unique()))
    text = (
        "Core-hours are the processor time of all clusterings and of the communities that they share. Of communities "
        "only wall time is recorded; it is multiplied by the ratio of processor time to wall time of the clusterings "
        "that used them. A timeout counts with its wall time; errors and crashes record no time. The forecast (`make "
        "plan`) is for all results of a dataset, also missing ones, on a machine like the calibrated one. It includes "
        "what the measured hours do not: distances, scores with labels and label-free scores, and the start of jobs. "
        f"Processor: {cpus}."
    )
    total_row = [
        "**all**",
        thousands(sum(it.clusterings for it in spent.values())),
        str(sum(sum(it.failures.values()) for it in spent.values())),
        number(sum(it.hours for it in spent.values()), 2),
        number(sum(it.forecast for it in spent.values()), 2),
    ]
    return f"{markdown(columns, [*rows, total_row])}\n\n{_lines(text)}"


def spent_by_dataset(evidence: Evidence) -> dict[str, Spent]:
    """Return what the results of each dataset cost, and the forecast for all results of the dataset."""
    forecast = _forecast(evidence)
    found = {}
    for name in evidence.datasets:
        rows = evidence.table[evidence.table["dataset"] == name]
        statuses = rows.loc[rows["status"].isin(FAILURES), "status"].value_counts()
        found[name] = Spent(
            clusterings=len(rows),
            failures={str(status): int(statuses[status]) for status in Status if status in statuses},
            hours=_core_seconds(rows) / 3600,
            forecast=forecast.get(name, float("nan")),
        )
    return found


def _core_seconds(rows: pd.DataFrame) -> float:
    """Return the core-seconds of the rows of a dataset and, once each, of the communities that they share."""
    # A timeout has no processor time.
    own = rows["cpu_seconds"].fillna(rows["wall_seconds"]).sum()
    shared = rows.assign(seconds=overclustering_seconds(rows), community_factor=_community_factors(rows))
    # Readings that change the data have communities of their own, which took another time.
    shared = shared.drop_duplicates(["setting", "repeat", "community_factor", "shared_seconds"])
    return float(own + shared["seconds"].sum())


def _community_factors(rows: pd.DataFrame) -> "pd.Series[float]":
    """Return the scale of the communities of each row: that of the clustering, unless a parameter sets another."""
    given = {text: json.loads(text).get("community_factor") for text in rows["parameters"].unique()}
    return rows["parameters"].map(given).astype(float).fillna(rows["sigma_factor"])


def _forecast(evidence: Evidence) -> dict[str, float]:
    """Return the forecast core-hours of each dataset that has rows, on the calibrated machine."""
    benchmark = Benchmark(located(evidence.run["config"], "data"))
    sizes = {
        str(name): Size(int(row["n_samples"]), int(row["n_features"]), int(row["n_clusters"]))
        for name, row in evidence.facts.iterrows()
    }
    with TemporaryDirectory() as empty:
        jobs = list(planned_jobs(Path(empty), benchmark, sizes, Forecast(calibrated())))
    return {
        name: total(job for job in jobs if job.dataset == name).expected / 3600
        for name in benchmark.datasets
        if name in sizes
    }


#: Name of a block → what writes it.
BLOCKS: dict[str, Callable[[Findings], str]] = {
    "answer": short_answer,
    "sentences": sentences,
    "claims": claims_block,
    "untestable": untestable_block,
    "tables": tables_block,
    "gains": gains_block,
    "weights": weights_block,
    "readings": readings_block,
    "leaderboard": leaderboard_block,
    "precision": precision_block,
    "cost": cost_block,
}


def main() -> None:
    """Write the blocks of documents."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m hypercut.report.publication")
    parser.add_argument("reference", type=Path, help="folder of a reference")
    parser.add_argument("documents", type=Path, nargs="+", help="Markdown files with blocks")
    parser.add_argument("--pictures", type=Path, default=Path("docs/images"), help="default: docs/images")
    args = parser.parse_args()
    publish(args.reference, args.documents, args.pictures)
    print(f"Written: {', '.join(map(str, args.documents))} and the pictures in {args.pictures}.")


if __name__ == "__main__":
    main()
