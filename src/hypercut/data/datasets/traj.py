"""Trajectories: 50 generated families of paths through a scene.

The paper's dataset was never published. A family is a path given as steps, each with a distance and a change of
direction. Its 50 trajectories vary the distances and angles, the size, direction and place, the speed profile and the
number of points (40 to 200), and add sensor noise.
"""

import numpy as np

from hypercut.data.collection import Collection, numbered
from hypercut.data.dataset import GENERATED_TERMS, Dataset
from hypercut.data.features.dft import dft_features
from hypercut.data.sources import Generated
from hypercut.seeds import stream

VERSION = "generator 1"
PER_FAMILY = 50
MIN_POINTS, MAX_POINTS = 40, 200

# Variation within a family. Chosen so that similar families just begin to overlap: the nearest neighbour in DFT
# features is of the same family for about 96 in 100 trajectories.
STEP_SPREAD = 0.05  # of each distance and angle, relative
SIZE_SPREAD = 0.08  # relative
ROTATION_SPREAD = np.radians(6)
PLACE_SPREAD = 0.035  # in units of the path's size
SPEED_SPREAD = 0.25  # of the logarithm of the speed, for each of three slow waves
SENSOR_NOISE = 0.006  # in units of the path's size

_SAMPLES_OF_A_PATH = 600

Step = tuple[float, float]
"""a distance, and the angle in degrees (positive to the left) by which the direction changes along it"""


def _ahead(distance: float) -> list[Step]:
    return [(distance, 0.0)]


def _bend(angle: float, radius: float = 0.15) -> list[Step]:
    return [(abs(np.radians(angle)) * radius, angle)]


def _spiral(turns: float, first: float, last: float) -> list[Step]:
    """Return quarter circles with radii from ``first`` to ``last``; a negative number of turns goes right."""
    quarters = round(abs(turns) * 4)
    return [step for radius in np.linspace(first, last, quarters) for step in _bend(np.copysign(90, turns), radius)]


def _zigzag(teeth: int, angle: float, distance: float) -> list[Step]:
    steps = _bend(angle / 2, 0.02) + _ahead(distance)
    for tooth in range(teeth - 1):
        steps += _bend(-angle if tooth % 2 == 0 else angle, 0.02) + _ahead(distance)
    return steps


def _polygon(corners: int, side: float, sense: int = 1) -> list[Step]:
    return (_ahead(side) + _bend(sense * 360 / corners, 0.08)) * corners


def _lane_change(sense: int) -> list[Step]:
    return _bend(sense * 60, 0.3) + _bend(-sense * 60, 0.3)


def _roundabout(angle: float) -> list[Step]:
    """Return the steps into a roundabout, around it by ``angle``, and out."""
    return _ahead(0.5) + _bend(-50, 0.12) + _bend(angle + 10, 0.25) + _bend(-50, 0.12) + _ahead(0.5)


# name → initial direction in degrees (0 is to the right, 90 up), steps
FAMILIES: dict[str, tuple[float, list[Step]]] = {
    "line, to the right": (0, _ahead(1)),
    "line, up": (90, _ahead(1)),
    "line, down to the left": (225, _ahead(1)),
    "left turn": (0, _ahead(0.5) + _bend(90) + _ahead(0.5)),
    "right turn": (0, _ahead(0.5) + _bend(-90) + _ahead(0.5)),
    "left turn, late, from above": (270, _ahead(0.9) + _bend(90) + _ahead(0.3)),
    "right turn, early, from above": (270, _ahead(0.3) + _bend(-90) + _ahead(0.9)),
    "sharp left turn": (0, _ahead(0.6) + _bend(140, 0.05) + _ahead(0.6)),
    "wide bend to the left": (315, _bend(120, 0.6)),
    "wide bend to the right, leftwards": (180, _bend(-120, 0.6)),
    "U-turn to the left": (0, _ahead(0.6) + _bend(180, 0.12) + _ahead(0.6)),
    "U-turn to the right": (0, _ahead(0.6) + _bend(-180, 0.12) + _ahead(0.6)),
    "wide U-turn, upwards": (90, _ahead(0.4) + _bend(180, 0.35) + _ahead(0.4)),
    "hook": (90, _ahead(0.9) + _bend(200, 0.15)),
    "S-bend, left then right": (0, _bend(100, 0.25) + _bend(-200, 0.25) + _bend(100, 0.25)),
    "S-bend, right then left": (0, _bend(-100, 0.25) + _bend(200, 0.25) + _bend(-100, 0.25)),
    "S, written from the top": (180, _bend(230, 0.25) + _bend(-230, 0.25)),
    "lane change to the left": (0, _ahead(0.5) + _lane_change(1) + _ahead(0.5)),
    "lane change to the right, leftwards": (180, _ahead(0.5) + _lane_change(-1) + _ahead(0.5)),
    "overtaking, upwards": (90, _ahead(0.3) + _lane_change(1) + _ahead(0.3) + _lane_change(-1) + _ahead(0.3)),
    "swerve, downwards": (270, _ahead(0.4) + _lane_change(1) + _lane_change(-1) + _ahead(0.4)),
    "loop to the left": (0, _ahead(0.6) + _bend(360, 0.2) + _ahead(0.6)),
    "loop to the right": (0, _ahead(0.6) + _bend(-360, 0.2) + _ahead(0.6)),
    "loop at the end": (90, _ahead(0.9) + _bend(330, 0.22)),
    "two loops, upwards": (90, _ahead(0.3) + _bend(360, 0.16) + _ahead(0.5) + _bend(360, 0.16) + _ahead(0.3)),
    "clover leaf": (0, _ahead(0.6) + _bend(-270, 0.2) + _ahead(0.6)),
    "spiral inwards, left": (0, _spiral(2.5, 0.5, 0.08)),
    "spiral inwards, right": (0, _spiral(-2.5, 0.5, 0.08)),
    "spiral outwards, left": (180, _spiral(2.5, 0.08, 0.5)),
    "spiral outwards, right": (180, _spiral(-2.5, 0.08, 0.5)),
    "zig-zag, three strokes": (0, _zigzag(3, 120, 0.6)),
    "zig-zag, five strokes, leftwards": (180, _zigzag(5, 120, 0.5)),
    "zig-zag, four strokes, downwards": (270, _zigzag(4, 120, 0.5)),
    "steep zig-zag, six strokes": (0, _zigzag(6, 150, 0.6)),
    "figure eight, lying": (45, _ahead(0.25) + _bend(-270, 0.25) + _ahead(0.5) + _bend(270, 0.25) + _ahead(0.25)),
    "figure eight, standing": (135, _ahead(0.25) + _bend(-270, 0.25) + _ahead(0.5) + _bend(270, 0.25) + _ahead(0.25)),
    "figure eight, from its end": (
        90,
        _bend(135, 0.25) + _ahead(0.5) + _bend(-270, 0.25) + _ahead(0.5) + _bend(135, 0.25),
    ),
    "roundabout from above, first exit": (270, _roundabout(0)),
    "roundabout from the right, second exit": (180, _roundabout(90)),
    "roundabout from below, third exit": (90, _roundabout(180)),
    "roundabout from above, back": (270, _roundabout(270)),
    "circle, left": (0, _bend(360, 0.5)),
    "circle, right": (0, _bend(-360, 0.5)),
    "square, left": (0, _polygon(4, 0.7)),
    "square, right": (90, _polygon(4, 0.7, -1)),
    "triangle": (0, _polygon(3, 0.8)),
    "star": (0, (_ahead(0.9) + _bend(144, 0.03)) * 5),
    "stairs, up": (0, (_ahead(0.3) + _bend(90, 0.04) + _ahead(0.3) + _bend(-90, 0.04)) * 3),
    "stairs, down": (0, (_ahead(0.3) + _bend(-90, 0.04) + _ahead(0.3) + _bend(90, 0.04)) * 3),
    "waves": (75, (_bend(-150, 0.15) + _bend(150, 0.15)) * 2),
}


