"""Datasets: acquired, turned into features and corrupted.

- ``datasets``: one file per dataset; ``dataset`` is what each of them declares; ``own`` is a user's own data
- raw files: ``acquisition`` (the entry point), ``sources``, ``fetch``, ``download``, ``archives``, ``installation``,
  ``manifest`` (what is in the data folder and where it came from), ``standins`` (generated data)
- features: ``features`` (GIST, DFT, pixels, and the file between steps), ``featurizing``, ``collection``
- ``corruption``: noise and outliers; ``tables``: users' .csv, .parquet, .npz and .npy files

May import ``paper`` and the modules at the package's root.
"""
