"""Generated images that replace an unavailable dataset, to test the pipeline; they say nothing about methods."""

import numpy as np
from scipy.ndimage import gaussian_filter, rotate

from hypercut.data.collection import Collection, numbered
from hypercut.seeds import stream

VERSION = "stand-in 2"

PEOPLE = 38
AZIMUTHS = np.radians([-90, -55, -30, -10, 10, 30, 55, 90])
ELEVATIONS = np.radians([-35, -15, 0, 10, 20, 35, 50, 70])
HEAD = (96, 84)
"""height and width of a picture in pixels"""

SUBJECTS, PHOTOGRAPHS = 10, 100
SCENE = (128, 192)


def heads() -> Collection:
    """Return the stand-in for Yale B: random smooth surfaces under 64 lights, uint8, by Lambert's law."""
    # x to the right, y down, z to the camera.
    lights = [
        np.array([np.sin(azimuth) * np.cos(elevation), -np.sin(elevation), np.cos(azimuth) * np.cos(elevation)])
        for elevation in ELEVATIONS
        for azimuth in AZIMUTHS
    ]
    pictures = []
    for person in range(PEOPLE):
        rng = stream("yaleb", "stand-in", person)
        normals, albedo = _head(rng)
        for light in lights:
            shading = np.clip(normals @ light, 0, None) + 0.03  # ambient light
            noise = 0.01 * rng.standard_normal(HEAD)
            pictures.append(_pixels(255 * (rng.uniform(0.85, 1.15) * albedo * shading + noise)))
    return numbered(pictures, np.repeat(np.arange(PEOPLE), len(lights)))


def _head(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit normals, (height, width, 3), and the albedo, (height, width), of a bumpy ellipsoid."""
    y, x = np.meshgrid(np.linspace(-1.15, 1.15, HEAD[0]), np.linspace(-1, 1, HEAD[1]), indexing="ij")
    depth = np.sqrt(np.clip(1.6 - x**2 - (y / 1.3) ** 2, 0.02, None)) + 0.1 * _smooth(rng, HEAD, 7)
    slope_y, slope_x = np.gradient(depth, y[:, 0], x[0])
    normals = np.stack([-slope_x, -slope_y, np.ones_like(depth)], axis=-1)
    albedo = np.clip(0.6 + 0.2 * _smooth(rng, HEAD, 5), 0.05, 1)
    return normals / np.linalg.norm(normals, axis=-1, keepdims=True), albedo


def scenes() -> Collection:
    """Return the stand-in for Corel: colour pictures, uint8, of ten textures with their own grain and direction."""
    pictures = []
    for subject in range(SUBJECTS):
        subject_rng = stream("corel", "stand-in", subject)
        grain = subject_rng.uniform(1, 12, size=2)
        direction = 180 * subject / SUBJECTS
        colours = subject_rng.uniform(40, 215, size=(2, 3))
        for number in range(PHOTOGRAPHS):
            rng = stream("corel", "stand-in", subject, number)
            texture = _texture(rng, grain * rng.uniform(0.7, 1.4, size=2), direction + rng.normal(0, 12))
            share = 1 / (1 + np.exp(-2 * texture))[:, :, np.newaxis]
            first, second = colours + rng.normal(0, 25, size=(2, 3))
            pictures.append(_pixels(first * share + second * (1 - share) + 4 * rng.standard_normal((*SCENE, 1))))
    return numbered(pictures, np.repeat(np.arange(SUBJECTS), PHOTOGRAPHS))


def _texture(rng: np.random.Generator, grain: np.ndarray, degrees: float) -> np.ndarray:
    """Return a random field of the size of a scene, with a grain of two widths and a direction."""
    side = int(np.hypot(*SCENE)) + 1  # so that the rotated field covers the scene
    field = rotate(_smooth(rng, (side, side), grain), degrees, reshape=False, order=1)
    top, left = (side - SCENE[0]) // 2, (side - SCENE[1]) // 2
    return np.asarray(field[top : top + SCENE[0], left : left + SCENE[1]])


def _smooth(rng: np.random.Generator, shape: tuple[int, int], width: float | np.ndarray) -> np.ndarray:
    """Return a random smooth field of variance 1."""
    field = gaussian_filter(rng.standard_normal(shape), width)
    return np.asarray(field / field.std())


def _pixels(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.clip(values, 0, 255), dtype=np.uint8)
