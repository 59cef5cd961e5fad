"""The declaration of a dataset: its sources, reader, features and expected sizes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from hypercut.data.collection import FILE_NAME, Collection, content_sha256, read_collection
from hypercut.data.sources import Generated, Source
from hypercut.errors import InputError
from hypercut.seeds import stream

LEAST_SUBSET = 2
"""the fewest samples that can be clustered; the schema of the configuration has the same limit"""

COMMON_OPTIONS: Mapping[str, Any] = {"subset": None, "seed": 0, "resample": False}
"""options of every dataset: the size of a random subset, the seed of its draw, and whether each repeat draws its own"""

LARGEST_VALUE = 1e12
"""largest allowed feature; its inverse is the smallest allowed maximum, since squared distances are float32"""

GENERATED_TERMS = "made by hypercut, under its licence"
"""also for stand-ins, to which the terms of the original do not apply"""

OWN_TERMS = "the user's own"


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One dataset. Numbers are None only for a user's own data, where they follow from the files."""

    name: str
    title: str
    samples: int | None = None
    """N with the default options"""
    features: int | None = None
    classes: int | None = None
    """also K, the number of clusters"""
    value_range: tuple[float, float] | None = None
    """lower and upper bound of every feature"""
    terms: str
    """licence or terms of use"""
    sources: tuple[Source, ...]
    """in the order in which they are tried"""
    describe: Callable[[Sequence[np.ndarray]], np.ndarray]
    """maps n raw samples to their features, (n, features)"""
    read: Callable[[Path], Collection] = read_collection
    """reads samples and labels from the folder of raw files"""
    count: Callable[[], int] | None = None
    """counts the samples of a user's own data without computing features"""
    content_sha256: str | None = None
    """identifies the published content from any source; None for generated and own data, see :meth:`mismatch`"""
    collected: int | None = None
    """number of samples in the raw files, if it exceeds ``samples``"""
    part_of: str | None = None
    """the dataset of which this is a random subset and whose raw files it uses; see :meth:`part`"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """options specific to this dataset"""
    apply: Callable[[Collection, Mapping[str, Any]], Collection] | None = None
    """applies the options: selects samples, or crops each of them"""
    stand_in: Generated | None = None
    """replacement for a dataset that no source can deliver"""

    @property
    def folder(self) -> str:
        """The name of its folder in the data folder and in a mirror."""
        return self.part_of or self.name

    def part(self, name: str, options: Mapping[str, Any]) -> "Dataset":
        """Return a random subset of this dataset as a dataset with its own name and thus its own random draws."""
        size = options.get("subset")
        if size is None:
            raise InputError(f"dataset {name}: a part of {self.name} needs its number of samples (subset).")
        title = f"{size} random samples{', others in each repeat' if options.get('resample') else ''}: {self.title}"
        found = self.collected or self.samples
        return replace(self, name=name, title=title, samples=size, collected=found, part_of=self.name)

    def chosen_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the default options updated by the given ones; raise an error for a wrong name or type."""
        options = {**COMMON_OPTIONS, **self.options}
        for name, value in given.items():
            if name not in options:
                known = ", ".join(options)
                raise InputError(f"dataset {self.name}: unknown option {name!r}; its options are: {known}.")
            default = options[name]
            wanted, least = bool if isinstance(default, bool) else int, LEAST_SUBSET if name == "subset" else 0
            fits = type(value) is wanted and value >= least
            if not fits and not (value is None and default is None):
                expected = "true or false" if wanted is bool else f"a whole number of at least {least}"
                raise InputError(f"dataset {self.name}: option {name} must be {expected}, found {value!r}.")
        chosen = {**options, **given}
        if chosen["resample"] and chosen["subset"] is None:
            raise InputError(f"dataset {self.name}: resample draws a subset in each repeat. Specify its size (subset).")
        return chosen

    def collect(self, raw: Path) -> Collection:
        """Read the raw files (generated samples, or the dataset's format) and check the numbers of samples, classes."""
        collection = read_collection(raw) if (raw / FILE_NAME).exists() else self.read(raw)
        for what, expected, found in (
            ("samples", self.collected or self.samples, len(collection.items)),
            ("classes", self.classes, len(np.unique(collection.labels))),
        ):
            if expected is not None and found != expected:
                raise InputError(f"dataset {self.name}: expected {expected} {what}, found {found}. Get it again.")
        return collection

    def mismatch(self, collection: Collection) -> str | None:
        """Return how samples differ from the published dataset, or None.

        Size and shape prove nothing, since noise can have the same. Generated data and a user's own have no published
        content to compare with.
        """
        if self.content_sha256 is None or (found := content_sha256(collection)) == self.content_sha256:
            return None
        return (
            f"has the shape of {self.name}, but not its content: expected content sha256 {self.content_sha256}, "
            f"found {found}."
        )

    def check_features(self, X: np.ndarray) -> None:
        """Raise an error for features of the wrong number, range or magnitude."""
        if self.features is not None and X.shape[1] != self.features:
            raise InputError(f"dataset {self.name}: expected {self.features} features, found {X.shape[1]}.")
        if not np.isfinite(X).all():
            raise InputError(f"dataset {self.name}: expected finite numbers, found NaN or infinity. Get it again.")
        largest = float(np.abs(X).max())
        if largest and not 1 / LARGEST_VALUE <= largest <= LARGEST_VALUE:
            raise InputError(
                f"dataset {self.name}: the largest value must be between {1 / LARGEST_VALUE:g} and {LARGEST_VALUE:g}, "
                f"found {largest:g}, whose square overflows or vanishes. Choose another unit."
            )
        if self.value_range is not None:
            low, high = self.value_range
            if X.min() < low or X.max() > high:
                found = f"{X.min():g} to {X.max():g}"
                raise InputError(f"dataset {self.name}: expected values from {low:g} to {high:g}, found {found}.")


def flattened(items: Sequence[np.ndarray], dtype: DTypeLike = np.float32) -> np.ndarray:
    """Return the samples themselves as features, one row each."""
    return np.asarray(items, dtype=dtype).reshape(len(items), -1)


def random_positions(dataset: str, positions: np.ndarray, size: int, seed: int, part: str | int = "all") -> np.ndarray:
    """Return ``size`` of the positions, drawn without replacement and in their original order."""
    if size > len(positions):
        raise InputError(f"dataset {dataset}: cannot choose {size} samples ({part}), there are {len(positions)}.")
    return np.sort(stream(dataset, "subset", seed, part).choice(positions, size, replace=False))
