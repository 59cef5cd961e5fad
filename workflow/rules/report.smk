# From rows to a table, and from the table to the report and to MLflow.


rule configuration:
    output:
        config="<results>/config.json",
        # In Snakemake's folder: if Snakemake's records are lost, this is lost too, and all results are inspected again.
        recorded=touch(RECORDS),
    log:
        "<logs>/configuration.log",
    # This job runs first: hypercut status, report and archive need the configuration while the benchmark is running.
    priority: 100
    conda:
        COMPUTE
    params:
        code=step_code("configuration"),
        config=as_text(without_secrets({key: value for key, value in CONFIG.items() if key != "preset"})),
    shell:
        "job {log:q} python -m hypercut.steps.configuration {params.config:q} --out {output.config:q}"


rule plan:
    # The plan estimates the cost of the benchmark and is not part of it.
    input:
        config="<results>/config.json",
    output:
        "<results>/plan.txt",
    log:
        "<logs>/plan.log",
    conda:
        COMPUTE
    params:
        cores=lambda w: workflow.cores,  # not known to snakemake --unlock
        archive=CONFIG["archive"] or f"{ROOT}/reference",
    shell:
        'job {log:q} python -m hypercut.steps.plan "$RESULTS" --cores {params.cores}'
        " --archive {params.archive:q} --out {output:q}"


rule aggregate:
    input:
        config="<results>/config.json",
        features=expand("<results>/features/{dataset}.npz", dataset=COMPUTED_DATASETS),
        results=RESULT_FILES,
        archive=ARCHIVE_FILES,
    output:
        table="<results>/table.parquet",
        run="<results>/run.json",
    log:
        "<logs>/aggregate.log",
    conda:
        COMPUTE
    params:
        code=step_code("aggregate"),
        # When it changes, every result is inspected again, even where Snakemake has lost its records of the jobs.
        recipes=digest_of_recipes(BENCHMARK),
    shell:
        'job {log:q} python -m hypercut.steps.aggregate "$RESULTS"'


rule similarity:
    input:
        table="<results>/table.parquet",
        features="<results>/features/orl.npz",
    output:
        "<results>/similarity.npz",
    log:
        "<logs>/similarity.log",
    conda:
        COMPUTE
    params:
        code=step_code("similarity"),
    shell:
        "job {log:q} python -m hypercut.steps.similarity"
        " --table {input.table:q} --features {input.features:q} --out {output:q}"


rule report:
    input:
        table="<results>/table.parquet",
        run="<results>/run.json",
        similarity=SIMILARITY,
    output:
        page=report(
            # `update` keeps Snakemake from deleting the page: the step replaces the folder, unless it has a foreign file.
            update("<results>/report/index.html"),
            caption="../report/page.rst",
            category="Report",
        ),
        appendix=report(
            update("<results>/report/appendix.html"),
            caption="../report/page.rst",
            category="Report",
        ),
        figures=report(
            # Snakemake deletes this folder before the job, so it is a copy in Snakemake's own folder.
            directory(f"{RECORDS}.figures"),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        headline="<results>/headline.json",
    log:
        "<logs>/report.log",
    conda:
        REPORT
    params:
        code=step_code("report"),
        similarity=lambda w, input: options(similarity=input.similarity),
    shell:
        'job {log:q} python -m hypercut.steps.report "$RESULTS" {params.similarity}' " --figures {output.figures:q}"


# MLflow: an index of the result files, written by one job.
rule track:
    input:
        table="<results>/table.parquet",
        run="<results>/run.json",
        page="<results>/report/index.html",
        appendix="<results>/report/appendix.html",
        headline="<results>/headline.json",
    output:
        "<results>/tracking.json",
    log:
        "<logs>/track.log",
    conda:
        TRACK
    params:
        code=step_code("track"),
        # If the server changes, everything is written to it. The address is hashed because it may contain a password.
        store=sha256(os.environ.get("MLFLOW_TRACKING_URI", "").encode()).hexdigest(),
        prefix=CONFIG["tracking"]["prefix"],
    shell:
        'job {log:q} python -m hypercut.steps.track "$RESULTS" --prefix {params.prefix:q}'
        " --headline {input.headline:q} --out {output:q}"
