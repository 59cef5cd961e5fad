"""What is logged: the runs of a benchmark with their parameters, metrics, tags and files, from the table of rows."""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.variations import SWEEPS
from hypercut.errors import InputError, redact
from hypercut.paper.protocol import CLEAN
from hypercut.paper.published import PARTS
from hypercut.report.render import palette
from hypercut.results.rows import COMBINATION, METRICS, RESULT_FILE, display_name, key_of, read_origin, read_rows
from hypercut.results.summary import FACTS, per_sigma, summarize
from hypercut.run.failures import FAILURES, Status
from hypercut.tracking.links import COLOUR_TAG, CURVES, REPORT

#: Metrics with this prefix have σ as their step, in per cent of ρ because MLflow requires integers.
BY_SIGMA = "by_sigma/"
SIGMA_STEPS_PER_RHO = 100

#: Metrics with these prefixes have the repeat, and the swept value or its position, as their step.
BY_REPEAT, BY_VALUE = "by_repeat/", "by_value/"

#: The metrics that are logged in most detail.
MAIN_METRICS = ("nmi", "purity")

#: MLflow shows all digits of a metric, which makes wide columns; the files have full precision.
DECIMALS = 4

#: Columns with the origin of a row → the tags that show them.
ORIGIN = {
    **{"code": "hypercut.code", "data": "hypercut.data", "python": "python", "numpy": "numpy", "scipy": "scipy"},
    **{"scikit_learn": "scikit-learn", "blas": "blas", "cpu": "cpu", "computed": "computed"},
}

#: The facts of a dataset that its profile shows.
SIZE = ("n_samples", "n_features", "n_classes")

#: Tags list up to this many values and abbreviate more, because MLflow limits their length.
LISTED = 5


@dataclass
class Run:
    """Everything that one run logs."""

    kind: str
    """cell, sweep, reading, curve, mean or report"""
    experiment: str
    """without prefix: the dataset, ``curves`` or ``report``"""
    name: str
    """identifies the run within its experiment"""
    params: dict[str, Any] = field(default_factory=dict)
    tags: dict[str, Any] = field(default_factory=dict)
    metrics: list[tuple[str, float, int]] = field(default_factory=list)
    """name, value, step"""
    datasets: list[dict[str, str]] = field(default_factory=list)
    """the fields of each, for the column Datasets in MLflow"""
    files: dict[str, str | Path] = field(default_factory=dict)
    """path within the run → its text, or the file to copy"""

    def add(self, name: str, value: float | None, step: int = 0) -> None:
        """Add a metric, if there is a value."""
        if value is not None and math.isfinite(value):
            self.metrics.append((name, round(float(value), DECIMALS), step))

    @property
    def digest(self) -> str:
        """The hash of all that the run logs: a sync replaces the run when it changes."""
        logged = {name: value for name, value in vars(self).items() if name != "files"}
        found = hashlib.sha256(json.dumps(logged, sort_keys=True, default=str).encode())
        for name, content in sorted(self.files.items()):
            data = content.read_bytes() if isinstance(content, Path) else content.encode()
            found.update(f"{name}\0{len(data)}\0".encode() + data)
        return found.hexdigest()


@dataclass(frozen=True)
class Results:
    """All that tracking reads of a benchmark."""

    record: Mapping[str, Any]
    """``run.json``"""
    rows: pd.DataFrame
    scales: pd.DataFrame
    """means over repeats, per σ"""
    chosen: pd.DataFrame
    """means over repeats at the σ that each rule chooses"""
    layout: Layout

    @classmethod
    def read(cls, folder: Path) -> "Results":
        """Read the aggregated table and the record of the run."""
        layout = Layout(folder)
        try:
            record = json.loads(layout.run.read_text(encoding="utf-8"))
            record["datasets"].items()
        except FileNotFoundError:
            raise InputError(
                f"{layout.run} is missing. Run the benchmark first, or specify the folder of its results."
            ) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{layout.run} is damaged ({error!r}). Delete it and run again; finished results are kept."
            ) from None
        rows = read_rows(layout.table)
        return cls(record, rows, per_sigma(rows), summarize(rows), layout)

    @property
    def code(self) -> dict[str, str]:
        """The code that aggregated the results, as tags. An edit of it changes no result, and so no digest."""
        commit = str(self.record.get("commit") or "unknown") + (" + changes" if self.record.get("dirty") else "")
        return {"commit": commit, **{name: str(self.record.get(name, "")) for name in ("version", "fingerprint")}}

    def source(self, dataset: str) -> str:
        """Return where the data comes from."""
        return redact(self.record["datasets"].get(dataset, {}).get("source", ""))

    def dataset(self, row: "pd.Series[Any]") -> dict[str, str]:
        """Return the dataset of a row as an input of runs, with its source in the form that MLflow's pages show."""
        facts, source = self.record["datasets"].get(row["dataset"], {}), self.source(row["dataset"])
        address = re.search(r"https?://[^\s,]+", source)
        return {
            "name": row["dataset"],
            "digest": str(row["data"])[:8] or "unknown",
            "source_type": "http" if address else "local",
            "source": json.dumps({"url": address[0]} if address else {"uri": source}, ensure_ascii=False),
            "profile": json.dumps({name: facts[name] for name in SIZE if name in facts}),
        }

    @cached_property
    def colors(self) -> dict[str, str]:
        """The report's colours of the paper's algorithms, and one for each of the others in their order."""
        others = [name for name in self.rows["algorithm"].unique() if name not in palette.ALGORITHMS]
        return {**palette.ALGORITHMS, **dict(zip(others, cycle(palette.OTHERS), strict=False))}


