# Over-clusterings, cells and variations (sweeps and readings). One job runs all repeats and scales of one of them.

LIMITS = dict(limit=CONFIG["time_limit"], give_up=CONFIG["give_up_after"])


rule overcluster:
    input:
        problem=rules.corrupt.output[0],
    output:
        LAYOUT.communities("{dataset}", "{problem}"),
    log:
        LAYOUT.log("overcluster", "{dataset}", "{problem}"),
    group:
        group_of
    conda:
        ENVIRONMENT
    threads: clustering_threads
    resources:
        mem_mb=clustering_memory,
        runtime=communities_minutes,
    params:
        **LIMITS,
        code=code("overcluster"),
        factors=lambda w: BENCHMARK.factors(setting_of(w)),
        repeats=lambda w: BENCHMARK.problem_repeats(w.dataset, w.problem),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.overcluster {input.problem:q}"
        " --factors {params.factors} --repeats {params.repeats} --time-limit {params.limit}"
        " --give-up-after {params.give_up} --out {output:q}"


rule cluster:
    input:
        problem=unless_restored(lambda w: LAYOUT.problem(w.dataset, w.setting)),
        communities=unless_restored(
            lambda w: communities_of(w.algorithm, w.dataset, w.setting)
        ),
    output:
        LAYOUT.cell("{dataset}", "{setting}", "{algorithm}"),
    log:
        LAYOUT.log("cluster", "{dataset}", "{setting}", "{algorithm}"),
    group:
        group_of
    conda:
        ENVIRONMENT
    threads: clustering_threads
    resources:
        mem_mb=clustering_memory,
        runtime=cell_minutes,
    params:
        **LIMITS,
        code=lambda w: code("cluster", method(w).module),
        factors=lambda w: BENCHMARK.factors(w.setting),
        repeats=lambda w: BENCHMARK.repeats(w.dataset, w.setting),
        method=lambda w: method_options(method(w)),
        parameters=lambda w: canonical_json(
            [BENCHMARK.parameters(w.dataset, w.algorithm)]
        ),
        communities=lambda w, input: file_options(communities=input.communities),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.cluster {input.problem:q} {params.method}"
        " {params.communities} --combinations {params.parameters:q}"
        " --factors {params.factors} --repeats {params.repeats} --time-limit {params.limit}"
        " --give-up-after {params.give_up} --out {output:q}"


rule best_scale:
    input:
        cell=rules.cluster.output[0],
    output:
        LAYOUT.scale("{dataset}", "{setting}", "{algorithm}"),
    log:
        LAYOUT.log("best_scale", "{dataset}", "{setting}", "{algorithm}"),
    group:
        group_of
    conda:
        ENVIRONMENT
    params:
        code=code("best_scale"),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.best_scale {input.cell:q} --out {output:q}"


rule vary:
    input:
        problem=unless_restored(
            lambda w: LAYOUT.problem(w.dataset, variation(w).problem)
        ),
        communities=unless_restored(
            lambda w: communities_of(w.algorithm, w.dataset, variation(w).problem)
        ),
        scale=unless_restored(scale_for),
    output:
        LAYOUT.variation("{dataset}", "{setting}", "{variation}", "{algorithm}"),
    log:
        LAYOUT.log("vary", "{dataset}", "{setting}", "{variation}", "{algorithm}"),
    group:
        group_of
    conda:
        ENVIRONMENT
    threads: clustering_threads
    resources:
        mem_mb=clustering_memory,
        runtime=variation_minutes,
    params:
        **LIMITS,
        code=lambda w: code("cluster", method(w).module),
        factors=lambda w: BENCHMARK.factors(w.setting),
        repeats=lambda w: variation(w).repeats,
        method=lambda w: method_options(method(w)),
        parameters=lambda w: canonical_json(BENCHMARK.combinations(variation(w))),
        files=lambda w, input: file_options(
            communities=input.communities, parameters_from=input.scale
        ),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.cluster {input.problem:q} {params.method}"
        " {params.files} --variation {wildcards.variation:q} --combinations {params.parameters:q}"
        " --factors {params.factors} --repeats {params.repeats} --time-limit {params.limit}"
        " --give-up-after {params.give_up} --out {output:q}"
