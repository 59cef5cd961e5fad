"""What a run shows, built from result rows: parameters, metrics, tags and files."""

import json
import math
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from hypercut.benchmark.rows import COMBINATION, FAILURES, METRICS, RESULT_FILE, Status, display_name, read_rows
from hypercut.benchmark.summary import FACTS, per_scale, summarize
from hypercut.errors import redact
from hypercut.report.render import palette
from hypercut.tracking.expected import ExpectedRun, Kind, level_index

if TYPE_CHECKING:  # imports matplotlib, which only the process that builds the content needs
    from hypercut.tracking.figures import MetricFigure

#: The tag with the id of the benchmark that a run belongs to, see :func:`hypercut.tracking.location.benchmark_id`.
BENCHMARK_TAG = "hypercut.benchmark"

#: Metrics with this prefix have σ as their step, in per cent of ρ because MLflow requires integers.
BY_SIGMA = "by_sigma/"
SIGMA_STEPS_PER_RHO = 100

#: Metrics with this prefix have the swept value, or its position, as their step.
BY_VALUE = "by_value/"

#: The metrics that are logged in most detail.
MAIN_METRICS = ("nmi", "purity")

#: As many as in digests that MLflow computes.
DIGEST_DIGITS = 8

#: MLflow shows all digits of a metric, which makes wide columns; the artifacts have full precision.
DECIMALS = 4


@dataclass(frozen=True)
class Dataset:
    """A dataset as an input of runs: what MLflow's column and filter "Datasets" show."""

    name: str
    digest: str
    """the first digits of the checksum of its features, the data before any corruption"""
    source: str
    profile: str
    """its size as JSON"""