def runs(results: Results, headline: Mapping[str, float]) -> Iterator[Run]:
    """Yield all runs of a benchmark. ``headline`` has the main figures of the report."""
    rows, scales, chosen = (
        dict(list(table.groupby(RESULT_FILE, sort=False))) for table in (results.rows, results.scales, results.chosen)
    )
    for file in rows:
        yield _result(results, rows[file], scales[file], chosen[file])
    yield from _curves_and_means(results)
    report = results.layout.report
    files = {path.relative_to(report).as_posix(): path for path in report.rglob("[!.]*") if path.is_file()}
    if files:
        run = Run(REPORT, REPORT, REPORT, tags=_origin(results.rows), files=dict(files))
        for name, value in headline.items():
            run.add(name, value)
        yield run


def level_index(setting: str) -> int:
    """Return the position on the axis of levels: 0 for clean, 3 for noise-L3."""
    match = re.search(r"-L(\d+)$", setting)
    return int(match.group(1)) if match else 0


def _result(results: Results, rows: pd.DataFrame, scales: pd.DataFrame, chosen: pd.DataFrame) -> Run:
    """Return the run of one result file: a cell, a sweep or a reading."""
    first = rows.iloc[0]
    dataset, setting, algorithm, variation = (str(first[name]) for name in RESULT_FILE)
    if not variation:
        kind, about = "cell", setting
    else:
        kind = "sweep" if variation in SWEEPS else "reading"
        about = f"{kind} {variation}" if setting == CLEAN else f"{setting}, {kind} {variation}"
    path = results.layout.result_of(key_of(dataset, setting, algorithm, variation))
    run = Run(kind, dataset, f"{algorithm} · {about}")
    _describe(run, results, rows)
    shared = {"setting": setting, **({"variation": variation} if variation else {})}
    run.params |= {**shared, "level": first["level"]}
    run.tags |= {**shared, "level": level_index(setting)}
    if path.exists() and read_origin(path).get("computed") == first["computed"]:  # otherwise from an archive
        run.files["rows.parquet"] = path
    # A reading with a grid of weights is shown as a sweep of them.
    if kind == "sweep" or rows["parameters"].nunique() > 1:
        _add_sweep(run, chosen)
    else:
        _add_cell(run, rows, scales, chosen)
    return run


def _describe(run: Run, results: Results, rows: pd.DataFrame) -> None:
    """Add the parameters and tags that runs of one dataset and algorithm share."""
    first = rows.iloc[0]
    shared = {name: first[name] for name in ("dataset", "corruption", "algorithm")}
    run.params |= {
        **shared,
        "repeats": rows["repeat"].nunique(),
        "sigma_values": rows["sigma_factor"].nunique(),
        "N": first["n_samples"],
        "features": first["n_features"],
        "K": first["n_clusters"],
    }
    run.datasets = [results.dataset(first)]
    run.tags |= {
        **shared,
        "role": first["role"],
        "data": first["data_kind"],
        "source": results.source(first["dataset"]),
        "extent": "complete" if first["complete"] else "subset",
        "status": _status(rows["status"]),
        COLOUR_TAG: results.colors[first["algorithm"]],
        **_origin(rows),
    }


