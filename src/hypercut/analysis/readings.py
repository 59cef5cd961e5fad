"""The scores under other readings of the paper, how near each comes to the published table, and what it changes.

A reading has rows of its own only for the algorithms that it changes; the others keep the results of the cells. All of
them, the cells included, are restricted to the repeats that all readings have, so that the same samples are compared.
Where readings were run on a part of a dataset, it takes the place of the whole: readings are judged at the indicated
sizes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from hypercut.analysis.bootstrap import interval, resampled_means
from hypercut.analysis.evidence import INDICATED, Evidence, present
from hypercut.analysis.gains import gains_over, on_common_datasets, paper_gains
from hypercut.analysis.outcomes import compare
from hypercut.analysis.verdicts import Verdict, above_zero, mostly_highest, never_lower, rarely_lower
from hypercut.paper import published
from hypercut.paper.claims import Claim, claims
from hypercut.paper.protocol import CLEAN, kind_of, settings
from hypercut.paper.readings import COUNTED, Reading, readings
from hypercut.results.summary import RULES, best_rows, per_sigma

#: The results without any reading, beside the readings in tables.
AS_PRINTED = "as printed"

#: The paper's own algorithms, which S = αA + βB + (1 − α − β)C is made for.
HYPERGRAPH_ALGORITHMS = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC")

#: A verdict under a reading needs this many datasets, or all that the paper has: with fewer, bootstrap intervals are
#: much too narrow.
FEWEST_FOR_VERDICT = 5

#: The kinds of criteria with a part that one setting can decide, or two: the size of the gains has none.
JUDGED = ("never lower", "highest at most levels", "never lower at a level", "gains above zero", "gains grow")


@dataclass(frozen=True)
class ReadingScores:
    """The results of a benchmark under each reading."""

    all_evidence: Evidence

    @cached_property
    def parts(self) -> dict[str, str]:
        """Dataset → its part, of those on which readings were run."""
        return {published.PARTS[it]: it for it in present(published.PARTS, self.all_evidence.reading_rows["dataset"])}

    @cached_property
    def evidence(self) -> Evidence:
        """The results with :attr:`parts` in place of the wholes, under their names."""
        return self.all_evidence.with_parts(self.parts.values())

    @cached_property
    def datasets(self) -> list[str]:
        """The paper's datasets that compare with it."""
        return self.evidence.comparable_datasets(CLEAN)

    @cached_property
    def settings(self) -> list[str]:
        """The settings at which readings were run, and the clean one; without those of the full protocol."""
        rows = self.evidence.reading_rows
        run = set(rows.loc[rows["variation"] != self.evidence.at_full_protocol, "setting"])
        return [name for name in settings() if name in {CLEAN, *run}]

    @cached_property
    def single(self) -> list[Reading]:
        """The readings that have scores; none if no reading was run.

        A choice of σ needs no run, but the configuration may leave it out.
        """
        if self.evidence.reading_rows.empty:
            return []
        names = (self.evidence.run.get("config", {}).get("readings") or {}).get("names")
        asked = [it for it in readings().values() if it.is_run or names is None or it.name in names]
        return [reading for reading in asked if self.settings_of(reading)]

    @cached_property
    def counted(self) -> list[Reading]:
        """The readings that count for verdicts."""
        return [reading for reading in self.single if reading.kind in COUNTED]

    @cached_property
    def _means(self) -> Mapping[str, pd.DataFrame]:
        """Setting → one row per variation, dataset, algorithm, parameters and σ, over the repeats that all have."""
        both = pd.concat([self.evidence.cells, self.evidence.reading_rows])
        chosen = both[both["dataset"].isin(self.datasets) & both["algorithm"].isin(published.ALGORITHMS)]
        chosen = chosen[chosen["setting"].isin(self.settings)]
        kept = [_with_common_repeats(rows) for _, rows in chosen.groupby(["dataset", "setting"])]
        return dict(list(per_sigma(pd.concat(kept)).groupby("setting"))) if kept else {}

    @cached_property
    def _as_the_paper(self) -> dict[str, pd.DataFrame]:
        """Setting → the scores of all variations, σ chosen as in the paper."""
        rules = dict.fromkeys(published.METRICS, RULES["oracle"])
        return {setting: self._by_metric(setting, rules) for setting in self.settings}

    def _by_metric(self, setting: str, rules: Mapping[str, str]) -> pd.DataFrame:
        """Return one row per variation, dataset, algorithm and metric: at σ, and parameters, with the best of a score.

        ``rules`` says by which score σ is chosen for each metric.
        """
        parts = [pd.DataFrame(columns=["variation", "dataset", "algorithm", "metric", "mean", "error"])]
        for metric, score in rules.items() if setting in self._means else ():
            chosen = best_rows(self._means[setting], score, ["variation", "dataset", "algorithm"])
            error = chosen[f"{metric}_std"] / np.sqrt(chosen["repeats"])
            part = chosen[["variation", "dataset", "algorithm"]]
            parts.append(part.assign(metric=metric, mean=chosen[f"{metric}_mean"], error=error))
        return pd.concat(parts[1:] or parts, ignore_index=True)

    @cached_property
    def _known(self) -> dict[tuple[str, ...], pd.DataFrame]:
        """Scores and gains that were computed already, by reading, setting and datasets."""
        return {}

    def settings_of(self, reading: Reading) -> list[str]:
        """Return the settings at which there are scores under a reading."""
        own = self.settings if reading.setting == CLEAN else present(self.settings, pd.Series([reading.setting]))
        return [setting for setting in own if len(self.scores(reading, setting))]

    def scores(self, reading: Reading | None = None, setting: str = CLEAN) -> pd.DataFrame:
        """Return one row per dataset, algorithm and metric under a reading, or as printed: ``mean`` and ``error``.

        Only datasets on which the reading changes something.
        """
        rows = self._as_the_paper[setting]
        if reading is None:
            return rows[rows["variation"] == ""]
        key = (reading.name, setting)
        if key not in self._known:
            self._known[key] = self._under(reading, setting)
        return self._known[key]

    def _under(self, reading: Reading, setting: str) -> pd.DataFrame:
        rows = self._as_the_paper[setting]
        own = rows[rows["variation"] == reading.name]
        if reading.select:
            own = self._by_metric(setting, _selection(reading.select))
            own = own[(own["variation"] == "") & own["algorithm"].isin(reading.algorithms)]
        others = rows[(rows["variation"] == "") & ~rows["algorithm"].isin(reading.algorithms)]
        return pd.concat([own, others[others["dataset"].isin(own["dataset"])]], ignore_index=True)

    def _grid(self, reading: Reading | None, metric: str, setting: str = CLEAN) -> pd.DataFrame:
        """Return the scores in one metric: datasets × algorithms."""
        rows = self.scores(reading, setting)
        rows = rows[rows["metric"] == metric]
        return rows.pivot(index="dataset", columns="algorithm", values="mean").astype(float)

    def datasets_of(self, reading: Reading | None, setting: str = CLEAN) -> list[str]:
        """Return the datasets that a reading rests on at a setting, of those that the paper has there."""
        names = self.evidence.comparable_datasets(kind_of(setting))
        return present(names, self.scores(reading, setting)["dataset"])

    # Nearness to the published table

    @cached_property
    def distances(self) -> pd.DataFrame:
        """One row per reading, as printed first: how far its NMI on clean data is from the published table.

        ``mean`` is the mean |ours − published| over ``cells`` (dataset × algorithm), ``hypergraphs`` the same over the
        paper's own algorithms, without reconstructions, ``rank_correlation`` Spearman's between the algorithms of a
        dataset, mean over datasets. ``…as_printed`` is the same of the default on the same cells. NaN for readings of
        the noise.
        """
        found = {AS_PRINTED: self._distance(None)}
        found |= {it.name: self._distance(it) if it.setting == CLEAN else {"cells": 0} for it in self.single}
        return pd.DataFrame.from_dict(found, orient="index").astype({"cells": int})

    def _distance(self, reading: Reading | None) -> dict[str, float]:
        ours, default = self._grid(reading, "nmi"), self._grid(None, "nmi")
        default = default.reindex(index=ours.index, columns=ours.columns)
        printed = published.scores(CLEAN, "nmi").T.reindex(columns=ours.columns)
        printed = printed.reindex(ours.index)
        known = ours.notna().to_numpy(dtype=bool) & default.notna().to_numpy(dtype=bool)
        own = ours.columns.isin(HYPERGRAPH_ALGORITHMS)
        found: dict[str, float] = {"cells": int(known.sum())}
        names = ["mean", "as_printed", "hypergraphs", "hypergraphs_as_printed", "rank_correlation", "rank_as_printed"]
        for i, scores in enumerate((ours, default)):
            apart = np.where(known, np.abs(scores.to_numpy() - printed.to_numpy()), np.nan)
            ranks = _rank_correlation(scores.to_numpy(), printed.to_numpy(), known)
            found |= dict(zip(names[i::2], (_mean(apart), _mean(apart[:, own]), ranks), strict=True))
        return {name: found[name] for name in ("cells", *names)}

    def nearest(self) -> Reading | None:
        """Return the reading that comes nearest to the published table, of those that have the most cells.

        Only readings that count, and that change PKO+HSC: another says nothing about the paper's method.
        """
        names = [it.name for it in self.counted if it.setting == CLEAN and published.METHOD in it.algorithms]
        found = self.distances.loc[names].query("cells > 0")
        found = found[found["cells"] == found["cells"].max()]
        return readings()[found["mean"].idxmin()] if len(found) else None

    # What a reading changes

    @cached_property
    def effects(self) -> pd.DataFrame:
        """One row per competitor and reading that can change it: the mean of PKO+HSC − competitor in NMI on clean data.

        With its interval over datasets. As printed included, the smallest first.
        """
        columns = ["reading", "kind", "competitor", "mean", "low", "high", "datasets"]
        rows: list[tuple[str, str, str, float, float, float, int]] = []
        for reading in (None, *(it for it in self.single if it.setting == CLEAN)):
            grid = self._grid(reading, "nmi")
            for competitor in published.COMPETITORS:
                both = on_common_datasets(grid, competitor)
                if len(both) and _can_change(reading, competitor):
                    differences = (both["ours"] - both["other"]).to_numpy()
                    ends = interval(resampled_means(differences), len(both))
                    name, kind = (reading.name, reading.kind) if reading else (AS_PRINTED, "")
                    rows.append((name, kind, competitor, float(differences.mean()), *ends, len(both)))
        rows.sort(key=lambda row: (published.COMPETITORS.index(row[2]), row[3]))
        return pd.DataFrame(rows, columns=columns)

    def gains(
        self, reading: Reading | None, setting: str, datasets: Sequence[str], *, grow: bool = False
    ) -> pd.DataFrame:
        """Return the average gains of PKO+HSC over all competitors on these datasets, in both metrics.

        With ``grow``, by how much they grow from the clean data. ``whole``: over all of the datasets.
        """
        key = (reading.name if reading else "", setting, *datasets, str(grow))
        if key not in self._known:
            parts = []
            for metric in published.METRICS:
                scores = self._grid(reading, metric, setting).reindex(datasets)
                before = self._grid(reading, metric).reindex(datasets) if grow else None
                parts.append(gains_over(scores, published.COMPETITORS, before).assign(metric=metric))
            rows = pd.concat(parts, ignore_index=True)
            self._known[key] = rows.assign(whole=rows["n_datasets"] == len(datasets))
        return self._known[key]

    @cached_property
    def clean_gains(self) -> pd.DataFrame:
        """The average gains in percent on clean data, as printed and under each reading that counts.

        Only gains over all datasets that there are as printed, if these are enough for a verdict: a gain over others
        would differ whatever the reading does. And only competitors whose gain a reading can change.
        """
        datasets = self.datasets_of(None)
        counted = [reading for reading in self.counted if reading.setting == CLEAN]
        parts = [pd.DataFrame(columns=["reading", "experiment", "metric", "competitor", "ours"])]
        for reading in (None, *counted) if counted and len(datasets) >= FEWEST_FOR_VERDICT else ():
            gains = self.gains(reading, CLEAN, datasets)
            chosen = gains["whole"] & pd.Series([_can_change(reading, name) for name in gains["competitor"]])
            parts.append(gains[chosen].assign(reading=reading.name if reading else "", experiment=CLEAN))
        return pd.concat(parts, join="inner", ignore_index=True)

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """One row per reading and claim that it can change: the verdicts under it and as printed, on its datasets.

        Each is the verdict of the part of the criterion that can be judged at the settings of the reading.
        """
        rows = []
        for reading, claim in product(self.single, claims().values()):
            on = {setting: self.datasets_of(reading, setting) for setting in self._settings_for(claim, reading)}
            if on and set(reading.algorithms) & {published.METHOD, *claim.competitors}:
                found = [self._verdict(claim, it, on) for it in (None, reading)]
                counts, datasets = reading.kind in COUNTED, max(map(len, on.values()))
                rows.append([reading.name, counts, claim.name, datasets, *found])
        return pd.DataFrame(rows, columns=["reading", "counts", "claim", "datasets", "as_printed", "verdict"])

    def _settings_for(self, claim: Claim, reading: Reading) -> list[str]:
        """Return the settings of a reading that a claim is about; none if they cannot decide a part of it."""
        found = [it for it in self.settings_of(reading) if kind_of(it) in claim.experiments]
        both = claim.kind != "gains grow" or {*map(kind_of, found)} == set(claim.experiments)
        return found if claim.kind in JUDGED and both else []

    def _verdict(self, claim: Claim, reading: Reading | None, on: Mapping[str, Sequence[str]]) -> Verdict:
        """Return the verdict of the criterion's part on these settings and datasets, as printed or under a reading."""
        if any(len(names) < _fewest(setting) for setting, names in on.items()):
            return Verdict.UNTESTABLE
        cells = sum(map(len, on.values())) * len(published.METRICS)
        if claim.kind in ("gains above zero", "gains grow"):
            grow = claim.kind == "gains grow"
            found = [self.gains(reading, it, names, grow=grow) for it, names in on.items() if not grow or it != CLEAN]
            gains = pd.concat(found)
            whole = gains[gains["competitor"].isin(claim.competitors) & gains["whole"].astype(bool)]
            return above_zero(whole, len(found) * len(claim.competitors) * len(published.METRICS))
        scores = {it: self.scores(reading, it) for it in on}
        scores = {it: rows[rows["dataset"].isin(on[it])] for it, rows in scores.items()}
        if claim.kind == "highest at most levels":
            rows = pd.concat(it.assign(setting=setting) for setting, it in scores.items())
            grid = rows.pivot(index=["dataset", "setting", "metric"], columns="algorithm", values="mean")
            return mostly_highest(grid.reindex(columns=published.ALGORITHMS).dropna(), cells)[0]
        if claim.kind == "never lower":
            compared = pd.concat(compare(rows, claim.competitors) for rows in scores.values())
            return never_lower(compared, cells)
        # As with the whole criterion, repeats do not count on single levels.
        compared = pd.concat(compare(rows.assign(error=0.0), claim.competitors) for rows in scores.values())
        return rarely_lower(compared, cells, claim.contradicted)

    def testable(self, reading: str | None = None, claim: str | None = None) -> pd.DataFrame:
        """Return the verdicts of a reading or on a claim that both the reading and as printed have results for."""
        rows = self.verdicts
        known = (rows["verdict"] != Verdict.UNTESTABLE) & (rows["as_printed"] != Verdict.UNTESTABLE)
        known &= rows["reading"] == reading if reading else True
        known &= rows["claim"] == claim if claim else True
        return rows[known]


