"""What a run shows: parameters, metrics, tags and files, made from the rows of the results."""

import json
import math
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.benchmark.rows import COMBINATION, FAILURES, METRICS, Status, display_name, read_rows
from hypercut.benchmark.summary import FACTS, per_scale, summarize
from hypercut.errors import redact
from hypercut.tracking._figures import Drawing
from hypercut.tracking._plan import Kind, Planned, level_index

#: The tag with the id of the benchmark that a run belongs to, see :mod:`hypercut.tracking._identity`.
BENCHMARK_TAG = "hypercut.benchmark"

#: Metrics with this prefix have σ as their step, in per cent of ρ: an integer as MLflow wants it, and readable.
BY_SIGMA = "by_sigma/"
SIGMA_STEPS_PER_RHO = 100

#: Metrics with this prefix have the swept value, or its position, as their step.
BY_VALUE = "by_value/"

#: MLflow shows metrics as they are, and columns of 17 digits are hard to read; the artifacts have them all.
DECIMALS = 4

#: One colour per algorithm, in all charts of MLflow; by default runs get random ones, some of them alike.
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"),
    *("#6A3D9A", "#8B5A2B", "#7F7F7F", "#B2A100", "#BBBBBB", "#000000"),
)

#: Result files are summarised this many at a time: pandas takes as long for one as for thirty.
BATCH = 64

_IDENTITY = ["dataset", "setting", "algorithm", "sweep"]


