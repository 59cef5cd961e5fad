"""What the report holds: its sections, with their tables and figures written as they are made."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hypercut.paper import published
from hypercut.report import beyond, charts, curves, maps, other_tables, texts
from hypercut.report.claims import claims
from hypercut.report.evidence import Evidence
from hypercut.report.gains import gains
from hypercut.report.page import Picture, Section, rank_sentence, render
from hypercut.report.ranks import duels, rankings
from hypercut.report.score_tables import score_table, weight_table
from hypercut.report.selection import selection_losses
from hypercut.report.similarity import similarity_matrices
from hypercut.report.style import Drawing, png, svg
from hypercut.report.tables import Table


@dataclass(frozen=True)
class Writer:
    """Writes tables and figures as they are made, so that no more than one figure is held at a time."""

    folder: Path

    def table(self, table: Table) -> Table:
        """Write one table."""
        (self.folder / "tables" / f"{table.name}.csv").write_text(table.csv(), encoding="utf-8")
        (self.folder / "tables" / f"{table.name}.tex").write_text(table.latex(), encoding="utf-8")
        return table

    def tables(self, tables: Iterable[Table]) -> list[Table]:
        """Write those that have rows."""
        return [self.table(table) for table in tables if table.rows]

    def picture(self, it: Drawing) -> Picture:
        """Write one figure, and keep what the page shows of it."""
        vector = svg(it.figure)
        (self.folder / "figures" / f"{it.name}.svg").write_bytes(vector)
        (self.folder / "figures" / f"{it.name}.png").write_bytes(png(it.figure))
        return Picture(it.name, it.title, it.caption, it.alt, it.wide, vector)

    def pictures(self, drawings: Iterable[Drawing | None]) -> list[Picture]:
        """Write those that there are."""
        return [self.picture(it) for it in drawings if it is not None]

    def page(self, evidence: Evidence, similarity_features: Path | None) -> str:
        """Write all tables and figures, and return the page that shows them."""
        matrices = similarity_matrices(evidence, similarity_features) if similarity_features else None
        with_labels, without = gains(evidence), gains(evidence, "unsupervised")
        judged = claims(evidence, with_labels, matrices)
        chart = charts.gain_chart(with_labels)
        similarity = maps.similarity_figure(matrices, evidence.label(matrices.dataset)) if matrices else None
        losses = selection_losses(evidence)
        self.table(other_tables.claim_table(judged))
        sections = [
            Section("claims", "The paper's claims", texts.CLAIMS),
            Section(
                "gains",
                "Average gains",
                texts.GAINS,
                pictures=self.pictures([chart]),
                more=self.tables([other_tables.gain_table(with_labels, without)]),
            ),
            *self._score_sections(evidence),
            *self._beyond(evidence),
            *self._curve_sections(evidence),
            self._sensitivity(evidence, similarity),
            Section(
                "selection",
                "Choosing σ without labels",
                texts.SELECTION,
                tables=self.tables([other_tables.selection_table(losses)]),
                pictures=self.pictures([charts.selection_chart(losses, evidence.roles)]),
                more=self.tables([other_tables.scale_table(evidence)]),
            ),
            self._ranks(evidence),
            Section(
                "cost",
                "Cost",
                tables=self.tables([other_tables.cost_table(evidence)]),
                pictures=self.pictures([charts.cost_chart(evidence)]),
            ),
            *self._gaps(evidence),
            Section("run", "What was run", tables=self.tables([other_tables.dataset_table(evidence)])),
            Section("notes", "Notes on method and paper", texts.NOTES),
        ]
        first = self.table(other_tables.headline_gains(with_labels))
        return render(evidence, sections, judged, first)

    def _score_sections(self, evidence: Evidence) -> Iterator[Section]:
        for experiment, title in {
            "clean": "Table 1: the clean sets",
            "noise": "Table 3: averages over noise levels",
            "outlier": "Table 4: averages over outlier levels",
        }.items():
            tables = self.tables(score_table(evidence, experiment, metric) for metric in published.METRICS)
            more = self.tables(score_table(evidence, experiment, metric) for metric in ("matched_accuracy", "ari"))
            if tables:
                yield Section(f"table{published.EXPERIMENTS[experiment]}", title, texts.TABLE, tables, more)
            if experiment == "clean":
                weights = self.tables(weight_table(evidence, metric) for metric in published.METRICS)
                if weights:
                    yield Section("table2", "Table 2: the weights (α, β)", tables=weights)

    def _beyond(self, evidence: Evidence) -> Iterator[Section]:
        tables = self.tables(
            [
                *(beyond.beyond_table(evidence, experiment, "nmi") for experiment in published.EXPERIMENTS),
                beyond.cluster_count_table(evidence),
            ]
        )
        more = self.tables(beyond.beyond_table(evidence, name, "purity") for name in published.EXPERIMENTS)
        if tables:
            yield Section("beyond", "Beyond the paper", texts.BEYOND, tables, more)

    def _curve_sections(self, evidence: Evidence) -> Iterator[Section]:
        for experiment, title in {"noise": "Curves over noise levels", "outlier": "Curves over outlier levels"}.items():
            pictures = self.pictures(curves.level_curves(evidence, experiment))
            if pictures:
                yield Section(f"curves-{experiment}", title, texts.CURVES, pictures=pictures)

    def _sensitivity(self, evidence: Evidence, similarity: Drawing | None) -> Section:
        pictures = self.pictures(maps.weight_maps(evidence))
        pictures += self.pictures(curves.sweep_curves(evidence, sweep) for sweep in ("neighbors", "communities"))
        pictures += self.pictures([similarity])
        pictures += self.pictures(curves.scale_curves(evidence))
        return Section("sensitivity", "Sensitivity", pictures=pictures)

    def _ranks(self, evidence: Evidence) -> Section:
        found = rankings(evidence)
        tables = [other_tables.rank_table(found), other_tables.duel_table(duels(evidence))]
        drawn = (
            charts.critical_difference(ranking, evidence.roles)
            for ranking in found
            if ranking.testable and ranking.p_value == ranking.p_value
        )
        return Section("ranks", "Ranks", [rank_sentence(found)], self.tables(tables), pictures=self.pictures(drawn))

    def _gaps(self, evidence: Evidence) -> Iterator[Section]:
        tables = [other_tables.status_table(evidence), other_tables.failure_table(evidence)]
        more = self.tables([other_tables.noted_table(evidence)])
        yield Section("failures", "Failures", texts.FAILURES, self.tables(tables), more)
        missing = self.tables([other_tables.missing_table(evidence)])
        if missing:
            yield Section("missing", "Missing results", tables=missing)
