"""The repeats of each dataset, which may depend on the number of samples N.

The configuration has a number, or numbers by N such as ``{up to 2500: 10, beyond: 3}``. The workflow lists its jobs
before it reads any data, so N comes from the description of a dataset; only a user's own files are read for it.
"""

from collections.abc import Mapping
from typing import Any

from hypercut.benchmark.config import BENCHMARK_KEYS
from hypercut.benchmark.size import described_size

SETTINGS = ("clean", "noise", "outlier")
"""the kinds of settings that have a number of repeats each"""
SWEEPS, READINGS = "sweeps", "readings"
"""the names of the repeats of variations"""

_UP_TO = "up to "
_BEYOND = "beyond"


def with_repeats(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration with all numbers of repeats in the entry of each dataset.

    A configuration that has them already, such as that of a finished benchmark, is returned unchanged.
    """
    general = {**_by_kind(config["repeats"]), **{name: config[name]["repeats"] for name in (SWEEPS, READINGS)}}
    datasets = {}
    for name, entry in config["datasets"].items():
        wanted = {**general, **_by_kind(entry.get("repeats", {}))}
        if any(isinstance(value, Mapping) for value in wanted.values()):
            samples = _samples(name, {key: value for key, value in entry.items() if key not in BENCHMARK_KEYS})
            wanted = {kind: at_size(value, samples) for kind, value in wanted.items()}
        datasets[name] = {**entry, "repeats": wanted}
    return {**config, "datasets": datasets}


def at_size(repeats: int | Mapping[str, int], samples: int) -> int:
    """Return the repeats at N = ``samples``.

    >>> [at_size({"up to 1000": 10, "up to 2500": 3, "beyond": 2}, n) for n in (1000, 1001, 2501)]
    [10, 3, 2]
    """
    if not isinstance(repeats, Mapping):
        return repeats
    bounds = {int(name.removeprefix(_UP_TO)): number for name, number in repeats.items() if name != _BEYOND}
    return next((bounds[bound] for bound in sorted(bounds) if samples <= bound), repeats[_BEYOND])


def _by_kind(repeats: Any) -> Mapping[str, Any]:
    """Return the repeats by kind of setting; a single number is used for all kinds."""
    return repeats if isinstance(repeats, Mapping) else dict.fromkeys(SETTINGS, repeats)


def _samples(dataset: str, entry: Mapping[str, Any]) -> int:
    """Return N before any step has run."""
    size = described_size(dataset, entry)
    if size is not None:
        return size.samples
    from hypercut.data.datasets import resolve  # here: it imports numpy, and a number of repeats may not need N

    described, options = resolve(dataset, entry)
    if options["subset"]:
        return int(options["subset"])
    assert described.count is not None, f"{dataset}: described without its number of samples"
    return int(described.count())
