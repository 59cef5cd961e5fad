"""Datasets: how they are acquired, turned into features and corrupted.

- ``datasets``: one file per dataset; ``dataset``: the class that each of them instantiates; ``own``: a user's own data
- raw files: ``store`` (start here: the data folder and its manifests), ``sources`` (fetching), ``standins``
- reading: ``archives``, ``collection`` (raw samples), ``tables`` (users' text, .xlsx, .parquet, .npz and .npy)
- features: ``featurizing`` (start here), ``features`` (GIST, DFT, pixels, and the file between steps)
- ``corruption``: noise and outliers; ``scaling``: scalings that the paper does not mention

The package may import ``paper`` and the modules at the root of hypercut.
"""

#: The environment variable that names a mirror: a folder or an address.
MIRROR_VARIABLE = "HYPERCUT_DATA_MIRROR"
