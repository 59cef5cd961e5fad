"""Compares two sets of results: two commits, two machines, or a run and an archive.

A result is a cell, or one set of parameters of a sweep or reading. Its score is what tables show: the mean over repeats
at the σ that the labels choose, on each side its own. The difference of two scores is compared with the noise of
repeats:

- *Paired*, if both sides have the same draws (data, corruption and its code are equal): a t test of the differences,
  repeat by repeat. Otherwise a t test of two samples.
- Few repeats say little about their own noise. So the variance of a result is averaged with that of all differing
  results of the same dataset and setting, which counts as PRIOR further degrees of freedom (moderated t test, Smyth
  2004). For a single repeat, it is all there is.
- *Changed* results are those that the procedure of Benjamini and Hochberg finds among the differing ones at a false
  discovery rate of 5 %, since of thousands of results some differ by chance.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from hypercut.benchmark.layout import Layout
from hypercut.benchmark.recipe import DATA, difference
from hypercut.errors import InputError
from hypercut.results.archive import is_archive, read_archive
from hypercut.results.rows import COMBINATION, METRICS, RESULT_FILE, Origin, key_of, read_result
from hypercut.results.summary import summarize
from hypercut.run.failures import FAILURES
from hypercut.run.machine import ENVIRONMENT

#: Scores that differ by no more are equal: the same labels, with sums in another order.
EQUAL = 1e-6
FALSE_DISCOVERY_RATE = 0.05
#: Degrees of freedom of the variance that results of a dataset and setting share.
PRIOR = 4

EQUAL_ROWS, WITHIN_NOISE, CHANGED = "equal", "within noise", "changed"
"""verdicts on a result"""


Result = tuple[str, str, str, str, str]
"""dataset, setting, algorithm, variation and parameters"""


@dataclass(frozen=True)
class Side:
    """The results of a folder, current or not."""

    name: str
    files: Mapping[str, tuple[pd.DataFrame, Origin]]
    """rows and origin by the key of the result"""

    @cached_property
    def results(self) -> list[Result]:
        """The names of all results: a file of a sweep or reading has one per set of its parameters."""
        names = [rows[COMBINATION].drop_duplicates() for rows, _ in self.files.values()]
        return [tuple(name) for found in names for name in found.itertuples(index=False, name=None)]


@dataclass(frozen=True)
class Comparison:
    """The comparison of two sides, A and B."""

    a: Side
    b: Side
    metric: str
    results: pd.DataFrame
    """one row per result on both sides: names, scores, difference B − A, noise, verdict"""

    @property
    def only_a(self) -> list[Result]:
        """Results that B lacks."""
        return sorted(set(self.a.results) - set(self.b.results))

    @property
    def only_b(self) -> list[Result]:
        """Results that A lacks."""
        return sorted(set(self.b.results) - set(self.a.results))

    @property
    def changed(self) -> pd.DataFrame:
        """The results that differ beyond noise, the largest differences first."""
        rows = self.results[self.results["verdict"] == CHANGED]
        return rows.sort_values("difference", key=lambda values: -values.abs(), ignore_index=True)

    def count(self, verdict: str) -> int:
        """Return the number of results with a verdict."""
        return int((self.results["verdict"] == verdict).sum())

    def by_algorithm(self) -> pd.DataFrame:
        """Return a row per dataset and algorithm with differences: numbers of results, mean and largest difference."""
        groups = self.results.groupby(["dataset", "algorithm"], sort=False)
        table = groups.agg(
            results=("verdict", "size"),
            equal=("verdict", lambda found: int((found == EQUAL_ROWS).sum())),
            changed=("verdict", lambda found: int((found == CHANGED).sum())),
            mean=("difference", "mean"),
            largest=("difference", lambda values: values.loc[values.abs().idxmax()]),
        ).reset_index()
        table = table[table["equal"] < table["results"]]
        return table.sort_values(["changed", "largest"], key=lambda values: -values.abs(), ignore_index=True)

    def origins(self) -> Iterator[str]:
        """Yield how the recipes and environments of the results on both sides differ, with the number of results."""
        shared = sorted(self.a.files.keys() & self.b.files.keys())
        reasons = Counter(_difference_of(self.a.files[key][1], self.b.files[key][1]) for key in shared)
        yield from (
            f"{reason}: {count} result{'s' if count > 1 else ''}" for reason, count in reasons.most_common() if reason
        )
        for name in ENVIRONMENT:
            found = [{str(side.files[key][1]["environment"].get(name)) for key in shared} for side in (self.a, self.b)]
            if found[0] != found[1]:
                yield f"{name.replace('_', '-')}: {' and '.join(', '.join(sorted(values)) for values in found)}"


def _difference_of(one: Origin, other: Origin) -> str:
    if "recipe" not in one or "recipe" not in other:
        return "" if one.get("code") == other.get("code") else "computed by hypercut 1.0, which recorded no recipe"
    return difference(one["recipe"], other["recipe"])


def read_side(folder: Path) -> Side:
    """Read the results of an archive or of a results folder, whether the present code would compute them or not."""
    if is_archive(folder):
        return Side(str(folder), read_archive(folder).by_key())
    paths = sorted(Layout(folder).result_files())
    if not paths:
        raise InputError(f"{folder}: expected the results of a benchmark or an archive, found neither.")
    found = [read_result(path) for path in paths]
    return Side(str(folder), {key_of(*rows[RESULT_FILE].iloc[0]): (rows, origin) for rows, origin in found})


def compare(a: Side, b: Side, metric: str = "nmi") -> Comparison:
    """Compare the results that both sides have."""
    shared = [key for key in a.files if key in b.files]
    if not shared:
        raise InputError(f"{a.name} and {b.name} have no results in common.")
    first, second = (_scores(side, shared, metric) for side in (a, b))
    paired = {key: _same_draws(a.files[key][1], b.files[key][1]) for key in shared}
    rows = []
    for combination in first.index.intersection(second.index, sort=False):
        one, other = first.loc[combination], second.loc[combination]
        rows.append(
            dict(zip(COMBINATION, combination, strict=True))
            | {"sigma_a": one["sigma_factor"], "sigma_b": other["sigma_factor"]}
            | {"failed_a": one["failed"], "failed_b": other["failed"]}
            | _difference(one["scores"], other["scores"], paired[key_of(*combination[: len(RESULT_FILE)])])
            | {"equal": _are_equal(one["all"], other["all"])}
        )
    if not rows:
        raise InputError(f"{a.name} and {b.name} have no parameters in common.")
    table = _tested(pd.DataFrame(rows))
    kept = [name for name in table if name not in ("equal", "variance", "freedom", "spread", "scale")]
    return Comparison(a, b, metric, table.assign(verdict=_verdicts(table))[[*kept, "verdict"]])


def _scores(side: Side, keys: list[str], metric: str) -> pd.DataFrame:
    """Return a row per result: the chosen σ, and the scores of the repeats there and at all σ. Failures count as 0."""
    table = pd.concat([side.files[key][0] for key in keys], ignore_index=True)
    table = table.assign(failed=table["status"].isin(FAILURES), **{m: table[m].fillna(0.0) for m in METRICS})
    chosen = summarize(table).query("rule == 'oracle'").set_index(COMBINATION)["sigma_factor"]
    found = {}
    for combination, rows in table.sort_values(["sigma_factor", "repeat"]).groupby(COMBINATION, sort=False):
        sigma = chosen[combination]
        there = rows if np.isnan(sigma) else rows[rows["sigma_factor"] == sigma]
        found[combination] = {
            "sigma_factor": sigma,
            "failed": int(rows["failed"].sum()),
            "scores": there[metric].to_numpy(),
            "all": rows[list(METRICS)].to_numpy(),
        }
    return pd.DataFrame.from_dict(found, orient="index")


def _same_draws(one: Origin, other: Origin) -> bool:
    """Return whether repeats of two results have the same samples and noise."""
    if "recipe" not in one or "recipe" not in other:
        return False
    return all(one["recipe"][step] == other["recipe"][step] for step in ("featurize", "corrupt", DATA))


def _are_equal(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=0, atol=EQUAL))


def _difference(one: np.ndarray, other: np.ndarray, paired: bool) -> dict[str, object]:
    """Return the scores of a result on both sides, their difference, and what its own repeats say about noise.

    The squared standard error of the difference is ``variance`` × ``scale``. ``spread`` is the variance of scores.
    """
    paired = paired and len(one) == len(other)
    within = [float(np.var(scores, ddof=1)) if len(scores) > 1 else 0.0 for scores in (one, other)]
    freedoms = [len(scores) - 1 for scores in (one, other)]
    spread = float(np.dot(within, freedoms)) / sum(freedoms) if sum(freedoms) else np.nan
    if paired:
        freedom, scale = len(one) - 1, 1 / len(one)
        variance = float(np.var(other - one, ddof=1)) if freedom else 0.0
    else:
        freedom, scale = sum(freedoms), 1 / len(one) + 1 / len(other)
        variance = spread if freedom else 0.0
    return {
        "a": float(one.mean()),
        "b": float(other.mean()),
        "difference": float(other.mean() - one.mean()),
        "repeats": min(len(one), len(other)),
        "paired": paired,
        "variance": variance,
        "freedom": freedom,
        "scale": scale,
        "spread": spread,
    }


def _tested(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the standard error of each difference and its p-value."""
    informative = table[~table["equal"] & (table["freedom"] > 0)]
    groups = ["dataset", "setting", "paired"]
    sums = informative.assign(squares=informative["variance"] * informative["freedom"]).groupby(groups)
    shared = (sums["squares"].sum() / sums["freedom"].sum()).rename("shared")
    table = table.join(shared, on=groups)
    # Without differing repeats in that setting: the variance of scores, for a pair the sum of two.
    spread = table.groupby("dataset")["spread"].transform("mean").fillna(0.0) * np.where(table["paired"], 2, 1)
    pooled = table["shared"].fillna(spread)
    freedom = table["freedom"] + PRIOR
    variance = (PRIOR * pooled + table["freedom"] * table["variance"]) / freedom
    error = np.sqrt(variance * table["scale"])
    size = table["difference"].abs()
    p = 2 * stats.t.sf(size / error.clip(lower=EQUAL), freedom)
    return table.drop(columns="shared").assign(standard_error=error, p=np.where(size <= EQUAL, 1.0, p))


def _verdicts(table: pd.DataFrame) -> np.ndarray:
    """Return the verdict on each result, by the procedure of Benjamini and Hochberg over the results that differ.

    Equal results are known to be unchanged; as tests with p = 1 they would hide changes of the others.
    """
    p = np.sort(table.loc[~table["equal"], "p"])
    below = p[p <= FALSE_DISCOVERY_RATE * np.arange(1, len(p) + 1) / len(p)]
    threshold = below[-1] if len(below) else -1.0
    return np.where(table["equal"], EQUAL_ROWS, np.where(table["p"] <= threshold, CHANGED, WITHIN_NOISE))
