"""
Soft membership and outliers
============================

A fitted :class:`hypercut.HypergraphClustering` also says how sure it is: ``probabilities_`` is the membership of each
sample in each cluster, and ``outlier_scores_`` compares the spacing around a sample with that of its surroundings.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from hypercut import HypergraphClustering

# %%
# Three clouds of unequal density, two of which touch, and twelve scattered samples.

rng = np.random.default_rng(0)
clouds, _ = make_blobs([150, 150, 100], centers=[(0, 0), (4.2, 0), (2, 6)], cluster_std=[1, 1, 0.4], random_state=0)
strays = rng.uniform([-4, -4], [9, 9], size=(12, 2))
X = np.vstack([clouds, strays])

model = HypergraphClustering(n_clusters=3, random_state=0).fit(X)

# %%
# Left, the share of the strongest cluster: samples between the two touching clouds are undecided. Right, the outlier
# scores: about 1 inside a cloud of any density, larger outside.

sure = model.probabilities_.max(axis=1)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained", sharex=True, sharey=True)
first = axes[0].scatter(*X.T, c=sure, s=12, cmap="viridis")
second = axes[1].scatter(*X.T, c=np.clip(model.outlier_scores_, 1, 4), s=12, cmap="magma_r")
for ax, title in zip(axes, ("membership in the strongest cluster", "outlier score, cut at 1 and 4"), strict=True):
    ax.set(title=title, xticks=[], yticks=[])
figure.colorbar(first, ax=axes[0])
figure.colorbar(second, ax=axes[1])

# %%
# The strays have the higher scores, and memberships sum to one.

assert np.median(model.outlier_scores_[len(clouds) :]) > np.median(model.outlier_scores_[: len(clouds)])
np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1, rtol=1e-5)

for score, sample in sorted(zip(model.outlier_scores_, range(len(X)), strict=True), reverse=True)[:5]:
    print(f"sample {sample}: outlier score {score:.1f}" + (" (a stray)" if sample >= len(clouds) else ""))
