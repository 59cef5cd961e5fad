"""The paper's equations, one loop per sum: slow, and written to be compared with the paper line by line.

Nothing here is shared with the package. `d2` is a matrix of squared distances, `a` a kernel matrix.
"""

import math

import numpy as np


def squared_distances(x):
    n = len(x)
    return np.array([[sum((p - q) ** 2 for p, q in zip(x[i], x[j], strict=True)) for j in range(n)] for i in range(n)])


def mean_distance(d2):
    n = len(d2)
    return sum(math.sqrt(d2[i][j]) for i in range(n) for j in range(n) if i != j) / (n * (n - 1))


def kernel(d2, sigma):
    n = len(d2)
    return np.array([[math.exp(-d2[i][j] / (2 * sigma**2)) for j in range(n)] for i in range(n)])


def hyperedges(d2, k):
    n = len(d2)
    return [{e, *sorted((j for j in range(n) if j != e), key=lambda j: (d2[e][j], j))[:k]} for e in range(n)]


def knn(a, edges):
    """eq:KNN_hypergraph_similarity_matrix, by the incidence h_n and the weights δ.

    A vertex in no hyperedge is similar to itself alone.
    """
    n = len(a)
    delta = [sum(a[t][j] for j in edges[t]) / len(edges[t]) for t in range(n)]

    def h(i, e):
        if i not in edges[e]:
            return 0.0
        return a[e][i] / math.sqrt(sum(delta[t] * a[t][i] ** 2 for t in range(n) if i in edges[t]))

    b = np.array([[sum(delta[e] * h(i, e) * h(j, e) for e in range(n)) for j in range(n)] for i in range(n)])
    for i in range(n):
        b[i][i] = 1.0
    return b


def literal_pairwise(a):
    """U = HΣHᵀ, summed over the edges {m, q} of different vertices."""
    n = len(a)
    u = np.zeros((n, n))
    for m in range(n):
        for q in range(m):
            for i in (m, q):
                for j in (m, q):
                    u[i][j] += a[m][q]
    return u


def balanced(s, how):
    n = len(s)
    degrees = [sum(s[i][j] for j in range(n)) for i in range(n)]
    if how == "degree":
        return s / (sum(degrees) / n)
    if how == "norm":
        return s / math.sqrt(sum(s[i][j] ** 2 for i in range(n) for j in range(n)))
    if how == "cut":
        return np.array([[_quotient(s[i][j], degrees[i] * degrees[j]) for j in range(n)] for i in range(n)])
    return s


def _quotient(value, squared):
    return value / math.sqrt(squared) if squared > 0 else 0.0


def overclustering(a, d2, labelings):
    """eq:over-clustering_hypergraph_similarity_matrix, by the incidence h_o and the weights μ."""
    n = len(a)
    communities = [[i for i in range(n) if labels[i] == label] for labels in labelings for label in sorted(set(labels))]

    def affinity(i, members):
        others = sorted((m for m in members if m != i), key=lambda m: (d2[i][m], m))[:3]
        return sum(a[m][i] for m in others) / len(others) if others else 0.0

    mu = [0.5 * (1 + sum(affinity(i, e) for i in e) / len(e)) for e in communities]

    def unnormalized(i, e):
        return 1 + affinity(i, communities[e]) if i in communities[e] else 0.0

    def h(i, e):
        return math.sqrt(unnormalized(i, e)) / math.sqrt(sum(mu[t] * unnormalized(i, t) for t in range(len(mu))))

    return np.array([[sum(mu[e] * h(i, e) * h(j, e) for e in range(len(mu))) for j in range(n)] for i in range(n)])


def local_kernel(d2):
    n = len(d2)
    scale = []
    for i in range(n):
        others = sorted(d2[i][j] for j in range(n) if j != i)
        seventh = others[min(6, n - 2)]
        scale.append(math.sqrt(seventh if seventh > 0 else min(d for d in others if d > 0)))
    return np.array(
        [[0.0 if i == j else math.exp(-d2[i][j] / (scale[i] * scale[j])) for j in range(n)] for i in range(n)]
    )


def hollow(a):
    return a - np.diag(np.diag(a))


def warped(a, gamma=100.0):
    """NRSC: the cosines between the rows of F = (I + γ(I − Ā))⁻¹, zero on the diagonal."""
    n = len(a)
    degrees = [sum(a[i][j] for j in range(n) if j != i) for i in range(n)]
    normalized = np.array(
        [[0.0 if i == j else a[i][j] / math.sqrt(degrees[i] * degrees[j]) for j in range(n)] for i in range(n)]
    )
    f = np.linalg.inv(np.eye(n) + gamma * (np.eye(n) - normalized))
    norms = [math.sqrt(sum(f[i][t] ** 2 for t in range(n))) for i in range(n)]
    return np.array(
        [
            [0.0 if i == j else sum(f[i][t] * f[j][t] for t in range(n)) / (norms[i] * norms[j]) for j in range(n)]
            for i in range(n)
        ]
    )


def diffusion(a):
    """RWDSM: P A Pᵀ with P = D⁻¹A."""
    n = len(a)
    p = np.array([[a[i][j] / sum(a[i]) for j in range(n)] for i in range(n)])
    return p @ a @ p.T


def trace_ratio(s, p):
    n, k = p.shape
    degrees = [sum(s[i]) for i in range(n)]
    within = sum(p[i][c] * s[i][j] * p[j][c] for c in range(k) for i in range(n) for j in range(n))
    between = sum(
        p[i][c] * ((degrees[i] if i == j else 0.0) - s[i][j]) * p[j][c]
        for c in range(k)
        for i in range(n)
        for j in range(n)
    )
    return within / between
