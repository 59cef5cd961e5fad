"""
The three hypergraphs of the paper
==================================

The paper's similarity S = αA + βB + γC combines three hypergraphs. This example draws their hyperedges around two
samples, as in the paper's illustrations, and the four similarity matrices.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle
from sklearn.datasets import make_moons

from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples

# %%
# Two moons, sorted by class so that the matrices have two blocks. The distances are computed once, the hypergraphs at
# one scale σ = 0.4ρ, with ρ the mean distance.

K, NEIGHBORS, COMMUNITIES = 2, 3, 4
X, y = make_moons(60, noise=0.06, random_state=1)
X, y = X[np.argsort(y, kind="stable")], np.sort(y)
samples = Samples.from_features(X)
hypergraphs = Hypergraphs(samples, 0.4 * samples.mean_distance)

A = hypergraphs.pairwise.dense()
B = hypergraphs.knn(NEIGHBORS).dense()
C = hypergraphs.overclustering(COMMUNITIES * K, seed=0).dense()
S = 0.4 * A + 0.4 * B + 0.2 * C

# %%
# Hyperedges
# ----------
# *Pairwise*: every pair of samples is a hyperedge, weighted by the Gaussian kernel. *kNN*: every sample with its three
# nearest others; those that contain one of the two marked samples are drawn. *Over-clustering*: communities, more than
# there are clusters, by classic spectral clustering and by the multi-class cut of Yu and Shi; the two that contain a
# marked sample are drawn for the first of them.

marked = np.array([15, 45])
colors = ["#0072B2", "#D55E00"]
figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained", sharex=True, sharey=True)
for ax, title in zip(axes, ("pairwise", "kNN, k = 3", "over-clustering"), strict=True):
    ax.scatter(*X.T, s=12, color="#999999")
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])

for sample, color in zip(marked, colors, strict=True):
    for other in range(len(X)):
        axes[0].plot(*X[[sample, other]].T, color=color, alpha=A[sample, other], lw=1)

nearest = samples.nearest(NEIGHBORS)
for sample, color in zip(marked, colors, strict=True):
    for centre in range(len(X)):
        edge = [centre, *nearest[centre]]
        if sample in edge:
            middle = X[edge].mean(axis=0)
            radius = np.linalg.norm(X[edge] - middle, axis=1).max() + 0.04
            axes[1].add_patch(Circle(middle, radius, color=color, fill=False, lw=1))

communities, _ = hypergraphs.overclusterings(COMMUNITIES * K, seed=0)
for sample, color in zip(marked, colors, strict=True):
    axes[2].scatter(*X[communities == communities[sample]].T, s=60, facecolors="none", edgecolors=color)

for ax in axes:
    ax.scatter(*X[marked].T, s=50, color=colors, zorder=3)

# %%
# Similarities
# ------------
# A is dense and smooth; B is sparse and local; C joins whole communities. A row of A sums to far more than one of B: in
# S = αA + βB + γC as printed, the kernel dominates. See the reading ``balance-degree``.

figure, axes = plt.subplots(1, 4, figsize=(10, 2.9), layout="constrained")
for ax, (name, matrix) in zip(axes, {"A": A, "B": B, "C": C, "S": S}.items(), strict=True):
    picture = ax.imshow(matrix, vmin=0, vmax=1, cmap="viridis")
    ax.set(title=f"{name}, mean degree {matrix.sum(axis=1).mean():.1f}", xticks=[], yticks=[])
figure.colorbar(picture, ax=axes, shrink=0.8)

# %%
# All four are symmetric with ones on the diagonal, and similar samples share a moon:

for matrix in (A, B, C, S):
    assert np.allclose(matrix, matrix.T)
    assert np.allclose(matrix.diagonal(), 1)
    assert matrix[y[:, None] == y].mean() > matrix[y[:, None] != y].mean()
