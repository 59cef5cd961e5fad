"""DFT features of trajectories: the coarse shape of a path, independent of the number of points."""

from collections.abc import Sequence

import numpy as np

from hypercut.errors import InputError

HARMONICS = 4
"""number of frequencies kept in addition to the mean"""
MIN_POINTS = 2 * HARMONICS + 1
"""a shorter trajectory has fewer values than features"""


def dft_features(trajectories: Sequence[np.ndarray]) -> np.ndarray:
    """Return the features of each trajectory, (n, 18), float32; see :func:`dft`."""
    for index, trajectory in enumerate(trajectories):
        shape = np.shape(trajectory)
        if len(shape) != 2 or shape[1] != 2 or shape[0] < MIN_POINTS:
            raise InputError(
                f"trajectory {index + 1}: expected at least {MIN_POINTS} points (x, y), an array of shape "
                f"(≥ {MIN_POINTS}, 2); found {shape}. Leave it out or record it at a higher rate."
            )
    return np.stack([dft(trajectory) for trajectory in trajectories]).astype(np.float32)


def dft(trajectory: np.ndarray) -> np.ndarray:
    """Return the features of one trajectory, (n, 2) → (18,).

    With X_f = (1/n) Σ_t x_t exp(−2πi·f·t/n), the first nine values are X_0, Re X_1, Im X_1, …, Re X_4, Im X_4; the
    other nine are the same of y. The 1/n makes trajectories of different lengths comparable.
    """
    spectrum = np.fft.rfft(trajectory, axis=0)[: HARMONICS + 1] / len(trajectory)
    pairs = np.stack([spectrum.real, spectrum.imag], axis=1).reshape(-1, 2)
    # Row 1 is the imaginary part of the mean: always zero.
    return np.delete(pairs, 1, axis=0).T.ravel()