def _add_cell(run: Run, rows: pd.DataFrame, scales: pd.DataFrame, chosen: pd.DataFrame) -> None:
    """Add the metrics at the chosen σ, at each σ, and of each repeat at the best σ."""
    by_rule = {row["rule"]: row for row in chosen.to_dict("records")}
    oracle, unsupervised = by_rule["oracle"], by_rule["unsupervised"]
    run.params |= json.loads(oracle["parameters"])
    _add_chosen(run, oracle, unsupervised)
    for row in scales.dropna(subset="sigma_factor").to_dict("records"):
        step = round(SIGMA_STEPS_PER_RHO * row["sigma_factor"])
        for metric in (*METRICS, "neighbor_information"):
            run.add(f"{BY_SIGMA}{metric}", row[f"{metric}_mean"], step)
        run.add(f"{BY_SIGMA}nmi_std", row["nmi_std"], step)
    sigma = oracle["sigma_factor"]
    best = rows[rows["sigma_factor"].isna() if pd.isna(sigma) else rows["sigma_factor"] == sigma]
    for metric in MAIN_METRICS:
        for repeat, value in zip(best["repeat"], best[metric].fillna(0.0), strict=True):
            run.add(f"{BY_REPEAT}{metric}", value, int(repeat))
    run.files["per_sigma.csv"] = _csv(scales)


def _add_sweep(run: Run, chosen: pd.DataFrame) -> None:
    """Add the metrics at each swept value, and those of the best value."""
    table, swept = _expand(chosen[chosen["rule"] == "oracle"])
    best = table.loc[table["nmi_mean"].idxmax()]
    run.params |= {"swept": ", ".join(swept), "values": len(table), **{f"best_{name}": best[name] for name in swept}}
    unsupervised = chosen[(chosen["rule"] == "unsupervised") & (chosen["parameters"] == best["parameters"])]
    _add_chosen(run, best.to_dict(), unsupervised.iloc[0].to_dict())
    for position, row in enumerate(table.to_dict("records")):
        # The value if it is a single whole number, else its position.
        value = row[swept[0]] if len(swept) == 1 else None
        step = int(value) if isinstance(value, int | float) and float(value).is_integer() else position
        for metric in MAIN_METRICS:
            run.add(f"{BY_VALUE}{metric}", row[f"{metric}_mean"], step)
            run.add(f"{BY_VALUE}{metric}_std", row[f"{metric}_std"], step)
    run.files["per_value.csv"] = _csv(table, swept)


