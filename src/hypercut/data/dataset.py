"""What a dataset is: where it comes from, how it is read, and what it must look like."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from hypercut.data.collection import FILE_NAME, Collection, content_sha256, read_collection
from hypercut.data.sources import Made, Source
from hypercut.errors import InputError
from hypercut.seeds import stream

LEAST_SUBSET = 2
"""the fewest samples that can be clustered; the schema of the configuration says the same"""

COMMON_OPTIONS: Mapping[str, Any] = {"subset": None, "seed": 0}
"""options of every dataset: keep so many samples, drawn at random from all of them, and the seed of that draw"""

LARGEST_VALUE = 1e12
"""features must not be larger, nor all smaller than its inverse: squared distances are kept in single precision"""

GENERATED_TERMS = "made by hypercut, under its licence"
"""also of a stand-in: the terms of the set that it stands for do not bind it"""

OWN_TERMS = "the user's own"


@dataclass(frozen=True)
class Dataset:
    """One dataset. A number that is None is whatever the data say: only a user's own data may leave it open."""

    name: str
    title: str
    samples: int | None
    """N with the default options"""
    features: int | None
    classes: int | None
    """also the number K of clusters that is asked for"""
    value_range: tuple[float, float] | None
    """every feature value lies between these two"""
    terms: str
    """licence or terms of use"""
    sources: tuple[Source, ...]
    """in the order in which they are asked"""
    describe: Callable[[Sequence[np.ndarray]], np.ndarray]
    """from n raw samples to their features, (n, features)"""
    read: Callable[[Path], Collection] = read_collection
    """from the folder of raw files to samples and labels"""
    content_sha256: str | None = None
    """identifies the published set, whatever source it comes from; None where there is none: see :meth:`mismatch`"""
    collected: int | None = None
    """how many samples the raw files hold, where that is more than ``samples``"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """the options of this dataset that a user may set, with their defaults; see also COMMON_OPTIONS"""
    apply: Callable[[Collection, Mapping[str, Any]], Collection] | None = None
    """what the options make of the samples: fewer of them, or a part of each"""
    stand_in: Made | None = None
    """what takes the place of a set that no source can deliver"""

    def chosen_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The defaults, overridden by what is given; a name or type that does not fit is refused."""
        options = {**COMMON_OPTIONS, **self.options}
        for name, value in given.items():
            if name not in options:
                known = ", ".join(options)
                raise InputError(f"dataset {self.name}: unknown option {name!r}; its options are: {known}.")
            default = options[name]
            wanted = bool if isinstance(default, bool) else int
            fits = type(value) is wanted and (wanted is bool or value >= 0)
            if not fits and not (value is None and default is None):
                expected = "true or false" if wanted is bool else "a whole number of at least 0"
                raise InputError(f"dataset {self.name}: option {name} must be {expected}, found {value!r}.")
        chosen = {**options, **given}
        if chosen["subset"] is not None and chosen["subset"] < LEAST_SUBSET:
            raise InputError(
                f"dataset {self.name}: option subset must be a number of samples, at least {LEAST_SUBSET}; "
                f"found {chosen['subset']}."
            )
        return chosen

    def is_complete(self, samples: int, options: Mapping[str, Any]) -> bool:
        """Whether so many samples, obtained with these options, are the whole dataset."""
        return samples == self.samples if self.samples is not None else options["subset"] is None

    def collect(self, raw: Path) -> Collection:
        """Read a folder of raw files, and check that they hold what they should.

        Samples made on this machine are kept as hypercut keeps them; other files are read as the dataset says.
        """
        collection = read_collection(raw) if (raw / FILE_NAME).exists() else self.read(raw)
        self.check_collection(collection)
        return collection

    def check_collection(self, collection: Collection) -> None:
        """Complain if the raw files do not hold what they should."""
        expected = self.collected or self.samples
        found = len(collection.items)
        if expected is not None and found != expected:
            raise InputError(f"dataset {self.name}: expected {expected} samples, found {found}. Get it again.")
        classes = len(np.unique(collection.labels))
        if self.classes is not None and classes != self.classes:
            raise InputError(f"dataset {self.name}: expected {self.classes} classes, found {classes}. Get it again.")

    def mismatch(self, collection: Collection) -> str | None:
        """What distinguishes samples from the published set, or None.

        Size and shape prove nothing: noise has them too. Generated data need no such proof, since the code that made
        them is known, and a user's own data are whatever they are.
        """
        if self.content_sha256 is None:
            return None
        found = content_sha256(collection)
        if found == self.content_sha256:
            return None
        return (
            f"has the shape of {self.name}, but not its content: expected content sha256 {self.content_sha256}, "
            f"found {found}."
        )

    def check_features(self, X: np.ndarray) -> None:
        """Complain if the features are not what they should be."""
        if self.features is not None and X.shape[1] != self.features:
            raise InputError(f"dataset {self.name}: expected {self.features} features, found {X.shape[1]}.")
        if not np.isfinite(X).all():
            raise InputError(f"dataset {self.name}: expected finite numbers, found NaN or infinity. Get it again.")
        largest = float(np.abs(X).max())
        if largest and not 1 / LARGEST_VALUE <= largest <= LARGEST_VALUE:
            raise InputError(
                f"dataset {self.name}: expected values of at most {LARGEST_VALUE:g}, and not all below "
                f"{1 / LARGEST_VALUE:g}; found up to {largest:g}, whose squares cannot be computed with. "
                "Choose another unit."
            )
        if self.value_range is not None:
            low, high = self.value_range
            if X.min() < low or X.max() > high:
                raise InputError(
                    f"dataset {self.name}: expected values from {low:g} to {high:g}, found {X.min():g} to {X.max():g}. "
                    "Get it again."
                )


def as_vectors(items: Sequence[np.ndarray], dtype: DTypeLike = np.float32) -> np.ndarray:
    """Features that are the samples themselves, flattened."""
    return np.asarray(items, dtype=dtype).reshape(len(items), -1)


def random_positions(dataset: str, positions: np.ndarray, size: int, seed: int, part: str | int = "all") -> np.ndarray:
    """``size`` of the positions, drawn without replacement, in their order."""
    if size > len(positions):
        raise InputError(f"dataset {dataset}: cannot choose {size} samples ({part}), there are {len(positions)}.")
    return np.sort(stream(dataset, "subset", seed, part).choice(positions, size, replace=False))
