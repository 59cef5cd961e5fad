"""MLflow as an index of the result files, which :func:`hypercut.tracking.sync.sync` keeps up to date.

The files are authoritative. Every run in MLflow carries the id of its benchmark and a key, the hash of its content. A
sync keeps runs with the right key, replaces those with another, and removes those whose result file is gone. It touches
no run of another benchmark, nor one that hypercut did not create. See docs/TRACKING.md.

Modules: ``expected`` lists the runs that should exist, ``content`` and ``figures`` build what they show, ``background``
in a process of its own, ``views`` the pages of MLflow, ``store`` talks to MLflow, ``sync`` compares and writes. May
import ``report.render``, ``benchmark``, ``paper`` and the modules at the package's root.
"""
