"""Section "What was run": the datasets and the configuration."""

import json

import pandas as pd

from hypercut.report.evidence import Evidence
from hypercut.report.render.page import Section
from hypercut.report.render.table import Table, text_rows


def dataset_table(evidence: Evidence) -> Table:
    """Return the datasets and their sources."""
    described = evidence.run.get("datasets", {})
    rows = []
    for name in evidence.datasets:
        facts, about = evidence.facts.loc[name], described.get(name, {})
        sizes = [int(facts[column]) for column in ("n_samples", "n_features", "n_clusters")]
        sources = [about.get(key) for key in ("source", "version", "terms")]
        rows.append([evidence.label(name), about.get("title"), facts["data_kind"], *sizes, *sources])
    columns = ["dataset", "title", "data", "N", "features", "K", "source", "version", "terms"]
    return Table(
        name="datasets",
        title="Datasets",
        caption="The datasets and their sources.",
        columns=columns,
        rows=text_rows(rows),
        data=pd.DataFrame(rows, columns=columns),
        numeric=False,
    )


def section(evidence: Evidence) -> Section:
    """Return the section."""
    config = json.dumps(evidence.run.get("config", {}), indent=2, ensure_ascii=False, default=str)
    return Section("run", "What was run", tables=[dataset_table(evidence)], listing=config)
