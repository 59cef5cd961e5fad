"""Views of the samples: the same features under other metrics.

Which directions of feature space matter is unknown. Four views cover common cases:

``given``
    The features unchanged.
``standardized``
    Each feature is divided by its standard deviation, for features in different units.
``denoised``
    Features are divided by their standard deviations; the shrinker of Gavish and Donoho (2017) removes what noise of
    equal strength in all features would contribute to each principal component; then the units are restored. Noisy or
    missing elements hardly change the leading components but dominate the others.
``equalized``
    The denoised view with the standard deviation of each principal component replaced by its square root, halfway to
    whitening. This helps if a few directions have most of the variance but no information about the clusters, such as
    the lighting of a face.

Views are linear: the maps fitted to the samples take new samples to the same view.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hypercut.core.samples import Array

GIVEN, STANDARDIZED, DENOISED, EQUALIZED = "given", "standardized", "denoised", "equalized"

# With fewer principal components the noise cannot be estimated.
MIN_COMPONENTS = 8

# With more components, there is no denoised or equalized view, since it would take too long.
MAX_COMPONENTS = 4096

# Quantiles of the singular values at which they are compared with those of noise.
QUANTILES = np.arange(0.05, 0.55, 0.05)

# A feature with a smaller standard deviation, relative to its values, is constant up to rounding.
CONSTANT = 1e-13

# Components with a smaller singular value, relative to the largest, are rounding.
ROUNDING = 1e-10
# Singular values below this come from squares that are rounding, and are inaccurate.
ROUNDING_OF_SQUARES = 1e-6


@dataclass(frozen=True)
class LinearMap:
    """x ↦ (x − center)/scale · M₁ · M₂ …, over the ``varying`` features."""

    center: Array
    varying: Array
    scale: Array
    matrices: tuple[Array, ...] = ()

    def __call__(self, X: Array) -> Array:
        """Return the image of each row."""
        mapped = (X - self.center)[:, self.varying] / self.scale
        for matrix in self.matrices:
            mapped = mapped @ matrix
        return mapped


@dataclass(frozen=True)
class View:
    """The samples in a view, and the maps that take new samples to it, one after the other."""

    samples: Array
    maps: tuple[LinearMap, ...] = ()


def all_views(X: Array) -> dict[str, Callable[[], View]]:
    """Return functions that compute the views available for the samples, ``given`` first, in the precision of X."""
    found: dict[str, Callable[[], View]] = {GIVEN: lambda: View(X)}
    if X.shape[1] > 1:
        found[STANDARDIZED] = lambda: _in_precision_of(X, standardized(X))
    if not 2 <= min(X.shape) <= MAX_COMPONENTS:
        return found
    if min(len(X) - 1, X.shape[1]) >= MIN_COMPONENTS:
        found[DENOISED] = lambda: _in_precision_of(X, denoised(X))
        found[EQUALIZED] = lambda: _in_precision_of(X, equalized(denoised(X)))
    else:
        found[EQUALIZED] = lambda: _in_precision_of(X, equalized(View(X)))
    return found


def _in_precision_of(X: Array, view: View) -> View:
    return replace(view, samples=view.samples.astype(X.dtype, copy=False))


def standardized(X: Array) -> View:
    """Return the samples in units of each feature's standard deviation, without constant features."""
    center = X.mean(axis=0, dtype=np.float64)
    centered = X - center
    scale = centered.std(axis=0)
    varying = scale > CONSTANT * np.abs(X).max(axis=0)
    return View(centered[:, varying] / scale[varying], (LinearMap(center, varying, scale[varying]),))


def equalized(view: View) -> View:
    """Return the view with the deviation of each principal component replaced by its square root."""
    center = view.samples.mean(axis=0, dtype=np.float64)
    samples, matrices = filtered(view.samples - center, lambda values: values**-0.5)
    everything = np.ones(len(center), dtype=bool)
    return View(samples, (*view.maps, LinearMap(center, everything, np.ones(len(center)), matrices)))


