"""
Choosing the number of clusters
===============================

Without ``n_clusters``, :class:`hypercut.HypergraphClustering` estimates K. The estimate is often right on separate
shapes; on images it usually finds more clusters than there are classes. Look at the evidence before you trust it:
``k_profile_`` has it for every K that was tried, and :func:`hypercut.plot.k_profile` draws it.
"""

import numpy as np
from sklearn.datasets import load_digits, make_blobs

from hypercut import HypergraphClustering
from hypercut.plot import k_profile

# %%
# A clear case
# ------------
# Five separate clouds. The dots are the information of the partition into K clusters, I(c; c′)/log K: how much the
# cluster of a sample tells about that of its neighbour. The bars show how much better K clusters are separated than
# K + 1: by which factor a random walk from neighbour to neighbour is slower to leave them. Above the dashed line, the
# data fall into separate parts. Both agree on K = 5.

X, _ = make_blobs(300, centers=5, cluster_std=0.6, random_state=3)
model = HypergraphClustering(random_state=0).fit(X)
k_profile(model)
assert model.n_clusters_ == 5

# %%
# A harder case
# -------------
# Handwritten digits have ten classes, but people write some of them in two ways. Several K are equally good
# within the noise, and the largest of them is chosen: clusters can be joined afterwards.

X, y = (part[:600] for part in load_digits(return_X_y=True))
model = HypergraphClustering(random_state=0).fit(X)
k_profile(model)

# %%
# The profile as a table, best first:

profile = model.k_profile_
for i in np.argsort(-profile["information"])[:6]:
    chosen = "  ← chosen" if profile["n_clusters"][i] == model.n_clusters_ else ""
    print(f"K = {profile['n_clusters'][i]:3}   information {profile['information'][i]:.3f}{chosen}")
assert 8 <= model.n_clusters_ <= 16

# %%
# If you know better, say so: ``HypergraphClustering(n_clusters=10)`` keeps everything else.

model = HypergraphClustering(n_clusters=10, random_state=0).fit(X)
assert len(set(model.labels_)) == 10
