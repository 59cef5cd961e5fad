"""Pixel features: the grey values of an image reduced to 32×32 pixels."""

from collections.abc import Sequence

import numpy as np
from PIL import Image

SIDE = 32
"""images are resized to SIDE×SIDE pixels"""


def pixel_features(images: Sequence[np.ndarray]) -> np.ndarray:
    """Return the grey values in [0, 1] of each image at SIDE×SIDE pixels, row by row, (n, SIDE²), float32.

    An image is uint8, (height, width) in grey or (height, width, 3) in colour.
    """
    # When shrinking, Pillow widens the bicubic kernel by the same factor, which prevents aliasing.
    small = [Image.fromarray(image).convert("L").resize((SIDE, SIDE), Image.Resampling.BICUBIC) for image in images]
    return np.stack([np.asarray(image).ravel() for image in small]).astype(np.float32) / np.float32(255)
