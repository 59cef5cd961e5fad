import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypercut import metrics

TRUTH = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
LABELS = [0, 0, 1, 1, 1, 1, 2, 2, 0, 2]

labelings = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12)


def test_a_case_by_hand():
    assert metrics.purity(TRUTH, LABELS) == pytest.approx(8 / 10)
    assert metrics.matched_accuracy(TRUTH, LABELS) == pytest.approx(8 / 10)
    # A cluster that covers two classes: purity forgives a class without a cluster, matching does not.
    assert metrics.purity([0, 0, 1, 1], [0, 1, 2, 2]) == 1
    assert metrics.matched_accuracy([0, 0, 1, 1], [0, 1, 2, 2]) == pytest.approx(3 / 4)


@pytest.mark.parametrize("metric", [metrics.nmi, metrics.purity, metrics.matched_accuracy, metrics.ari, metrics.ami])
def test_labels_that_cannot_be_compared(metric):
    with pytest.raises(ValueError, match=r"\[3, 2\]"):
        metric([0, 1, 2], [0, 1])
    with pytest.raises(ValueError, match="NaN"):
        metric([0.0, np.nan], [0, 1])


@given(labelings)
def test_nmi_is_the_papers_formula(pairs):
    truth, labels = map(list, zip(*pairs, strict=True))
    m = len(pairs)
    information, entropies = 0.0, [0.0, 0.0]
    for i, j in itertools.product(range(4), repeat=2):
        q, mi, mj = pairs.count((i, j)), truth.count(i), labels.count(j)
        information += q / m * math.log((q / m) / (mi / m * mj / m)) if q else 0
    for side, values in enumerate((truth, labels)):
        entropies[side] = -sum(values.count(i) / m * math.log(values.count(i) / m) for i in set(values))
    if all(entropies):
        assert metrics.nmi(truth, labels) == pytest.approx(information / math.sqrt(math.prod(entropies)), abs=1e-9)


def mutual_information(pairs):
    m, truth, labels = len(pairs), *map(list, zip(*pairs, strict=True))
    return sum(
        q / m * math.log(q * m / (truth.count(i) * labels.count(j)))
        for i, j in set(pairs)
        for q in [pairs.count((i, j))]
    )


@pytest.mark.parametrize(
    ("truth", "labels"), [([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]), ([0, 0, 0, 1, 1], [0, 1, 0, 1, 2])]
)
def test_ami_is_information_above_its_mean_over_all_permutations(truth, labels):
    expected = np.mean([mutual_information(list(zip(truth, p, strict=True))) for p in itertools.permutations(labels)])
    found = mutual_information(list(zip(truth, labels, strict=True)))
    entropies = [mutual_information(list(zip(side, side, strict=True))) for side in (truth, labels)]
    assert metrics.ami(truth, labels) == pytest.approx((found - expected) / (np.mean(entropies) - expected))


@given(labelings)
def test_purity_and_matching_by_brute_force(pairs):
    truth, labels = map(list, zip(*pairs, strict=True))
    majority = sum(max(pairs.count((i, j)) for i in range(4)) for j in range(4))
    assert metrics.purity(truth, labels) == pytest.approx(majority / len(pairs))
    best = max(sum(pairs.count((i, j)) for j, i in enumerate(match)) for match in itertools.permutations(range(4)))
    assert metrics.matched_accuracy(truth, labels) == pytest.approx(best / len(pairs))


@given(labelings, st.permutations(range(4)))
def test_names_of_clusters_do_not_matter(pairs, names):
    truth, labels = map(np.array, zip(*pairs, strict=True))
    renamed = np.array(names)[labels]
    for name, value in metrics.evaluate(truth, labels).items():
        assert metrics.evaluate(truth, renamed)[name] == pytest.approx(value)


def test_the_truth_is_perfect():
    assert metrics.evaluate(TRUTH, TRUTH) == {"nmi": 1, "purity": 1, "matched_accuracy": 1, "ari": 1, "ami": 1}