def _expand(chosen: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return a sweep's table with a column per parameter that varies, and the names of these columns."""
    parameters = pd.DataFrame([json.loads(text) for text in chosen["parameters"]], index=chosen.index)
    swept = [name for name in parameters if parameters[name].astype(str).nunique() > 1]
    table = pd.concat([parameters[swept], chosen], axis=1)
    return table.sort_values(swept, ignore_index=True) if swept else table.reset_index(drop=True), swept


def _curves_and_means(results: Results) -> Iterator[Run]:
    """Yield a run per corruption, algorithm and dataset, and one for the mean over datasets; the step is the level."""
    chosen = results.chosen[results.chosen["variation"] == ""].copy()
    chosen["index"] = chosen["setting"].map(level_index)
    chosen = chosen.sort_values("index", kind="stable")
    rows = results.rows[results.rows["variation"] == ""]
    for corruption in chosen.loc[chosen["corruption"] != CLEAN, "corruption"].unique():
        levels = chosen[chosen["corruption"].isin([CLEAN, corruption])]
        used = rows[rows["corruption"].isin([CLEAN, corruption])]
        by_curve = dict(list(used.groupby(["dataset", "algorithm"], sort=False)))
        for (dataset, algorithm), curve in levels.groupby(["dataset", "algorithm"], sort=False):
            if set(curve["corruption"]) == {CLEAN}:
                continue
            last = curve.iloc[-1]
            # MLflow labels the lines of its charts with the names of the runs.
            shown = display_name(dataset, last["data_kind"], complete=True)
            run = Run("curve", CURVES, f"{algorithm} · {shown} {corruption}")
            _describe(run, results, by_curve[dataset, algorithm])
            run.params["corruption"] = run.tags["corruption"] = corruption
            _add_levels(run, curve)
            run.files["levels.csv"] = _csv(curve, ["index", "setting", "level", "rule"])
            yield run
        yield from _means(results, levels, by_curve, corruption)


def _means(results: Results, levels: pd.DataFrame, rows: Mapping[Any, pd.DataFrame], corruption: str) -> Iterator[Run]:
    """Yield one run per algorithm, the mean over the datasets on which all these algorithms have all levels.

    Algorithms with all levels on fewer than two datasets have no mean. Stand-ins and parts of other datasets do not
    count, as in the report.
    """
    counted = levels[(levels["data_kind"] != "stand-in") & ~levels["dataset"].isin(PARTS)]
    settings = counted.groupby(["algorithm", "dataset"], sort=False)["setting"].nunique()
    complete = settings[settings == counted["setting"].nunique()].reset_index()
    datasets = complete.groupby("algorithm", sort=False)["dataset"].agg(list)
    several = datasets[datasets.map(len) > 1]
    common = [name for name in counted["dataset"].unique() if all(name in names for names in several)]
    if len(common) < 2 or several.empty:
        return
    for algorithm in several.index:
        used = pd.concat([rows[dataset, algorithm] for dataset in common])
        shared = {"corruption": corruption, "algorithm": algorithm}
        run = Run("mean", CURVES, f"{algorithm} · mean of {len(common)} datasets, {corruption}")
        run.params |= {**shared, "datasets": ", ".join(common)}
        run.tags |= {**shared, "role": used["role"].iloc[0], "status": _status(used["status"])}
        run.tags |= {COLOUR_TAG: results.colors[algorithm], **_origin(used)}
        run.datasets = [results.dataset(rows[dataset, algorithm].iloc[0]) for dataset in common]
        members = counted[(counted["algorithm"] == algorithm) & counted["dataset"].isin(common)]
        columns = [f"{metric}_mean" for metric in METRICS]
        table = members.groupby(["index", "setting", "rule"], as_index=False)[columns].mean()
        _add_levels(run, table)
        run.files["levels.csv"] = table.assign(datasets=len(common)).to_csv(index=False)
        yield run


def _add_levels(run: Run, table: pd.DataFrame) -> None:
    """Add the metrics of each level."""
    rows = {(row["index"], row["rule"]): row for row in table.to_dict("records")}
    for index in table["index"].unique().tolist():
        _add_scores(run, rows[index, "oracle"], rows[index, "unsupervised"], step=index)


def _add_chosen(run: Run, oracle: Mapping[Any, Any], unsupervised: Mapping[Any, Any]) -> None:
    """Add the metrics at the chosen σ. Names without suffix follow the paper's protocol, ``oracle``."""
    _add_scores(run, oracle, unsupervised)
    run.add("sigma_factor", oracle["sigma_factor"])
    run.add("sigma_factor_unsupervised", unsupervised["sigma_factor"])
    run.add("wall_seconds", oracle["wall_seconds_mean"])
    run.add("failed", oracle["failed_anywhere"])


def _add_scores(run: Run, oracle: Mapping[Any, Any], unsupervised: Mapping[Any, Any], step: int = 0) -> None:
    """Add means over repeats and, if the rows have them, standard deviations."""
    for metric in METRICS:
        run.add(metric, oracle[f"{metric}_mean"], step)
        run.add(f"{metric}_std", oracle.get(f"{metric}_std"), step)
    for metric in MAIN_METRICS:
        run.add(f"{metric}_unsupervised", unsupervised[f"{metric}_mean"], step)
        run.add(f"{metric}_unsupervised_std", unsupervised.get(f"{metric}_std"), step)


def _status(statuses: "pd.Series[str]") -> str:
    """Describe statuses: ``ok``, ``3 of 150 failed (2 timeout, 1 failed)``, ``ok (4 degenerate)``."""
    counts = Counter(statuses)
    remarks = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()) if status != Status.OK)
    failed = sum(counts[status] for status in FAILURES)
    outcome = f"{failed} of {len(statuses)} failed" if failed else "ok"
    return f"{outcome} ({remarks})" if remarks else outcome


def _origin(rows: pd.DataFrame) -> dict[str, str]:
    """Return the distinct values of the columns of origin, as tags."""
    tags = {}
    for column, tag in ORIGIN.items():
        found = sorted({value for value in rows.get(column, []) if isinstance(value, str) and value})
        if len(found) > LISTED:
            found = [f"{found[0]}, …, {found[-1]} ({len(found)} values)"]
        if found:
            tags[tag] = ", ".join(found)
    return tags


def _csv(table: pd.DataFrame, first: Sequence[str] = ()) -> str:
    """Return the dataset and its kind, the columns ``first``, then σ and the measurements."""
    measured = [name for name in table if name not in (*COMBINATION, *FACTS, *first, "rule")]
    shown = table[["dataset", "data_kind", *first, *measured]]
    return shown.rename(columns={"data_kind": "data"}).to_csv(index=False)
