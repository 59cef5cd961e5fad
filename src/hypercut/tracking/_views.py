"""What MLflow's pages show: the kind of an experiment, and saved views with columns, order and charts.

MLflow keeps the views that its users save in tags of the experiment: JSON with a name and the state of the page. They
are listed under "Saved views" and opened by a link. The form is that of MLflow 3.17; a version that does not know it
ignores the tags.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypercut.tracking._content import BENCHMARK_TAG, BY_SIGMA
from hypercut.tracking._plan import CURVES, REPORT, Planned

#: Without it the experiments open in the pages for language models.
KIND_TAG = {"mlflow.experimentKind": "custom_model_development"}

#: Of an experiment that hypercut created, whose name begins with this prefix.
PREFIX_TAG = "hypercut.prefix"
NOTE_TAG = "mlflow.note.content"
VIEW_TAG = "mlflow.sharedViewState."

#: The id of a view that hypercut made begins so.
OURS = "hypercut-"

#: Digits of a benchmark's id in the ids and names of its views.
SHORT = 8

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
class Owner:
    """The benchmark that a sync writes, among others in the same experiments."""

    benchmark: str
    """its id"""
    shared: bool
    """whether others may write to the store; not so for the default store under the results"""

    @property
    def experiment_tag(self) -> str:
        """The tag of an experiment in which the benchmark has runs."""
        return f"{BENCHMARK_TAG}.{self.benchmark}"

    @property
    def runs(self) -> str:
        """A search for its runs."""
        return f"tags.`{BENCHMARK_TAG}` = '{self.benchmark}'"

    def owns_view(self, tag: str) -> bool:
        """Whether a tag is a view of this benchmark, or one of an earlier hypercut in a store of its own."""
        if tag.startswith(f"{VIEW_TAG}{OURS}{self.benchmark[:SHORT]}-"):
            return True
        names_another = re.match(rf"[0-9a-f]{{{SHORT}}}-", tag.removeprefix(VIEW_TAG + OURS))
        return not self.shared and tag.startswith(VIEW_TAG + OURS) and not names_another

    def view(self, id: str, name: str, state: Mapping[str, Any], as_chart: bool = False) -> "View":
        """Return a view whose id and name are those of no other benchmark."""
        short = self.benchmark[:SHORT]
        return View(f"{OURS}{short}-{id}", f"{name} ({short})" if self.shared else name, state, as_chart)


def is_abandoned(tags: Mapping[str, str]) -> bool:
    """Whether an experiment was created by hypercut and no benchmark writes to it any more."""
    return PREFIX_TAG in tags and not any(tag.startswith(f"{BENCHMARK_TAG}.") for tag in tags)


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
        return view_link(experiment_id, self.id, self.as_chart)


def view_link(experiment_id: str, view_id: str, as_chart: bool) -> str:
    """Where a view is, relative to the server's root."""
    mode = "&compareRunsMode=CHART" if as_chart else ""
    return f"{page(experiment_id)}&viewStateShareKey={view_id}{mode}"


def page(experiment_id: str) -> str:
    """Where the runs of an experiment are, relative to the server's root."""
    return f"#/experiments/{experiment_id}/runs?{TRAINING}"


def artifacts_page(experiment_id: str, run_id: str) -> str:
    """Where the files of a run are, relative to the server's root."""
    return f"#/experiments/{experiment_id}/runs/{run_id}/artifacts?{TRAINING}"


def experiment_views(experiment: str, planned: Sequence[Planned], owner: Owner) -> list[View]:
    """The views of a benchmark in an experiment, given the runs it has there."""
    if experiment == REPORT or not planned:
        return []
    if experiment == CURVES:
        return list(_curve_views(planned, owner))
    return list(_dataset_views(planned, owner))


def describe(experiment: str, tags: Mapping[str, str], experiment_id: str) -> str:
    """The text at the head of an experiment's page, with links to the views that its tags hold.

    It depends on nothing else, so that benchmarks which share the experiment write the same text.
    """
    about = {
        CURVES: "One run per dataset, corruption and algorithm; the step is the level of corruption, 0 being clean.",
        REPORT: "The report of the benchmark as artifacts, its headline figures as metrics.",
    }.get(experiment, "One run per setting and algorithm. `by_sigma/…` has σ as its step, in per cent of ρ.")
    links = " · ".join(sorted(_links(tags, experiment_id)))
    text = f"{about} {links}" if links else about
    return text if len(text) <= TAG_LIMIT else about


def _links(tags: Mapping[str, str], experiment_id: str) -> Iterable[str]:
    for tag, value in tags.items():
        if not tag.startswith(VIEW_TAG + OURS):
            continue
        try:
            view = json.loads(value)
            name, as_chart = view["name"], "compareRunCharts" in json.loads(view["state"])
        except (ValueError, KeyError, TypeError):
            continue  # saved again by a user, in the form of another MLflow
        yield f"[{name}]({view_link(experiment_id, tag.removeprefix(VIEW_TAG), as_chart)})"


def _dataset_views(planned: Sequence[Planned], owner: Owner) -> Iterable[View]:
    best_first = ("metrics.`nmi`", False)
    # A sweep shows the best of many parameters, which is no fair comparison.
    cells = f"tags.`hypercut.kind` = 'cell' AND {owner.runs}"
    if any(run.cell.startswith("clean/") for run in planned):
        yield owner.view("clean", "Clean data, best first", _state(f"tags.setting = 'clean' AND {cells}", best_first))
        yield owner.view(
            "sigma",
            "Clean data over σ",
            _state(
                f"tags.setting = 'clean' AND {ALGORITHMS} AND {cells}",
                charts=[("LINE", f"{BY_SIGMA}nmi"), ("LINE", f"{BY_SIGMA}purity"), ("BAR", "nmi"), ("BAR", "purity")],
            ),
            as_chart=True,
        )
    yield owner.view("runs", "All settings, best first", _state(f"tags.role != 'control' AND {cells}", best_first))


def _curve_views(planned: Sequence[Planned], owner: Owner) -> Iterable[View]:
    """One view per dataset and corruption, and one per corruption for the mean over all datasets but stand-ins."""
    pairs = sorted({tuple(run.cell.split("/")[:2]) for run in planned})
    charts = [("LINE", metric) for metric in ("nmi", "purity", "nmi_unsupervised", "purity_unsupervised")]
    for corruption in sorted({pair[1] for pair in pairs}):
        search = f"tags.corruption = '{corruption}' AND tags.data != 'stand-in' AND {ALGORITHMS} AND {owner.runs}"
        state = _state(search, charts=charts, group="algorithm")
        name = f"Mean of all datasets but stand-ins: {corruption}"
        yield owner.view(f"mean-{corruption}", name, state, as_chart=True)
    for dataset, corruption in pairs:
        search = f"tags.dataset = '{dataset}' AND tags.corruption = '{corruption}' AND {ALGORITHMS} AND {owner.runs}"
        state = _state(search, charts=charts)
        yield owner.view(f"{dataset}-{corruption}", f"{dataset}: {corruption}", state, as_chart=True)


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
