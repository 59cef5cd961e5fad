"""GIST against the reference implementation's vectors (gist_vectors.npz: generated images and what it returned)."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hypercut.data.features.gist import SIDE, gist, gist_features
from hypercut.errors import InputError

REFERENCE = np.load(Path(__file__).with_name("gist_vectors.npz"))
IMAGES = [name.removeprefix("img_") for name in REFERENCE.files if name.startswith("img_")]


@pytest.mark.parametrize("image", IMAGES)
def test_agrees_with_the_reference(image: str) -> None:
    np.testing.assert_allclose(gist(REFERENCE[f"img_{image}"]), REFERENCE[f"gist_{image}"], rtol=0, atol=1e-5)


def test_colour_has_960_values_and_grey_320() -> None:
    colour = REFERENCE["img_rand64"]
    assert gist(colour).shape == (960,)
    assert gist(colour[:, :, 0]).shape == (320,)


def test_a_grey_picture_in_colour_repeats_its_grey_values() -> None:
    grey = REFERENCE["img_gray_rand64"]
    np.testing.assert_allclose(gist(np.dstack([grey] * 3)), np.tile(gist(grey), 3), atol=1e-5)


def test_blocks_run_down_the_columns() -> None:
    picture = np.full((64, 64), 128, dtype=np.uint8)
    picture[32:48, :16] = np.random.default_rng(0).integers(0, 256, (16, 16))  # row 2, column 0 of the blocks
    assert gist(picture).reshape(20, 16).sum(axis=0).argmax() == 0 * 4 + 2


def test_a_set_is_resized_and_keeps_its_order() -> None:
    pictures = [REFERENCE["img_synth128"], REFERENCE["img_box96"][:, :80]]
    X = gist_features(pictures)
    assert X.shape == (2, 960)
    assert X.dtype == np.float32
    small = Image.fromarray(pictures[1]).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    np.testing.assert_array_equal(X[1], gist(np.asarray(small)))


def test_only_square_images() -> None:
    with pytest.raises(InputError, match="found 10×20"):
        gist(np.zeros((20, 10)))


def test_colour_and_grey_do_not_mix() -> None:
    with pytest.raises(InputError, match="found both"):
        gist_features([np.zeros((8, 8), np.uint8), np.zeros((8, 8, 3), np.uint8)])
