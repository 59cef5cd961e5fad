"""Agreement of a clustering with the true classes.

Every metric takes two array-likes of shape (n_samples,): ``truth``, the class of each sample, and ``labels``, its
cluster. It is 1 if the two are the same partition.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_array, check_consistent_length


def nmi(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return the normalised mutual information I(X, Y) / √(H(X) H(Y)), as the paper defines it.

    >>> round(nmi([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.816
    """
    return float(normalized_mutual_info_score(truth, labels, average_method="geometric"))


def purity(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return the share of samples in the majority class of their cluster; the paper calls it accuracy.

    Splitting a cluster never lowers purity, so it favours methods that return many small clusters;
    :func:`matched_accuracy` does not.

    >>> purity([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    counts = _counts(truth, labels)
    return float(counts.max(axis=0).sum() / counts.sum())


def matched_accuracy(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return the share of correct samples under the best one-to-one matching of clusters and classes.

    >>> matched_accuracy([0, 0, 1, 1], [0, 0, 1, 2])
    0.75
    """
    counts = _counts(truth, labels)
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum())


def ari(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return the adjusted Rand index: 0 on average for random labels, 1 for the same partition.

    >>> round(ari([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.571
    """
    return float(adjusted_rand_score(truth, labels))


def ami(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return the adjusted mutual information: 0 on average for random labels, 1 for the same partition.

    It is (I − E) / (½(H(X) + H(Y)) − E), where E is the mean of I over random labels with the same cluster sizes. The
    normalisation is the arithmetic mean of the entropies, scikit-learn's default. Unlike NMI, AMI does not increase
    when the clusters have few samples.

    >>> round(ami([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.571
    """
    return float(adjusted_mutual_info_score(truth, labels))


def evaluate(truth: ArrayLike, labels: ArrayLike) -> dict[str, float]:
    """Return every metric by name.

    >>> evaluate([0, 0, 1, 1], [1, 1, 0, 0])
    {'nmi': 1.0, 'purity': 1.0, 'matched_accuracy': 1.0, 'ari': 1.0, 'ami': 1.0}
    """
    return {metric.__name__: metric(truth, labels) for metric in (nmi, purity, matched_accuracy, ari, ami)}


def _counts(truth: ArrayLike, labels: ArrayLike) -> NDArray[np.int64]:
    """Return the number of samples of each class (rows) in each cluster (columns)."""
    # nmi, ari and ami check their input; contingency_matrix would treat NaN as a class.
    truth, labels = (check_array(given, ensure_2d=False, dtype=None) for given in (truth, labels))
    check_consistent_length(truth, labels)
    counts: NDArray[np.int64] = contingency_matrix(truth, labels)
    return counts
