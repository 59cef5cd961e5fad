"""The steps of the workflow, one module each: ``python -m hypercut.steps.cluster …``.

A step reads files, calls the package and writes files; it holds no science. Each is a program of its own, so that the
files it depends on can be told from its imports, see :mod:`hypercut.benchmark.code`.
"""
