"""
Noisy data
==========

The paper's subject is robustness: how much does a clustering suffer when noise is added to the features? This example
adds the paper's noise to 250 handwritten digits and runs four methods. None of them sees a label; the labels serve to
score. It is a small illustration. The benchmark does this for nine datasets with repeats and error bars.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from hypercut import CSC, PKOHSC, HypergraphClustering
from hypercut.data.corruption import corrupt
from hypercut.metrics import nmi

X, y = (part[:250] for part in load_digits(return_X_y=True))

# %%
# The noise
# ---------
# A level is the standard deviation of the noise, in units of that of each feature: 0.6 at L3, 2.0 at L10. The random
# stream depends on the names of dataset and level and on the repeat, so every method sees the same noise.

SETTINGS = ["clean", "noise-L3", "noise-L6", "noise-L10"]
draws = {setting: corrupt(X, setting, dataset="digits", repeat=0) for setting in SETTINGS}

figure, axes = plt.subplots(1, len(draws), figsize=(8, 2.2), layout="constrained")
for ax, (setting, draw) in zip(axes, draws.items(), strict=True):
    ax.imshow(draw[0].reshape(8, 8), cmap="gray_r")
    ax.set(title=setting, xticks=[], yticks=[])

# %%
# Four methods
# ------------
# CSC is classic spectral clustering, PKO+HSC the paper's method. Both choose their scale σ without labels.

METHODS = {
    "PKO+HSC": PKOHSC(10, random_state=0),
    "CSC": CSC(10, random_state=0),
    "AK+NC": HypergraphClustering(10, random_state=0),
    "k-means": KMeans(10, n_init=10, random_state=0),
}
scores = {name: [nmi(y, method.fit_predict(draw)) for draw in draws.values()] for name, method in METHODS.items()}

# sphinx_gallery_thumbnail_number = 2
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for name, values in scores.items():
    ax.plot(SETTINGS, values, "o-", label=name)
ax.set(ylabel="NMI", ylim=(0, 1), title="250 digits under noise, one draw")
ax.legend()

for name, values in scores.items():
    print(f"{name:8}", "  ".join(f"{value:.2f}" for value in values))

# %%
# Every method is worse under the strongest noise than on clean data, and all are far from random labels.

chance = nmi(y, np.random.default_rng(0).integers(10, size=len(y)))
for values in scores.values():
    assert values[0] > values[-1] > chance
