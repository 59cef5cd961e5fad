# From rows to a table, and from the table to the report.

from hypercut.paper.protocol import SIMILARITY_DATASET

SIMILARITY = [LAYOUT.similarity] if BENCHMARK.has_similarity else []


rule configuration:
    output:
        LAYOUT.config,
    log:
        LAYOUT.log("configuration"),
    conda:
        ENVIRONMENT
    params:
        code=code("configuration"),
        config=canonical_json(
            without_secrets(
                {key: value for key, value in CONFIG.items() if key != "preset"}
            )
        ),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.configuration {params.config:q} --out {output:q}"


rule plan:
    # Estimates the cost of the benchmark, and is not part of it.
    input:
        config=rules.configuration.output[0],
    output:
        LAYOUT.plan,
    log:
        LAYOUT.log("plan"),
    conda:
        ENVIRONMENT
    params:
        cores=lambda w: workflow.cores,  # not known to snakemake --unlock
    shell:
        'job {log:q} {output:q} python -m hypercut.steps.plan "$RESULTS" --cores {params.cores} --out {output:q}'


rule aggregate:
    input:
        config=rules.configuration.output[0],
        data=expand(rules.featurize.output, dataset=BENCHMARK.datasets),
        cells=CELLS,
        variations=VARIATIONS,
    output:
        table=LAYOUT.table,
        run=LAYOUT.run,
    log:
        LAYOUT.log("aggregate"),
    conda:
        ENVIRONMENT
    params:
        code=code("aggregate"),
        expected=expected_digest(BENCHMARK),
    shell:
        'job {log:q} {output.table:q} python -m hypercut.steps.aggregate "$RESULTS"'


rule similarity:
    input:
        table=rules.aggregate.output.table,
        features=LAYOUT.features(SIMILARITY_DATASET),
    output:
        LAYOUT.similarity,
    log:
        LAYOUT.log("similarity"),
    conda:
        ENVIRONMENT
    params:
        code=code("similarity"),
    shell:
        'job {log:q} {output:q} python -m hypercut.steps.similarity "$RESULTS"'


rule report:
    input:
        table=rules.aggregate.output.table,
        run=rules.aggregate.output.run,
        similarity=SIMILARITY,
    output:
        page=report(LAYOUT.report_page, caption="../report/page.rst", category="Report"),
        figures=report(
            directory(LAYOUT.report_figures),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        headline=LAYOUT.headline,
    log:
        LAYOUT.log("report"),
    conda:
        ENVIRONMENT
    params:
        code=code("report", files=(*package_data("report"), *package_data("paper"))),
        similarity=lambda w, input: (
            f"--similarity {shlex.quote(input.similarity[0])}"
            if input.similarity
            else ""
        ),
    shell:
        'job {log:q} {output.page:q} python -m hypercut.steps.report "$RESULTS" {params.similarity}'
