"""A benchmark as the report sees it: cells, sweeps and readings, names and order, missing results."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import pandas as pd

from hypercut.benchmark.rows import CELL, COMBINATION, RESULT_FILE, ResultFile, display_name
from hypercut.benchmark.summary import RULES, per_scale, summarize
from hypercut.benchmark.variations import SWEEPS
from hypercut.errors import InputError
from hypercut.paper import published
from hypercut.paper.protocol import CLEAN
from hypercut.paper.readings import Reading, pairs, readings
from hypercut.report.averages import average
from hypercut.report.experiments import PAPER_NOISE, at_paper_levels

#: Columns that describe the dataset of a row.
DATA_FACTS = ["data_kind", "complete", "n_samples", "n_features", "n_clusters"]

#: The parameters that sweeps vary.
SWEPT = ("alpha", "beta", "n_neighbors", "communities_per_cluster")


def present(names: Iterable[str], column: pd.Series) -> list[str]:
    """Return the names that a column has, in their order."""
    found = set(column.unique())
    return [name for name in names if name in found]


@dataclass(frozen=True)
class Evidence:
    """The aggregated rows of a benchmark, and the description of its run (see :func:`.build.build_report`)."""

    table: pd.DataFrame
    run: Mapping[str, Any]
    known_summary: pd.DataFrame | None = field(default=None, repr=False)
    """the summary, if it is known already: it takes most of the time of an evidence"""

    def __post_init__(self) -> None:
        """Raise if the rows describe a dataset or a level in two ways: they are not from one benchmark."""
        for key, columns in (("dataset", DATA_FACTS), ("setting", ["level"])):
            found = self.table[[key, *columns]].drop_duplicates()
            twice = found[found[key].duplicated(keep=False)]
            if len(twice):
                name = twice[key].iloc[0]
                kinds = [" ".join(map(str, row)) for row in twice.loc[twice[key] == name, columns].to_numpy()]
                raise InputError(
                    f"Results of {name} disagree on {', '.join(columns)}: {' and '.join(kinds)}. "
                    "Some are of earlier data or of an earlier configuration: run the benchmark to its end."
                )

    @cached_property
    def cells(self) -> pd.DataFrame:
        """The rows of dataset × setting × algorithm, without sweeps and readings."""
        return self.table[self.table["variation"] == ""]

    @cached_property
    def reading_rows(self) -> pd.DataFrame:
        """The rows of other readings of the paper, alone and in pairs."""
        return self.table[self.table["variation"].isin({*readings(), *pairs()})]

    @cached_property
    def nearest(self) -> Reading | None:
        """The reading that is run at the full protocol too; None if there is none, or it was run on clean data only."""
        name = str((self.run.get("config", {}).get("readings") or {}).get("nearest"))
        rows = self.reading_rows[self.reading_rows["variation"] == name]
        return readings().get(name) if (rows["setting"] != CLEAN).any() else None

    def under(self, reading: Reading) -> "Evidence":
        """Return the evidence with the cells of a reading in place of those that it changes.

        Where the reading was not run, these cells are missing. Of a grid of parameters the best by the labels counts.
        """
        own = self.table[self.table["variation"] == reading.name]
        if reading.grid:
            means = summarize(own).query("rule == 'oracle'")
            best = means.loc[means.groupby(CELL)["nmi_mean"].idxmax(), [*CELL, "parameters"]]
            own = own.merge(best, on=[*CELL, "parameters"])
        own = own.assign(variation="")
        cells, summary = (rows[~rows["algorithm"].isin(reading.algorithms)] for rows in (self.cells, self.summary))
        if len(own):
            summary = pd.concat([summary, summarize(own)]).sort_values([*COMBINATION, "rule"])
        return Evidence(pd.concat([cells, own], ignore_index=True), self.run, summary.reset_index(drop=True))

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row per cell and selection rule, see :func:`hypercut.benchmark.summary.summarize`."""
        summary = summarize(self.cells) if self.known_summary is None else self.known_summary
        twice = summary.duplicated([*CELL, "rule"])
        if twice.any():
            cell = summary.loc[twice, CELL].iloc[0].tolist()
            raise InputError(
                f"Results of {' · '.join(cell)} have several sets of parameters. "
                "Remove the stale result file, or give the second set another algorithm name."
            )
        return summary

    @cached_property
    def _averages(self) -> dict[tuple[str, str], pd.DataFrame]:
        by_rule = dict(list(self.summary.groupby("rule")))
        return {(name, rule): average(by_rule[rule], name) for name, rule in product(published.EXPERIMENTS, RULES)}

    def averages(self, experiment: str, rule: str = "oracle") -> pd.DataFrame:
        """Return the averages of Table 1, 3 or 4, see :func:`hypercut.report.averages.average`."""
        return self._averages[experiment, rule]

    def comparable_averages(self, experiment: str, rule: str = "oracle") -> pd.DataFrame:
        """Return the averages that compare with the paper's: its sets, complete and real, over all its levels."""
        rows = self.averages(experiment, rule)
        return rows[rows["dataset"].isin(self.comparable_datasets(experiment)) & rows["complete"]]

    def complete_algorithms(self, experiment: str, dataset: str) -> set[str]:
        """Return the algorithms with averages of a dataset that compare with the paper's."""
        return self._complete_algorithms[experiment].get(dataset, set())

    @cached_property
    def _complete_algorithms(self) -> dict[str, dict[str, set[str]]]:
        averages = {name: self.comparable_averages(name) for name in published.EXPERIMENTS}
        return {name: rows.groupby("dataset")["algorithm"].agg(set).to_dict() for name, rows in averages.items()}

    def level_scores(self, experiment: str, metric: str, rule: str = "oracle") -> pd.DataFrame:
        """Return the means over repeats at the chosen σ, at the paper's levels: (dataset, setting) × algorithm."""
        chosen = self.summary[(self.summary["rule"] == rule) & at_paper_levels(self.summary, experiment)]
        return chosen.pivot(index=["dataset", "setting"], columns="algorithm", values=f"{metric}_mean")

    @cached_property
    def clean_scales(self) -> pd.DataFrame:
        """One row per cell and σ of the clean sets."""
        return per_scale(self.cells[self.cells["setting"] == CLEAN])

    @cached_property
    def scaled(self) -> set[str]:
        """The algorithms that have a scale σ."""
        return set(self.summary.loc[self.summary["sigma_factor"].notna(), "algorithm"])

    @cached_property
    def sweeps(self) -> pd.DataFrame:
        """One row per dataset and combination of a sweep at its oracle σ, with the swept parameters as columns."""
        rows = self.table[self.table["variation"].isin(SWEEPS)]
        if rows.empty:
            return pd.DataFrame(columns=["dataset", "variation", *SWEPT])
        summary = summarize(rows)
        summary = summary[summary["rule"] == "oracle"].reset_index(drop=True)
        values = pd.DataFrame([json.loads(text) for text in summary["parameters"]])
        return summary.join(values[[name for name in SWEPT if name in values]])

    @cached_property
    def datasets(self) -> list[str]:
        """The datasets that have rows, the paper's first and in its order, each followed by parts of it."""
        found = set(self.table["dataset"].unique())
        parts = {whole: [part for part, of in published.PARTS.items() if of == whole] for whole in published.DATASETS}
        known = [name for whole in published.DATASETS for name in (whole, *parts[whole])]
        return [*(name for name in known if name in found), *sorted(found - set(known))]

    @cached_property
    def averaged(self) -> list[str]:
        """The datasets that means over datasets include: no stand-ins, and no part of a dataset besides the whole."""
        return [name for name in self.datasets if name not in published.PARTS and self.kind(name) != "stand-in"]

    @cached_property
    def algorithms(self) -> list[str]:
        """The paper's eight in its order, then users' algorithms, those beyond the paper, references and controls."""
        roles = self.roles
        found = [name for name in published.ALGORITHMS if name in roles]
        for role in ("algorithm", "beyond", "reference", "control"):
            found += sorted(name for name, its in roles.items() if its == role and name not in published.ALGORITHMS)
        return found

    def in_order(self, rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
        """Return the rows sorted by columns of algorithms or datasets, in the order of the report."""
        order = {name: i for names in (self.algorithms, self.datasets) for i, name in enumerate(names)}
        return rows.sort_values(list(columns), key=lambda column: column.map(order), kind="stable", ignore_index=True)

    @cached_property
    def roles(self) -> dict[str, str]:
        """Algorithm → algorithm, beyond, reference or control."""
        return dict(self.cells[["algorithm", "role"]].drop_duplicates("algorithm").itertuples(index=False))

    def with_role(self, *roles: str) -> list[str]:
        """Return the algorithms with these roles, in order."""
        return [name for name in self.algorithms if self.roles[name] in roles]

    @cached_property
    def facts(self) -> pd.DataFrame:
        """Per dataset: kind of data, whether it is complete, N, number of features, K."""
        return self.table.groupby("dataset")[DATA_FACTS].first()

    def label(self, dataset: str) -> str:
        """Return the name of a dataset for tables and figures, marked unless it is the complete real set."""
        name = published.DATASETS.get(dataset, dataset)
        if dataset in published.PARTS:
            whole = published.PARTS[dataset]
            name = f"{published.DATASETS[whole]}-{dataset.removeprefix(whole)}"
        described = self.run.get("datasets", {}).get(dataset, {})
        facts = self._facts_of.get(dataset, described)
        return display_name(name, self.kind(dataset), facts.get("complete", True), facts.get("n_samples"))

    @cached_property
    def _facts_of(self) -> dict[str, dict[str, Any]]:
        """:attr:`facts` by dataset, which is asked for thousands of times."""
        return {str(name): facts for name, facts in self.facts.to_dict("index").items()}

    def kind(self, dataset: str) -> str:
        """Return the kind of data of a dataset, which need not have rows yet."""
        if dataset in self._facts_of:
            return str(self._facts_of[dataset]["data_kind"])
        return str(self.run.get("datasets", {}).get(dataset, {}).get("kind", "unknown"))

    def with_kind(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows with the kind of the data next to the name of the dataset, for files."""
        rows = rows.copy()
        kinds = {name: self.kind(name) for name in rows["dataset"].unique()}
        rows.insert(rows.columns.get_loc("dataset") + 1, "data", rows["dataset"].map(kinds))
        return rows

    def counterpart(self, dataset: str, experiment: str) -> str | None:
        """Return the paper's set whose published scores compare with ours: the same, or the whole of a part.

        None if the paper does not have it, or if ours is incomplete or not real. The generated trajectories count,
        since the paper's were never published. Noise of another scale or distribution than the paper's does not
        compare.
        """
        published_name = published.PARTS.get(dataset, dataset)
        if dataset not in self._facts_of or published_name not in published.datasets(experiment):
            return None
        if experiment == "noise" and self.noise != PAPER_NOISE:
            return None
        facts = self._facts_of[dataset]
        is_comparable = bool(facts["complete"]) and facts["data_kind"] in ("real", "generated")
        return published_name if is_comparable else None

    def comparable(self, dataset: str, experiment: str) -> bool:
        """Return whether a dataset is one of the paper's, and our scores compare with the published ones."""
        return self.counterpart(dataset, experiment) == dataset

    def comparable_datasets(self, experiment: str) -> list[str]:
        """Return the paper's datasets whose scores compare with the published ones, in order, without parts."""
        return [name for name in self.datasets if self.comparable(name, experiment)]

    @cached_property
    def noise(self) -> dict[str, str]:
        """Scale and distribution of the noise in the configuration, by default the paper's."""
        configured = self.run.get("config", {}).get("corruptions", {}).get("noise", {})
        return {name: str(configured.get(name, value)) for name, value in PAPER_NOISE.items()}

    @cached_property
    def missing(self) -> list[ResultFile]:
        """The expected results that the table lacks."""
        done = set(self.table[RESULT_FILE].drop_duplicates().itertuples(index=False, name=None))
        expected = self.run.get("expected", {})
        results = [(*cell, "") for cell in expected.get("cells", [])]
        results += [
            (dataset, setting, algorithm, variation)
            for dataset, setting, variation, algorithm in expected.get("variations", [])
        ]
        return [result for result in results if result not in done]

    @cached_property
    def stale(self) -> dict[ResultFile, str]:
        """The stale results, which are not used, each with the reason."""
        return {tuple(result[key] for key in RESULT_FILE): result["reason"] for result in self.run.get("stale", [])}

    @cached_property
    def exceeding_k(self) -> frozenset[str]:
        """The algorithms that found more than K clusters somewhere, and so were not given K."""
        return frozenset(self.cells.loc[self.cells["n_found"] > self.cells["n_clusters"], "algorithm"])
