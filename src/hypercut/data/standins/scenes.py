"""The stand-in for Corel: ten families of drawn colour scenes, a hundred pictures each."""

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from hypercut.data.collection import Collection, numbered
from hypercut.seeds import stream

VERSION = "stand-in 1"
PER_FAMILY = 100
WIDTH, HEIGHT = 192, 128

Random = np.random.Generator
Colour = tuple[int, int, int]


def draw() -> Collection:
    """Return all pictures, uint8, family by family."""
    pictures = [
        _picture(family, stream("corel", "stand-in", family.__name__, number))
        for family in FAMILIES
        for number in range(PER_FAMILY)
    ]
    return numbered(pictures, np.repeat(np.arange(len(FAMILIES)), PER_FAMILY))


def _picture(family: Callable[[Random], Image.Image], rng: Random) -> np.ndarray:
    """Return a scene as a photograph: random view, light and grain."""
    pixels = np.asarray(_seen_by_a_camera(family(rng), rng), dtype=np.float64)
    light = rng.uniform(0.75, 1.15) * rng.uniform(0.93, 1.07, size=3)
    grain = 4 * rng.standard_normal((HEIGHT, WIDTH, 1))
    return np.asarray(np.clip(pixels * light + grain, 0, 255), dtype=np.uint8)


def _seen_by_a_camera(scene: Image.Image, rng: Random) -> Image.Image:
    """Return a random part of the scene: tilted, perhaps mirrored, partly occluded and blurred."""
    pen = ImageDraw.Draw(scene)
    for x, y in rng.uniform((0, 0), (WIDTH, HEIGHT), size=(int(rng.integers(0, 5)), 2)):
        width, height = rng.uniform(5, 35, size=2)
        pen.ellipse((x - width, y - height, x + width, y + height), fill=_colour(rng, 90, 90, 80, 60))
    scene = scene.rotate(rng.normal(0, 5), resample=Image.Resampling.BICUBIC)
    # The tilt leaves black corners, which a part of at most three quarters of the width rarely touches.
    share = rng.uniform(0.45, 0.75)
    left, top = (1 - share) * rng.uniform(0.1, 0.9, size=2) * (WIDTH, HEIGHT)
    part = scene.crop((int(left), int(top), int(left + share * WIDTH), int(top + share * HEIGHT)))
    part = part.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(rng.uniform(0, 2)))
    return ImageOps.mirror(part) if rng.random() < 0.5 else part


def _colour(rng: Random, red: int, green: int, blue: int, spread: int = 18) -> Colour:
    r, g, b = np.clip(np.array([red, green, blue]) + rng.integers(-spread, spread + 1, 3), 0, 255).tolist()
    return r, g, b


def _gradient(top: Colour, bottom: Colour) -> Image.Image:
    share = np.linspace(0, 1, HEIGHT)[:, np.newaxis]
    rows = (1 - share) * np.array(top) + share * np.array(bottom)
    return Image.fromarray(np.repeat(rows[:, np.newaxis], WIDTH, axis=1).astype(np.uint8))


