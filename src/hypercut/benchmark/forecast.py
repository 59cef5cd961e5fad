"""The core-seconds of jobs on this machine: calibrated costs, scaled by a short measurement, corrected by past rows."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from hypercut.benchmark.cost import OVERCLUSTERING, Costs, Size, calibrated, reference_seconds
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.provenance import cpu
from hypercut.benchmark.rows import read_origin, read_rows
from hypercut.benchmark.staleness import expected_code
from hypercut.benchmark.times import SIZE, overclustering_seconds
from hypercut.benchmark.work import Part
from hypercut.errors import InputError

#: With this many past rows at the same N, half of the deviation from the calibrated cost is believed.
HALF_BELIEVED = 10
#: Past rows at twice or half the N count e^−1 as much as at the same N.
REACH = math.log(2)

_COLUMNS = ["algorithm", *SIZE, "threads", "wall_seconds", "cpu_seconds", "shared_seconds", "cpu"]


class Seconds(NamedTuple):
    """An estimate with its range. Errors are taken as common to all parts of a sum, so that ranges add up."""

    expected: float = 0.0
    low: float = 0.0
    high: float = 0.0

    def plus(self, other: "Seconds") -> "Seconds":
        """Return the sum."""
        return Seconds(*(a + b for a, b in zip(self, other, strict=True)))


class Measured(NamedTuple):
    """Past rows of one algorithm at one size."""

    samples: int
    log_ratio: float  # of measured to forecast seconds
    rows: int


@dataclass(frozen=True)
class Forecast:
    """Forecasts core-seconds on this machine."""

    costs: Costs
    factor: float = 1.0  # seconds here over seconds on the calibrated machine
    past: Mapping[str, tuple[Measured, ...]] = field(default_factory=dict)

    def of(self, work: Iterable[Part]) -> Seconds:
        """Return the core-seconds of a job, with its fixed cost."""
        fixed = self.factor * self.costs.job_seconds
        total = Seconds(fixed, fixed, fixed)
        for part in work:
            correction, belief = self._correction(part.name, part.size)
            expected = part.count * self.each(part.name, part.size) * correction
            spread = self.costs.of(part.name).spread ** (1 - belief)
            total = total.plus(Seconds(expected, expected / spread, expected * spread))
        return total

    def each(self, name: str, size: Size) -> float:
        """Return the core-seconds of one clustering, not corrected by past rows."""
        return self.factor * self.costs.of(name).seconds(size)

    def corrected(self, rows: pd.DataFrame) -> "Forecast":
        """Return this forecast, corrected by past rows (of :func:`past_rows`)."""
        past: dict[str, list[Measured]] = {}
        for (name, *numbers), group in core_seconds(rows).groupby(["algorithm", *SIZE]):
            size = Size(*map(int, numbers))
            ratio = max(group["seconds"].mean(), 1e-6) / self.each(name, size)
            past.setdefault(name, []).append(Measured(size.samples, math.log(ratio), len(group)))
        return Forecast(self.costs, self.factor, {name: tuple(found) for name, found in past.items()})

    def _correction(self, name: str, size: Size) -> tuple[float, float]:
        """Return the factor by which past rows of similar N correct a cost, and how far it is believed, 0 to 1."""
        found = self.past.get(name, ())
        weights = [m.rows * math.exp(-((math.log(size.samples / m.samples) / REACH) ** 2)) for m in found]
        total = sum(weights) + HALF_BELIEVED
        logarithm = sum(weight * m.log_ratio for weight, m in zip(weights, found, strict=True)) / total
        return math.exp(logarithm), sum(weights) / total


def forecast_here() -> Forecast:
    """Return the forecast for this machine, after a measurement of about a second."""
    costs = calibrated()
    return Forecast(costs, reference_seconds() / costs.reference_seconds)


def past_rows(root: Path, benchmark: Benchmark) -> pd.DataFrame:
    """Return the rows of all cells below a folder that the present code computed on a processor like this one."""
    tables = [table for file in sorted(root.glob("**/clusters/*/*/*.parquet")) for table in _current(file, benchmark)]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=_COLUMNS)


def _current(file: Path, benchmark: Benchmark) -> Iterator[pd.DataFrame]:
    if file.stem not in benchmark.method_names:
        return
    try:
        rows, origin = read_rows(file)[_COLUMNS], read_origin(file)
    except InputError:  # damaged, or just being replaced
        return
    expected = expected_code(benchmark, file.stem)
    if origin is not None and origin.code.get("cluster") == expected.get("cluster"):
        same = origin.code.get("overcluster") == expected.get("overcluster")
        yield rows[rows["cpu"] == cpu()].assign(**({} if same else {"shared_seconds": 0.0}))


def core_seconds(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the core-``seconds`` of each row, and of the over-clusterings that rows used as rows of their own."""
    done = rows.dropna(subset=["cpu_seconds"])
    shared = done.assign(algorithm=OVERCLUSTERING, seconds=overclustering_seconds(done))
    own = done.assign(seconds=done["cpu_seconds"])
    return pd.concat([own, shared[shared["shared_seconds"] > 0]], ignore_index=True)
