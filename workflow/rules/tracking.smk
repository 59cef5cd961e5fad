# MLflow: an index of the result files, made by one job.

import hashlib


rule track:
    input:
        table=rules.aggregate.output.table,
        run=rules.aggregate.output.run,
        report=rules.report.output.page,
        headline=rules.report.output.headline,
    output:
        LAYOUT.tracking,
    log:
        LAYOUT.log("track"),
    conda:
        ENVIRONMENT
    params:
        code=code("track"),
        # Another server is told everything. Its address may hold a password, so it is not kept itself.
        store=hashlib.sha256(
            os.environ.get("MLFLOW_TRACKING_URI", "").encode()
        ).hexdigest(),
        prefix=CONFIG["tracking"]["prefix"],
    shell:
        'job {log:q} {output:q} python -m hypercut.steps.track "$RESULTS" --prefix {params.prefix:q}'
        " --headline {input.headline:q} --out {output:q}"
