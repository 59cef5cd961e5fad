"""The steps of the workflow, one module each: ``python -m hypercut.steps.cluster …``.

A step reads files, calls the package and writes files. Each is a separate program, so that its imports show which code
it depends on, see :mod:`hypercut.benchmark.code`.
"""
