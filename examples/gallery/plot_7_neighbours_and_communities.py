"""
Neighbours and communities of a digit
=====================================

The paper motivates its over-clustering hypergraph with one face: its nearest neighbours show other people, the
community around it shows the same person. Here is the same comparison with noisy handwritten digits.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from hypercut import PKHSC, PKOHSC
from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.data.corruption import corrupt
from hypercut.metrics import nmi

X, y = (part[:250] for part in load_digits(return_X_y=True))
X = corrupt(X, "noise-L3", dataset="digits", repeat=0)
K, FACTOR = 10, 0.6

# %%
# What surrounds a digit: its three nearest others, the three nearest in its community (of 20, by Yu and Shi's cut), and
# its cluster, without communities in the similarity (PK+HSC) and with them (PKO+HSC).

samples = Samples.from_features(X)
communities = Hypergraphs(samples, FACTOR * samples.mean_distance).overclusterings(2 * K, seed=0)[1]
methods = {"PK+HSC": PKHSC, "PKO+HSC": PKOHSC}
labels = {name: method(K, sigma_factor=FACTOR, random_state=0).fit_predict(X) for name, method in methods.items()}


def around(groups: np.ndarray, count: int) -> list[np.ndarray]:
    """Return, for every digit, the nearest others of its group."""
    return [others[groups[others] == groups[i]][:count] for i, others in enumerate(samples.nearest(len(X) - 1))]


context = {"3 nearest": around(np.zeros(len(X)), 3), "3 nearest in its community": around(communities, 3)}
context |= {f"cluster of {name}": around(found, 11) for name, found in labels.items()}
right = [np.array([np.sum(y[it] == y[i]) / max(len(it), 1) for i, it in enumerate(part)]) for part in context.values()]

# %%
# One example proves nothing, so here are the means over all digits. A community has no more of the same class than the
# nearest neighbours, but more where neighbours are wrong.

for name, shares in zip(context, right, strict=True):
    wrong = shares[right[0] < 1]
    print(f"{name}: {shares.mean():.0%} of the same class; where a neighbour is wrong, {wrong.mean():.0%}")
print({name: f"NMI {nmi(y, found):.2f}" for name, found in labels.items()})

# %%
# The digit for which communities help most (grey), and what surrounds it (green: of its class):

digit = int(np.argmax(right[1] - right[0] + right[3] - right[2]))
figure, axes = plt.subplots(4, 12, figsize=(9, 4.4), layout="constrained")
for line, (name, others) in zip(axes, context.items(), strict=True):
    [ax.axis("off") for ax in line]
    line[0].set_title(name, loc="left", fontsize=9)
    line[0].imshow(X[digit].reshape(8, 8), cmap="gray_r")
    for ax, sample in zip(line[1:], others[digit], strict=False):
        ax.imshow(X[sample].reshape(8, 8), cmap="Greens" if y[sample] == y[digit] else "Oranges")
