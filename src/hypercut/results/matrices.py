"""The file of ORL's similarity matrices, which the report draws next to the ground truth (fig:similarity_matrix).

It is separate from :mod:`hypercut.results.similarity`, so that reading the matrices does not import the mathematics.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hypercut.errors import InputError
from hypercut.files import atomic_write, explain_write_errors

if TYPE_CHECKING:
    import pandas as pd

NAMES = {
    "A": "A: pairwise",
    "B": "B: kNN",
    "C": "C: over-clustering",
    "AB": "A and B: pairwise + kNN",
    "S": "S: all three",
}
"""the matrices by symbol, with the hypergraphs that each comes from"""


@dataclass(frozen=True)
class Matrices:
    """Similarities of the samples of ORL, ordered by class."""

    sigma_factor: float
    alpha: float
    beta: float
    result: str  # identifies the result of PKO+HSC with this σ and these weights, see result_digest
    classes: np.ndarray  # (N,), ascending
    similarities: dict[str, np.ndarray]  # (N, N) each, by the symbols of NAMES

    @property
    def truth(self) -> np.ndarray:
        """The ground truth: 1 for pairs of the same class, 0 for others."""
        return (self.classes[:, None] == self.classes).astype(float)

    def alignment(self, symbol: str) -> float:
        """Return the cosine of a similarity and the truth, as vectors of all pairs i ≠ j: 1 if proportional."""
        off = ~np.eye(len(self.classes), dtype=bool)
        similarity, truth = self.similarities[symbol][off], self.truth[off]
        return float(similarity @ truth / np.sqrt((similarity @ similarity) * (truth @ truth)))


def result_digest(rows: "pd.DataFrame") -> str:
    """Return a checksum that identifies a result by its code, data and parameters."""
    facts = rows[["code", "data", "parameters"]].drop_duplicates().sort_values(["code", "data", "parameters"])
    return sha256(facts.to_json(orient="values").encode()).hexdigest()


def save_matrices(path: Path, matrices: Matrices, *, compact: bool = False) -> None:
    """Write the matrices to an ``.npz`` file, atomically; with ``compact``, compressed and in half precision."""
    parameters = np.array([matrices.sigma_factor, matrices.alpha, matrices.beta])
    similarities = matrices.similarities
    if compact:
        similarities = {symbol: values.astype(np.float16) for symbol, values in similarities.items()}
    facts = {"parameters": parameters, "result": np.array(matrices.result), "classes": matrices.classes}
    arrays: dict[str, Any] = {**facts, **similarities}
    with explain_write_errors(path.parent), atomic_write(path) as part, part.open("wb") as file:
        (np.savez_compressed if compact else np.savez)(file, **arrays)


def load_matrices(path: Path) -> Matrices:
    """Read the file that :func:`save_matrices` wrote."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            similarities = {symbol: archive[symbol].astype(np.float64) for symbol in NAMES}
            sigma_factor, alpha, beta = map(float, archive["parameters"])
            return Matrices(sigma_factor, alpha, beta, str(archive["result"]), archive["classes"], similarities)
    except MemoryError:
        raise
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(f"{path} is damaged ({error!r}). Delete it and run the benchmark again.") from None
