"""The scores under other readings of the paper, and how near each comes to the published table.

A reading has rows of its own only for the algorithms that it changes; the others keep the results of the cells. In a
pair, an algorithm that only one of the two changes has the rows of that reading. All of them, the cells included, are
restricted to the repeats that all readings have, so that the same samples are compared, and USPS-465 stands for USPS.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from hypercut.benchmark.summary import RULES, per_scale
from hypercut.paper import published
from hypercut.paper.protocol import CLEAN
from hypercut.paper.readings import COUNTED, Reading, pairs, readings
from hypercut.report.bootstrap import interval, resampled_means
from hypercut.report.evidence import Evidence, present
from hypercut.report.outcomes import compare
from hypercut.report.verdicts import Verdict, above_zero, gains_over, never_lower, on_both, score_grid

T = TypeVar("T")

#: The datasets of readings: the paper's, a part in place of the whole where there is one.
STAND_FOR = {whole: part for part, whole in published.PARTS.items()}
DATASETS = [STAND_FOR.get(name, name) for name in published.DATASETS]

#: The paper's own algorithms, which S = αA + βB + (1 − α − β)C is made for.
HYPERGRAPH_ALGORITHMS = ("PKO+HSC", "PK+HSC", "PO+HSC", "PKO+NC")

#: A verdict under a reading needs this many datasets: with fewer, bootstrap intervals are much too narrow.
FEWEST_FOR_VERDICT = 5

#: Claim → its competitors. They are judged under readings by the part of their criterion that the setting allows.
CLEAN_CLAIMS: dict[str, list[str]] = {
    "best-clean": published.COMPETITORS,
    "gain-clean": published.COMPETITORS,
    "component-knn": ["PO+HSC"],
    "component-overclustering": ["PK+HSC"],
    "component-dhpc": ["PKO+NC"],
    "component-cahsm": ["RWDSM"],
}
NOISE_CLAIMS: dict[str, list[str]] = {"best-noise": published.COMPETITORS, "gain-noise": published.COMPETITORS}


@dataclass(frozen=True)
class Distance:
    """How far scores are from the published table, in NMI on clean data."""

    cells: int
    """dataset × algorithm"""
    mean: float
    """|ours − published|"""
    as_printed: float
    """the same of the default, on the same cells"""
    hypergraphs: float
    """|ours − published| over the algorithms on hypergraphs alone: the paper's own, not reconstructions"""
    hypergraphs_as_printed: float
    rank_correlation: float
    """Spearman's between the algorithms of a dataset, mean over datasets"""
    rank_as_printed: float


@dataclass(frozen=True)
class Effect:
    """The mean over datasets of PKO+HSC − competitor in NMI, with its interval."""

    mean: float
    low: float
    high: float
    datasets: int


