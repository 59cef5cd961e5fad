"""Each hypergraph alone, and the best pair, against the paper's pairs of weights."""

import pytest

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.weights import tuned_gains
from hypercut.report.sections.weights import alone_table, tuned_table
from tests import rows as fake


def swept(scores: dict[tuple[float, float], float]) -> Evidence:
    """ORL with the given NMI at each pair (α, β)."""
    rows = [fake.sweep_row("orl", "weights", score, alpha=alpha, beta=beta) for (alpha, beta), score in scores.items()]
    return Evidence(fake.frame([fake.row("orl", "clean", "PKO+HSC", 0.5), *rows]), fake.run())


def test_a_hypergraph_alone_is_bold_where_it_is_the_best_of_all_pairs() -> None:
    table = alone_table(swept({(0.4, 0.4): 0.5, (0.2, 0.2): 0.6, (0.0, 1.0): 0.7, (1.0, 0.0): 0.3}))
    assert table.columns[1:] == [
        "the paper's pairs",
        "pairwise alone",
        "kNN alone",
        "over-clustering alone",
        "all pairs",
    ]
    ((heading, *cells),) = table.rows
    assert heading.text == "ORL"
    assert [cell.text for cell in cells] == ["0.600", "0.300", "0.700", "–", "0.700"]
    assert [cell.best for cell in cells] == [False, False, True, False, False]


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
