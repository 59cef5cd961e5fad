"""MLflow as an index of the results.

``content`` defines what is logged, ``sync`` writes what MLflow lacks, ``store`` accesses MLflow, and ``links`` has the
views and addresses of its pages. See docs/tracking.md.
"""