def generate() -> Collection:
    """Return all trajectories, (points, 2) each, family by family."""
    trajectories = [
        _trajectory(heading, steps, stream("traj", "generator", family, number))
        for family, (heading, steps) in FAMILIES.items()
        for number in range(PER_FAMILY)
    ]
    return numbered(trajectories, np.repeat(np.arange(len(FAMILIES)), PER_FAMILY))


def _trajectory(heading: float, steps: list[Step], rng: np.random.Generator) -> np.ndarray:
    spread = 1 + STEP_SPREAD * rng.standard_normal((len(steps), 2))
    path = _path(np.radians(heading), np.array(steps) * spread)
    ideal = _path(np.radians(heading), np.array(steps))
    # Centre and size are those of the family's ideal path, not of this one.
    middle, size = (ideal.min(axis=0) + ideal.max(axis=0)) / 2, np.ptp(ideal, axis=0).max()
    path = (path - middle) / size

    points = path[_positions(int(rng.integers(MIN_POINTS, MAX_POINTS + 1)), rng)]
    angle = ROTATION_SPREAD * rng.standard_normal()
    rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    points = points @ rotation * (1 + SIZE_SPREAD * rng.standard_normal())
    points += 0.5 + PLACE_SPREAD * rng.standard_normal(2)
    return np.asarray(points + SENSOR_NOISE * rng.standard_normal(points.shape))


def _path(heading: float, steps: np.ndarray) -> np.ndarray:
    """Return points at equal distances along the path of the steps, (_SAMPLES_OF_A_PATH, 2)."""
    ends = np.cumsum(steps[:, 0])
    distance = np.linspace(0, ends[-1], _SAMPLES_OF_A_PATH)
    directions = heading + np.radians(np.concatenate([[0], np.cumsum(steps[:, 1])]))
    direction = np.interp(distance, np.concatenate([[0], ends]), directions)
    pace = distance[1] * np.stack([np.cos(direction), np.sin(direction)], axis=1)
    return np.asarray(np.cumsum(pace, axis=0))


def _positions(points: int, rng: np.random.Generator) -> np.ndarray:
    """Return the indices on the path of the points, for a speed that varies slowly."""
    time = np.linspace(0, 1, points)
    waves = np.stack([np.cos(np.pi * wave * time) for wave in (1, 2, 3)])
    speed = np.exp(SPEED_SPREAD * rng.standard_normal(3) @ waves)
    progress = np.concatenate([[0], np.cumsum((speed[1:] + speed[:-1]) / 2)])
    return np.asarray(np.round(progress / progress[-1] * (_SAMPLES_OF_A_PATH - 1)), dtype=int)


DATASET = Dataset(
    name="traj",
    title="Generated trajectories of 50 families, 18 DFT coefficients",
    samples=2500,
    features=18,
    classes=50,
    value_range=(-1, 2),
    terms=GENERATED_TERMS,
    sources=(Generated(generate, "generated", "generator of 50 families of paths", VERSION),),
    describe=dft_features,
)
