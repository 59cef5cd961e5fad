# From rows to a table, and from the table to tables and figures.


rule configuration:
    input:
        source=source("configuration"),
    output:
        f"{RESULTS}/config.json",
    log:
        f"{RESULTS}/logs/configuration.log",
    conda:
        ENVIRONMENT
    params:
        # In the order of the configuration, which is that of the tables.
        config=json.dumps(
            {key: value for key, value in CONFIG.items() if key != "preset"},
            ensure_ascii=False,
        ),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.configuration {params.config:q} --out {output:q}"


rule plan:
    # Not part of the benchmark: what it would take.
    input:
        config=rules.configuration.output[0],
        source=source("plan"),
    output:
        f"{RESULTS}/plan.txt",
    log:
        f"{RESULTS}/logs/plan.log",
    conda:
        ENVIRONMENT
    shell:
        'job {log:q} {output:q} python -m hypercut.steps.plan "$RESULTS" --out {output:q}'


rule aggregate:
    input:
        config=rules.configuration.output[0],
        data=expand(rules.featurize.output, dataset=BENCHMARK.datasets),
        cells=[
            cell_file(Path(RESULTS), dataset, setting, algorithm)
            for dataset, setting, algorithm in BENCHMARK.cells()
        ],
        sweeps=[
            sweep_file(Path(RESULTS), dataset, sweep)
            for dataset, sweep in BENCHMARK.sweeps()
        ],
        source=source("aggregate"),
    output:
        table=f"{RESULTS}/table.parquet",
        run=f"{RESULTS}/run.json",
    log:
        f"{RESULTS}/logs/aggregate.log",
    conda:
        ENVIRONMENT
    shell:
        'job {log:q} {output.table:q} python -m hypercut.steps.aggregate "$RESULTS"'


rule report:
    input:
        table=rules.aggregate.output.table,
        run=rules.aggregate.output.run,
        # ORL, whose similarity matrices the paper shows too.
        similarity=expand(
            rules.featurize.output, dataset=set(BENCHMARK.datasets) & {"orl"}
        ),
        source=source("report"),
    output:
        page=f"{RESULTS}/report/index.html",
        headline=f"{RESULTS}/headline.json",
    log:
        f"{RESULTS}/logs/report.log",
    conda:
        ENVIRONMENT
    params:
        similarity=lambda w, input: (
            f"--similarity {shlex.quote(input.similarity[0])}"
            if input.similarity
            else ""
        ),
    shell:
        'job {log:q} {output.page:q} python -m hypercut.steps.report "$RESULTS" {params.similarity}'
