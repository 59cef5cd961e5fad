"""The pages of MLflow: the kind of an experiment, and saved views with columns, order and charts.

MLflow stores the views that its users save in tags of the experiment, as JSON with a name and the state of the page. It
lists them under "Views" and opens one by a link. The format is that of MLflow 3.17; other versions ignore unknown tags.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypercut.tracking.content import BENCHMARK_TAG, BY_SIGMA
from hypercut.tracking.expected import CURVES, REPORT, ExpectedRun, Kind

#: Without this tag an experiment opens in the pages for language models.
KIND_TAG = {"mlflow.experimentKind": "custom_model_development"}

#: The tag of an experiment that hypercut created; its value is the first part of the experiment's name.
PREFIX_TAG = "hypercut.prefix"
NOTE_TAG = "mlflow.note.content"
VIEW_TAG = "mlflow.sharedViewState."

#: Prefix of the ids of views that hypercut saved.
OURS = "hypercut-"

#: Number of digits of a benchmark's id in the ids and names of its views.
SHORT = 8

#: Filter for the runs in charts: the paper's algorithms, the user's, and those beyond the paper.
ALGORITHMS = "tags.role != 'reference' AND tags.role != 'control'"

#: The row of the overview with the means over datasets.
ALL_DATASETS = "mean of datasets"

TAG_LIMIT = 20_000
"""maximum length of an experiment's tag in MLflow"""

RUN_TAG_LIMIT = 8_000
"""of a run's"""

#: Columns of the table of runs in their order, and their widths in pixels.
COLUMNS = {
    "attributes.`Run Name`": 190,
    "tags.`algorithm`": 130,
    "tags.`setting`": 90,
    "metrics.`nmi`": 85,
    "metrics.`nmi_std`": 85,
    "metrics.`purity`": 80,
    "metrics.`sigma_factor`": 110,
    "tags.`status`": 150,
    "metrics.`nmi_unsupervised`": 145,
    "metrics.`purity_unsupervised`": 155,
    "metrics.`wall_seconds`": 120,
    "tags.`data`": 80,
    "runDateAndNestInfo": 130,
    "duration": 80,
}

#: Opens MLflow in its pages for model training instead of those for language models.
TRAINING = "workflowType=machine_learning"


@dataclass(frozen=True)
class Owner:
    """The benchmark that a sync writes; others may have runs in the same experiments."""

    benchmark: str
    """its id"""
    shared: bool
    """whether other benchmarks may write to the store"""

    @property
    def experiment_tag(self) -> str:
        """The tag of an experiment in which the benchmark has runs."""
        return f"{BENCHMARK_TAG}.{self.benchmark}"

    @property
    def runs(self) -> str:
        """The search for its runs."""
        return f"tags.`{BENCHMARK_TAG}` = '{self.benchmark}'"

    @property
    def view_tag(self) -> str:
        """The beginning of the tags that hold its views."""
        return f"{VIEW_TAG}{OURS}{self.benchmark[:SHORT]}-"

    def view(self, id: str, name: str, state: Mapping[str, Any], subject: str, label: str) -> "View":
        """Return a view whose id and name no other benchmark uses."""
        full_name = f"{name} ({self.benchmark[:SHORT]})" if self.shared else name
        return View(self.view_tag + id, full_name, state, subject, label)


@dataclass(frozen=True)
class View:
    """A saved view of one experiment."""

    tag: str
    name: str
    state: Mapping[str, Any]
    subject: str = ""
    """the row of the overview that links to it: a dataset"""
    label: str = ""
    """the text of that link"""

    @property
    def has_charts(self) -> bool:
        """Whether it opens with charts instead of a table."""
        return "compareRunCharts" in self.state

    @property
    def value(self) -> str:
        """The value of the tag. The times are constant, so that the tag changes only if the view does."""
        value = {"name": self.name, "createdAt": 0, "updatedAt": 0, "state": json.dumps(self.state)}
        return json.dumps(value, ensure_ascii=False)

    def link(self, experiment_id: str) -> str:
        """Return the address of the view, relative to the server's root."""
        mode = "&compareRunsMode=CHART" if self.has_charts else ""
        share_key = self.tag.removeprefix(VIEW_TAG)
        return f"#/experiments/{experiment_id}/runs?{TRAINING}&viewStateShareKey={share_key}{mode}"


