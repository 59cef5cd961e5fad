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
        # The clean set is the same in every repeat.
        repeats=lambda w: 1 if w.setting == "clean" else BENCHMARK.repeats(w.setting),
        options=lambda w: canonical_json(BENCHMARK.corruption_options(w.setting)),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.corrupt {input.features:q}"
        " --dataset {wildcards.dataset:q} --setting {wildcards.setting} --level {params.level}"
        " --repeats {params.repeats} --options {params.options:q} --out {output:q}"
