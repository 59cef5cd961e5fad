# From raw files to features, and from features to problems.


rule acquire:
    # All benchmarks and `hypercut data get` share the data folder, so it is updated, not deleted first. The content of
    # the manifest decides whether later steps run again.
    input:
        own=lambda w: BENCHMARK.own_files(w.dataset),
    output:
        update("<data>/{dataset}/manifest.json"),
    log:
        "<logs>/acquire/{dataset}.log",
    # A profile must not retry either: the step retries downloads, and other errors need the user.
    retries: 0
    conda:
        COMPUTE
    params:
        recipe=lambda w: as_text(acquisition_recipe(BENCHMARK, w.dataset)),
    shell:
        "job {log:q} python -m hypercut.steps.acquire {params.recipe:q}"
        ' --root "$DATA" --on-missing $ON_MISSING --on-mismatch $ON_MISMATCH'


rule featurize:
    input:
        lambda w: f"<data>/{BENCHMARK.files_of(w.dataset)}/manifest.json",
    output:
        "<results>/features/{dataset}.npz",
    log:
        "<logs>/featurize/{dataset}.log",
    conda:
        COMPUTE
    params:
        recipe=lambda w: as_text(features_recipe(BENCHMARK, w.dataset)),
    shell:
        "job {log:q} python -m hypercut.steps.featurize {params.recipe:q}" ' --root "$DATA" --out {output:q}'


# Clean data, noise and outliers, and data changed by a reading of the paper.
rule corrupt:
    input:
        features="<results>/features/{dataset}.npz",
    output:
        "<results>/problems/{dataset}/{problem}.npz",
    log:
        "<logs>/corrupt/{dataset}/{problem}.log",
    group:
        group_of
    conda:
        COMPUTE
    resources:
        mem_mb=corruption_memory,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        recipe=lambda w: as_text(problem_recipe(BENCHMARK, w.dataset, w.problem)),
    shell:
        "job {log:q} python -m hypercut.steps.corrupt {params.recipe:q}"
        " --features {input.features:q} --out {output:q}"
