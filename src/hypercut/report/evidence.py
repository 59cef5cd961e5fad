"""One benchmark as the report sees it: summaries of its cells and sweeps, names, order, and what is missing."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from hypercut.benchmark.rows import display_name
from hypercut.benchmark.summary import per_scale, summarize
from hypercut.errors import InputError
from hypercut.paper import published
from hypercut.report.averages import average
from hypercut.report.experiments import PAPER_NOISE, at_paper_levels, other_levels

#: What the rows say of their dataset.
DATA_FACTS = ["data_kind", "complete", "n_samples", "n_features", "n_clusters"]

#: The parameters that sweeps vary.
SWEPT = ("alpha", "beta", "n_neighbors", "communities_per_cluster")


@dataclass(frozen=True)
class Evidence:
    """The aggregated rows of a benchmark, and what is known of the run that made them."""

    table: pd.DataFrame
    run: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Refuse rows that cannot be of one benchmark: what a dataset or a level is must be the same in all of them."""
        for key, columns in (("dataset", DATA_FACTS), ("setting", ["level"])):
            found = self.table[[key, *columns]].drop_duplicates()
            twice = found[found[key].duplicated(keep=False)]
            if len(twice):
                name = twice[key].iloc[0]
                kinds = [" ".join(map(str, row)) for row in twice.loc[twice[key] == name, columns].to_numpy()]
                raise InputError(
                    f"results of {name}: expected one {', '.join(columns)} in all, found {' and '.join(kinds)}. "
                    "Some are of earlier data or of an earlier configuration: run the benchmark to its end."
                )

    @cached_property
    def cells(self) -> pd.DataFrame:
        """The rows of dataset × setting × algorithm, without the sweeps."""
        return self.table[self.table["sweep"] == ""]

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row per cell and selection rule, see :func:`hypercut.benchmark.summary.summarize`."""
        summary = summarize(self.cells)
        twice = summary.duplicated(["dataset", "setting", "algorithm", "rule"])
        if twice.any():
            cell = summary.loc[twice, ["dataset", "setting", "algorithm"]].iloc[0].tolist()
            raise InputError(
                f"results of {' · '.join(cell)}: expected one set of parameters, found several. "
                "Remove the stale result file, or give the second set an algorithm name of its own."
            )
        return summary

    @cached_property
    def _averages(self) -> dict[tuple[str, str], pd.DataFrame]:
        return {}

    def averages(self, experiment: str, rule: str = "oracle") -> pd.DataFrame:
        """The averages of Table 1, 3 or 4, see :func:`hypercut.report.averages.average`."""
        if (experiment, rule) not in self._averages:
            chosen = self.summary[self.summary["rule"] == rule]
            self._averages[experiment, rule] = average(chosen, experiment)
        return self._averages[experiment, rule]

    def comparable_averages(self, experiment: str, rule: str = "oracle") -> pd.DataFrame:
        """The averages that may stand against the paper's: its sets, complete and real, over all its levels."""
        rows = self.averages(experiment, rule)
        datasets = [name for name in self.datasets if self.comparable(name, experiment)]
        return rows[rows["dataset"].isin(datasets) & rows["complete"]]

    def level_scores(self, experiment: str, metric: str, rule: str = "oracle") -> pd.DataFrame:
        """The means over repeats at the chosen σ, at the paper's levels: (dataset, setting) × algorithm."""
        chosen = self.summary[(self.summary["rule"] == rule) & at_paper_levels(self.summary, experiment)]
        return chosen.pivot(index=["dataset", "setting"], columns="algorithm", values=f"{metric}_mean")

    @cached_property
    def scales(self) -> pd.DataFrame:
        """One row per cell and σ."""
        return per_scale(self.cells)

    @cached_property
    def sweeps(self) -> pd.DataFrame:
        """One row per sweep's cell at its oracle σ, with the values of the parameters as columns."""
        rows = self.table[self.table["sweep"] != ""]
        if rows.empty:
            return pd.DataFrame(columns=["dataset", "sweep", *SWEPT])
        summary = summarize(rows)
        summary = summary[summary["rule"] == "oracle"].reset_index(drop=True)
        values = pd.DataFrame([json.loads(text) for text in summary["parameters"]])
        return summary.join(values[[name for name in SWEPT if name in values]])

    @cached_property
    def datasets(self) -> list[str]:
        """The paper's sets first and in its order, then the others."""
        found = set(self.table["dataset"])
        return [*(name for name in published.DATASETS if name in found), *sorted(found - set(published.DATASETS))]

    @cached_property
    def algorithms(self) -> list[str]:
        """The paper's eight in its order, then other algorithms, those beyond the paper, references and controls."""
        roles = self.roles
        found = [name for name in published.ALGORITHMS if name in roles]
        for role in ("algorithm", "beyond", "reference", "control"):
            found += sorted(name for name, its in roles.items() if its == role and name not in published.ALGORITHMS)
        return found

    @cached_property
    def roles(self) -> dict[str, str]:
        """Algorithm → algorithm, beyond, reference or control."""
        return dict(self.cells[["algorithm", "role"]].drop_duplicates("algorithm").itertuples(index=False))

    def with_role(self, *roles: str) -> list[str]:
        """The algorithms of these roles, in order."""
        return [name for name in self.algorithms if self.roles[name] in roles]

    @cached_property
    def facts(self) -> pd.DataFrame:
        """What the rows say of each dataset: kind of data, whether it is complete, N, number of features, K."""
        return self.table.groupby("dataset")[DATA_FACTS].first()

    def label(self, dataset: str) -> str:
        """The name of a dataset in tables and figures, marked unless it is the complete real set."""
        name = published.DATASETS.get(dataset, dataset)
        if dataset in self.facts.index:
            facts = self.facts.loc[dataset]
            return display_name(name, facts["data_kind"], facts["complete"], facts["n_samples"])
        told = self.run.get("datasets", {}).get(dataset, {})
        return display_name(name, told.get("kind", ""), told.get("complete", True), told.get("n_samples"))

    def kind(self, dataset: str) -> str:
        """What data a dataset has, also one that has no rows yet."""
        if dataset in self.facts.index:
            return str(self.facts.loc[dataset, "data_kind"])
        return str(self.run.get("datasets", {}).get(dataset, {}).get("kind", "unknown"))

    def with_kind(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The same rows with the kind of the data beside the name of the dataset, for tables that leave the page."""
        rows = rows.copy()
        rows.insert(rows.columns.get_loc("dataset") + 1, "data", rows["dataset"].map(self.kind))
        return rows

    def comparable(self, dataset: str, experiment: str) -> bool:
        """Whether our figures of this set may stand against the paper's: it has it, and ours is no stand-in or subset.

        The trajectories count, although generated: the paper's were never published. Noise of another scale or
        distribution compares with nothing.
        """
        if dataset not in self.facts.index or dataset not in published.datasets(experiment):
            return False
        if experiment == "noise" and self.noise != PAPER_NOISE:
            return False
        facts = self.facts.loc[dataset]
        return bool(facts["complete"]) and facts["data_kind"] in ("real", "generated")

    @cached_property
    def noise(self) -> dict[str, str]:
        """Scale and distribution of the noise, as the configuration has them; the paper's where nothing is told."""
        told = self.run.get("config", {}).get("corruptions", {}).get("noise", {})
        return {name: str(told.get(name, value)) for name, value in PAPER_NOISE.items()}

    def other_levels(self, experiment: str) -> list[str]:
        """The levels that were run and are not the paper's, each with its value: no average has them."""
        return other_levels(self.cells[self.cells["corruption"] == experiment], experiment)

    @cached_property
    def missing_cells(self) -> list[tuple[str, str, str]]:
        """The cells that were to be computed and are not in the table."""
        done = set(self.cells[["dataset", "setting", "algorithm"]].drop_duplicates().itertuples(index=False, name=None))
        expected = (tuple(cell) for cell in self.run.get("expected", {}).get("cells", []))
        return [cell for cell in expected if cell not in done]

    @cached_property
    def stale(self) -> dict[tuple[str, str, str, str], str]:
        """The results that were left out, by dataset, setting, algorithm and sweep, and why."""
        keys = ("dataset", "setting", "algorithm", "sweep")
        return {tuple(cell[key] for key in keys): cell["reason"] for cell in self.run.get("stale", [])}

    @cached_property
    def missing_sweeps(self) -> list[tuple[str, str]]:
        """The sweeps (dataset, name) that were to be computed and are not in the table."""
        rows = self.table[self.table["sweep"] != ""]
        done = set(rows[["dataset", "sweep"]].drop_duplicates().itertuples(index=False, name=None))
        expected = (tuple(sweep) for sweep in self.run.get("expected", {}).get("sweeps", []))
        return [sweep for sweep in expected if sweep not in done]
