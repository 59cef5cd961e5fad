"""
A first clustering
==================

:class:`hypercut.HypergraphClustering` needs no parameters: it chooses the metric and the number of clusters from the
data. Here it separates shapes that k-means cannot.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons

from hypercut import HypergraphClustering
from hypercut.metrics import ari

# %%
# The data
# --------
# Two rings and two moons, 800 samples in two dimensions. ``y`` is used only to score the result.

rings, of_rings = make_circles(400, factor=0.45, noise=0.04, random_state=0)
moons, of_moons = make_moons(400, noise=0.05, random_state=0)
X = np.vstack([rings, moons + np.array([2.5, -0.25])])
y = np.concatenate([of_rings, 2 + of_moons])

# %%
# Fit
# ---
# ``n_clusters_`` is the number of clusters found, ``view_`` the metric chosen, and ``status_`` says how it went.

model = HypergraphClustering(random_state=0).fit(X)
print(f"{model.n_clusters_} clusters, view {model.view_!r}, status {model.status_!r}, ARI {ari(y, model.labels_):.3f}")
assert model.n_clusters_ == 4
assert ari(y, model.labels_) > 0.99

# %%
# Compare
# -------
# k-means gets K = 4 and still cuts through the rings and moons, because it looks for round clusters.

reference = KMeans(4, n_init=10, random_state=0).fit_predict(X)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharex=True, sharey=True)
for ax, labels, title in zip(
    axes, (model.labels_, reference), ("HypergraphClustering, K found", "k-means, K = 4 given"), strict=True
):
    ax.scatter(*X.T, c=labels, cmap="tab10", vmax=9, s=8)
    ax.set(title=f"{title}: ARI {ari(y, labels):.2f}", aspect="equal", xticks=[], yticks=[])

# %%
# New samples
# -----------
# ``predict`` assigns new samples by a vote of their nearest training samples; the clustering stays as it is.

new = np.array([[0.0, 0.45], [1.0, 0.0], [2.5, 0.75]])
print(model.predict(new))
