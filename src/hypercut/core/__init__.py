"""The mathematics that the algorithms share, from distances to labels.

Data flows one way: ``samples`` (distances) → ``hypergraphs`` (similarities) → ``eigen``, ``normalized_cut``,
``trace_ratio`` (embeddings) → ``discretize``, ``kmeans``, ``rotation`` (labels).

The core does not depend on files, datasets or names of algorithms, and imports only ``errors``.
"""
