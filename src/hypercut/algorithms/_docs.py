"""Parameters, attributes and an example for the docstrings of the algorithms over the shared core."""

import inspect

PARAMETERS = {
    "n_clusters": """int, default=8
    Number of clusters K.""",
    "sigma_factor": """float or "auto", default="auto"
    σ/ρ, the σ of the kernel relative to the mean distance ρ between samples. With small values only near neighbours are
    similar, and outliers are isolated; large values blur the clusters. Try 0.2 to 1. "auto" tries the fifteen values of
    the paper and chooses one without labels, see :func:`hypercut.selection.select_sigma`.""",
    "alpha": """float, default=0.4
    Weight of the pairwise hypergraph A.""",
    "beta": """float, default=0.4
    Weight of the kNN hypergraph B; the over-clustering hypergraph C has the weight 1 − α − β. The paper's (α, β) are
    (0.4, 0.4), and (0.6, 0.2) for faces and trajectories.""",
    "n_neighbors": """int, default=3
    Neighbours in a kNN hyperedge. More of them smooth the clusters over larger neighbourhoods. Try 3 to 10.""",
    "communities_per_cluster": """int, default=2
    Clusters in an over-clustering per requested cluster. Fewer give broader contexts. Try 2 to 6.""",
    "diagonal": """{"one", "zero", "degrees"}, default="one"
    Self-similarity in A, B and C: 1, or 0. "degrees" is Eq. (4), HΣHᵀ, taken literally: the diagonal of A is the
    degree, and B and C keep 1.""",
    "center": """bool, default=True
    Whether a vertex is in its own kNN hyperedge.""",
    "balance": """{None, "degree", "norm", "cut"}, default=None
    What A, B and C are divided by before they are added: nothing, their mean degree, their Frobenius norm or, from both
    sides, the square roots of their degrees. A has by far the largest degrees, so it dominates the sum by default.""",
    "overclustering_sigma_factor": """float or None, default=None
    σ/ρ of the over-clusterings; None uses the σ/ρ of the kernel.""",
    "overcluster_by": """{"spectral", "kmeans"}, default="spectral"
    How communities are found: two over-clusterings by CSC and by Yu–Shi on A, or one by k-means on the features.""",
    "pairwise_neighbors": """int or None, default=None
    A keeps the edges between a vertex and this many nearest others, in either direction; None keeps all edges.""",
    "newton_steps": """int or None, default=None
    Number of Newton steps from the normalised-cut vectors; None iterates until convergence.""",
    "rescaled": """bool, default=False
    Whether the trace ratio is that of D^−½SD^−½, in which all vertices have degrees near 1.""",
    "assign_labels": """str, default="discretize" ("rotate" in STSC)
    How labels are read from the vectors; "kmeans" is k-means on their unit rows.""",
    "n_starts": """int, default=10
    Number of starts of the discretisation or of k-means; the best is kept.""",
    "walk_steps": """int, default=1
    Steps m of the random walk in S = P^m A (P^m)ᵀ.""",
    "cut": """{"trace ratio", "normalized"}, default="trace ratio"
    The criterion of the cut.""",
    "noise_cluster": """bool, default=False
    Whether to find K + 1 clusters and move the samples of the one nearest to the origin to the others.""",
    "affinity": """{"euclidean", "precomputed_distances"}, default="euclidean"
    What ``X`` holds: features or distances.""",
    "random_state": """int, RandomState or None, default=None
    Seed of the starts of the eigensolver, the discretisation and k-means.""",
}

ATTRIBUTES = """
Attributes
----------
labels_ : ndarray of shape (n_samples,)
    Cluster of each sample.
embedding_ : ndarray of shape (n_samples, n_clusters)
    The vectors from which the labels are read.
n_iter_ : int
    Iterations of the outer loop: Newton steps of the trace ratio, or steps of the discretisation, k-means or
    rotation.
status_ : {"ok", "degenerate", "not_converged", "trivial"}
    ``degenerate`` if the graph has at least K components or there are at most K distinct samples, ``trivial`` for a
    single cluster.
solver_ : dict
    Path, products, residual and gap of the eigensolver, see :mod:`hypercut.core.eigen`.
affinity_scale_ : float, or ndarray of shape (n_samples,)
    σ, or the local σ_i of an algorithm without a global one, in the units of the data."""

SIGMA_FACTOR = """
sigma_factor_ : float
    σ/ρ, given or chosen."""


EXAMPLES = """
Examples
--------
>>> from hypercut import {name}, metrics
>>> metrics.ari([0, 0, 0, 1, 1, 1], {name}(2, random_state=0).fit_predict([[0], [1], [2], [50], [51], [52]]))
1.0
"""


def with_shared_sections(cls: type) -> str | None:
    """Return the docstring of an algorithm followed by its parameters, attributes and an example."""
    own = cls.__dict__.get("__doc__")
    if own is None or "name" not in cls.__dict__ or "\n    Parameters\n" in own:
        return own
    declared = {name for base in cls.__mro__ for name in inspect.get_annotations(base)}
    if not getattr(cls, "has_sigma", False):
        declared.discard("sigma_factor")
    parameters = [f"{name} : {text}" for name, text in PARAMETERS.items() if name in declared]
    attributes = ATTRIBUTES + (SIGMA_FACTOR if "sigma_factor" in declared else "")
    sections = ["", "Parameters", "----------", *parameters, attributes, EXAMPLES.format(name=cls.__name__)]
    return "\n".join([inspect.cleandoc(own), *sections])
