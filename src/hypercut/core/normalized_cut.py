"""Spectral embeddings of a similarity: the normalised cut and the classic one."""

from dataclasses import dataclass

import numpy as np

from hypercut.core.components import component_indicators
from hypercut.core.eigen import Eigenpairs, Normalized, top_eigenpairs
from hypercut.core.samples import Array
from hypercut.core.similarity import Similarity

# 1 − λ_K below this: the graph may have K components, and they are looked for.
DISCONNECTED = 1e-5


@dataclass(frozen=True)
class Embedding:
    """Vertices in K dimensions, with the eigenproblem they came from."""

    vectors: Array
    eigenpairs: Eigenpairs
    degenerate: bool


def spectral_vectors(
    similarity: Similarity, k: int, rng: np.random.Generator, *, start: Array | None = None
) -> Embedding:
    """Return the K top eigenvectors of D^−½ S D^−½.

    If the graph has K components or more, the eigenvalue 1 is repeated and the K vectors are arbitrary: they are then
    replaced by those of the component indicators (see :func:`component_indicators`).
    """
    operator = Normalized(similarity)
    pairs = top_eigenpairs(operator, k, rng, start=start)
    if pairs.values[-1] >= 1 - DISCONNECTED:
        indicators = component_indicators(similarity, k)
        if indicators is not None:
            vectors = np.sqrt(similarity.degrees)[:, None] * indicators
            return Embedding(vectors / np.linalg.norm(vectors, axis=0), pairs, degenerate=True)
    return Embedding(pairs.vectors, pairs, degenerate=False)


def normalized_cut_vectors(
    similarity: Similarity, k: int, rng: np.random.Generator, *, start: Array | None = None
) -> Embedding:
    """Return Z maximising tr(ZᵀSZ) subject to ZᵀDZ = I (eq:trace_normalized_cut)."""
    embedding = spectral_vectors(similarity, k, rng, start=start)
    scale = Normalized(similarity).scale[:, None]
    return Embedding(scale * embedding.vectors, embedding.eigenpairs, embedding.degenerate)


def unit_rows(vectors: Array) -> Array:
    """Scale each row to length one; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
