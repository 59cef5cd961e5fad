# Over-clusterings, and the results: cells, sweeps and readings. One job runs all repeats and σ of one of them.


rule overcluster:
    input:
        problem="<results>/problems/{dataset}/{problem}.npz",
    output:
        "<results>/overclusterings/{dataset}/{problem}.npz",
    log:
        "<logs>/overcluster/{dataset}/{problem}.log",
    group:
        group_of
    conda:
        COMPUTE
    threads: clustering_threads
    resources:
        mem_mb=clustering_memory,
        runtime=clustering_minutes,
    params:
        recipe=lambda w: as_text(overclustering_recipe(BENCHMARK, w.dataset, w.problem)),
    shell:
        "job {log:q} python -m hypercut.steps.overcluster {params.recipe:q}"
        ' --problem {input.problem:q} --limits "$LIMITS" --out {output:q}'


rule cluster:
    input:
        problem=lambda w: LAYOUT.problem(w.dataset, result_of(w).problem),
        overclustering=overclustering_of,
        cell=cell_of,
    output:
        "<results>/clusters/{dataset}/{setting}/{result}.parquet",
    log:
        "<logs>/cluster/{dataset}/{setting}/{result}.log",
    group:
        group_of
    conda:
        COMPUTE
    threads: clustering_threads
    resources:
        mem_mb=clustering_memory,
        runtime=clustering_minutes,
    params:
        recipe=lambda w: as_text(recipe(BENCHMARK, result_of(w))),
        inputs=lambda w, input: options(problem=input.problem, overclustering=input.overclustering, cell=input.cell),
    shell:
        "job {log:q} python -m hypercut.steps.cluster {params.recipe:q}"
        ' {params.inputs} --limits "$LIMITS" --out {output:q}'