@dataclass
class Content:
    """Everything that is logged in one run, except its files."""

    params: dict[str, Any] = field(default_factory=dict)
    metrics: list[tuple[str, float, int]] = field(default_factory=list)
    """name, value, step"""
    tags: dict[str, Any] = field(default_factory=dict)
    datasets: list[Dataset] = field(default_factory=list)
    created: int = field(default_factory=lambda: time.time_ns() // 10**6)
    """in milliseconds; MLflow lists runs in this order even if they are written in another"""

    def add(self, name: str, value: float | None, step: int = 0) -> None:
        """Add a metric, if there is a value."""
        if value is not None and math.isfinite(value):
            self.metrics.append((name, round(float(value), DECIMALS), step))


@dataclass(frozen=True)
class Summary:
    """The rows of one result file, and their summaries from :mod:`hypercut.benchmark.summary`."""

    rows: pd.DataFrame
    scales: pd.DataFrame
    chosen: pd.DataFrame

    @property
    def first(self) -> "pd.Series[Any]":
        """The first row, for columns that are the same in all."""
        return self.rows.iloc[0]

    def at(self, rule: str) -> pd.DataFrame:
        """Return the rows at the σ chosen by a rule, one per set of parameters."""
        return self.chosen[self.chosen["rule"] == rule]


def read_summaries(paths: Sequence[Path]) -> dict[Path, Summary]:
    """Read result files and summarise them together, which takes pandas little longer than one file."""
    if not paths:
        return {}
    tables = {path: read_rows(path) for path in paths}
    everything = pd.concat(tables.values(), ignore_index=True)
    scales = dict(list(per_scale(everything).groupby(RESULT_FILE)))
    chosen = dict(list(summarize(everything).groupby(RESULT_FILE)))
    files = {path: tuple(rows[RESULT_FILE].iloc[0]) for path, rows in tables.items()}
    return {path: Summary(rows, scales[files[path]], chosen[files[path]]) for path, rows in tables.items()}


class ContentBuilder:
    """Builds the content of runs and writes their files, with figures or without."""

    def __init__(self, run: Mapping[str, Any], headline: Mapping[str, float], *, figures: bool) -> None:
        self._run = run
        self._headline = headline
        self._figures = figures

    @cached_property
    def _figure(self) -> "MetricFigure | None":
        """The figure that is reused for all runs."""
        from hypercut.tracking.figures import MetricFigure  # see the import above

        return MetricFigure() if self._figures else None

    def build(self, expected: ExpectedRun, summaries: Mapping[Path, Summary], benchmark: str, folder: Path) -> Content:
        """Return the content of a run, and write its files into an empty folder."""
        if expected.kind == Kind.REPORT:
            content = self._report(expected, folder)
        elif expected.kind == Kind.CURVE:
            content = self._curve([summaries[path] for path in expected.files], folder)
        elif expected.kind == Kind.MEAN:
            content = self._mean([summaries[path] for path in expected.files], folder)
        else:
            (path,) = expected.files
            shutil.copyfile(path, folder / "rows.parquet")
            # A reading with a grid of weights is shown as a sweep of them.
            is_sweep = expected.kind == Kind.SWEEP or summaries[path].rows["parameters"].nunique() > 1
            content = (self._sweep if is_sweep else self._cell)(summaries[path], folder)
        content.tags |= {
            **expected.origin.tags,
            BENCHMARK_TAG: benchmark,
            "hypercut.kind": str(expected.kind),
            "hypercut.cell": expected.id,
            "hypercut.key": expected.key,
        }
        return content

    def _cell(self, summary: Summary, folder: Path) -> Content:
        content = self._common(summary)
        content.params |= json.loads(summary.first["parameters"])
        _add_chosen(content, summary.at("oracle").iloc[0], summary.at("unsupervised").iloc[0])
        for row in summary.scales.dropna(subset="sigma_factor").to_dict("records"):
            step = round(SIGMA_STEPS_PER_RHO * row["sigma_factor"])
            for metric in (*METRICS, "neighbor_information"):
                content.add(f"{BY_SIGMA}{metric}", row[f"{metric}_mean"], step)
            content.add(f"{BY_SIGMA}nmi_std", row["nmi_std"], step)
        _write_table(summary.scales, [], folder / "per_sigma.csv")
        if self._figure:
            self._figure.cell(summary.rows, summary.scales, _title(summary.first), folder / "metrics.png")
        return content

    def _sweep(self, summary: Summary, folder: Path) -> Content:
        """The metrics over the swept values, and those of the best value."""
        content = self._common(summary)
        table, swept = _expand(summary.at("oracle"))
        content.params |= {"swept": ", ".join(swept), "values": len(table)}
        best = table.loc[table["nmi_mean"].idxmax()]
        content.params |= {f"best_{name}": best[name] for name in swept}
        _add_chosen(content, best, summary.at("unsupervised").set_index("parameters").loc[best["parameters"]])
        for position, row in enumerate(table.to_dict("records")):
            # The value if it is a single whole number, else its position.
            value = row[swept[0]] if len(swept) == 1 else None
            step = int(value) if isinstance(value, int | float) and float(value).is_integer() else position
            for metric in MAIN_METRICS:
                content.add(f"{BY_VALUE}{metric}", row[f"{metric}_mean"], step)
                content.add(f"{BY_VALUE}{metric}_std", row[f"{metric}_std"], step)
        _write_table(table, swept, folder / "per_value.csv")
        if self._figure and swept:
            self._figure.sweep(table, swept, _title(summary.first), folder / "metrics.png")
        return content

    def _curve(self, members: Sequence[Summary], folder: Path) -> Content:
        """One algorithm on one dataset over the levels of a corruption; the step is the number of the level."""
        content = self._common(members[-1])
        for name in ("setting", "level"):
            del content.params[name], content.tags[name]
        for member in members:
            oracle, unsupervised = member.at("oracle").iloc[0], member.at("unsupervised").iloc[0]
            _add_scores(content, oracle, unsupervised, step=level_index(oracle["setting"]))
        table = pd.concat([member.chosen for member in members], ignore_index=True)
        table["index"] = table["setting"].map(level_index)
        content.tags["status"] = _status(pd.concat([member.rows["status"] for member in members]))
        _write_table(table, ["index", "setting", "level", "rule"], folder / "levels.csv")
        if self._figure:
            self._figure.curve(table, _title(members[-1].first, curve=True), folder / "metrics.png")
        return content

    def _mean(self, members: Sequence[Summary], folder: Path) -> Content:
        """One algorithm over the levels of a corruption, the mean over datasets."""
        first = members[-1].first
        shared = {name: first[name] for name in ("corruption", "algorithm")}
        by_dataset = {member.first["dataset"]: member for member in members}
        status = _status(pd.concat([member.rows["status"] for member in members]))
        content = Content(
            params={**shared, "datasets": ", ".join(by_dataset)},
            tags={
                **shared,
                "role": first["role"],
                "status": status,
                "mlflow.runColor": self._colour(first["algorithm"]),
            },
            datasets=[self._dataset(member.first) for member in by_dataset.values()],
        )
        content.tags |= self._code()
        table = pd.concat([member.chosen for member in members], ignore_index=True)
        table["index"] = table["setting"].map(level_index)
        means = [f"{metric}_mean" for metric in METRICS]
        table = table.groupby(["index", "setting", "rule"], as_index=False)[means].mean()
        for index, rows in table.groupby("index"):
            by_rule = rows.set_index("rule")
            _add_scores(content, by_rule.loc["oracle"], by_rule.loc["unsupervised"], step=int(str(index)))
        table.assign(datasets=len(by_dataset)).to_csv(folder / "levels.csv", index=False)
        if self._figure:
            title = f"{first['algorithm']}, mean of {len(by_dataset)} datasets: {first['corruption']}"
            self._figure.curve(table, title, folder / "metrics.png")
        return content

    def _report(self, expected: ExpectedRun, folder: Path) -> Content:
        """The files of the report, and its headline figures as metrics."""
        content = Content(tags=self._code())
        if expected.origin.mixed:
            content.tags["versions"] = expected.origin.mixed
        content.params |= {
            "datasets": ", ".join(sorted(self._run.get("datasets", {}))),
            "cells": len(self._run["expected"]["cells"]),
            "variations": len(self._run["expected"]["variations"]),
        }
        for name, value in self._headline.items():
            content.add(name, value)
        report = next(parent for parent in expected.files[0].parents if parent.name == "report")
        for path in expected.files:
            target = folder / path.relative_to(report)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        return content

    def _common(self, summary: Summary) -> Content:
        """Parameters and tags of every run that is built from rows."""
        first = summary.first
        dataset = self._run.get("datasets", {}).get(first["dataset"], {})
        shared = {name: first[name] for name in ("dataset", "setting", "corruption", "algorithm")}
        params = {
            **shared,
            "level": first["level"],
            "repeats": summary.rows["repeat"].nunique(),
            "sigma_values": summary.rows["sigma_factor"].nunique(),
            "N": first["n_samples"],
            "features": first["n_features"],
            "K": first["n_clusters"],
        }
        tags = {
            **shared,
            "level": level_index(first["setting"]),
            "role": first["role"],
            "data": first["data_kind"],
            "source": redact(dataset.get("source", "")),
            "extent": "complete" if first["complete"] else "subset",
            "status": _status(summary.rows["status"]),
            "mlflow.runColor": self._colour(first["algorithm"]),
            **self._code(),
        }
        if first["variation"]:
            params["variation"] = tags["variation"] = first["variation"]
        return Content(params=params, tags=tags, datasets=[self._dataset(first)])

    def _dataset(self, row: "pd.Series[Any]") -> Dataset:
        recorded = self._run.get("datasets", {}).get(row["dataset"], {})
        size = {name: recorded[name] for name in ("n_samples", "n_features", "n_classes") if name in recorded}
        return Dataset(
            row["dataset"],
            (row["data"] or recorded.get("fingerprint") or "unknown")[:DIGEST_DIGITS],
            redact(recorded.get("source", "")),
            json.dumps(size),
        )

    def _colour(self, algorithm: str) -> str:
        """The report's colour of the paper's algorithms, others by their order; MLflow's random ones can look alike."""
        if algorithm in palette.ALGORITHMS:
            return palette.ALGORITHMS[algorithm]
        cells = self._run["expected"]["cells"]
        order = list(dict.fromkeys(name for _, _, name in cells if name not in palette.ALGORITHMS))
        position = order.index(algorithm) if algorithm in order else len(order)
        return palette.OTHERS[position % len(palette.OTHERS)]

    def _code(self) -> dict[str, str]:
        commit = str(self._run.get("commit") or "unknown") + (" + changes" if self._run.get("dirty") else "")
        return {"commit": commit, **{name: str(self._run.get(name, "")) for name in ("version", "fingerprint")}}


def _status(statuses: "pd.Series[str]") -> str:
    """Describe statuses: ``ok``, ``3 of 150 failed (2 timeout, 1 failed)``, ``ok (4 degenerate)``."""
    counts = statuses[statuses != Status.OK].value_counts().to_dict()
    remarks = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    failed = int(statuses.isin(FAILURES).sum())
    if failed:
        return f"{failed} of {len(statuses)} failed ({remarks})"
    return f"ok ({remarks})" if remarks else "ok"


def _add_chosen(content: Content, oracle: "pd.Series[Any]", unsupervised: "pd.Series[Any]") -> None:
    """Add the metrics at the chosen σ. Names without suffix follow the paper's protocol, ``oracle``."""
    _add_scores(content, oracle, unsupervised)
    content.add("sigma_factor", oracle["sigma_factor"])
    content.add("sigma_factor_unsupervised", unsupervised["sigma_factor"])
    content.add("wall_seconds", oracle["wall_seconds_mean"])
    content.add("failed", oracle["failed_anywhere"])


def _add_scores(content: Content, oracle: "pd.Series[Any]", unsupervised: "pd.Series[Any]", step: int = 0) -> None:
    """Add means over repeats and, if the rows have them, standard deviations."""
    for metric in METRICS:
        content.add(metric, oracle[f"{metric}_mean"], step)
        content.add(f"{metric}_std", oracle.get(f"{metric}_std"), step)
    for metric in MAIN_METRICS:
        content.add(f"{metric}_unsupervised", unsupervised[f"{metric}_mean"], step)
        content.add(f"{metric}_unsupervised_std", unsupervised.get(f"{metric}_std"), step)


def _expand(chosen: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return a sweep's table with a column per parameter that varies, and the names of these columns."""
    parameters = pd.DataFrame([json.loads(text) for text in chosen["parameters"]], index=chosen.index)
    swept = [name for name in parameters if parameters[name].astype(str).nunique() > 1]
    table = pd.concat([parameters[swept], chosen], axis=1)
    return table.sort_values(swept, ignore_index=True) if swept else table.reset_index(drop=True), swept


def _write_table(table: pd.DataFrame, first: Sequence[str], path: Path) -> None:
    """Write the dataset and its kind, the columns ``first``, then σ and the measurements."""
    measured = [name for name in table if name not in (*COMBINATION, *FACTS, *first, "rule")]
    about = table[["dataset", "data_kind"]].rename(columns={"data_kind": "data"})
    about.join(table[[*first, *measured]]).to_csv(path, index=False)


def _title(row: "pd.Series[Any]", *, curve: bool = False) -> str:
    about = row["corruption" if curve else "setting"]
    if row["variation"]:
        about += f", {row['variation']}"
    dataset = display_name(row["dataset"], row["data_kind"], row["complete"], row["n_samples"])
    return f"{row['algorithm']} on {dataset}: {about}"