def run_page(experiment_id: str, run_id: str, tab: str = "") -> str:
    """Return the address of a page of a run, relative to the server's root."""
    return f"#/experiments/{experiment_id}/runs/{run_id}{tab}?{TRAINING}"


def is_abandoned(tags: Mapping[str, str]) -> bool:
    """Return whether hypercut created an experiment and no benchmark has runs there any more."""
    return PREFIX_TAG in tags and not any(tag.startswith(f"{BENCHMARK_TAG}.") for tag in tags)


def experiment_views(experiment: str, runs: Sequence[ExpectedRun], owner: Owner) -> list[View]:
    """Return the views of a benchmark in an experiment, given the runs it has there."""
    if experiment == REPORT or not runs:
        return []
    views = _curve_views(runs, owner) if experiment == CURVES else _dataset_views(experiment, runs, owner)
    return [view for view in views if len(view.value) <= TAG_LIMIT]


def describe(experiment: str, tags: Mapping[str, str], experiment_id: str) -> str:
    """Return the text at the top of an experiment's page, with links to the views in its tags.

    It depends on nothing else, so that benchmarks that share the experiment write the same text.
    """
    about = {
        CURVES: "One run per dataset, corruption and algorithm; the step is the level of corruption, 0 for clean data.",
        REPORT: "The report of the benchmark as artifacts, its headline figures as metrics.",
    }.get(experiment, "One run per setting and algorithm. `by_sigma/…` has σ as its step, in per cent of ρ.")
    links = " · ".join(sorted(_links(tags, experiment_id)))
    text = f"{about} {links}" if links else about
    return text if len(text) <= TAG_LIMIT else about


def overview(saved: Mapping[str, Sequence[View]], ids: Mapping[str, str], report: str) -> str:
    """Return the description of the run of the report: a table of links to all views, and to the report.

    ``saved`` has the views by experiment, ``ids`` the ids of the experiments.
    """
    rows: dict[str, tuple[list[str], list[str]]] = {}
    for experiment in sorted(saved, key=lambda name: name == CURVES):
        for view in saved[experiment]:
            tables, charts = rows.setdefault(view.subject, ([], []))
            link = f"[{view.label}]({view.link(ids[experiment])})"
            (charts if view.has_charts else tables).append(link)
    # MLflow draws no space between the columns, and folds a description after five lines.
    table = [
        f"| {subject}&emsp; | {' · '.join(tables)}&emsp; | {' · '.join(charts)} |"
        for subject, (tables, charts) in sorted(rows.items(), key=lambda row: row[0] != ALL_DATASETS)
    ]
    title = f"The [files of the report]({report}), and views of the runs (all of them: click *Show more*):"
    head = [title, "", "| data | table, best first | charts |"]
    text = "\n".join([*head, "|---|---|---|", *table])
    if len(text) <= RUN_TAG_LIMIT:
        return text
    pages = (f"[{experiment}](#/experiments/{id}/runs?{TRAINING})" for experiment, id in ids.items())
    return f"The [files of the report]({report}). Each experiment links to its views: {' · '.join(pages)}"


def _links(tags: Mapping[str, str], experiment_id: str) -> Iterator[str]:
    for tag, value in tags.items():
        if tag.startswith(VIEW_TAG + OURS):
            try:
                saved = json.loads(value)
                view = View(tag, saved["name"], json.loads(saved["state"]))
            except (ValueError, KeyError, TypeError):
                continue  # a user saved it again, in the format of another MLflow
            yield f"[{view.name}]({view.link(experiment_id)})"


