"""Features of a dataset: vectors that GIST, DFT and pixels compute from raw samples, and the file that stores them.

Later steps read everything they know about the data from that file.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.errors import InputError
from hypercut.files import atomic_write, explain_write_errors
from hypercut.seeds import stream

MOST_DRAWS = 100
"""how many subsets are drawn to find one with all classes"""


@dataclass(frozen=True)
class Features:
    """The features of a dataset, ready for clustering."""

    X: np.ndarray
    """(N, features), float32, or float64 for a user's own table"""
    y: np.ndarray
    """(N,), classes numbered from 0"""
    provenance: dict[str, Any]
    """origin of the data; ``kind`` is real, stand-in, generated or own"""

    @property
    def is_resampled(self) -> bool:
        """Whether each repeat draws its own random subset."""
        return bool(self.provenance.get("options", {}).get("resample"))

    @property
    def n_samples(self) -> int:
        """N, the number of samples to cluster. If each repeat draws a subset, X and y hold more: all samples."""
        return int(self.provenance["options"]["subset"]) if self.is_resampled else len(self.X)

    def draw(self, repeat: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples and classes of a repeat: all, or a random subset that depends on dataset and repeat only.

        A subset is drawn without regard to classes, and drawn again until it has all of them.
        """
        if not self.is_resampled:
            return self.X, self.y
        name, seed = self.provenance["dataset"], self.provenance["options"]["seed"]
        rng = stream(name, "subset", seed, "repeat", repeat)
        for _ in range(MOST_DRAWS):
            chosen = np.sort(rng.choice(len(self.X), self.n_samples, replace=False))
            if len(np.unique(self.y[chosen])) == len(np.unique(self.y)):
                return self.X[chosen], self.y[chosen]
        raise InputError(
            f"dataset {name}: none of {MOST_DRAWS} random subsets of {self.n_samples} samples has all classes. "
            "Choose a larger subset."
        )


def save_features(path: Path, features: Features) -> None:
    """Write features to an ``.npz`` file, atomically."""
    with explain_write_errors(Path(path).parent), atomic_write(Path(path)) as part, part.open("wb") as file:
        np.savez(file, X=features.X, y=features.y, provenance=np.array(json.dumps(features.provenance)))


def load_features(path: Path) -> Features:
    """Read a file that :func:`save_features` wrote."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return Features(archive["X"], archive["y"], json.loads(str(archive["provenance"])))
    except MemoryError:
        raise
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, array header
        raise InputError(
            f"{path}: not a file of features that hypercut wrote: {error!r}. "
            "Delete it and run the benchmark again, which computes it."
        ) from None
