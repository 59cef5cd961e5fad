"""GIST, the descriptor of Oliva and Torralba: the energy of each orientation and scale in each block of an image.

Four steps: a logarithm and local contrast normalisation; 20 Gabor filters (three scales with 8, 8 and 4 orientations);
the magnitude of each response; its mean over 4×4 blocks. A grey image has 320 values and a colour one 960, ordered
by channel, then filter, then block, the blocks column by column.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
from PIL import Image
from scipy import fft

from hypercut.errors import InputError
from hypercut.progress import show

SIDE = 256
"""images are resized to SIDE×SIDE pixels"""
BLOCKS = 4
"""the image is divided into BLOCKS×BLOCKS blocks"""
ORIENTATIONS = (8, 8, 4)
"""number of filters of each scale, finest scale first"""

_PADDING = 5  # pixels on each side, cropped again, so that the FFT's wrap-around affects only them
_PREFILTER_CYCLES = 4  # cut-off frequency of the local mean, in cycles per image
_CONTRAST_FLOOR = 0.2  # keeps the contrast normalisation from amplifying flat areas


def gist_features(images: Sequence[np.ndarray]) -> np.ndarray:
    """Return GIST of each image resized to 256×256, (n, 960) or (n, 320), float32.

    An image is uint8, (height, width, 3) or (height, width); all must have the same number of channels.
    """
    if len({image.shape[2:] for image in images}) > 1:
        raise InputError("GIST needs either colour or grey images; found both. Convert them.")
    # Threads, not processes: the FFTs release the interpreter lock, and no image has to be copied to a worker.
    with ThreadPoolExecutor(max_workers=_available_cores()) as pool:
        vectors = pool.map(lambda image: gist(_resized(image)), images)
        return np.stack(list(show(vectors, total=len(images), label="GIST")))


def gist(image: np.ndarray) -> np.ndarray:
    """Return GIST of one square image with values 0..255, float32, (960,) in colour or (320,) in grey."""
    channels = np.atleast_3d(np.asarray(image, dtype=np.float32)).transpose(2, 0, 1)
    height, width = channels.shape[1:]
    if height != width:
        raise InputError(f"GIST is defined for square images; found {width}×{height} pixels. Resize the image first.")
    spectra = fft.fft2(_normalised(channels))
    responses = np.stack([_block_means(fft.ifft2(spectra * gabor)) for gabor in _gabors(width)], axis=1)
    # (channel, filter, row, column) to (channel, filter, column, row)
    return np.ascontiguousarray(responses.swapaxes(2, 3), dtype=np.float32).ravel()


def _resized(image: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(image).resize((SIDE, SIDE), Image.Resampling.BICUBIC))


def _normalised(channels: np.ndarray) -> np.ndarray:
    """Return the logarithm of each pixel relative to its surroundings, in units of the local contrast."""
    x = np.log(channels + 1)
    x = np.pad(x, ((0, 0), (_PADDING, _PADDING), (_PADDING, _PADDING)), mode="symmetric")
    lowpass = _lowpass(x.shape[-1])
    x = x - fft.ifft2(fft.fft2(x) * lowpass).real
    contrast = np.sqrt(np.abs(fft.ifft2(fft.fft2(x.mean(axis=0) ** 2) * lowpass)))
    x = x / (_CONTRAST_FLOOR + contrast)
    return np.asarray(x[:, _PADDING:-_PADDING, _PADDING:-_PADDING])


def _block_means(response: np.ndarray) -> np.ndarray:
    """Return the mean magnitude per block, (channels, BLOCKS, BLOCKS), ignoring pixels after the last full one."""
    magnitude = np.abs(response)
    channels, side = magnitude.shape[:2]
    block = side // BLOCKS
    magnitude = magnitude[:, : BLOCKS * block, : BLOCKS * block]
    return np.asarray(magnitude.reshape(channels, BLOCKS, block, BLOCKS, block).mean(axis=(2, 4)))


def _frequencies(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return horizontal and vertical cycles per image, broadcastable to (side, side), zero in the middle."""
    cycles = np.arange(side) - side / 2
    return cycles[np.newaxis, :], cycles[:, np.newaxis]


@lru_cache(maxsize=4)
def _lowpass(side: int) -> np.ndarray:
    fx, fy = _frequencies(side)
    s = _PREFILTER_CYCLES / np.sqrt(np.log(2))
    return np.asarray(fft.fftshift(np.exp(-(fx**2 + fy**2) / s**2)), dtype=np.float32)


@lru_cache(maxsize=4)
def _gabors(side: int) -> np.ndarray:
    """Return the transfer functions of the filters, (20, side, side)."""
    fx, fy = _frequencies(side)
    radius, angle = np.hypot(fx, fy), np.arctan2(fy, fx)
    filters = []
    for scale, orientations in enumerate(ORIENTATIONS):
        centre = 0.3 / 1.85**scale
        for orientation in range(orientations):
            t = angle + np.pi * orientation / orientations
            t = np.where(t > np.pi, t - 2 * np.pi, t)
            width = 16 * orientations**2 / 1024
            gabor = np.exp(-3.5 * (radius / side / centre - 1) ** 2 - 2 * np.pi * width * t**2)
            filters.append(fft.fftshift(gabor))
    return np.stack(filters).astype(np.float32)


def _available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
