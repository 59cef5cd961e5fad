"""The mathematics that the algorithms share, from distances to labels.

Data flows one way: ``samples`` (distances) → ``hypergraphs`` (similarities) → ``eigen``, ``normalized_cut``,
``trace_ratio`` (embeddings) → ``discretize``, ``kmeans``, ``rotation`` (labels).

Knows nothing of files, datasets or names of algorithms. May import ``errors`` only.
"""
