"""The parameters, attributes and example in the docstrings of the algorithms over the shared core."""

import inspect

PARAMETERS = {
    "n_clusters": """int, default=8
    Number of clusters K.""",
    "sigma_factor": """float or "auto", default="auto"
    Scale of the kernel, σ/ρ with ρ the mean distance between samples. Small values see only near neighbours and isolate
    outliers; large ones blur the clusters. Worth trying: 0.2 to 1. "auto" tries the fifteen values of the paper and
    chooses without labels, see :func:`hypercut.selection.select_scale`.""",
    "alpha": """float, default=0.4
    Weight of the pairwise hypergraph A.""",
    "beta": """float, default=0.4
    Weight of the kNN hypergraph B; the over-clustering hypergraph C has 1 − α − β. The paper uses (0.4, 0.4) and, for
    faces and trajectories, (0.6, 0.2).""",
    "n_neighbors": """int, default=3
    Neighbours in a kNN hyperedge. More of them smooth the clusters over larger neighbourhoods. Try 3 to 10.""",
    "communities_per_cluster": """int, default=2
    Communities of the over-clusterings, per cluster. Fewer give broader contexts. Worth trying: 2 to 6.""",
    "diagonal": """{"one", "zero", "degrees"}, default="one"
    Self-similarity in A, B and C; "degrees" is that of HΣHᵀ taken literally, in A alone.""",
    "center": """bool, default=True
    Whether a vertex is in its own kNN hyperedge.""",
    "balance": """{None, "degree", "norm", "cut"}, default=None
    What A, B and C are divided by before they are summed: nothing, their mean degree, their Frobenius norm, or on both
    sides the square roots of their degrees. A has by far the largest degrees, so that without balance it dominates.""",
    "community_factor": """float or None, default=None
    Scale σ/ρ at which the over-clusterings are found; None for that of the kernel.""",
    "newton_steps": """int or None, default=None
    Steps of the trace ratio from the normalised-cut vectors; None for convergence.""",
    "assign_labels": """str, default="discretize", of STSC "rotate"
    How labels are read from the vectors; "kmeans" for k-means on the unit rows instead.""",
    "n_starts": """int, default=10
    Starts of the discretisation or of k-means, of which the best is kept.""",
    "walk_steps": """int, default=1
    Steps m of the random walk in S = P^m A (P^m)ᵀ.""",
    "cut": """{"trace ratio", "normalized"}, default="trace ratio"
    The criterion that is cut by.""",
    "noise_cluster": """bool, default=False
    Whether one cluster more is sought, and the samples of the one nearest to the origin go to the nearest other.""",
    "affinity": """{"euclidean", "precomputed_distances"}, default="euclidean"
    Whether ``fit`` gets features or distances.""",
    "random_state": """int, RandomState or None, default=None
    Seed of the starts of the eigensolver, the discretisation and k-means.""",
}

ATTRIBUTES = """
Attributes
----------
labels_ : ndarray of shape (n_samples,)
    Cluster of each sample.
embedding_ : ndarray of shape (n_samples, n_clusters)
    Vectors that the labels are read from.
n_iter_ : int
    Iterations of the outermost loop: Newton steps of the trace ratio, or steps of the discretisation, k-means or
    rotation.
status_ : {"ok", "degenerate", "not_converged", "trivial"}
    ``degenerate`` if the graph has at least K components or there are at most K distinct samples, ``trivial`` for a
    single cluster.
solver_ : dict
    Path, products, residual and gap of the eigensolver, see :mod:`hypercut.core.eigen`.
affinity_scale_ : float, or ndarray of shape (n_samples,)
    σ, or the local scales of an algorithm without a global one, in the units of the data."""

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
    parameters = [f"{name} : {text}" for name, text in PARAMETERS.items() if name in declared]
    attributes = ATTRIBUTES + (SIGMA_FACTOR if "sigma_factor" in declared else "")
    sections = ["", "Parameters", "----------", *parameters, attributes, EXAMPLES.format(name=cls.__name__)]
    return "\n".join([inspect.cleandoc(own), *sections])