@dataclass(frozen=True)
class ReadingScores:
    """The results of a benchmark under each reading."""

    evidence: Evidence

    @cached_property
    def datasets(self) -> list[str]:
        """The datasets that compare with the paper."""
        return [name for name in DATASETS if self.evidence.counterpart(name, CLEAN)]

    @cached_property
    def single(self) -> list[Reading]:
        """The readings of one decision that have scores; none if no reading was run.

        A choice of σ needs no run, but the configuration may leave it out.
        """
        if self.evidence.reading_rows.empty:
            return []
        names = (self.evidence.run.get("config", {}).get("readings") or {}).get("names")
        asked = [it for it in readings().values() if it.is_run or names is None or it.name in names]
        return [reading for reading in asked if len(self.scores(reading))]

    @cached_property
    def pairs(self) -> list[Reading]:
        """The pairs that have scores."""
        run = set(self.evidence.reading_rows["variation"].unique())
        return [reading for reading in pairs().values() if reading.name in run and len(self.scores(reading))]

    def changing(self, *algorithms: str, setting: str = CLEAN) -> list[Reading]:
        """Return the readings of one decision that change one of the algorithms."""
        return [it for it in self.single if it.setting == setting and set(it.algorithms) & set(algorithms)]

    @cached_property
    def _scales(self) -> Mapping[str, pd.DataFrame]:
        """Setting → one row per variation, dataset, algorithm, parameters and σ, over the repeats that all have."""
        both = pd.concat([self.evidence.cells, self.evidence.reading_rows])
        chosen = both[both["dataset"].isin(self.datasets) & both["algorithm"].isin(published.ALGORITHMS)]
        chosen = chosen[chosen["setting"].isin({reading.setting for reading in readings().values()})]
        kept = [_with_common_repeats(rows) for _, rows in chosen.groupby(["dataset", "setting"])]
        if not kept:
            return {}
        return dict(list(per_scale(pd.concat(kept)).groupby("setting")))

    def _chosen(self, setting: str, by: str) -> pd.DataFrame:
        """Return one row per variation, dataset and algorithm: at the σ, and parameters of a grid, with the best."""
        scales = self._scales.get(setting)
        if scales is None:
            return pd.DataFrame(columns=["variation", "dataset", "algorithm"])
        # The first of equal scores is that of the smallest σ.
        score = scales[f"{by}_mean"].fillna(0.0).round(12)
        best = score.groupby([scales[name] for name in ("variation", "dataset", "algorithm")], sort=False).idxmax()
        return scales.loc[best]

    @cached_property
    def _cache(self) -> dict[tuple[Any, ...], Any]:
        """Results by the method and its arguments: tables, figures and sentences ask for the same ones."""
        return {}

    def _once(self, compute: Callable[..., T], *arguments: Any) -> T:
        """Return ``compute(*arguments)``, computed once; readings count by their name and setting."""
        names = [(it.name, it.setting) if isinstance(it, Reading) else it for it in arguments]
        key = (compute.__name__, *names)
        if key not in self._cache:
            self._cache[key] = compute(*arguments)
        found: T = self._cache[key]
        return found

    @cached_property
    def _oracle(self) -> dict[str, pd.DataFrame]:
        """Setting → the scores of all variations, σ chosen as in the paper."""
        by = dict.fromkeys(published.METRICS, RULES["oracle"])
        return {setting: self._by_metric(setting, by) for setting in {it.setting for it in readings().values()}}

    def scores(self, reading: Reading | None = None, setting: str = CLEAN) -> pd.DataFrame:
        """Return one row per dataset, algorithm and metric under a reading, or as printed: ``mean`` and ``error``.

        Only datasets on which the reading changes something.
        """
        return self._once(self._under, reading, reading.setting if reading else setting)

    def _grid(self, reading: Reading | None, metric: str) -> pd.DataFrame:
        """Return the scores in one metric: datasets × algorithms."""
        return self._once(self._score_grid, reading, metric)

    def _score_grid(self, reading: Reading | None, metric: str) -> pd.DataFrame:
        return score_grid(self.scores(reading), metric)

    def _under(self, reading: Reading | None, setting: str) -> pd.DataFrame:
        rows = self._oracle[setting]
        if reading is None:
            return rows[rows["variation"] == ""]
        if reading.select:
            own = self._by_metric(setting, _selection(reading.select))
            own = own[(own["variation"] == "") & own["algorithm"].isin(reading.algorithms)]
            rest = rows[(rows["variation"] == "") & ~rows["algorithm"].isin(reading.algorithms)]
            rows = pd.concat([own, rest])
        else:
            rows = rows[rows["variation"] == rows["algorithm"].map(sources(reading))]
            own = rows[rows["variation"] == reading.name]
        return rows[rows["dataset"].isin(own["dataset"])].reset_index(drop=True)

    def _by_metric(self, setting: str, rules: Mapping[str, str]) -> pd.DataFrame:
        """Return the chosen rows in long form; ``rules`` says which column each metric is chosen by."""
        parts = []
        for metric, by in rules.items():
            chosen = self._chosen(setting, by)
            part = chosen[["variation", "dataset", "algorithm"]].copy()
            part["metric"] = metric
            part["mean"] = chosen.get(f"{metric}_mean")
            part["error"] = chosen[f"{metric}_std"] / np.sqrt(chosen["repeats"]) if len(chosen) else None
            parts.append(part)
        return pd.concat(parts, ignore_index=True)

    def _verdict(self, claim: str, reading: Reading | None, setting: str, datasets: tuple[str, ...]) -> Verdict:
        """Return the verdict of the criterion's part on one setting, as printed or under a reading."""
        if len(datasets) < FEWEST_FOR_VERDICT:
            return Verdict.UNTESTABLE
        if claim.startswith("best-"):
            return never_lower(compare(self._on(reading, setting, datasets)), len(datasets))
        gains = self._once(self._gains, reading, setting, datasets)
        competitors = (CLEAN_CLAIMS | NOISE_CLAIMS)[claim]
        # A gain over fewer datasets decides nothing, as in the verdicts as printed.
        whole = gains[gains["competitor"].isin(competitors) & (gains["n_datasets"] == len(datasets))]
        return above_zero(whole, len(competitors) * len(published.METRICS))

    def _gains(self, reading: Reading | None, setting: str, datasets: tuple[str, ...]) -> pd.DataFrame:
        """Return the gains behind the verdicts on all claims about averages."""
        return gains_over(self._on(reading, setting, datasets))

    def _on(self, reading: Reading | None, setting: str, datasets: tuple[str, ...]) -> pd.DataFrame:
        rows = self.scores(reading, setting)
        return rows[rows["dataset"].isin(datasets)]

    def datasets_of(self, reading: Reading | None) -> list[str]:
        """Return the datasets that a reading rests on."""
        return present(self.datasets, self.scores(reading)["dataset"])

    def distance(self, reading: Reading | None, within: list[str] | None = None) -> Distance | None:
        """Return how far the NMI on clean data is from the published; None if no cell compares."""
        return self._once(self._distance, reading, None if within is None else tuple(within))

    def _distance(self, reading: Reading | None, within: tuple[str, ...] | None) -> Distance | None:
        if reading and reading.setting != CLEAN:
            return None
        ours, default = self._grid(reading, "nmi"), self._grid(None, "nmi")
        default = default.reindex(index=ours.index, columns=ours.columns)
        if within is not None:
            ours, default = (scores[scores.index.isin(within)] for scores in (ours, default))
        printed = published.scores(CLEAN, "nmi").T.reindex(columns=ours.columns)
        printed = printed.reindex([self.evidence.counterpart(dataset, CLEAN) for dataset in ours.index])
        known = ours.notna().to_numpy() & default.notna().to_numpy()
        if not known.any():
            return None
        apart = [np.where(known, np.abs(scores.to_numpy() - printed.to_numpy()), np.nan) for scores in (ours, default)]
        own = ours.columns.isin(HYPERGRAPH_ALGORITHMS)
        ranks = [_rank_correlation(scores.to_numpy(), printed.to_numpy(), known) for scores in (ours, default)]
        means = [float(np.nanmean(values)) for values in apart]
        hypergraphs = [_mean(values[:, own]) for values in apart]
        return Distance(int(known.sum()), *means, *hypergraphs, *ranks)

    def effect(self, reading: Reading | None, competitor: str) -> Effect:
        """Return by how much PKO+HSC is above a competitor in NMI."""
        return self._once(self._effect, reading, competitor)

    def _effect(self, reading: Reading | None, competitor: str) -> Effect:
        both = on_both(self._grid(reading, "nmi"), competitor)
        if not len(both):
            return Effect(float("nan"), float("nan"), float("nan"), 0)
        differences = both[:, 0] - both[:, 1]
        return Effect(float(differences.mean()), *interval(resampled_means(differences), len(both)), len(both))

    def nearest(self, among: list[Reading], within: list[str] | None = None) -> tuple[Reading, Distance] | None:
        """Return the reading that comes nearest to the published table, of those that have the most cells.

        Only readings that change PKO+HSC: another says nothing about the paper's method.
        """
        found = [(it, self.distance(it, within)) for it in among if published.METHOD in it.algorithms]
        known = [(reading, distance) for reading, distance in found if distance]
        most = max((distance.cells for _, distance in known), default=0)
        return min((it for it in known if it[1].cells == most), key=lambda it: it[1].mean, default=None)

    @cached_property
    def counted(self) -> list[Reading]:
        """The readings that count for verdicts."""
        return [reading for reading in self.single if reading.kind in COUNTED]

    def clean_gains(self) -> pd.DataFrame:
        """Return the average gains in percent on clean data, as printed and under each reading that counts.

        Only gains over all datasets that there are as printed, if these are enough for a verdict: a gain over others
        would differ whatever the reading does. And only competitors whose gain a reading can change.
        """
        datasets = tuple(self.datasets_of(None))
        counted = [reading for reading in self.counted if reading.setting == CLEAN]
        parts = [pd.DataFrame(columns=["reading", "experiment", "metric", "competitor", "ours", "low"])]
        for reading in [None, *counted] if counted and len(datasets) >= FEWEST_FOR_VERDICT else []:
            gains = self._once(self._gains, reading, CLEAN, datasets)
            changed = published.METHOD in (reading.algorithms if reading else [published.METHOD])
            chosen = changed | gains["competitor"].isin(reading.algorithms if reading else [])
            chosen &= gains["n_datasets"] == len(datasets)
            parts.append(gains[chosen].assign(reading=reading.name if reading else "", experiment=CLEAN))
        return pd.concat(parts, join="inner", ignore_index=True)

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """One row per reading and claim that it can change: its verdict and that as printed on the same datasets."""
        rows = []
        for reading in self.single:
            claims = CLEAN_CLAIMS if reading.setting == CLEAN else NOISE_CLAIMS
            datasets = tuple(self.datasets_of(reading))
            for claim, competitors in claims.items():
                if claim not in reading.not_for and set(reading.algorithms) & {published.METHOD, *competitors}:
                    before = self._once(self._verdict, claim, None, reading.setting, datasets)
                    after = self._verdict(claim, reading, reading.setting, datasets)
                    rows.append([reading.name, reading.kind in COUNTED, claim, len(datasets), before, after])
        return pd.DataFrame(rows, columns=["reading", "counts", "claim", "datasets", "as_printed", "verdict"])

    def testable(self, reading: str | None = None, claim: str | None = None) -> pd.DataFrame:
        """Return the verdicts of a reading or on a claim that both the reading and as printed have results for."""
        rows = self.verdicts
        known = (rows["verdict"] != Verdict.UNTESTABLE) & (rows["as_printed"] != Verdict.UNTESTABLE)
        known &= rows["reading"] == reading if reading else True
        known &= rows["claim"] == claim if claim else True
        return rows[known]


def sources(reading: Reading) -> dict[str, str]:
    """Return whose rows each of the paper's algorithms has under a reading; "" for the cells."""
    found = dict.fromkeys(published.ALGORITHMS, "")
    for part in reading.parts:
        found |= dict.fromkeys(readings()[part].algorithms, part)
    return found | dict.fromkeys(reading.algorithms, reading.name)


def _selection(select: str) -> dict[str, str]:
    """Return, per metric, the column by which σ is chosen."""
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
