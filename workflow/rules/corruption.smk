# From features to problems: clean data, noise and outliers.


rule corrupt:
    input:
        features=rules.featurize.output[0],
    output:
        LAYOUT.problem("{dataset}", "{setting}"),
    log:
        LAYOUT.log("corrupt", "{dataset}", "{setting}"),
    group:
        group_of
    conda:
        ENVIRONMENT
    resources:
        mem_mb=corruption_memory,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        code=code("corrupt"),
        level=lambda w: BENCHMARK.level(w.setting),
        draws=lambda w: BENCHMARK.draws(w.dataset, w.setting),
        options=lambda w: canonical_json(BENCHMARK.corruption_options(w.setting)),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.corrupt {input.features:q}"
        " --dataset {wildcards.dataset:q} --setting {wildcards.setting} --level {params.level}"
        " --draws {params.draws} --options {params.options:q} --out {output:q}"
