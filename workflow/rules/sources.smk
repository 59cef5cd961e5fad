# What jobs depend on beside their data: the code they run.


rule sources:
    # Jobs depend on this one file instead of on dozens: Snakemake looks at every input of every waiting job each time
    # that one ends, which took it half a second per job.
    input:
        lambda w: SOURCES[w.set],
    output:
        f"{RESULTS}/sources/{{set}}.txt",
    log:
        f"{RESULTS}/logs/sources/{{set}}.log",
    conda:
        ENVIRONMENT
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.sources {output:q} {input:q}"


rule data_sources:
    # Beside the data, not the results: all benchmarks share them, and one must not make those of another stale.
    input:
        lambda w: acquisition_sources(w.dataset),
    output:
        f"{DATA}/.sources/{{dataset}}.txt",
    log:
        f"{RESULTS}/logs/sources/acquire/{{dataset}}.log",
    conda:
        ENVIRONMENT
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.sources {output:q} {input:q}"
