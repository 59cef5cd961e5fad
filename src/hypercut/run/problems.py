"""A clustering problem and its file: all repeats of one dataset under one setting."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.data.corruption import corrupt
from hypercut.data.features import Features
from hypercut.data.scaling import Scaling, scaled
from hypercut.errors import InputError
from hypercut.files import atomic_write
from hypercut.seeds import stream


@dataclass(frozen=True)
class Problem:
    """Samples to cluster, and their true classes.

    ``draws`` has shape (repeats, N, features). Clean data are the same in every repeat and have a single draw.
    ``y`` has shape (N,), or (repeats, N) if each repeat draws its own subset of the dataset.
    """

    dataset: str
    setting: str
    level: float
    draws: np.ndarray
    y: np.ndarray
    provenance: dict[str, Any]

    @property
    def n_classes(self) -> int:
        """K, the number of clusters."""
        return len(np.unique(self.y))

    @property
    def n_samples(self) -> int:
        """N, the number of samples of a repeat."""
        return int(self.y.shape[-1])

    def classes(self, repeat: int) -> np.ndarray:
        """Return the true classes of the samples of one repeat."""
        return self.y if self.y.ndim == 1 else self.y[repeat]

    def draw(self, repeat: int) -> np.ndarray:
        """Return the samples of one repeat."""
        return self.draws[repeat if len(self.draws) > 1 else 0]

    def seed(self, repeat: int) -> int:
        """Return the random seed of a repeat: the same for all algorithms and all σ."""
        return int(stream(self.dataset, self.setting, repeat, "clustering").integers(2**31))


def make_problem(
    dataset: str,
    features: Features,
    *,
    setting: str,
    level: float,
    draws: int,
    scaling: Scaling | None = None,
    **noise: Any,
) -> Problem:
    """Scale the features of a dataset, and corrupt them independently for each repeat.

    ``noise`` holds options of :func:`corrupt`. If each repeat draws its own subset, the features are scaled within the
    subset, and the scale of the noise is computed from the subset.
    """
    drawn = [features.draw(repeat) for repeat in range(draws)]
    corrupted = [
        corrupt(scaled(X, scaling), setting, dataset=dataset, repeat=repeat, level=level, **noise)
        for repeat, (X, _) in enumerate(drawn)
    ]
    y = np.stack([classes for _, classes in drawn]) if features.is_resampled else features.y
    provenance = {name: features.provenance[name] for name in ("kind", "complete", "identity")}
    return Problem(dataset, setting, level, np.stack(corrupted), y, provenance)


def save_problem(path: Path, problem: Problem, recipe: Mapping[str, Any]) -> None:
    """Write a problem with its recipe to an ``.npz`` file, atomically."""
    facts = {"dataset": problem.dataset, "setting": problem.setting, "level": problem.level}
    text = json.dumps({**facts, "provenance": problem.provenance, "recipe": recipe}, sort_keys=True)
    with atomic_write(path) as part, part.open("wb") as file:
        np.savez(file, draws=problem.draws, y=problem.y, facts=np.array(text))


def load_problem(path: Path, made_by: Mapping[str, Any] | None = None) -> Problem:
    """Read a file of :func:`save_problem`; raise an error unless its recipe is part of ``made_by``."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            facts = json.loads(str(archive["facts"]))
            check_recipe(path, facts.pop("recipe"), made_by)
            return Problem(draws=archive["draws"], y=archive["y"], **facts)
    except (MemoryError, InputError):
        raise
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(f"{path}: not a readable problem file ({error!r}). Delete it and run again.") from None


def check_recipe(path: Path, stored: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> None:
    """Raise an error if an input file was made by steps that differ from those in the recipe."""
    if wanted is not None and any(stored[step] != wanted.get(step) for step in stored):
        raise InputError(f"{path} was made with other code or options than this step expects. Delete it and run again.")
