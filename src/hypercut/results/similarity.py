"""Computes the similarity matrices of ORL that the paper shows (fig:similarity_matrix)."""

import json

import numpy as np
import pandas as pd

from hypercut.core.hypergraphs import Hypergraphs
from hypercut.core.samples import Samples
from hypercut.data.features import Features
from hypercut.errors import InputError
from hypercut.paper import protocol, published
from hypercut.results.matrices import Matrices, result_digest
from hypercut.results.rows import CELL
from hypercut.results.summary import summarize
from hypercut.seeds import stream


def similarity_matrices(table: pd.DataFrame, features: Features) -> Matrices:
    """Return A, B, C, the sum of A and B in PK+HSC, and S on clean ORL, at the σ and weights of PKO+HSC.

    ``table`` holds the aggregated rows; the labels choose σ, as in the paper.
    """
    key = [protocol.SIMILARITY_DATASET, protocol.CLEAN, published.METHOD]
    rows = table[(table[CELL] == key).all(axis=1) & (table["variation"] == "")]
    if rows.empty:
        raise InputError(f"The table has no results of {' · '.join(key)}. Run the benchmark first.")
    cell = summarize(rows).set_index("rule").loc["oracle"]
    weights = dict(zip(("alpha", "beta"), protocol.WEIGHTS[protocol.SIMILARITY_DATASET], strict=True))
    sizes = {"n_neighbors": protocol.NEIGHBORS, "communities_per_cluster": protocol.COMMUNITIES_PER_CLUSTER}
    parameters = {**weights, **sizes, **json.loads(cell["parameters"])}
    alpha, beta = float(parameters["alpha"]), float(parameters["beta"])
    X, y = features.draw(0)
    order = np.argsort(y, kind="stable")
    samples = Samples.from_features(X[order])
    hypergraphs = Hypergraphs(samples, float(cell["sigma_factor"]) * samples.mean_distance)
    communities = int(parameters["communities_per_cluster"]) * int(cell["n_clusters"])
    seed = int(stream("report", "similarity").integers(2**31))
    a = hypergraphs.pairwise.dense()
    b = hypergraphs.knn(int(parameters["n_neighbors"])).dense()
    c = hypergraphs.overclustering(communities, seed).dense()
    similarities = {
        "A": a,
        "B": b,
        "C": c,
        # Without weight on either, both are zero: avoid 0/0.
        "AB": (alpha * a + beta * b) / (alpha + beta or 1),
        "S": alpha * a + beta * b + (1 - alpha - beta) * c,
    }
    return Matrices(float(cell["sigma_factor"]), alpha, beta, result_digest(rows), y[order], similarities)
