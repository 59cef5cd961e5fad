"""The report: what reproduces, cell by cell, and by how much PKO+HSC really gains.

:func:`build_report` makes it from the aggregated results alone. The paper's figures are in ``published.toml``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from hypercut.errors import InputError
from hypercut.report import figures, other_tables, published
from hypercut.report.benchmark import Benchmark
from hypercut.report.claims import claims
from hypercut.report.figures import Drawing
from hypercut.report.folder import replaced_folder
from hypercut.report.gains import gains
from hypercut.report.page import Picture, Section, rank_sentence, render
from hypercut.report.ranks import duels, rankings
from hypercut.report.score_tables import score_table, weight_table
from hypercut.report.selection import selection_losses
from hypercut.report.similarity import similarity_matrices
from hypercut.report.style import drawing, png, svg
from hypercut.report.tables import Table

__all__ = ["build_report", "headline"]


def build_report(
    table: pd.DataFrame, run: Mapping[str, Any], out: Path, *, similarity_features: Path | None = None
) -> None:
    """Write the report into the folder ``out``: ``index.html``, ``tables/`` and ``figures/``.

    ``table`` has the aggregated rows (:data:`hypercut.results.SCHEMA` without labels), sweeps included. ``run`` tells
    of the run: ``created``, ``version``, ``commit``, ``dirty``, ``fingerprint``, ``machine``, ``config``, ``datasets``,
    and ``expected``, from which the report knows what is missing; what is absent there is shown as unknown. From
    ``similarity_features``, the features of ORL, the similarity matrices are drawn.
    """
    if table.empty or not (table["sweep"] == "").any():
        raise InputError("Expected results to report on, found none. Run the benchmark first.")
    benchmark = Benchmark(table.reset_index(drop=True), run)
    with replaced_folder(Path(out)) as folder, drawing():
        (folder / "tables").mkdir()
        (folder / "figures").mkdir()
        (folder / "index.html").write_text(_Writer(folder).page(benchmark, similarity_features), encoding="utf-8")


def headline(table: pd.DataFrame, run: Mapping[str, Any]) -> dict[str, float]:
    """Return the figures of the first screen and the mean scores by a name that MLflow takes.

    ``gain/clean/nmi/CSC`` is the average gain of PKO+HSC over CSC in percent, ``gain_low`` and ``gain_high`` its
    interval, ``mean/clean/nmi/CSC`` the mean over the comparable datasets, ``rank/clean/nmi/CSC`` the mean rank. What
    could not be computed is left out.
    """
    benchmark = Benchmark(table.reset_index(drop=True), run)
    found: dict[str, float] = {}
    rows = gains(benchmark)
    for row in rows[rows["scope"] == "paper"].itertuples():
        key = f"{row.experiment}/{row.metric}/{_metric_name(row.competitor)}"
        found |= {f"gain/{key}": row.ours, f"gain_low/{key}": row.low, f"gain_high/{key}": row.high}
    for experiment in published.EXPERIMENTS:
        means = benchmark.comparable_averages(experiment).groupby(["metric", "algorithm"])["mean"].mean()
        for (metric, algorithm), value in means.items():
            found[f"mean/{experiment}/{metric}/{_metric_name(algorithm)}"] = value
    for ranking in rankings(benchmark):
        if ranking.scope == "paper":
            for algorithm, rank in ranking.mean_ranks.items():
                found[f"rank/{ranking.experiment}/{ranking.metric}/{_metric_name(str(algorithm))}"] = rank
    return {name: float(value) for name, value in found.items() if value == value}


def _metric_name(algorithm: str) -> str:
    return re.sub(r"[^A-Za-z0-9_\-. ]", "-", algorithm)


@dataclass(frozen=True)
class _Writer:
    """Writes tables and figures as they are made, so that no more than one figure is held at a time."""

    folder: Path

    def table(self, table: Table) -> Table:
        (self.folder / "tables" / f"{table.name}.csv").write_text(table.csv(), encoding="utf-8")
        (self.folder / "tables" / f"{table.name}.tex").write_text(table.latex(), encoding="utf-8")
        return table

    def tables(self, tables: Iterable[Table]) -> list[Table]:
        """Those that have rows."""
        return [self.table(table) for table in tables if table.rows]

    def picture(self, it: Drawing) -> Picture:
        vector = svg(it.figure)
        (self.folder / "figures" / f"{it.name}.svg").write_bytes(vector)
        (self.folder / "figures" / f"{it.name}.png").write_bytes(png(it.figure))
        return Picture(it, vector)

    def pictures(self, drawings: Iterable[Drawing | None]) -> list[Picture]:
        return [self.picture(it) for it in drawings if it is not None]

    def page(self, benchmark: Benchmark, similarity_features: Path | None) -> str:
        matrices = similarity_matrices(benchmark, similarity_features) if similarity_features else None
        judged = claims(benchmark, matrices)
        with_labels, without = gains(benchmark), gains(benchmark, "unsupervised")
        chart = figures.gain_chart(with_labels)
        similarity = figures.similarity_figure(matrices, benchmark.label(matrices.dataset)) if matrices else None
        losses = selection_losses(benchmark)
        self.table(other_tables.claim_table(judged))
        sections = [
            Section("claims", "The paper's claims", CLAIMS_TEXT),
            Section(
                "gains",
                "Average gains",
                GAINS_TEXT,
                pictures=self.pictures([chart]),
                more=self.tables([other_tables.gain_table(with_labels, without)]),
            ),
            *self._score_sections(benchmark),
            *self._curve_sections(benchmark),
            self._sensitivity(benchmark, similarity),
            Section(
                "selection",
                "Choosing σ without labels",
                SELECTION_TEXT,
                tables=self.tables([other_tables.selection_table(losses)]),
                pictures=self.pictures([figures.selection_chart(losses, benchmark.roles)]),
                more=self.tables([other_tables.scale_table(benchmark)]),
            ),
            self._ranks(benchmark),
            Section(
                "cost",
                "Cost",
                tables=self.tables([other_tables.cost_table(benchmark)]),
                pictures=self.pictures([figures.cost_chart(benchmark)]),
            ),
            *self._gaps(benchmark),
            Section("run", "What was run", tables=self.tables([other_tables.dataset_table(benchmark)])),
            Section("notes", "Notes on method and paper", NOTES_TEXT),
        ]
        first = self.table(other_tables.headline_gains(with_labels))
        return render(benchmark, sections, judged, first)

    def _score_sections(self, benchmark: Benchmark) -> Iterator[Section]:
        for experiment, title in {
            "clean": "Table 1: the clean sets",
            "noise": "Table 3: averages over noise levels",
            "outlier": "Table 4: averages over outlier levels",
        }.items():
            tables = self.tables(score_table(benchmark, experiment, metric) for metric in published.METRICS)
            more = self.tables(score_table(benchmark, experiment, metric) for metric in ("matched_accuracy", "ari"))
            if tables:
                yield Section(f"table{published.EXPERIMENTS[experiment]}", title, TABLE_TEXT, tables, more)
            if experiment == "clean":
                weights = self.tables(weight_table(benchmark, metric) for metric in published.METRICS)
                if weights:
                    yield Section("table2", "Table 2: the weights (α, β)", tables=weights)

    def _curve_sections(self, benchmark: Benchmark) -> Iterator[Section]:
        for experiment, title in {"noise": "Curves over noise levels", "outlier": "Curves over outlier levels"}.items():
            pictures = self.pictures(figures.level_curves(benchmark, experiment))
            if pictures:
                yield Section(f"curves-{experiment}", title, CURVES_TEXT, pictures=pictures)

    def _sensitivity(self, benchmark: Benchmark, similarity: Drawing | None) -> Section:
        pictures = self.pictures(figures.weight_maps(benchmark))
        pictures += self.pictures(figures.sweep_curves(benchmark, sweep) for sweep in ("neighbors", "communities"))
        pictures += self.pictures([similarity])
        pictures += self.pictures(figures.scale_curves(benchmark))
        return Section("sensitivity", "Sensitivity", pictures=pictures)

    def _ranks(self, benchmark: Benchmark) -> Section:
        found = rankings(benchmark)
        tables = [other_tables.rank_table(found), other_tables.duel_table(duels(benchmark))]
        drawn = (
            figures.critical_difference(ranking, benchmark.roles)
            for ranking in found
            if ranking.testable and ranking.p_value == ranking.p_value
        )
        return Section("ranks", "Ranks", [rank_sentence(found)], self.tables(tables), pictures=self.pictures(drawn))

    def _gaps(self, benchmark: Benchmark) -> Iterator[Section]:
        failures = self.tables([other_tables.failure_table(benchmark)])
        text = FAILURES_TEXT if failures else ["Every clustering succeeded."]
        yield Section("failures", "Failures", text, failures)
        missing = self.tables([other_tables.missing_table(benchmark)])
        if missing:
            yield Section("missing", "Missing results", tables=missing)


CLAIMS_TEXT = [
    "Each claim has a criterion that does not depend on the outcome. All are judged under the paper's protocol, σ "
    "chosen with the labels, on the paper's datasets that are real (or the generated trajectories), complete, and run "
    "at all levels. What was not run never decides: then a claim stays undecided unless what was run contradicts it.",
]
GAINS_TEXT = [
    "The average gain of PKO+HSC over X is 100·(Σ PKO+HSC / Σ X − 1) over datasets: a ratio of means, as in the paper. "
    "Its interval comes from drawing the datasets again with replacement, 10 000 times with a fixed seed. It tells how "
    "much the gain hangs on the choice of datasets, not on the repeats, and with so few sets it is itself rough.",
    "Where a set of the paper's is missing, a stand-in, a subset or not run at all levels, our gain is over the "
    "others, and so is the published gain beside it.",
]
TABLE_TEXT = [
    "First line: our mean ± standard deviation over repeats. Then the paper's figure and the difference: blue and ▲ "
    "where ours is higher, orange and ▼ where it is lower, stronger the larger. Stand-ins, subsets and averages over "
    "fewer levels than the paper's have no comparison. Click a heading to sort.",
]
CURVES_TEXT = [
    "PKO+HSC is the thick line; every algorithm has the same colour and marker in all figures; references are dashed, "
    "and random labels are dotted: purity and NMI of chance are not zero.",
]
SELECTION_TEXT = [
    "The paper chooses σ by the true labels, for each algorithm, dataset and level: an oracle that clustering does not "
    "have. Beside it, σ is chosen as the one whose labels share the most information with those of the other σ.",
]
FAILURES_TEXT = [
    "A failed clustering (failed, invalid, timeout, memory, crashed) counts as 0 in every metric and is part of the "
    "average; a σ at which an algorithm fails is therefore not chosen if another does better. Degenerate ones (the "
    "graph falls apart into at least K components, which are taken for the clusters) and those that did not converge "
    "count with the labels they returned.",
]
NOTES_TEXT = [
    "NRSC and RWDSM are reconstructions: the full texts of their papers were not at hand. Their figures are those of "
    "the reconstructions, and differences from the published ones say little about the original methods.",
    "Accuracy is the paper's: purity, the share of samples in the majority class of their cluster. It never falls when "
    "a cluster is split. Matched accuracy (one cluster to one class) and the adjusted Rand index stand beside it.",
    "Averages over noise run over eleven levels and over outliers over four, the clean set (L0) being one of them, as "
    "in the paper. The spread of such an average is √(Σ s²)/levels, s the deviation over repeats at each level.",
    "The trajectories of the paper were never published. Ours are generated; they are in the gains, as the paper "
    "averages over seven sets, and the table of all gains has the same without them (scope real).",
    "Of the paper's 42 printed gains, 39 follow from its own tables within rounding. Three do not: on clean data in "
    "accuracy over NRSC (printed 25.55, from the table 25.24) and STSC (21.58, 21.52), and under noise in accuracy "
    "over NRSC (35.19, 35.15).",
    "The nine USPS accuracies of the paper's Table 2 are all multiples of 1/465: they most likely come from a subset "
    "of 465 digits (5 % of 9298), not from all 9298 as the paper says. The option subset: 465 of usps has that.",
    "A difference between two algorithms counts as a tie within 0.01 or within two standard errors over repeats.",
]
