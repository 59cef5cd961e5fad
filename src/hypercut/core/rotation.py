"""The rotation of eigenvectors by Zelnik-Manor and Perona, after which each row has one large element."""

from dataclasses import dataclass

import numpy as np

from hypercut.core.samples import Array, IntArray

# Disjoint pairs of axes (i, j), as two index arrays: the planes of rotations that commute.
Plane = tuple[IntArray, ...]

MAX_STEPS = 500
# The descent ends when a step lowers the cost by less than this fraction.
TOLERANCE = 1e-7
# Armijo's condition: a step must achieve at least this share of the decrease that its slope predicts.
SUFFICIENT = 1e-4
SMALLEST_STEP = 1e-12
# Angle of the second start in radians, used if the slope at the first is zero.
ASIDE = 0.1


@dataclass(frozen=True)
class Rotation:
    """Rotated vectors Z, the cost at the start and after each step (never rising), and the labels argmax Z²_ij."""

    vectors: Array
    costs: list[float]
    labels: IntArray

    @property
    def n_iter(self) -> int:
        """Number of descent steps."""
        return len(self.costs) - 1


def align(vectors: Array) -> Rotation:
    """Minimise J = Σ_ij Z²_ij / max_j Z²_ij over Z = V·∏ Givens(θ), by gradient descent from θ = 0.

    J is at least the number of rows, and equal to it if every row has a single non-zero element. Costs are J divided by
    the number of rows. Zero rows are ignored.

    Data that equal their mirror image have J(θ) = J(−θ), so θ = 0 can be a maximum or saddle with zero slope. A second
    descent then starts at a small angle, and is used if its cost is lower.
    """
    rows = vectors[vectors.any(axis=1)]
    planes = rotation_planes(vectors.shape[1])
    zero = np.zeros((len(planes), len(planes[0][0])))
    angles, costs = _descend(rows, planes, zero)
    if len(costs) == 1:
        aside, aside_costs = _descend(rows, planes, zero + ASIDE)
        if aside_costs[-1] < costs[0] * (1 - TOLERANCE):
            angles, costs = aside, aside_costs
    rotated = vectors @ givens_product(angles, planes)
    return Rotation(rotated, costs, np.argmax(rotated**2, axis=1))


def _descend(rows: Array, planes: list[Plane], angles: Array) -> tuple[Array, list[float]]:
    """Return the final angles, and the cost at the start and after each step."""
    rotation = givens_product(angles, planes)
    cost, slope = cost_and_slope(rows, rotation, angles, planes)
    costs = [cost]
    step = 1.0
    for _ in range(MAX_STEPS):
        steepness = float(np.sum(slope**2))
        while step * steepness > SMALLEST_STEP:
            rotation = givens_product(angles - step * slope, planes)
            if _cost(rows @ rotation)[0] <= cost - SUFFICIENT * step * steepness:
                break
            step /= 2
        else:
            break
        angles = angles - step * slope
        cost, slope = cost_and_slope(rows, rotation, angles, planes)
        costs.append(cost)
        if costs[-2] - cost <= TOLERANCE * cost:
            break
        step *= 2
    return angles, costs


def rotation_planes(k: int) -> list[Plane]:
    """Return all pairs of K axes as rounds of disjoint pairs, as in a round-robin tournament.

    The rotations of a round commute and are applied at once. The product of rotations in the planes of all pairs, in
    any order, is a chart of the rotations around the identity.
    """
    players = [*range(k), *([k] if k % 2 else [])]  # with an odd number, one sits out each round
    rounds = []
    for _ in range(len(players) - 1):
        half = len(players) // 2
        pairs = [pair for pair in zip(players[:half], reversed(players[half:]), strict=True) if k not in pair]
        rounds.append(tuple(np.array(pairs).T))
        players = [players[0], players[-1], *players[1:-1]]
    return rounds


def givens_product(angles: Array, planes: list[Plane]) -> Array:
    """Return the product of the Givens rotations by ``angles[round, pair]``, round after round."""
    columns = np.eye(max(int(axes.max()) for plane in planes for axes in plane) + 1)  # columns of the product, as rows
    for plane, round_angles in zip(planes, angles, strict=True):
        _rotate(columns, plane, round_angles)
    return columns.T


def cost_and_slope(rows: Array, rotation: Array, angles: Array, planes: list[Plane]) -> tuple[float, Array]:
    """Return J / N and its derivative with respect to every angle; rounds of rotations are undone one by one."""
    cost, derivative = _cost(rows @ rotation)
    columns = rotation.T.copy()
    sensitivity = derivative.T @ rows  # ∂J/∂R, transposed like the columns
    slope = np.empty_like(angles)
    for index in range(len(planes) - 1, -1, -1):
        i, j = planes[index]
        slope[index] = np.sum(sensitivity[i] * columns[j] - sensitivity[j] * columns[i], axis=1)
        _rotate(columns, planes[index], -angles[index])
        _rotate(sensitivity, planes[index], -angles[index])
    return cost, slope


def _rotate(columns: Array, plane: Plane, angles: Array) -> None:
    i, j = plane
    cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
    first, second = columns[i], columns[j]
    columns[i] = cosine * first + sine * second
    columns[j] = cosine * second - sine * first


def _cost(rotated: Array) -> tuple[float, Array]:
    """Return J / N and its derivative with respect to Z."""
    n = np.arange(len(rotated))
    largest = np.argmax(rotated**2, axis=1)
    peak = rotated[n, largest]
    ratios = np.sum(rotated**2, axis=1) / peak**2
    derivative = 2 * rotated / peak[:, None] ** 2
    derivative[n, largest] -= 2 * ratios / peak
    return float(ratios.mean()), derivative / len(rotated)