def _dataset_views(dataset: str, runs: Sequence[ExpectedRun], owner: Owner) -> Iterator[View]:
    best_first = ("metrics.`nmi`", False)
    # Sweeps and readings are left out: the best of many parameters is no fair comparison.
    cells = f"tags.`hypercut.kind` = 'cell' AND {owner.runs}"
    if any(run.id.startswith("clean/") for run in runs):
        clean = f"tags.setting = 'clean' AND {cells}"
        yield owner.view("clean", "Clean data, best first", _state(clean, best_first), dataset, "clean data")
        charts = [("LINE", f"{BY_SIGMA}nmi"), ("LINE", f"{BY_SIGMA}purity"), ("BAR", "nmi"), ("BAR", "purity")]
        state = _state(f"{clean} AND {ALGORITHMS}", charts=charts)
        yield owner.view("sigma", "Clean data over σ", state, dataset, "over σ")
    state = _state(f"tags.role != 'control' AND {cells}", best_first)
    yield owner.view("runs", "All settings, best first", state, dataset, "all settings")


def _curve_views(runs: Sequence[ExpectedRun], owner: Owner) -> Iterator[View]:
    """One view per corruption with the means over datasets, and one per dataset and corruption."""
    charts = [("LINE", metric) for metric in ("nmi", "purity", "nmi_unsupervised", "purity_unsupervised")]
    pairs = {kind: sorted({tuple(run.id.split("/")[:2]) for run in runs if run.kind == kind}) for kind in Kind}
    for _, corruption in pairs[Kind.MEAN]:
        search = f"tags.`hypercut.kind` = 'mean' AND tags.corruption = '{corruption}' AND {ALGORITHMS} AND {owner.runs}"
        name = f"Mean of all datasets except stand-ins: {corruption}"
        state = _state(search, charts=charts)
        yield owner.view(f"mean-{corruption}", name, state, ALL_DATASETS, f"over {corruption}")
    for dataset, corruption in pairs[Kind.CURVE]:
        search = f"tags.dataset = '{dataset}' AND tags.corruption = '{corruption}' AND {ALGORITHMS} AND {owner.runs}"
        state = _state(search, charts=charts)
        yield owner.view(f"{dataset}-{corruption}", f"{dataset}: {corruption}", state, dataset, f"over {corruption}")


def _state(
    search: str = "",
    order: tuple[str, bool] = ("attributes.start_time", True),
    charts: Sequence[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Return the state of the page of runs in MLflow's format; fields that are absent get their defaults."""
    state: dict[str, Any] = {
        "searchFilter": search,
        "orderByKey": order[0],
        "orderByAsc": order[1],
        "startTime": "ALL",
        "lifecycleFilter": "Active",
        "selectedColumns": list(COLUMNS),
        "columnOrder": list(COLUMNS),
        "columnWidths": COLUMNS,
        "runsHiddenMode": "SHOW_ALL",
    }
    if charts:
        state["compareRunSections"] = [SECTION]
        state["compareRunCharts"] = [_chart(kind, metric) for kind, metric in charts]
    return state


#: The section of the page that holds the charts.
SECTION = {
    "uuid": "hypercut-section",
    "name": "Benchmark",
    **{"display": True, "isReordered": True, "deleted": False, "isGenerated": False},
    **{"columns": 2, "cardHeight": 400},
}

LINE_CHART = {
    **{"lineSmoothness": 0, "scaleType": "linear", "xAxisScaleType": "linear", "xAxisKey": "step"},
    **{"yAxisKey": "metric", "yAxisExpressions": [], "selectedXAxisMetricKey": "", "range": {}},
    **{"ignoreOutliers": False, "displayPoints": True, "useGlobalXaxisKey": True, "useGlobalLineSmoothing": True},
}


def _chart(kind: str, metric: str) -> dict[str, Any]:
    chart: dict[str, Any] = {
        **{"uuid": f"hypercut-{kind}-{metric}", "type": kind, "metricKey": metric, "runsCountToCompare": 20},
        **{"metricSectionId": SECTION["uuid"], "deleted": False, "isGenerated": False},
    }
    return {**chart, "selectedMetricKeys": [metric], **LINE_CHART} if kind == "LINE" else chart
