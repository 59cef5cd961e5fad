"""Robust spectral clustering with context-aware hypergraphs: estimators and a benchmark."""