def gain_spans(under: ReadingScores, ours: pd.DataFrame, nearest: pd.DataFrame | None) -> pd.DataFrame:
    """Return, per experiment, metric and competitor, the smallest and largest gain over the readings that count.

    All at the indicated sizes. On clean data the span is over all readings that count and have enough datasets for a
    verdict, as printed among them. Noise and outliers have at most one other reading, ``nearest``, which is run at the
    full protocol.
    """
    keys = ["experiment", "metric", "competitor"]
    found = under.clean_gains[[*keys, "ours"]]
    if nearest is not None:
        both = pd.concat([paper_gains(ours, INDICATED), paper_gains(nearest, INDICATED)])
        corrupted = both[both["experiment"] != CLEAN]
        # Gains over other datasets would widen the span, whatever the reading does.
        same = corrupted.groupby(keys)["datasets"].transform(lambda names: len(names) == 2 and names.nunique() == 1)
        found = pd.concat([found, corrupted.loc[same.astype(bool), [*keys, "ours"]]])
    groups = found.dropna(subset="ours").groupby(keys)
    return groups["ours"].agg(least="min", most="max", readings="size").reset_index()


def _fewest(setting: str) -> int:
    """Return how many datasets a verdict at a setting needs."""
    return min(FEWEST_FOR_VERDICT, len(published.datasets(kind_of(setting))))


