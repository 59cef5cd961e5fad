"""Spectral embeddings of a similarity, for the normalised cut and for classic spectral clustering."""

from dataclasses import dataclass

import numpy as np

from hypercut.core.components import component_indicators
from hypercut.core.eigen import Eigenpairs, Normalized, Spectrum, top_eigenpairs
from hypercut.core.samples import Array
from hypercut.core.similarity import Similarity

# If 1 − λ_K is below this, the graph may have K components: look for them.
DISCONNECTED = 1e-5


@dataclass(frozen=True)
class Embedding:
    """The vertices in K dimensions, with the eigenpairs that they were computed from."""

    vectors: Array
    eigenpairs: Eigenpairs
    degenerate: bool


def spectral_vectors(
    similarity: Similarity, k: int, rng: np.random.Generator, *, start: Array | None = None
) -> Embedding:
    """Return the top K eigenvectors of D^−½ S D^−½; ``start`` (N, any) holds vectors near them.

    If the graph has at least K components, the eigenvalue 1 is repeated and its eigenvectors are an arbitrary basis.
    They are then replaced by the eigenvectors of K unions of components, see :func:`component_indicators`.
    """
    operator = Normalized(similarity)
    return _embedding(operator, top_eigenpairs(operator, k, rng, start=start))


def _embedding(operator: Normalized, pairs: Eigenpairs) -> Embedding:
    if pairs.values[-1] >= 1 - DISCONNECTED:
        indicators = component_indicators(operator.similarity, len(pairs.values))
        if indicators is not None:
            return Embedding(operator.from_indicators(indicators), pairs, degenerate=True)
    return Embedding(pairs.vectors, pairs, degenerate=False)


def normalized_cut_vectors(graph: Similarity | Spectrum, k: int, rng: np.random.Generator) -> Embedding:
    """Return Z that maximises tr(ZᵀSZ) subject to ZᵀDZ = I, Eq. (13), eq:trace_normalized_cut."""
    spectrum = graph if isinstance(graph, Spectrum) else Spectrum(graph)
    embedding = _embedding(spectrum.operator, spectrum.leading(k, rng))
    scale = spectrum.operator.scale[:, None]
    return Embedding(scale * embedding.vectors, embedding.eigenpairs, embedding.degenerate)


def unit_rows(vectors: Array) -> Array:
    """Return the rows scaled to length one, X̃ = Diag(diag^−½(PPᵀ)) P; zero rows stay zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
