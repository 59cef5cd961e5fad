"""Costs of one clustering."""

from hypercut.analysis.costs import clustering_costs
from hypercut.analysis.evidence import Evidence
from tests import rows as fake


def test_costs_are_processor_time_and_the_wall_time_beside_it():
    """The ratio of processor to wall time of over-clusterings is that of the clusterings that used them."""
    times = {"cpu_seconds": 1.0, "wall_seconds": 2.0, "shared_seconds": 6.0}
    rows = [fake.row("iris", "clean", name, 0.5, **times) for name in ("PKO+HSC", "PKO+NC")]
    rows += [fake.row("iris", "clean", "CSC", 0.5, cpu_seconds=1.0, wall_seconds=9.0, shared_seconds=0.0)]
    found = clustering_costs(Evidence(fake.frame(rows), fake.run())).set_index("algorithm")
    assert found.loc["PKO+HSC", ["cpu_seconds", "own_cpu_seconds", "wall_seconds"]].tolist() == [4.0, 1.0, 8.0]
    assert found.loc["CSC", ["cpu_seconds", "own_cpu_seconds", "wall_seconds"]].tolist() == [1.0, 1.0, 9.0]