@dataclass
class Content:
    """All that goes into one run."""

    params: dict[str, Any] = field(default_factory=dict)
    metrics: list[tuple[str, float, int]] = field(default_factory=list)
    """name, value, step"""
    tags: dict[str, Any] = field(default_factory=dict)
    made: int = field(default_factory=lambda: time.time_ns() // 10**6)
    """in milliseconds: MLflow lists runs in this order, whichever of several is written first"""

    def add(self, name: str, value: float, step: int = 0) -> None:
        """Add a metric, if there is a value."""
        if value is not None and math.isfinite(value):
            self.metrics.append((name, round(float(value), DECIMALS), step))


@dataclass(frozen=True)
class Summary:
    """The rows of one file, and what :mod:`hypercut.benchmark.summary` makes of them."""

    rows: pd.DataFrame
    scales: pd.DataFrame
    chosen: pd.DataFrame

    def at(self, rule: str) -> pd.DataFrame:
        """The rows at the σ chosen by a rule, one per set of parameters."""
        return self.chosen[self.chosen["rule"] == rule]


def summaries(paths: Sequence[Path]) -> Iterator[tuple[Path, Summary]]:
    """Read and summarise the files, a batch at a time."""
    for start in range(0, len(paths), BATCH):
        tables = {path: read_rows(path) for path in paths[start : start + BATCH]}
        everything = pd.concat(tables.values(), ignore_index=True)
        scales = dict(list(per_scale(everything).groupby(_IDENTITY)))
        chosen = dict(list(summarize(everything).groupby(_IDENTITY)))
        for path, rows in tables.items():
            identity = tuple(rows[_IDENTITY].iloc[0])
            yield path, Summary(rows, scales[identity], chosen[identity])


def cell_content(summary: Summary, run: Mapping[str, Any], folder: Path, drawing: Drawing | None) -> Content:
    """The run of one dataset × setting × algorithm."""
    content = _common(summary, run)
    content.params |= json.loads(summary.rows["parameters"].iloc[0])
    _add_chosen(content, summary.at("oracle").iloc[0], summary.at("unsupervised").iloc[0])
    metrics = (*METRICS, "neighbor_information")
    for factor, *means in summary.scales[["sigma_factor", *(f"{metric}_mean" for metric in metrics)]].to_numpy(float):
        for metric, mean in zip(metrics, means, strict=True):
            if math.isfinite(factor):
                content.add(f"{BY_SIGMA}{metric}", mean, round(SIGMA_STEPS_PER_RHO * factor))
    _write_table(summary.scales, [], folder / "per_sigma.csv")
    if drawing:
        drawing.cell(summary.rows, summary.scales, _title(summary), folder / "metrics.png")
    return content


def sweep_content(summary: Summary, run: Mapping[str, Any], folder: Path, drawing: Drawing | None) -> Content:
    """The run of one sweep: the metrics over the values, and those of the best."""
    content = _common(summary, run)
    table, swept = _expand(summary.at("oracle"))
    content.params |= {"sweep": summary.rows["sweep"].iloc[0], "swept": ", ".join(swept), "values": len(table)}
    best = table["nmi_mean"].idxmax()
    content.params |= {f"best_{name}": table.loc[best, name] for name in swept}
    unsupervised = summary.at("unsupervised").set_index("parameters")
    _add_chosen(content, table.loc[best], unsupervised.loc[table.loc[best, "parameters"]])
    for position, row in enumerate(table.to_dict("records")):
        step = _step(row[swept[0]], position) if len(swept) == 1 else position
        content.add(f"{BY_VALUE}nmi", row["nmi_mean"], step)
        content.add(f"{BY_VALUE}purity", row["purity_mean"], step)
    _write_table(table, swept, folder / "per_value.csv")
    if drawing and swept:
        drawing.sweep(table, swept, _title(summary), folder / "metrics.png")
    return content


def curve_content(members: Sequence[Summary], run: Mapping[str, Any], folder: Path, drawing: Drawing | None) -> Content:
    """The run of one algorithm on one dataset over the levels of a corruption, the level's number being the step."""
    last = members[-1].rows.iloc[0]
    content = _common(members[-1], run)
    for name in ("setting", "level"):
        del content.params[name], content.tags[name]
    for member in members:
        oracle, unsupervised = member.at("oracle").iloc[0], member.at("unsupervised").iloc[0]
        step = level_index(oracle["setting"])
        for metric in METRICS:
            content.add(metric, oracle[f"{metric}_mean"], step)
        for metric in ("nmi", "purity"):
            content.add(f"{metric}_unsupervised", unsupervised[f"{metric}_mean"], step)
    table = pd.concat([member.chosen for member in members], ignore_index=True)
    table["index"] = table["setting"].map(level_index)
    content.tags["status"] = _status(pd.concat([member.rows["status"] for member in members]))
    _write_table(table, ["index", "setting", "level", "rule"], folder / "levels.csv")
    if drawing:
        title = f"{last['algorithm']} on {_dataset(last)}: {last['corruption']}"
        drawing.curve(table, title, folder / "metrics.png")
    return content


def report_content(planned: Planned, run: Mapping[str, Any], headline: Mapping[str, float], folder: Path) -> Content:
    """The run of the report: its files, and its headline figures as metrics."""
    content = Content(tags=_code(run))
    if planned.origin.mixed:
        content.tags["versions"] = planned.origin.mixed
    content.params |= {
        "datasets": ", ".join(sorted(run.get("datasets", {}))),
        "cells": len(run["expected"]["cells"]),
        "sweeps": len(run["expected"]["sweeps"]),
    }
    for name, value in headline.items():
        # MLflow allows few characters in names, and PKO+HSC has another.
        content.add(re.sub(r"[^\w\-./ ]+", "_", name), value)
    report = next(parent for parent in planned.files[0].parents if parent.name == "report")
    for path in planned.files:
        target = folder / path.relative_to(report)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return content


def own_tags(planned: Planned, benchmark: str) -> dict[str, str]:
    """The tags by which a sync recognises its runs, and those that say where their rows come from."""
    return {
        **planned.origin.tags,
        BENCHMARK_TAG: benchmark,
        "hypercut.kind": str(planned.kind),
        "hypercut.cell": planned.cell,
        "hypercut.key": planned.key,
    }


def _common(summary: Summary, run: Mapping[str, Any]) -> Content:
    """Parameters and tags of every run that is made from rows."""
    first = summary.rows.iloc[0]
    dataset = run.get("datasets", {}).get(first["dataset"], {})
    params = {
        "dataset": first["dataset"],
        "setting": first["setting"],
        "corruption": first["corruption"],
        "level": first["level"],
        "algorithm": first["algorithm"],
        "repeats": summary.rows["repeat"].nunique(),
        "sigma_values": summary.rows["sigma_factor"].nunique(),
        "N": first["n_samples"],
        "features": first["n_features"],
        "K": first["n_clusters"],
    }
    tags = {
        "dataset": first["dataset"],
        "setting": first["setting"],
        "corruption": first["corruption"],
        "level": level_index(first["setting"]),
        "algorithm": first["algorithm"],
        "role": first["role"],
        "data": first["data_kind"],
        "source": redact(dataset.get("source", "")),
        "extent": "complete" if first["complete"] else "subset",
        "status": _status(summary.rows["status"]),
        "mlflow.runColor": _colour(run, first["algorithm"]),
        **_code(run),
    }
    return Content(params=params, tags=tags)


def _colour(run: Mapping[str, Any], algorithm: str) -> str:
    """By the order in which the benchmark names the algorithms."""
    order = dict.fromkeys(name for _, _, name in run["expected"]["cells"])
    position = list(order).index(algorithm) if algorithm in order else len(order)
    return COLOURS[position % len(COLOURS)]


def _code(run: Mapping[str, Any]) -> dict[str, str]:
    commit = str(run.get("commit") or "unknown") + (" + changes" if run.get("dirty") else "")
    return {
        "version": str(run.get("version", "")),
        "commit": commit,
        "fingerprint": str(run.get("fingerprint", "")),
    }


def _status(statuses: "pd.Series[str]") -> str:
    """In words: ``ok``, ``3 of 150 failed (2 timeout, 1 failed)``, ``ok (4 degenerate)``."""
    counts = statuses[statuses != Status.OK].value_counts().to_dict()
    remarks = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    failed = int(statuses.isin(FAILURES).sum())
    if failed:
        return f"{failed} of {len(statuses)} failed ({remarks})"
    return f"ok ({remarks})" if remarks else "ok"


def _add_chosen(content: Content, oracle: "pd.Series[Any]", unsupervised: "pd.Series[Any]") -> None:
    """Metrics at the chosen σ. Plain names are the paper's protocol, ``oracle``."""
    for metric in METRICS:
        content.add(metric, oracle[f"{metric}_mean"])
    for metric in ("nmi", "purity"):
        content.add(f"{metric}_std", oracle[f"{metric}_std"])
        content.add(f"{metric}_unsupervised", unsupervised[f"{metric}_mean"])
    content.add("sigma_factor", oracle["sigma_factor"])
    content.add("sigma_factor_unsupervised", unsupervised["sigma_factor"])
    content.add("wall_seconds", oracle["wall_seconds_mean"])
    content.add("failed", oracle["failed_anywhere"])


def _expand(chosen: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Give each parameter of a sweep a column, and name those that vary."""
    parameters = pd.DataFrame([json.loads(text) for text in chosen["parameters"]], index=chosen.index)
    swept = [name for name in parameters if parameters[name].astype(str).nunique() > 1]
    table = pd.concat([parameters[swept], chosen], axis=1)
    return table.sort_values(swept, ignore_index=True) if swept else table.reset_index(drop=True), swept


def _step(value: object, position: int) -> int:
    """A swept whole number is its own step; anything else is counted."""
    whole = isinstance(value, int | float) and float(value).is_integer()
    return int(value) if whole else position  # type: ignore[call-overload]


def _write_table(table: pd.DataFrame, first: Sequence[str], path: Path) -> None:
    """Write what data it is of and the columns that vary: these first, then σ and what was measured."""
    measured = [name for name in table if name not in (*COMBINATION, *FACTS, *first, "rule")]
    about = table[["dataset", "data_kind"]].rename(columns={"data_kind": "data"})
    about.join(table[[*first, *measured]]).to_csv(path, index=False)


def _title(summary: Summary) -> str:
    first = summary.rows.iloc[0]
    about = f"sweep {first['sweep']}" if first["sweep"] else first["setting"]
    return f"{first['algorithm']} on {_dataset(first)}: {about}"


def _dataset(row: "pd.Series[Any]") -> str:
    """The name of a row's dataset, marked unless it is the complete real set."""
    return display_name(row["dataset"], row["data_kind"], row["complete"], row["n_samples"])


def make_content(
    planned: Planned,
    members: Mapping[Path, Summary],
    run: Mapping[str, Any],
    headline: Mapping[str, float],
    folder: Path,
    drawing: Drawing | None,
) -> Content:
    """Make the content of a run, and write its files into an empty folder."""
    if planned.kind == Kind.REPORT:
        return report_content(planned, run, headline, folder)
    if planned.kind == Kind.CURVE:
        return curve_content([members[path] for path in planned.files], run, folder, drawing)
    (path,) = planned.files
    # The result file itself: rows and labels.
    shutil.copyfile(path, folder / "rows.parquet")
    make = cell_content if planned.kind == Kind.CELL else sweep_content
    return make(members[path], run, folder, drawing)
