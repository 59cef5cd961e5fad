"""The pages of MLflow: views with filter, order and charts, links to them, and the tags that MLflow's pages read.

A view that is saved in a tag of its experiment is listed under "Views" and has charts. The format of that tag is known
for a single release only. For other releases nothing is saved, and a link has the filter and the order.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any
from urllib.parse import quote, urlencode

#: The release whose format of saved views is known.
RELEASE = "3.17."

CURVES, REPORT = "curves", "report"
"""the two experiments that do not belong to a dataset"""

BENCHMARK_TAG = "hypercut.benchmark"
"""the tag of a run with the id of its benchmark"""

NOTE_TAG = "mlflow.note.content"
COLOUR_TAG = "mlflow.runColor"
VIEW_TAG = "mlflow.sharedViewState."

#: Without this tag, an experiment opens in the pages for language models; so does a link without this parameter.
KIND_TAG = {"mlflow.experimentKind": "custom_model_development"}
TRAINING = "workflowType=machine_learning"

#: The runs in charts: the algorithms of the paper, of the user, and beyond the paper. MLflow draws at most 100 runs.
ALGORITHMS = "tags.role != 'baseline' AND tags.role != 'control'"

#: Number of digits of a benchmark's id in the ids and names of its views.
SHORT = 8

NOTE_LIMIT = 8_000
"""maximum length of a run's tag in MLflow"""

#: The charts of views, as kind and metric.
OVER_SIGMA = (("LINE", "by_sigma/nmi"), ("LINE", "by_sigma/purity"), ("BAR", "nmi"), ("BAR", "purity"))
OVER_LEVELS = tuple(("LINE", metric) for metric in ("nmi", "purity", "nmi_unsupervised", "purity_unsupervised"))

#: Columns of the table of runs in their order, and their widths in pixels.
COLUMNS = {
    **{"attributes.`Run Name`": 190, "tags.`algorithm`": 130, "tags.`setting`": 90, "metrics.`nmi`": 85},
    **{"metrics.`nmi_std`": 85, "metrics.`purity`": 80, "metrics.`sigma_factor`": 110, "tags.`status`": 150},
    **{"metrics.`nmi_unsupervised`": 145, "metrics.`purity_unsupervised`": 155, "metrics.`wall_seconds`": 120},
    **{"tags.`data`": 80, "runDateAndNestInfo": 130, "duration": 80},
}


@dataclass(frozen=True)
class View:
    """A view of one experiment: runs in a table, best first, or charts of them."""

    id: str
    name: str
    subject: str
    """the row of the overview that links to it: a dataset"""
    label: str
    """the text of that link"""
    search: str
    charts: Sequence[tuple[str, str]] = ()

    @property
    def tag(self) -> tuple[str, str]:
        """The tag that saves the view. Its times are constant, so that it changes only if the view does."""
        state: dict[str, Any] = {
            **{"searchFilter": self.search, **self._order, "orderByAsc": bool(self.charts)},
            **{"selectedColumns": list(COLUMNS), "columnOrder": list(COLUMNS), "columnWidths": COLUMNS},
        }
        if self.charts:
            section = {"uuid": "hypercut", "name": "Benchmark", "display": True, "columns": 2, "cardHeight": 400}
            state["compareRunSections"] = [section]
            state["compareRunCharts"] = [_chart(kind, metric) for kind, metric in self.charts]
        value = {"name": self.name, "createdAt": 0, "updatedAt": 0, "state": json.dumps(state)}
        return VIEW_TAG + self.id, json.dumps(value, ensure_ascii=False)

    def link(self, experiment_id: str) -> str:
        """Return the address of the view, relative to the server's root."""
        plain = urlencode({"searchFilter": self.search, **self._order}, quote_via=quote)
        query = f"viewStateShareKey={self.id}" if saves_views() else plain
        return f"{experiment_page(experiment_id)}&{query}{'&compareRunsMode=CHART' if self.charts else ''}"

    @property
    def _order(self) -> dict[str, str]:
        if self.charts:
            return {"orderByKey": "attributes.start_time", "orderByAsc": "true"}
        return {"orderByKey": "metrics.`nmi`", "orderByAsc": "false"}


def _chart(kind: str, metric: str) -> dict[str, Any]:
    chart = {"uuid": f"{kind}-{metric}", "type": kind, "metricKey": metric, "metricSectionId": "hypercut"}
    axes = {"selectedMetricKeys": [metric], "xAxisKey": "step", "scaleType": "linear", "lineSmoothness": 0}
    return {**chart, "runsCountToCompare": 20, **(axes if kind == "LINE" else {})}


