"""Compares two sets of results: two commits, two machines, or a run and an archive.

A result is a cell, or one set of parameters of a sweep or reading. Its score is the one that tables show: the mean over
repeats at the σ that the labels choose, which may differ between the sides. The difference of two scores is compared
with the noise of repeats:

- If both sides have the same draws (data, corruption and its code are equal), the test is *paired*: a t test of the
  differences, repeat by repeat. Otherwise it is a t test of two samples.
- Few repeats say little about their own noise. So the variance of a result is averaged with the variance of all
  differing results of the same dataset and setting, which counts as PRIOR further degrees of freedom (moderated t test,
  Smyth 2004). If no differing result has several repeats, every difference counts.
- Of thousands of results some differ by chance. So *changed* results are those that the procedure of Benjamini and
  Hochberg finds among the differing ones at a false discovery rate of 5 %.
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
from hypercut.benchmark.recipe import DATA
from hypercut.errors import InputError
from hypercut.results.archive import is_archive, read_archive
from hypercut.results.rows import COMBINATION, METRICS, RESULT_FILE, Origin, key_of, origin_difference, read_result
from hypercut.results.summary import RULES, best_rows, per_sigma
from hypercut.run.failures import FAILURES
from hypercut.run.machine import ENVIRONMENT

#: Scores that differ by no more than this are equal: the labels are the same, and sums were taken in another order.
EQUAL = 1e-6
FALSE_DISCOVERY_RATE = 0.05
#: Degrees of freedom of the variance that results of a dataset and setting share.
PRIOR = 4
#: The most lines of a table that the text shows.
SHOWN = 20

EQUAL_ROWS, WITHIN_NOISE, CHANGED = "equal", "within noise", "changed"
"""verdicts on a result"""

METHOD = (
    "Scores are means over repeats at the σ that the labels choose. Changed: beyond the noise of repeats, by a "
    "moderated t test at a false discovery rate of 5 % (docs/archive.md)."
)

Result = tuple[str, str, str, str, str]
"""dataset, setting, algorithm, variation and parameters"""


@dataclass(frozen=True)
class Side:
    """The results of a folder, current or not."""

    name: str
    files: Mapping[str, tuple[pd.DataFrame, Origin]]
    """rows and origin by the key of the result"""

    @cached_property
    def results(self) -> set[Result]:
        """The names of all results: a file of a sweep or reading has one per set of its parameters."""
        names = [rows[COMBINATION].drop_duplicates() for rows, _ in self.files.values()]
        return {tuple(name) for found in names for name in found.itertuples(index=False, name=None)}


@dataclass(frozen=True)
class Comparison:
    """The comparison of two sides, A and B."""

    a: Side
    b: Side
    metric: str
    results: pd.DataFrame
    """one row per result on both sides: names, scores, difference B − A, noise, verdict"""

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
        reasons = Counter(origin_difference(self.a.files[key][1], self.b.files[key][1]) for key in shared)
        yield from (
            f"{reason}: {count} result{'s' if count > 1 else ''}" for reason, count in reasons.most_common() if reason
        )
        for name in ENVIRONMENT:
            found = [{str(side.files[key][1]["environment"].get(name)) for key in shared} for side in (self.a, self.b)]
            if found[0] != found[1]:
                yield f"{name.replace('_', '-')}: {' and '.join(', '.join(sorted(values)) for values in found)}"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for letter, side in {"A": self.a, "B": self.b}.items():
            files = f"{len(side.files)} result file{'s' if len(side.files) > 1 else ''}"
            yield f"{letter}: {side.name}, {len(side.results)} results in {files}"
        equal, noise, changed = map(self.count, (EQUAL_ROWS, WITHIN_NOISE, CHANGED))
        total = len(self.results)
        yield f"Results in both: {total}, of which {equal} equal, {noise} differ within noise, {changed} changed."
        yield "Code, data and environment: " + ("; ".join(self.origins()) or "the same") + "."
        only = [("Only in A, missing in B", self.a, self.b), ("Only in B, missing in A", self.b, self.a)]
        tables = {
            f"Differences of {self.metric}, B − A, by dataset and algorithm": self.by_algorithm(),
            "Changed results": self.changed.drop(columns=["p", "verdict"]),
            **{title: _counted(one.results - other.results) for title, one, other in only},
        }
        for title, table in tables.items():
            if len(table):
                yield f"\n{title}\n" + table.head(SHOWN).to_string(index=False, float_format="{:.4f}".format)
            if len(table) > SHOWN:
                yield f"  and {len(table) - SHOWN} more"
        yield f"\n{METHOD}"


def _counted(results: set[Result]) -> pd.DataFrame:
    names = sorted((dataset, algorithm) for dataset, _, algorithm, *_ in results)
    return pd.DataFrame(names, columns=["dataset", "algorithm"]).value_counts(sort=False).reset_index(name="results")


def read_side(folder: Path) -> Side:
    """Read the results of an archive or of a results folder, even those that the present code would not compute."""
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
    paired = {key: _same_draws(a.files[key][1], b.files[key][1]) for key in shared}
    metrics = common_metrics(a, b)
    if metric not in metrics:
        raise InputError(f"{a.name} or {b.name} lacks {metric}, which its version of hypercut did not compute.")
    first, second = (_chosen(side, shared, metric, metrics) for side in (a, b))
    rows = [
        dict(zip(COMBINATION, names, strict=True))
        | _difference(*first[names], *second[names], paired[key_of(*names[: len(RESULT_FILE)])])
        for names in first
        if names in second
    ]
    if not rows:
        raise InputError(f"{a.name} and {b.name} have no parameters in common.")
    return Comparison(a, b, metric, _judged(pd.DataFrame(rows)))


def common_metrics(a: Side, b: Side) -> list[str]:
    """Return the metrics of both sides: an old version did not compute all of them."""
    valid = [rows.loc[~rows["status"].isin(FAILURES), list(METRICS)] for it in (a, b) for rows, _ in it.files.values()]
    return [name for name in METRICS if all(rows[name].notna().all() for rows in valid)]


def _chosen(
    side: Side, keys: list[str], metric: str, metrics: list[str]
) -> dict[Result, tuple[np.ndarray, np.ndarray]]:
    """Return for each result the scores of the repeats at the chosen σ, and all metrics at all σ; 0 for failures."""
    table = pd.concat([side.files[key][0] for key in keys], ignore_index=True).fillna(dict.fromkeys(METRICS, 0.0))
    chosen = best_rows(per_sigma(table), RULES["oracle"]).set_index(COMBINATION)["sigma_factor"]
    found = {}
    for names, rows in table.sort_values(["sigma_factor", "repeat"]).groupby(COMBINATION, sort=False):
        there = rows["sigma_factor"].isna() | (rows["sigma_factor"] == chosen[names])
        found[names] = rows.loc[there, metric].to_numpy(), rows[metrics].to_numpy()
    return found


def _same_draws(one: Origin, other: Origin) -> bool:
    """Return whether repeats of two results have the same samples and noise."""
    recipes = [origin.get("recipe", {}) for origin in (one, other)]
    return all(recipes) and all(recipes[0][step] == recipes[1][step] for step in ("featurize", "corrupt", DATA))


def _difference(
    one: np.ndarray, all_one: np.ndarray, other: np.ndarray, all_other: np.ndarray, paired: bool
) -> dict[str, object]:
    """Return the scores of a result on both sides, their difference, and the noise of its own repeats.

    The squared standard error of the difference is ``variance`` × ``scale``.
    """
    paired = paired and len(one) == len(other)
    samples, scale = ([other - one], 1 / len(one)) if paired else ([one, other], 1 / len(one) + 1 / len(other))
    freedom = sum(len(sample) - 1 for sample in samples)
    squares = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples)
    return {
        "a": float(one.mean()),
        "b": float(other.mean()),
        "difference": float(other.mean() - one.mean()),
        "repeats": min(len(one), len(other)),
        "paired": paired,
        "squares": squares,
        "freedom": freedom,
        "scale": scale,
        "equal": all_one.shape == all_other.shape and bool(np.allclose(all_one, all_other, rtol=0, atol=EQUAL)),
    }


def _judged(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the standard error of each difference, its p-value and the verdict."""
    differing = table[~table["equal"]]
    sums = differing.groupby(["dataset", "setting", "paired"])[["squares", "freedom"]].transform("sum")
    shared = (sums["squares"] / sums["freedom"]).fillna(0.0)
    freedom = differing["freedom"] + PRIOR
    error = np.sqrt((PRIOR * shared + differing["squares"]) / freedom * differing["scale"])
    size = differing["difference"].abs()
    p = pd.Series(2 * stats.t.sf(size / error.clip(lower=EQUAL), freedom), differing.index).where(size > EQUAL, 1.0)
    # Equal results are known to be unchanged and are not tested: with p = 1 they would hide changes of the others.
    changed = pd.Series(stats.false_discovery_control(p) if len(p) else p, differing.index) <= FALSE_DISCOVERY_RATE
    verdict = changed.map({True: CHANGED, False: WITHIN_NOISE}).reindex(table.index, fill_value=EQUAL_ROWS)
    known = table.drop(columns=["squares", "freedom", "scale", "equal"])
    return known.assign(standard_error=error.reindex(table.index, fill_value=0.0), p=p, verdict=verdict)
