"""The results of a benchmark: averages over levels, names and order, what is comparable and what is missing.

From labels to a number of Table 1: :func:`hypercut.metrics.evaluate` scores a clustering,
:mod:`hypercut.results.summary` chooses σ and averages over repeats, :func:`average` averages over levels, and
:func:`table_scores` joins the published score.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from hypercut.analysis.competing import over_most_levels
from hypercut.analysis.experiments import METRIC_NAMES, PAPER_NOISE, at_paper_levels, experiment_settings, level_name
from hypercut.benchmark.variations import SWEEPS
from hypercut.errors import InputError
from hypercut.paper import published
from hypercut.paper.protocol import CLEAN
from hypercut.paper.readings import COUNTED, Reading, readings
from hypercut.results.rows import CELL, RESULT_FILE, ResultFile, display_name
from hypercut.results.summary import RULES, best_rows, per_sigma, summarize

#: The sizes of the paper's datasets: as its text states, and as its purities indicate (:data:`.published.INDICATED`).
SIZES = (STATED, INDICATED) = ("stated", "indicated")

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

    def at(self, size: str) -> "Evidence":
        """Return the evidence at a size of the datasets: the stated one is that of the wholes.

        At the indicated size each part of a dataset takes the place and name of the whole. A whole that has an
        indicated size and no such part is missing; the other datasets are the same at both sizes.
        """
        return self if size == STATED else self._indicated

    @cached_property
    def _indicated(self) -> "Evidence":
        return self.with_parts(published.PARTS)

    def with_parts(self, parts: Collection[str]) -> "Evidence":
        """Return the evidence with parts of datasets in place of the wholes, under their names."""
        names = {part: published.PARTS[part] for part in parts}
        described = self.run.get("datasets", {})
        rows = self.table[~self.table["dataset"].isin(set(names.values()))]
        rows = rows.assign(dataset=rows["dataset"].replace(names))
        datasets = {name: facts for name, facts in described.items() if name not in names}
        datasets |= {whole: described[part] for part, whole in names.items() if part in described}
        return Evidence(rows, {**self.run, "datasets": datasets})

    @cached_property
    def cells(self) -> pd.DataFrame:
        """The rows of dataset × setting × algorithm, without sweeps and readings."""
        return self.table[self.table["variation"] == ""]

    @cached_property
    def reading_rows(self) -> pd.DataFrame:
        """The rows of other readings of the paper."""
        return self.table[self.table["variation"].isin(readings())]

    @property
    def at_full_protocol(self) -> str:
        """The name of the reading that is run at the full protocol."""
        return str((self.run.get("config", {}).get("readings") or {}).get("nearest"))

    @cached_property
    def nearest(self) -> Reading | None:
        """The reading that is run at the full protocol too.

        None if there is none, if it does not count for verdicts, or if it was run on clean data only.
        """
        rows = self.reading_rows[self.reading_rows["variation"] == self.at_full_protocol]
        reading = readings().get(self.at_full_protocol)
        return reading if reading and reading.kind in COUNTED and (rows["setting"] != CLEAN).any() else None

    def under(self, reading: Reading) -> "Evidence":
        """Return the evidence with the cells of a reading in place of those that it changes.

        Where the reading was not run, these cells are missing. Of a grid of parameters the best by the labels counts.
        """
        own = self.table[self.table["variation"] == reading.name]
        if reading.grid:
            best = best_rows(per_sigma(own), RULES["oracle"], CELL)[[*CELL, "parameters"]]
            own = own.merge(best, on=[*CELL, "parameters"])
        others = self.cells[~self.cells["algorithm"].isin(reading.algorithms)]
        return Evidence(pd.concat([others, own.assign(variation="")], ignore_index=True), self.run)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row per cell and selection rule, see :func:`hypercut.results.summary.summarize`."""
        summary = summarize(self.cells)
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
        by_rule = {rule: self.summary[self.summary["rule"] == rule] for rule in RULES}
        return {(name, rule): average(by_rule[rule], name) for name, rule in product(published.EXPERIMENTS, RULES)}

    def averages(self, experiment: str, rule: str = "oracle") -> pd.DataFrame:
        """Return the averages of Table 1, 3 or 4, see :func:`average`."""
        return self._averages[experiment, rule]

    def comparable_averages(self, experiment: str, rule: str = "oracle") -> pd.DataFrame:
        """Return the averages that compare with the paper's: its sets, complete and real, over all its levels."""
        rows = self.averages(experiment, rule)
        return rows[rows["dataset"].isin(self.comparable_datasets(experiment)) & rows["complete"]]

    def complete_algorithms(self, experiment: str, dataset: str) -> set[str]:
        """Return the algorithms with averages of a dataset that compare with the paper's."""
        rows = self.comparable_averages(experiment)
        return set(rows.loc[rows["dataset"] == dataset, "algorithm"])

    def level_scores(self, experiment: str, metric: str, rule: str = "oracle") -> pd.DataFrame:
        """Return the means over repeats at the chosen σ, at the paper's levels: (dataset, setting) × algorithm."""
        chosen = self.summary[(self.summary["rule"] == rule) & at_paper_levels(self.summary, experiment)]
        return chosen.pivot(index=["dataset", "setting"], columns="algorithm", values=f"{metric}_mean")

    @cached_property
    def clean_by_sigma(self) -> pd.DataFrame:
        """One row per cell and σ of the clean sets."""
        return per_sigma(self.cells[self.cells["setting"] == CLEAN])

    @cached_property
    def with_sigma(self) -> set[str]:
        """The algorithms with a parameter σ."""
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
        """The paper's eight in its order, then users' algorithms, those beyond the paper, baselines and controls."""
        roles = self.roles
        found = [name for name in published.ALGORITHMS if name in roles]
        for role in ("algorithm", "beyond", "baseline", "control"):
            found += sorted(name for name, its in roles.items() if its == role and name not in published.ALGORITHMS)
        return found

    def in_order(self, rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
        """Return the rows sorted by columns of algorithms or datasets, in the order of the report."""
        order = {name: i for names in (self.algorithms, self.datasets) for i, name in enumerate(names)}
        return rows.sort_values(list(columns), key=lambda column: column.map(order), kind="stable", ignore_index=True)

    @cached_property
    def roles(self) -> dict[str, str]:
        """Algorithm → algorithm, beyond, baseline or control."""
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
        since the paper's were never published. Noise of another unit or distribution than the paper's does not
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

    def candidates(self, averages: pd.DataFrame) -> pd.Series:
        """Return which averages are of methods that compete: no controls and in purity at most K clusters.

        Purity never falls when a cluster is split, and reaches 1 when each sample is a cluster.
        """
        methods = averages["algorithm"].isin(self.with_role("algorithm", "beyond", "baseline"))
        return methods & ~((averages["metric"] == "purity") & averages["algorithm"].isin(self.exceeding_k))

    def competing(self, averages: pd.DataFrame) -> pd.Series:
        """Return which averages of one metric may be the best of their dataset."""
        found = self.candidates(averages)
        return found & over_most_levels(averages, averages[found])


def average(summary: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Return one row per dataset × algorithm × metric: the mean over the paper's levels that were run.

    ``summary`` has one row per dataset, algorithm and setting, of one selection rule. Levels that the paper does not
    have are ignored. A dataset that was run clean only has no average over noise or outliers.

    ``spread`` is √(Σ s²)/levels, with s the standard deviation over the repeats of a level. ``error`` is the standard
    error of the mean over levels and repeats. ``complete`` says whether all levels of the paper were run.
    """
    settings = experiment_settings(experiment)
    order = {setting: number for number, setting in enumerate(settings)}
    chosen = summary[at_paper_levels(summary, experiment)]
    chosen = chosen.sort_values("setting", key=lambda names: names.map(order))
    cells = _long(chosen).groupby(["dataset", "algorithm", "metric"])
    rows = cells.agg(
        mean=("mean", "mean"),
        variance=("variance", "sum"),
        of_mean=("of_mean", "sum"),
        known=("variance", "count"),
        run=("setting", "size"),
        levels=("setting", lambda run: " ".join(map(level_name, run))),
        repeats=("repeats", "min"),
        failed=("failed", "sum"),
    ).reset_index()
    # A level with a single repeat has no deviation, so neither has the average.
    known = rows["known"] == rows["run"]
    rows["spread"] = (np.sqrt(rows["variance"]) / rows["run"]).where(known)
    rows["error"] = (np.sqrt(rows["of_mean"]) / rows["run"]).where(known)
    rows["complete"] = rows["run"] == len(settings)
    if experiment != "clean":
        rows = rows[rows["levels"] != level_name("clean")].reset_index(drop=True)
    return rows.drop(columns=["variance", "of_mean", "known", "run"])


def _long(chosen: pd.DataFrame) -> pd.DataFrame:
    """Return one row per metric: its mean, its variance over repeats, and the variance of the mean."""
    parts = []
    for metric in METRIC_NAMES:
        part = chosen[["dataset", "algorithm", "setting", "repeats", "failed"]].copy()
        part["metric"] = metric
        part["mean"] = chosen[f"{metric}_mean"]
        part["variance"] = chosen[f"{metric}_std"] ** 2
        part["of_mean"] = part["variance"] / part["repeats"]
        parts.append(part.dropna(subset="mean"))  # archives of version 1.0 have no AMI
    return pd.concat(parts, ignore_index=True)


def table_scores(evidence: Evidence, experiment: str, metric: str, nearest: Evidence | None = None) -> pd.DataFrame:
    """Return one row per dataset and algorithm of Table 1, 3 or 4, in full precision.

    ``published`` and ``difference`` are NaN unless the scores compare: a set of the paper, real and complete, over all
    levels, or a random part of one. ``error`` is the standard error of the mean over repeats. ``competes`` says which
    scores may be the best of their dataset. With the evidence under the nearest reading, ``nearest`` is the score of
    the algorithms that the reading changes.
    """
    rows = evidence.averages(experiment)
    rows = rows.assign(role=rows["algorithm"].map(evidence.roles), data=rows["dataset"].map(evidence.kind))
    rows = rows[rows["metric"] == metric]
    rows["subset"] = ~rows["dataset"].map(evidence.facts["complete"]).astype(bool)
    printed = published.scores(experiment, metric).stack() if metric in published.METRICS else pd.Series(dtype=float)
    counterparts = [evidence.counterpart(name, experiment) for name in rows["dataset"]]
    keys = zip(rows["algorithm"], counterparts, strict=True)
    rows["published"] = pd.Series([printed.get(key) for key in keys], rows.index, dtype=float).where(rows["complete"])
    rows["difference"] = rows["mean"] - rows["published"]
    rows["competes"] = evidence.competing(rows)
    columns = ["dataset", "algorithm", "published", "mean", "spread", "error", "difference", "repeats", "levels"]
    if nearest is not None and evidence.nearest is not None:
        theirs = nearest.averages(experiment).set_index(["dataset", "algorithm", "metric"])
        whole = theirs["mean"].where(theirs["complete"].astype(bool))
        changed = rows["algorithm"].isin(evidence.nearest.algorithms)
        rows["nearest"] = rows.join(whole.rename("nearest"), on=whole.index.names)["nearest"].where(changed)
        columns.append("nearest")
    columns += ["complete", "competes", "failed", "role", "data", "subset"]
    rows = evidence.in_order(rows[columns], "algorithm", "dataset")
    return rows.rename(columns={"mean": "ours", "complete": "all_levels"})
