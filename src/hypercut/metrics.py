"""How well a clustering agrees with the true classes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_array, check_consistent_length


def nmi(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return I(X, Y) / √(H(X) H(Y)): the paper's normalised mutual information."""
    return float(normalized_mutual_info_score(truth, labels, average_method="geometric"))


def purity(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return the share of samples in the majority class of their cluster: the paper's "accuracy".

    Never falls when a cluster is split, so it flatters methods that return many small clusters;
    :func:`matched_accuracy` does not.
    """
    counts = _counts(truth, labels)
    return float(counts.max(axis=0).sum() / counts.sum())


def matched_accuracy(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return the share of samples right under the best one-to-one matching of clusters and classes."""
    counts = _counts(truth, labels)
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum())


def ari(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return the adjusted Rand index: 0 for chance, 1 for the same partition."""
    return float(adjusted_rand_score(truth, labels))


def evaluate(truth: ArrayLike, labels: ArrayLike) -> dict[str, float]:
    """Return every metric by name."""
    return {metric.__name__: metric(truth, labels) for metric in (nmi, purity, matched_accuracy, ari)}


def _counts(truth: ArrayLike, labels: ArrayLike) -> NDArray[np.int64]:
    """Return the number of samples of each class (rows) in each cluster (columns)."""
    # As nmi and ari do by themselves; the matrix would make a class of a NaN.
    truth, labels = (check_array(given, ensure_2d=False, dtype=None) for given in (truth, labels))
    check_consistent_length(truth, labels)
    counts: NDArray[np.int64] = contingency_matrix(truth, labels)
    return counts
