"""What to compute: the results of a configuration, and the recipe of each.

- ``config`` checks a configuration, ``presets`` and ``repeats`` complete it
- ``design`` lists the results: cells, and the sweeps and readings of ``variations``
- ``recipe`` says what decides a result; ``code`` fingerprints the code, ``declared`` reads what datasets declare
- ``archived`` finds the results that an archive holds; ``layout`` has every path below the results folder
- ``size`` (N, F and K of a dataset) and ``requests`` (memory, time and cores of a job)

What the Snakefile imports needs the standard library, PyYAML and jsonschema only.
"""
