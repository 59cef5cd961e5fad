"""Datasets: how they are acquired, turned into features and corrupted.

- ``datasets``: one file per dataset; ``dataset``: the class that each of them instantiates; ``own``: a user's own data
- raw files: ``acquisition`` (start here), ``sources`` (declarations), ``fetch`` and ``download``, ``installation``
  (all files or none), ``manifest`` (what is in the data folder), ``standins`` (replacements)
- reading: ``archives``, ``collection`` (raw samples), ``tables`` (users' .csv, .parquet, .npz and .npy)
- features: ``featurizing`` (start here), ``features`` (GIST, DFT, pixels, and the file between steps)
- ``corruption``: noise and outliers

May import ``paper`` and the modules at the package's root.
"""
