"""Pixel features: the grey values of an image reduced to 32×32 pixels."""

from collections.abc import Sequence

import numpy as np
from PIL import Image

SIDE = 32
"""images are resized to SIDE×SIDE pixels"""


def pixel_features(images: Sequence[np.ndarray], *, side: int = SIDE) -> np.ndarray:
    """Return the grey values in [0, 1] of each image at side×side pixels, row by row, (n, side²), float32.

    An image is uint8, (height, width) in grey or (height, width, 3) in colour.
    """
    return np.stack([_small(image, side).ravel() for image in images]).astype(np.float32) / np.float32(255)


def _small(image: np.ndarray, side: int) -> np.ndarray:
    grey = Image.fromarray(image).convert("L")
    # When shrinking, Pillow widens the bicubic kernel by the same factor, which prevents aliasing.
    return np.asarray(grey.resize((side, side), Image.Resampling.BICUBIC))
