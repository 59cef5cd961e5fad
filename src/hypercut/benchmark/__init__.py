"""The benchmark: what a configuration asks for, one clustering in a process that may die, and the files between steps.

- what to run: ``config`` (checks a configuration), ``design`` (its jobs), ``code`` (the modules that a job runs),
  ``cost`` and ``plan`` (what it takes), ``layout`` (every path below the results folder)
- running: ``jobs`` (one job, in a process that survives), ``worker`` (the process that may die), ``tasks`` (messages
  between them), ``clustering`` and ``overclustering`` (what the worker does), ``failures``
- files between steps: ``problems``, ``communities``, ``rows``, ``provenance``
- gathering: ``gather`` (rows to one table), ``summary`` (σ per entry of a table, means over repeats), ``state``
  (what is missing, stale or failed)

May import ``algorithms``, ``data``, ``core``, ``paper`` and the modules at the package's root. Knows
nothing of Snakemake.
"""