def denoised(X: Array) -> View:
    """Return the samples without noise of the same relative strength in all features. See the module docstring."""
    standard = standardized(X)
    (standardizing,) = standard.maps
    # Centring takes one dimension off the samples.
    large, small = max(len(X) - 1, standard.samples.shape[1]), min(len(X) - 1, standard.samples.shape[1])
    clean, matrices = filtered(standard.samples, lambda values: shrinkage(values, small, large))
    restored = clean * standardizing.scale
    if not restored.any():
        return View(X)
    *first, last = matrices
    return View(restored, (replace(standardizing, matrices=(*first, last * standardizing.scale)),))


def filtered(centered: Array, gain: Callable[[Array], Array]) -> tuple[Array, tuple[Array, ...]]:
    """Return U·diag(s·g(s))·Vᵀ for the matrix C = U·diag(s)·Vᵀ, and the matrices that do the same to any row.

    Each component is multiplied by a function g of its singular value. The matrix for rows is V·diag(g)·Vᵀ. With fewer
    samples than features, its two factors are returned, with V = CᵀU/s and without components whose s is inaccurate.
    """
    by_samples = len(centered) < centered.shape[1]
    squared, vectors = np.linalg.eigh(centered @ centered.T if by_samples else centered.T @ centered)
    values = np.sqrt(np.maximum(squared, 0))
    factors = np.zeros_like(values)
    present = values > ROUNDING * values.max()
    factors[present] = gain(values[present])
    turned = (vectors * factors) @ vectors.T
    if not by_samples:
        return centered @ turned, (turned,)
    accurate = (values > ROUNDING_OF_SQUARES * values.max()) & (factors > 0)
    directions = (vectors[:, accurate].T @ centered) / values[accurate, None]
    return turned @ centered, (directions.T * factors[accurate], directions)


def shrinkage(values: Array, small: int, large: int) -> Array:
    """Return the factors that remove noise from singular values with least mean square error (Gavish and Donoho).

    With y the singular value in units of σ√n and β the aspect ratio, η(y) = √((y² − β − 1)² − 4β) / y above 1 + √β,
    which is the largest of pure noise, and 0 below.
    """
    noise = noise_level(values, small, large)
    if noise == 0:
        return np.ones_like(values)
    beta = small / large
    y = values / noise
    shrunk = np.sqrt(np.maximum((y**2 - beta - 1) ** 2 - 4 * beta, 0)) / y
    return np.where(y > 1 + np.sqrt(beta), shrunk / y, 0.0)


def noise_level(values: Array, small: int, large: int) -> float:
    """Return σ√n of the noise in a matrix, given its singular values.

    Singular values of pure noise follow the Marchenko–Pastur law, and each of its quantiles gives the same σ. Structure
    only increases the values, so the result is the smallest σ over the lower half of the quantiles. It is close to zero
    if the values decay to zero, as in clean images.
    """
    spectrum = np.concatenate([np.zeros(max(0, small - len(values))), np.sort(values)[-small:]])
    expected = np.sqrt(marchenko_pastur_quantiles(small / large, QUANTILES))
    return float(np.min(np.quantile(spectrum, QUANTILES) / expected))


def marchenko_pastur_quantiles(beta: float, quantiles: Array) -> Array:
    """Return quantiles of the eigenvalues of noise of variance 1 and aspect ratio β ≤ 1."""
    low, high = (1 - np.sqrt(beta)) ** 2, (1 + np.sqrt(beta)) ** 2
    # x = m − r·cos t spreads the nodes towards the ends, where the density has its square roots.
    angles = (np.arange(4096) + 0.5) * np.pi / 4096
    nodes = (low + high) / 2 - (high - low) / 2 * np.cos(angles)
    density = np.sin(angles) ** 2 / nodes
    cumulative = np.cumsum(density) - density / 2
    return np.interp(quantiles, cumulative / density.sum(), nodes)
