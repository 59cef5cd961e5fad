"""PKO+HSC: the paper's algorithm (alg:Framwork)."""

from hypercut.algorithms._hypergraph import CombinedEstimator


class PKOHSC(CombinedEstimator):
    """PKO+HSC: pairwise, kNN and over-clustering hypergraphs, cut by the trace ratio.

    The similarity is S = αA + βB + (1 − α − β)C (eq:hyper_similarity_measure).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    sigma_factor : float or "auto", default="auto"
        Scale of the kernel, σ/ρ with ρ the mean distance between samples. Small values see only near neighbours and
        isolate outliers; large ones blur the clusters. Worth trying: 0.2 to 1. "auto" tries the fifteen values of the
        paper and chooses without labels, see :func:`hypercut.selection.select_scale`.
    alpha, beta : float, default=0.4
        Weights of the pairwise and the kNN hypergraph; the over-clustering hypergraph has 1 − α − β. The paper uses
        (0.4, 0.4) and, for faces and trajectories, (0.6, 0.2).
    n_neighbors : int, default=3
        Neighbours in a kNN hyperedge. More of them smooth the clusters over larger neighbourhoods. Worth trying: 3 to
        10.
    communities_per_cluster : int, default=2
        Communities of the over-clusterings, per cluster. Fewer give broader contexts. Worth trying: 2 to 6.
    affinity : {"euclidean", "precomputed_distances"}, default="euclidean"
        Whether ``fit`` gets features or distances.
    random_state : int, RandomState or None, default=None
        Seed of the starts of the discretisation and of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Vectors that the labels are read from.
    n_iter_ : int
        Iterations of the outermost loop: Newton steps of the trace ratio; for other algorithms, steps of the
        discretisation, of k-means or of the rotation.
    status_ : {"ok", "degenerate", "not_converged", "trivial"}
        ``degenerate`` if the graph has at least K components or there are at most K distinct samples, ``trivial`` for
        a single cluster.
    solver_ : dict
        Path, products, residual and gap of the eigensolver, see :mod:`hypercut.core.eigen`.
    sigma_factor_ : float
        σ/ρ, given or chosen.
    affinity_scale_ : float
        σ, in the units of the data.

    Examples
    --------
    >>> from hypercut import PKOHSC
    >>> model = PKOHSC(2, random_state=0).fit([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> (model.labels_ == model.labels_[0]).tolist()
    [True, True, True, False, False, False]
    >>> model.sigma_factor_
    0.2
    """

    name = "PKO+HSC"
    uses = ("weights", "communities")
