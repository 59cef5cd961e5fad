"""Weights chosen by the labels."""

import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.weights import tuned_gains
from hypercut.report.sections.weights import tuned_table
from tests import rows as fake


def test_tuned_weights_are_the_best_of_the_papers_pairs_and_not_of_others() -> None:
    sets = ["iris", "orl", "mnist", "corel", "usps"]
    rows = fake.scores({name: {"PKO+HSC": 0.4, "CSC": 0.5} for name in sets})
    rows += [
        fake.sweep_row(name, "weights", score, alpha=alpha, beta=beta)
        for name in sets[:-1]
        for (alpha, beta), score in {(0.4, 0.4): 0.45, (0.2, 0.2): 0.6, (0.0, 1.0): 0.9}.items()
    ]
    evidence = Evidence(fake.frame(rows), fake.run())
    gains = tuned_gains(evidence).set_index(["metric", "competitor"]).loc[("nmi", "CSC")]
    assert gains["fixed"] == pytest.approx(-20.0)
    assert gains["tuned"] == pytest.approx(20.0)
    assert gains["n_datasets"] == 4, "without a sweep, a dataset is left out"
    assert tuned_table(evidence).rows[0][1].text == "−20.0 → +20.0"