def _can_change(reading: Reading | None, competitor: str) -> bool:
    """Return whether a reading can change the comparison with a competitor; as printed is always shown."""
    return reading is None or bool({published.METHOD, competitor} & set(reading.algorithms))


def _selection(select: str) -> dict[str, str]:
    """Return, per metric, the score by which σ is chosen."""
    if select == "each metric":
        return {metric: metric for metric in published.METRICS}
    if select == "without labels":
        return dict.fromkeys(published.METRICS, RULES["unsupervised"])
    raise ValueError(f"Unknown rule for σ: {select}")


def _with_common_repeats(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the repeats that every result of one dataset and setting has."""
    results = rows.groupby(["algorithm", "variation"])["repeat"].agg(set)
    return rows[rows["repeat"].isin(set.intersection(*results))]


def _mean(values: np.ndarray) -> float:
    """Return the mean of the known values; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _rank_correlation(ours: np.ndarray, printed: np.ndarray, known: np.ndarray) -> float:
    """Return the mean over datasets (rows) of Spearman's correlation between the algorithms (columns).

    Over all cells at once it would mostly say which datasets are difficult.
    """
    found = []
    for scores, published_scores, both in zip(ours, printed, known, strict=True):
        pair = scores[both], published_scores[both]
        if all(len(set(values)) > 1 for values in pair):
            found.append(np.corrcoef(*map(rankdata, pair))[0, 1])
    return float(np.mean(found)) if found else float("nan")