def saves_views() -> bool:
    """Return whether the installed MLflow is the release whose format of saved views is known."""
    return version("mlflow").startswith(RELEASE)


def experiment_page(experiment_id: str) -> str:
    """Return the address of an experiment's page of runs, relative to the server's root."""
    return f"#/experiments/{experiment_id}/runs?{TRAINING}"


def run_page(experiment_id: str, run_id: str, tab: str = "") -> str:
    """Return the address of a page of a run, relative to the server's root."""
    return f"#/experiments/{experiment_id}/runs/{run_id}{tab}?{TRAINING}"


def note(experiment: str) -> str:
    """Return the text at the top of an experiment's page."""
    return {
        CURVES: "One run per dataset, corruption and algorithm; the step is the level of corruption, 0 for clean data.",
        REPORT: "The report of the benchmark as artifacts, its headline figures as metrics.",
    }.get(experiment, "One run per setting and algorithm. `by_sigma/…` has σ as its step, in per cent of ρ.")


def owned(benchmark: str) -> str:
    """Return the search for the runs of a benchmark."""
    return f"tags.`{BENCHMARK_TAG}` = '{benchmark}'"


def view_prefix(benchmark: str) -> str:
    """Return the beginning of the ids of a benchmark's views."""
    return f"hypercut-{benchmark[:SHORT]}-"


def views(experiment: str, runs: Iterable[Mapping[str, Any]], benchmark: str, *, shared: bool) -> Iterator[View]:
    """Yield the views of a benchmark in an experiment, given the tags of its runs there.

    In a shared store, their names contain the beginning of the benchmark's id.
    """

    def view(key: str, subject: str, label: str, search: str, charts: Sequence[tuple[str, str]] = ()) -> View:
        name = f"{subject}: {label}" + (f" ({benchmark[:SHORT]})" if shared else "")
        return View(view_prefix(benchmark) + key, name, subject, label, f"{search} AND {owned(benchmark)}", charts)

    if experiment == CURVES:
        for dataset, corruption in sorted({(tags.get("dataset", ""), tags["corruption"]) for tags in runs}):
            which = f"tags.dataset = '{dataset}'" if dataset else "tags.`hypercut.kind` = 'mean'"
            search = f"{which} AND tags.corruption = '{corruption}' AND {ALGORITHMS}"
            subject = dataset or "mean of datasets"
            yield view(f"{dataset or 'mean'}-{corruption}", subject, f"over {corruption}", search, OVER_LEVELS)
    elif experiment != REPORT:
        # Sweeps and readings are left out: the best of many parameters is no fair comparison.
        cells = "tags.`hypercut.kind` = 'cell'"
        if any(tags["setting"] == "clean" for tags in runs):
            clean = f"{cells} AND tags.setting = 'clean'"
            yield view("clean", experiment, "clean data", clean)
            yield view("sigma", experiment, "over σ", f"{clean} AND {ALGORITHMS}", OVER_SIGMA)
        yield view("runs", experiment, "all settings", f"{cells} AND tags.role != 'control'")


def overview(found: Iterable[tuple[str, View]], ids: Mapping[str, str], report: str) -> str:
    """Return the description of the run of the report: a table of links to views, and a link to the report.

    ``found`` has experiments with one of their views each, ``ids`` the ids of the experiments.
    """
    rows: dict[str, tuple[list[str], list[str]]] = {}
    for experiment, view in found:
        link = f"[{view.label}]({view.link(ids[experiment])})"
        rows.setdefault(view.subject, ([], []))[bool(view.charts)].append(link)
    # MLflow draws no space between the columns, and folds a description after five lines.
    table = [
        f"| {subject}&emsp; | {' · '.join(tables)}&emsp; | {' · '.join(charts)} |"
        for subject, (tables, charts) in sorted(rows.items(), key=lambda row: bool(row[1][0]))
    ]
    title = f"The [files of the report]({report}), and views of the runs (all of them: click *Show more*):"
    text = "\n".join([title, "", "| data | table, best first | charts |", "|---|---|---|", *table])
    if len(text) <= NOTE_LIMIT:
        return text
    pages = (f"[{experiment}]({experiment_page(id)})" for experiment, id in ids.items())
    return f"The [files of the report]({report}), and the runs: {' · '.join(pages)}"
