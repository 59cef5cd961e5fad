"""The similarity matrices of ORL beside the truth (fig:similarity_matrix)."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.data.features.file import load_features
from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.seeds import stream

DATASET = "orl"


@dataclass(frozen=True)
class Matrices:
    """Similarities of the samples of a dataset, ordered by class."""

    dataset: str
    sigma_factor: float
    alpha: float
    beta: float
    truth: np.ndarray
    similarities: dict[str, np.ndarray]
    """by the name of the hypergraphs they come from"""

    def alignment(self, name: str) -> float:
        """Return the cosine of a similarity and the truth, as vectors of all pairs i ≠ j: 1 if proportional."""
        off = ~np.eye(len(self.truth), dtype=bool)
        similarity, truth = self.similarities[name][off], self.truth[off]
        return float(similarity @ truth / np.sqrt((similarity @ similarity) * (truth @ truth)))


def similarity_matrices(evidence: Evidence, features: Path) -> Matrices | None:
    """Compute A, B, C, the paper's A + B, and S at the oracle σ of PKO+HSC on the clean set; None if it was not run."""
    summary = evidence.summary
    chosen = summary[
        (summary["dataset"] == DATASET)
        & (summary["setting"] == "clean")
        & (summary["algorithm"] == published.METHOD)
        & (summary["rule"] == "oracle")
    ]
    if chosen.empty:
        return None
    cell = chosen.iloc[0]
    parameters = {"alpha": 0.6, "beta": 0.2, "n_neighbors": 3, "communities_per_cluster": 2}
    parameters |= json.loads(cell["parameters"])
    data = load_features(features)
    order = np.argsort(data.y, kind="stable")
    samples = Samples.from_features(data.X[order])
    hypergraphs = Hypergraphs(samples, float(cell["sigma_factor"]) * samples.mean_distance)
    alpha, beta = float(parameters["alpha"]), float(parameters["beta"])
    seed = int(stream("report", "similarity").integers(2**31))
    pairwise = hypergraphs.pairwise.dense()
    knn = hypergraphs.knn(int(parameters["n_neighbors"])).dense()
    communities = int(parameters["communities_per_cluster"]) * int(cell["n_clusters"])
    overclustering = hypergraphs.overclustering(communities, seed).dense()
    labels = data.y[order]
    similarities = {
        "A: pairwise": pairwise,
        "B: kNN": knn,
        "C: over-clustering": overclustering,
        # As PK+HSC weighs them; with no weight on either there is nothing to weigh.
        "A and B: pairwise + kNN": (alpha * pairwise + beta * knn) / (alpha + beta or 1),
        "S: all three": alpha * pairwise + beta * knn + (1 - alpha - beta) * overclustering,
    }
    truth = (labels[:, None] == labels).astype(float)
    return Matrices(DATASET, float(cell["sigma_factor"]), alpha, beta, truth, similarities)
