"""The type of the registered algorithms."""

from hypercut.algorithms._spectral import SpectralEstimator
from hypercut.algorithms.ak_nc import HypergraphClustering

Estimator = SpectralEstimator | HypergraphClustering
