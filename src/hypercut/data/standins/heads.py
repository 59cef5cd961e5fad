"""The stand-in for Yale B: 38 random smooth heads with Lambertian shading, each under 64 lights."""

import numpy as np

from hypercut.data.collection import Collection, numbered
from hypercut.seeds import stream

VERSION = "stand-in 1"
PEOPLE = 38
HEIGHT, WIDTH = 96, 84
AZIMUTHS = np.radians([-90, -55, -30, -10, 10, 30, 55, 90])
ELEVATIONS = np.radians([-35, -15, 0, 10, 20, 35, 50, 70])

AMBIENT = 0.03
SENSOR_NOISE = 0.01

_Y, _X = np.meshgrid(np.linspace(-1.15, 1.15, HEIGHT), np.linspace(-1, 1, WIDTH), indexing="ij")


def render() -> Collection:
    """Return all pictures, uint8, head by head."""
    lights = [_direction(azimuth, elevation) for elevation in ELEVATIONS for azimuth in AZIMUTHS]
    pictures = [
        _picture(normals, albedo, light, rng)
        for rng in (stream("yaleb", "stand-in", person) for person in range(PEOPLE))
        for normals, albedo in [_head(rng)]
        for light in lights
    ]
    return numbered(pictures, np.repeat(np.arange(PEOPLE), len(lights)))


def _direction(azimuth: float, elevation: float) -> np.ndarray:
    """Return the unit vector towards the light: x to the right, y down, z to the camera."""
    return np.array([np.sin(azimuth) * np.cos(elevation), -np.sin(elevation), np.cos(azimuth) * np.cos(elevation)])


def _picture(normals: np.ndarray, albedo: np.ndarray, light: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a picture by Lambert's law: albedo times the cosine between normal and light, clipped at 0."""
    shading = np.clip(normals @ light, 0, None)
    exposure = rng.uniform(0.85, 1.15)
    brightness = exposure * albedo * (shading + AMBIENT) + SENSOR_NOISE * rng.standard_normal(albedo.shape)
    return np.asarray(np.clip(brightness, 0, 1) * 255, dtype=np.uint8)


def _head(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit normals, (height, width, 3), and the albedo, (height, width), of a random head."""
    z = _depth(rng)
    dz_dy, dz_dx = np.gradient(z, _Y[:, 0], _X[0])
    normals = np.stack([-dz_dx, -dz_dy, np.ones_like(z)], axis=-1)
    return np.asarray(normals / np.linalg.norm(normals, axis=-1, keepdims=True)), _albedo(rng)


def _blob(x: float, y: float, width: float, height: float) -> np.ndarray:
    return np.asarray(np.exp(-(((_X - x) / width) ** 2) - ((_Y - y) / height) ** 2))


def _pair(x: float, y: float, width: float, height: float) -> np.ndarray:
    """Return one blob on the left and one on the right."""
    return np.asarray(_blob(-x, y, width, height) + _blob(x, y, width, height))


def _smooth_field(rng: np.random.Generator, blobs: int, size: float) -> np.ndarray:
    field = np.zeros_like(_X)
    for _ in range(blobs):
        x, y = rng.uniform(-1, 1, 2)
        field += rng.standard_normal() * _blob(x, y, size, size)
    return field


def _depth(rng: np.random.Generator) -> np.ndarray:
    """Return the depth of an ellipsoid with facial features of random size and place."""
    u = rng.uniform
    ellipsoid = np.sqrt(np.clip(1.6 - (_X / u(0.9, 1.1)) ** 2 - (_Y / u(1.2, 1.5)) ** 2, 0.02, None))
    nose_length = u(0.25, 0.4)
    nose = u(0.2, 0.4) * _blob(0, 0.1, u(0.1, 0.16), nose_length) + u(0.05, 0.15) * _blob(0, 0.3, 0.22, 0.1)
    brows = u(0.04, 0.14) * _pair(u(0.3, 0.45), -0.42, 0.28, 0.1)
    sockets = -u(0.08, 0.2) * _pair(u(0.34, 0.44), u(-0.26, -0.16), 0.2, 0.12)
    cheeks = u(0.0, 0.18) * _pair(u(0.4, 0.6), u(0.15, 0.35), 0.25, 0.25)
    mouth = u(0.03, 0.1) * (_blob(0, 0.58, 0.28, 0.05) + _blob(0, 0.7, 0.24, 0.06))
    chin = u(0.05, 0.25) * _blob(0, u(0.9, 1.05), u(0.2, 0.4), 0.18)
    return np.asarray(ellipsoid + nose + brows + sockets + cheeks + mouth + chin + 0.1 * _smooth_field(rng, 12, 0.35))


def _albedo(rng: np.random.Generator) -> np.ndarray:
    """Return the albedo of skin with darker brows, eyes, mouth and hair."""
    u = rng.uniform
    eye_distance = u(0.34, 0.44)
    dark = u(0.3, 0.7) * _pair(eye_distance, u(-0.46, -0.38), u(0.18, 0.28), u(0.04, 0.08))
    dark += u(0.4, 0.7) * _pair(eye_distance, u(-0.24, -0.16), u(0.08, 0.13), 0.05)
    dark += u(0.2, 0.45) * _blob(0, u(0.6, 0.68), u(0.22, 0.32), 0.06)
    dark += u(0.0, 0.4) * _blob(0, 0.95, 0.6, 0.3)
    hairline = u(-1.3, -0.75) + u(0.0, 0.25) * _X**2
    dark += u(0.3, 0.7) / (1 + np.exp((_Y - hairline) / 0.05))
    skin = u(0.55, 0.95) * (1 + 0.12 * _smooth_field(rng, 30, 0.2))
    return np.asarray(np.clip(skin * (1 - np.clip(dark, 0, 0.85)), 0.03, 1))