def _textured(image: Image.Image, rng: Random, top: int, grain: tuple[int, int], strength: float) -> Image.Image:
    """Add patches of about ``grain`` (width, height) pixels to everything below ``top``."""
    coarse = rng.standard_normal((max(2, HEIGHT // grain[1]), max(2, WIDTH // grain[0])))
    patches = Image.fromarray(coarse.astype(np.float32)).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    pixels = np.asarray(image, dtype=np.float64).copy()
    pixels[top:] += strength * np.asarray(patches)[top:, :, np.newaxis]
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def _sky(rng: Random) -> Image.Image:
    image = _gradient(_colour(rng, 90, 140, 210), _colour(rng, 200, 215, 235))
    return _textured(image, rng, 0, (40, 14), rng.uniform(5, 25))


def _ridge(rng: Random, base: float, height: float, peaks: int) -> list[tuple[float, float]]:
    """Return the outline of hills: alternating peaks and valleys, closed along the lower edge."""
    x = np.linspace(-10, WIDTH + 10, 2 * peaks + 1) + rng.uniform(-6, 6, 2 * peaks + 1)
    y = base - height * np.where(
        np.arange(2 * peaks + 1) % 2, rng.uniform(0.6, 1, len(x)), rng.uniform(0, 0.35, len(x))
    )
    return [(-20, HEIGHT), *zip(x.tolist(), y.tolist(), strict=True), (WIDTH + 20, HEIGHT)]


def seaside(rng: Random) -> Image.Image:
    """Sky, sea with waves, a strip of sand."""
    image = _sky(rng)
    pen = ImageDraw.Draw(image)
    horizon, shore = int(rng.integers(40, 65)), int(rng.integers(85, 110))
    pen.rectangle((0, horizon, WIDTH, HEIGHT), fill=_colour(rng, 40, 100, 150))
    for y in range(horizon + 3, shore, int(rng.integers(4, 8))):
        x, length = rng.uniform(0, WIDTH), rng.uniform(20, 90)
        pen.line((x - length, y, x + length, y), fill=_colour(rng, 190, 215, 225), width=1)
    tilt = rng.uniform(-12, 12)
    pen.polygon(
        [(0, shore + tilt), (WIDTH, shore - tilt), (WIDTH, HEIGHT), (0, HEIGHT)], fill=_colour(rng, 215, 190, 140)
    )
    return _textured(image, rng, horizon, (24, 3), 14)


def skyline(rng: Random) -> Image.Image:
    """Tall houses with rows of windows."""
    image = _sky(rng)
    pen = ImageDraw.Draw(image)
    x = -10.0
    while x < WIDTH:
        width, top = rng.uniform(20, 42), rng.uniform(10, 75)
        wall, window = _colour(rng, 130, 115, 105, 45), _colour(rng, 45, 50, 70)
        pen.rectangle((x, top, x + width, HEIGHT), fill=wall)
        for row in np.arange(top + 5, HEIGHT - 8, rng.uniform(8, 12)):
            for column in np.arange(x + 4, x + width - 5, rng.uniform(7, 10)):
                pen.rectangle((column, row, column + 3, row + 5), fill=window)
        x += width + rng.uniform(-2, 4)
    return image


def temple(rng: Random) -> Image.Image:
    """Columns under a gable."""
    image = _sky(rng)
    pen = ImageDraw.Draw(image)
    ground, roof = rng.uniform(100, 115), rng.uniform(38, 55)
    left, right = rng.uniform(8, 35), WIDTH - rng.uniform(8, 35)
    stone = _colour(rng, 205, 185, 150)
    pen.rectangle((0, ground, WIDTH, HEIGHT), fill=_colour(rng, 150, 135, 95))
    pen.polygon([(left - 6, roof), ((left + right) / 2, roof - rng.uniform(15, 30)), (right + 6, roof)], fill=stone)
    pen.rectangle((left - 4, roof, right + 4, roof + 9), fill=_colour(rng, 180, 160, 125))
    pen.rectangle((left, roof + 9, right, ground), fill=_colour(rng, 70, 58, 48))
    columns = int(rng.integers(5, 9))
    for x in np.linspace(left, right - 9, columns):
        pen.rectangle((x, roof + 9, x + 9, ground), fill=stone)
        pen.line((x + 6, roof + 9, x + 6, ground), fill=_colour(rng, 150, 130, 100), width=2)
    pen.rectangle((left - 8, ground - 4, right + 8, ground + 4), fill=_colour(rng, 190, 170, 135))
    return _textured(image, rng, int(roof), (5, 5), 9)


def bus(rng: Random) -> Image.Image:
    """A bus on a road, seen from the side."""
    image = _textured(_gradient(_colour(rng, 150, 160, 150), _colour(rng, 110, 120, 100)), rng, 0, (14, 20), 25)
    pen = ImageDraw.Draw(image)
    road = rng.uniform(95, 108)
    pen.rectangle((0, road, WIDTH, HEIGHT), fill=_colour(rng, 85, 85, 90))
    left, top = rng.uniform(10, 35), rng.uniform(28, 48)
    right = WIDTH - rng.uniform(10, 35)
    body = [_colour(rng, 200, 35, 35), _colour(rng, 230, 180, 40), _colour(rng, 40, 90, 170)][rng.integers(3)]
    pen.rounded_rectangle((left, top, right, road + 4), radius=7, fill=body)
    windows = int(rng.integers(5, 8))
    pitch = (right - left - 12) / windows
    for i in range(windows):
        x = left + 6 + i * pitch
        pen.rectangle((x + 2, top + 9, x + pitch - 2, top + 30), fill=_colour(rng, 60, 75, 95))
    pen.line((left, top + 38, right, top + 38), fill=_colour(rng, 235, 235, 235), width=3)
    for x in (left + 28, right - 32):
        pen.ellipse((x - 11, road - 8, x + 11, road + 14), fill=(25, 25, 28))
        pen.ellipse((x - 5, road - 2, x + 5, road + 8), fill=(140, 140, 145))
    return image


def beast(rng: Random) -> Image.Image:
    """A long-necked animal before an empty background."""
    image = _gradient(_colour(rng, 225, 215, 195, 15), _colour(rng, 200, 185, 160, 15))
    pen = ImageDraw.Draw(image)
    skin = _colour(rng, 95, 110, 80, 35)
    x, y = rng.uniform(80, 110), rng.uniform(65, 80)
    length, height = rng.uniform(32, 45), rng.uniform(15, 22)
    pen.ellipse((x - length, y - height, x + length, y + height), fill=skin)
    for leg in (-0.65, -0.35, 0.35, 0.65):
        pen.line((x + leg * length, y, x + leg * length + rng.uniform(-5, 5), 116), fill=skin, width=9)
    head = (x + length + rng.uniform(15, 35), y - rng.uniform(30, 50))
    pen.line((x + length - 10, y - 6, *head), fill=skin, width=11)
    pen.ellipse((head[0] - 8, head[1] - 7, head[0] + 14, head[1] + 6), fill=skin)
    tip = (x - length - rng.uniform(25, 45), y + rng.uniform(0, 30))
    pen.polygon([(x - length + 12, y - 10), tip, (x - length + 12, y + 10)], fill=skin)
    return _textured(image, rng, 0, (9, 9), 5)


def savanna(rng: Random) -> Image.Image:
    """Flat-topped trees and a herd in dry grass."""
    image = _sky(rng)
    horizon = int(rng.integers(55, 75))
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, horizon, WIDTH, HEIGHT), fill=_colour(rng, 185, 155, 85))
    image = _textured(image, rng, horizon, (3, 7), 22)
    pen = ImageDraw.Draw(image)
    for _ in range(int(rng.integers(1, 4))):
        x, size = rng.uniform(10, WIDTH - 10), rng.uniform(18, 34)
        pen.line((x, horizon + 6, x, horizon - size * 0.6), fill=(70, 50, 35), width=3)
        pen.ellipse((x - size, horizon - size, x + size, horizon - size * 0.55), fill=_colour(rng, 70, 95, 45))
    for _ in range(int(rng.integers(2, 6))):
        x, y, size = rng.uniform(15, WIDTH - 15), rng.uniform(horizon + 14, 110), rng.uniform(9, 19)
        hide = _colour(rng, 95, 88, 85, 15)
        pen.ellipse((x - size, y - size * 0.7, x + size, y + size * 0.4), fill=hide)
        for leg in (-0.6, 0.6):
            pen.line((x + leg * size, y, x + leg * size, y + size), fill=hide, width=4)
    return image


def flower(rng: Random) -> Image.Image:
    """One large blossom among leaves."""
    image = _textured(_gradient(_colour(rng, 40, 90, 40), _colour(rng, 25, 60, 30)), rng, 0, (12, 12), 28)
    pen = ImageDraw.Draw(image)
    x, y = rng.uniform(75, 117), rng.uniform(55, 73)
    petals, radius = int(rng.integers(5, 14)), rng.uniform(36, 56)
    petal = [_colour(rng, 225, 60, 90), _colour(rng, 240, 210, 60), _colour(rng, 225, 215, 235)][rng.integers(3)]
    start = rng.uniform(0, 2 * np.pi)
    for i, angle in enumerate(start + 2 * np.pi * np.arange(petals) / petals):
        half = np.pi / petals * 1.1
        outline = [
            (x + radius * reach * np.cos(angle + turn), y + radius * reach * np.sin(angle + turn))
            for reach, turn in ((0, 0.0), (0.6, -half), (0.95, -half / 2), (1, 0.0), (0.95, half / 2), (0.6, half))
        ]
        shade = 1 - 0.22 * (i % 2)
        pen.polygon(outline, fill=(int(petal[0] * shade), int(petal[1] * shade), int(petal[2] * shade)))
    core = radius * rng.uniform(0.18, 0.32)
    pen.ellipse((x - core, y - core, x + core, y + core), fill=_colour(rng, 190, 140, 40))
    return image


def forest(rng: Random) -> Image.Image:
    """Upright trunks in green light."""
    image = _textured(_gradient(_colour(rng, 130, 165, 95), _colour(rng, 60, 80, 35)), rng, 0, (8, 8), 30)
    pen = ImageDraw.Draw(image)
    for _ in range(int(rng.integers(10, 20))):
        x, width = rng.uniform(0, WIDTH), rng.uniform(3, 12)
        lean = rng.uniform(-6, 6)
        bark = _colour(rng, 75, 58, 42)
        pen.polygon([(x, 0), (x + width * 0.8, 0), (x + width + lean, HEIGHT), (x + lean, HEIGHT)], fill=bark)
    return _textured(image, rng, int(rng.integers(95, 112)), (4, 4), 25)


def mountains(rng: Random) -> Image.Image:
    """Ridges behind ridges, the far one with snow."""
    image = _sky(rng)
    pen = ImageDraw.Draw(image)
    pen.polygon(_ridge(rng, 85, 70, int(rng.integers(2, 4))), fill=_colour(rng, 225, 228, 238, 12))
    pen.polygon(_ridge(rng, 100, 50, int(rng.integers(3, 6))), fill=_colour(rng, 105, 115, 140))
    pen.polygon(_ridge(rng, 120, 35, int(rng.integers(4, 8))), fill=_colour(rng, 50, 75, 50))
    return _textured(image, rng, 30, (7, 5), 13)


def table(rng: Random) -> Image.Image:
    """Plates with food on a checked cloth, seen from above."""
    pitch = int(rng.integers(10, 18))
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    checks = ((x // pitch + y // pitch) % 2)[:, :, np.newaxis]
    cloth = np.where(checks, np.array(_colour(rng, 195, 70, 65)), np.array(_colour(rng, 235, 225, 215)))
    image = Image.fromarray(cloth.astype(np.uint8))
    pen = ImageDraw.Draw(image)
    for centre in rng.uniform((30, 30), (WIDTH - 30, HEIGHT - 30), size=(int(rng.integers(1, 4)), 2)):
        size = rng.uniform(28, 46)
        for share, colour in ((1.0, _colour(rng, 240, 240, 240, 10)), (0.72, _colour(rng, 222, 222, 225, 10))):
            pen.ellipse((*(centre - share * size), *(centre + share * size)), fill=colour)
        for _ in range(int(rng.integers(5, 12))):
            place, bite = centre + rng.uniform(-0.42, 0.42, 2) * size, rng.uniform(4, 10)
            pen.ellipse((*(place - bite), *(place + bite)), fill=_colour(rng, 175, 115, 50, 60))
    return image


FAMILIES = (seaside, skyline, temple, bus, beast, savanna, flower, forest, mountains, table)
