"""What to compute: the results of a configuration, and the recipe of each.

- ``config`` checks a configuration, ``presets`` and ``repeats`` complete it
- ``design`` lists the results: cells, and the sweeps and readings of ``variations``
- ``recipe`` has everything that decides a result; ``code`` fingerprints code, ``declared`` reads what datasets declare
- ``archived`` finds the results that an archive holds; ``layout`` has every path below the results folder
- ``size`` (N, F and K of a dataset) and ``requests`` (memory, time and cores of a job)

The modules that the Snakefile imports need only the standard library, PyYAML and jsonschema.
"""
