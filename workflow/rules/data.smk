# From raw files to features.

# Plumbing that moves bytes decides nothing about what the data are. Generators do, and are left in.
PLUMBING = (
    "hypercut.features",
    "hypercut.progress",
    "hypercut.errors",
    "hypercut.tables",
    *(
        f"hypercut.datasets{name}"
        for name in ("._archives", "._base", "._collection", "._download", "._sources")
    ),
)
DATA = CONFIG["data"]["root"]
MIRROR = CONFIG["data"]["mirror"] or ""


def dataset_module(dataset):
    own = "path" in CONFIG["datasets"][dataset]
    return f"hypercut.datasets.{'_own' if own else dataset}"


rule acquire:
    # The data folder is shared by all benchmarks, and `hypercut data get` may change it too: what is there is updated, not
    # removed first. The manifest's content decides whether what follows runs again.
    input:
        own=lambda w: BENCHMARK.own_files(w.dataset),
        source=lambda w: [
            path
            for path in source_files(dataset_module(w.dataset), ignore=PLUMBING)
            if not path.endswith("__init__.py")
        ],
    output:
        update(f"{DATA}/{{dataset}}/manifest.json"),
    log:
        f"{RESULTS}/logs/acquire/{{dataset}}.log",
    retries: 2
    conda:
        ENVIRONMENT
    params:
        entry=lambda w: as_json(BENCHMARK.data_entry(w.dataset)),
    # Where the data come from is no parameter: another mirror must not fetch again what is there.
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.acquire {wildcards.dataset:q} --entry {params.entry:q}"
        " --root {DATA:q} --mirror={MIRROR:q} --on-missing {CONFIG[data][on_missing]}"


rule featurize:
    input:
        data=rules.acquire.output[0],
        source=lambda w: step("featurize", dataset_module(w.dataset)),
    output:
        f"{RESULTS}/features/{{dataset}}.npz",
    log:
        f"{RESULTS}/logs/featurize/{{dataset}}.log",
    conda:
        ENVIRONMENT
    params:
        entry=lambda w: as_json(BENCHMARK.data_entry(w.dataset)),
    shell:
        "job {log:q} {output:q} python -m hypercut.steps.featurize {wildcards.dataset:q} --entry {params.entry:q}"
        " --root {DATA:q} --out {output:q}"
