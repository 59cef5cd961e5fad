# MLflow: an index of the result files, written by one job.

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
        # Another server gets everything. The address is hashed because it may contain a password.
        store=hashlib.sha256(
            os.environ.get("MLFLOW_TRACKING_URI", "").encode()
        ).hexdigest(),
        prefix=CONFIG["tracking"]["prefix"],
    shell:
        'job {log:q} {output:q} python -m hypercut.steps.track "$RESULTS" --prefix {params.prefix:q}'
        " --headline {input.headline:q} --out {output:q}"
