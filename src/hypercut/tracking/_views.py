"""What MLflow's pages show: the kind of an experiment, and saved views with columns, order and charts.

MLflow keeps the views that its users save in tags of the experiment: JSON with a name and the state of the page. They
are listed under "Saved views" and opened by a link. The form is that of MLflow 3.17; a version that does not know it
ignores the tags.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypercut.tracking._content import BY_SIGMA
from hypercut.tracking._plan import CURVES, REPORT, Planned

#: Without it the experiments open in the pages for language models.
KIND_TAG = {"mlflow.experimentKind": "custom_model_development"}

PREFIX_TAG = "hypercut.prefix"
NOTE_TAG = "mlflow.note.content"
VIEW_TAG = "mlflow.sharedViewState."

#: The id of a view in the link; one of ours begins so.
OURS = "hypercut-"

#: The runs that a chart compares: the paper's algorithms, the user's, and what goes beyond the paper.
ALGORITHMS = "tags.role != 'reference' AND tags.role != 'control'"

TAG_LIMIT = 20_000
"""MLflow's limit of the length of an experiment's tag"""

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

#: Opens MLflow in its part for model training; it begins in that for language models.
TRAINING = "workflowType=machine_learning"


@dataclass(frozen=True)
class View:
    """A saved view of one experiment."""

    id: str
    name: str
    state: Mapping[str, Any]
    as_chart: bool = False

    @property
    def tag(self) -> tuple[str, str]:
        """The tag that holds it. A fixed time: the tag changes only if the view does."""
        value = {"name": self.name, "createdAt": 0, "updatedAt": 0, "state": json.dumps(self.state)}
        return VIEW_TAG + self.id, json.dumps(value, ensure_ascii=False)

    def link(self, experiment_id: str) -> str:
        """Where the view is, relative to the server's root."""
        mode = "&compareRunsMode=CHART" if self.as_chart else ""
        return f"{page(experiment_id)}&viewStateShareKey={self.id}{mode}"


def page(experiment_id: str) -> str:
    """Where the runs of an experiment are, relative to the server's root."""
    return f"#/experiments/{experiment_id}/runs?{TRAINING}"


def artifacts_page(experiment_id: str, run_id: str) -> str:
    """Where the files of a run are, relative to the server's root."""
    return f"#/experiments/{experiment_id}/runs/{run_id}/artifacts?{TRAINING}"


def experiment_views(experiment: str, planned: Sequence[Planned]) -> list[View]:
    """The views of an experiment, given the runs it has."""
    if experiment == REPORT:
        return []
    if experiment == CURVES:
        return list(_curve_views(planned))
    return list(_dataset_views(planned))


def describe(experiment: str, views: Sequence[View], experiment_id: str) -> str:
    """The text at the head of an experiment's page."""
    about = {
        CURVES: "One run per dataset, corruption and algorithm; the step is the level of corruption, 0 being clean.",
        REPORT: "The report of the benchmark as artifacts, its headline figures as metrics.",
    }.get(experiment, "One run per setting and algorithm. `by_sigma/…` has σ as its step, in per cent of ρ.")
    links = " · ".join(f"[{view.name}]({view.link(experiment_id)})" for view in views)
    return f"{about} {links}" if links else about


def _dataset_views(planned: Sequence[Planned]) -> Iterable[View]:
    best_first = ("metrics.`nmi`", False)
    # A sweep shows the best of many parameters, which is no fair comparison.
    cells = "tags.`hypercut.kind` = 'cell'"
    if any(run.cell.startswith("clean/") for run in planned):
        yield View(f"{OURS}clean", "Clean data, best first", _state(f"tags.setting = 'clean' AND {cells}", best_first))
        yield View(
            f"{OURS}sigma",
            "Clean data over σ",
            _state(
                f"tags.setting = 'clean' AND {ALGORITHMS} AND {cells}",
                charts=[("LINE", f"{BY_SIGMA}nmi"), ("LINE", f"{BY_SIGMA}purity"), ("BAR", "nmi"), ("BAR", "purity")],
            ),
            as_chart=True,
        )
    yield View(f"{OURS}runs", "All settings, best first", _state(f"tags.role != 'control' AND {cells}", best_first))


def _curve_views(planned: Sequence[Planned]) -> Iterable[View]:
    """One view per dataset and corruption, and one per corruption for the mean over all datasets but stand-ins."""
    pairs = sorted({tuple(run.cell.split("/")[:2]) for run in planned})
    charts = [("LINE", metric) for metric in ("nmi", "purity", "nmi_unsupervised", "purity_unsupervised")]
    for corruption in sorted({pair[1] for pair in pairs}):
        search = f"tags.corruption = '{corruption}' AND tags.data != 'stand-in' AND {ALGORITHMS}"
        state = _state(search, charts=charts, group="algorithm")
        name = f"Mean of all datasets but stand-ins: {corruption}"
        yield View(f"{OURS}mean-{corruption}", name, state, as_chart=True)
    for dataset, corruption in pairs:
        search = f"tags.dataset = '{dataset}' AND tags.corruption = '{corruption}' AND {ALGORITHMS}"
        state = _state(search, charts=charts)
        yield View(f"{OURS}{dataset}-{corruption}", f"{dataset}: {corruption}", state, as_chart=True)


def _state(
    search: str = "",
    order: tuple[str, bool] = ("attributes.start_time", True),
    charts: Sequence[tuple[str, str]] = (),
    group: str | None = None,
) -> dict[str, Any]:
    """The state of the page of runs, as MLflow saves it; what is left out has MLflow's default."""
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
    if group:
        keys = [{"mode": "tag", "groupByData": group}]
        state["groupBy"] = {"aggregateFunction": "average", "groupByKeys": keys}
        state["useGroupedValuesInCharts"] = True
    if charts:
        state["compareRunSections"] = [_section()]
        state["compareRunCharts"] = [_chart(kind, metric) for kind, metric in charts]
    return state


SECTION = "hypercut-section"


def _section() -> dict[str, Any]:
    return {
        "uuid": SECTION,
        "name": "Benchmark",
        "display": True,
        "isReordered": True,
        "deleted": False,
        "isGenerated": False,
        "columns": 2,
        "cardHeight": 400,
    }


def _chart(kind: str, metric: str) -> dict[str, Any]:
    chart: dict[str, Any] = {
        "uuid": f"hypercut-{kind}-{metric}",
        "type": kind,
        "metricKey": metric,
        "runsCountToCompare": 20,
        "metricSectionId": SECTION,
        "deleted": False,
        "isGenerated": False,
    }
    if kind == "LINE":
        chart |= {
            "selectedMetricKeys": [metric],
            "lineSmoothness": 0,
            "scaleType": "linear",
            "xAxisScaleType": "linear",
            "xAxisKey": "step",
            "yAxisKey": "metric",
            "yAxisExpressions": [],
            "selectedXAxisMetricKey": "",
            "range": {},
            "ignoreOutliers": False,
            "displayPoints": True,
            "useGlobalXaxisKey": True,
            "useGlobalLineSmoothing": True,
        }
    return chart
