"""The benchmark: the jobs of a configuration, clusterings in a process that may die, and the files between steps.

- what to run: ``config`` (checks a configuration), ``repeats`` (of each dataset), ``design`` (the jobs), ``code`` (the
  modules that a job runs), ``layout`` (every path below the results folder)
- what it costs: ``cost`` (memory, time and cores by size; ``costs.toml`` has the times), ``work`` (what each job
  computes), ``forecast`` (core-seconds on this machine), ``plan`` (their sums as text)
- running: ``jobs`` (one job, in a process that survives), ``worker`` (the process that may die), ``tasks`` (messages
  between them), ``clustering`` and ``overclustering`` (the work in the worker), ``failures`` (why there is no result)
- files between steps: ``problems``, ``communities``, ``rows``, ``provenance``, ``matrices`` (written by
  ``similarity``), ``report_files``
- gathering: ``staleness`` (whether a result file is current), ``gather`` (rows to one table), ``record``
  (``run.json``), ``summary`` (σ of a table's entry, means over repeats), ``state`` (what is missing, stale or failed)
- keeping: ``reference`` (the files of archived rows), ``archive`` (what may enter), ``restore`` (back to result files),
  ``restored`` (which these are), ``comparison`` (of two sets of results), ``reproduction`` (of one archived result)

Two questions: a timeout goes from ``worker`` through ``failures`` to ``rows``, and counts as 0 in ``summary``. σ of a
table's entry is chosen in ``summary``; the label-free score that one rule uses is in :mod:`hypercut.selection`.

May import ``algorithms``, ``data``, ``core``, ``paper`` and the modules at the package's root, but not Snakemake.
"""
