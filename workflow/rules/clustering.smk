# Over-clusterings, cells and sweeps. One job runs all repeats and scales of a cell.

LIMITS = dict(limit=CONFIG["time_limit"], give_up=CONFIG["give_up_after"])


rule overcluster:
    input:
        problem=rules.corrupt.output[0],
    output:
        LAYOUT.communities("{dataset}", "{setting}"),
    log:
        LAYOUT.log("overcluster", "{dataset}", "{setting}"),
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
        factors=lambda w: BENCHMARK.factors(w.setting),
        repeats=lambda w: BENCHMARK.repeats(w.dataset, w.setting),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.overcluster {input.problem:q}"
        " --factors {params.factors} --repeats {params.repeats} --time-limit {params.limit}"
        " --give-up-after {params.give_up} --out {output:q}"


rule cluster:
    input:
        problem=rules.corrupt.output[0],
        communities=lambda w: communities_of(w.algorithm, w.dataset, w.setting),
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
        communities=lambda w, input: (
            f"--communities {shlex.quote(input.communities)}"
            if input.communities
            else ""
        ),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.cluster {input.problem:q} {params.method}"
        " {params.communities} --combinations {params.parameters:q}"
        " --factors {params.factors} --repeats {params.repeats} --time-limit {params.limit}"
        " --give-up-after {params.give_up} --out {output:q}"


rule sweep:
    input:
        problem=LAYOUT.problem("{dataset}", "clean"),
        communities=LAYOUT.communities("{dataset}", "clean"),
    output:
        LAYOUT.sweep("{dataset}", "{sweep}"),
    log:
        LAYOUT.log("sweep", "{dataset}", "{sweep}"),
    group:
        group_of
    conda:
        ENVIRONMENT
    threads: clustering_threads
    resources:
        mem_mb=clustering_memory,
        runtime=sweep_minutes,
    params:
        **LIMITS,
        code=code("cluster", BENCHMARK.swept.module),
        factors=BENCHMARK.factors("clean"),
        repeats=lambda w: BENCHMARK.sweep_repeats(w.dataset),
        method=method_options(BENCHMARK.swept),
        combinations=lambda w: canonical_json(
            BENCHMARK.combinations(w.dataset, w.sweep)
        ),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.cluster {input.problem:q} {params.method}"
        " --communities {input.communities:q} --sweep {wildcards.sweep} --combinations {params.combinations:q}"
        " --factors {params.factors} --repeats {params.repeats} --time-limit {params.limit}"
        " --give-up-after {params.give_up} --out {output:q}"
