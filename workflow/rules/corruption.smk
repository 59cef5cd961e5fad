# From features to problems: clean data, noise and outliers, and those with data changed by a reading of the paper.


rule corrupt:
    input:
        features=rules.featurize.output[0],
    output:
        LAYOUT.problem("{dataset}", "{problem}"),
    log:
        LAYOUT.log("corrupt", "{dataset}", "{problem}"),
    group:
        group_of
    conda:
        ENVIRONMENT
    resources:
        mem_mb=corruption_memory,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        code=code("corrupt"),
        setting=setting_of,
        level=lambda w: BENCHMARK.level(setting_of(w)),
        draws=lambda w: BENCHMARK.draws(w.dataset, w.problem),
        options=lambda w: canonical_json(BENCHMARK.problem_options(w.problem)),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.corrupt {input.features:q}"
        " --dataset {wildcards.dataset:q} --setting {params.setting} --level {params.level}"
        " --draws {params.draws} --options {params.options:q} --out {output:q}"
