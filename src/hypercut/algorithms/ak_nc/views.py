"""Views of the samples: the same features, measured by other metrics.

Which directions of feature space matter is not known beforehand. Four views cover what is common:

``given``
    The features as they are.
``standardized``
    Every feature divided by its standard deviation: for features of different units.
``denoised``
    Without the part of the spectrum that pure noise would have. Features are divided by their standard deviations; what
    noise of equal strength in all of them would contribute to each principal component is then removed by the shrinker
    of Gavish and Donoho (2017), and the units are restored. Elements that are noisy, or lost at random, hardly move
    the leading components, but they fill all the others.
``equalized``
    The denoised view with the standard deviation of each principal component replaced by its square root: half way to
    whitening. Where a few directions hold most of the variance and say nothing of the clusters (the lighting of a
    face), the others are heard.
"""

from collections.abc import Callable

import numpy as np

from hypercut.core.samples import Array

GIVEN, STANDARDIZED, DENOISED, EQUALIZED = "given", "standardized", "denoised", "equalized"

# Fewer principal components tell nothing of noise.
MIN_COMPONENTS = 8

# More cannot be had in reasonable time: the samples are then clustered as they are.
MAX_COMPONENTS = 4096

# Quantiles of the singular values at which they are compared with those of noise.
QUANTILES = np.arange(0.05, 0.55, 0.05)

# A feature that deviates less, relative to its values, is constant up to rounding.
CONSTANT = 1e-13

# Components whose part of the spectrum is rounding.
ROUNDING = 1e-10


def all_views(X: Array) -> dict[str, Callable[[], Array]]:
    """Return the views that the samples have, to be computed when asked for. ``given`` is the first of them."""
    found: dict[str, Callable[[], Array]] = {GIVEN: lambda: X}
    if X.shape[1] > 1:
        found[STANDARDIZED] = lambda: standardized(X)[0]
    if not 2 <= min(X.shape) <= MAX_COMPONENTS:
        return found
    if min(len(X) - 1, X.shape[1]) >= MIN_COMPONENTS:
        found[DENOISED] = lambda: denoised(X)
        found[EQUALIZED] = lambda: equalized(denoised(X))
    else:
        found[EQUALIZED] = lambda: equalized(X)
    return found


def standardized(X: Array) -> tuple[Array, Array]:
    """Return the samples in units of each feature's standard deviation, without constant features, and those units."""
    centered = X - X.mean(axis=0)
    scale = centered.std(axis=0)
    varying = scale > CONSTANT * np.abs(X).max(axis=0)
    return centered[:, varying] / scale[varying], scale[varying]


def equalized(X: Array) -> Array:
    """Return the samples with the deviation of each principal component replaced by its square root."""
    return filtered(X - X.mean(axis=0), lambda values: values**-0.5)


def denoised(X: Array) -> Array:
    """Return the samples without noise of the same relative strength in all features. See the module."""
    standard, scale = standardized(X)
    # Centring takes one dimension off the samples.
    large, small = max(len(X) - 1, standard.shape[1]), min(len(X) - 1, standard.shape[1])
    restored = filtered(standard, lambda values: shrinkage(values, small, large)) * scale
    return restored if restored.any() else X


def filtered(centered: Array, gain: Callable[[Array], Array]) -> Array:
    """Return U·diag(s·g(s))·Vᵀ for the matrix U·diag(s)·Vᵀ: components multiplied by a function of their strength."""
    by_samples = len(centered) < centered.shape[1]
    squared, vectors = np.linalg.eigh(centered @ centered.T if by_samples else centered.T @ centered)
    values = np.sqrt(np.maximum(squared, 0))
    factors = np.zeros_like(values)
    present = values > ROUNDING * values.max()
    factors[present] = gain(values[present])
    turned = (vectors * factors) @ vectors.T
    return turned @ centered if by_samples else centered @ turned


def shrinkage(values: Array, small: int, large: int) -> Array:
    """Return the factors by which noise is best taken off singular values, in the mean square (Gavish and Donoho).

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

    Those of noise alone follow the law of Marchenko and Pastur, all of whose quantiles give the same σ. Structure only
    adds to the values, so the smallest σ over the lower half of the quantiles is taken; where the values fall off
    to nothing, as in clean images, it is next to nothing.
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
