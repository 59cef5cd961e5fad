# From raw files to features.


rule acquire:
    # All benchmarks and `hypercut data get` share the data folder, so it is updated, not deleted first. The content of
    # the manifest decides whether later steps run again.
    input:
        own=lambda w: BENCHMARK.own_files(w.dataset),
    output:
        update(f"{DATA}/{{dataset}}/manifest.json"),
    log:
        LAYOUT.log("acquire", "{dataset}"),
    # Also not by a profile: downloads are retried by the step, and other errors need the user.
    retries: 0
    conda:
        ENVIRONMENT
    params:
        # Of generators only: code that fetches and reads files is left out.
        code=lambda w: acquisition_code(BENCHMARK.dataset_module(w.dataset)),
        # A checksum, since a file may be replaced by an older one.
        own=lambda w: BENCHMARK.own_digest(w.dataset),
        # Without the subset and other options, which concern the features.
        module=lambda w: BENCHMARK.dataset_module(w.dataset),
        entry=lambda w: canonical_json(BENCHMARK.acquisition_entry(w.dataset)),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.acquire {wildcards.dataset:q}"
        " --module {params.module} --entry {params.entry:q}"
        ' --root "$DATA" --on-missing $ON_MISSING --on-mismatch $ON_MISMATCH --code {params.code}'


rule featurize:
    input:
        data=lambda w: f"{DATA}/{BENCHMARK.files_of(w.dataset)}/manifest.json",
    output:
        LAYOUT.features("{dataset}"),
    log:
        LAYOUT.log("featurize", "{dataset}"),
    conda:
        ENVIRONMENT
    params:
        code=lambda w: code("featurize", BENCHMARK.dataset_module(w.dataset)),
        module=lambda w: BENCHMARK.dataset_module(w.dataset),
        entry=lambda w: canonical_json(BENCHMARK.data_entry(w.dataset)),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.featurize {wildcards.dataset:q}"
        " --module {params.module} --entry {params.entry:q}"
        ' --root "$DATA" --out {output:q}'
