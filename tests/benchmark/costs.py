"""Costs that are easy to add up by hand, for tests of what is made of them."""

from hypercut.benchmark.cost import DISTANCES, OVERCLUSTERING, SCORES, Cost, Costs


def constant(seconds: float, *, scaled: bool = False, spread: float = 1.0) -> Cost:
    """Return a cost that is the same at every size."""
    return Cost(seconds, 0.0, 0.0, 0.0, 0.0, spread=spread, scaled=scaled)


COSTS = Costs(
    reference_seconds=1.0,
    job_seconds=2.0,
    by_name={
        "PKO+HSC": constant(1.0, scaled=True),
        "CSC": constant(1.0, scaled=True, spread=2.0),
        "STSC": constant(3.0),
        OVERCLUSTERING: Cost(0.0, 4.0, 0.0, 0.0, 1.0, spread=1.0, scaled=False),  # 4 s at K = 10
        DISTANCES: constant(0.25),
        SCORES: constant(0.5),
    },
)
