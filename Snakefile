# hypercut: the benchmark as a Snakemake workflow.
#
#   snakemake --cores 8                          the full benchmark of config.yaml
#   snakemake --cores 2 --config preset=quick    a small one, in minutes (make quick)
#
# Everything is written below the folder that the configuration calls `results`:
#
#   config.json                                  the configuration, checked and complete
#   features/<dataset>.npz                       features and classes
#   problems/<dataset>/<setting>.npz             every repeat of a dataset under a setting (clean, noise-L1 …)
#   communities/<dataset>/<setting>.npz          over-clusterings that several algorithms share
#   clusters/<dataset>/<setting>/<algorithm>.parquet    one row per clustering, with its labels
#   sweeps/<dataset>/<sweep>.parquet             the same rows, with one parameter varied
#   table.parquet, run.json                      all rows without labels; what was run, where and with which code
#   similarity.npz                               similarity matrices of ORL, if the benchmark has it
#   report/index.html                            tables and figures
#   tracking.json                                what MLflow was told (mlflow.db, mlartifacts/)
#   benchmark-id                                 by which MLflow tells the runs of this benchmark from those of others
#   logs/                                        one log per job

from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/resources.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/corruption.smk"
include: "workflow/rules/clustering.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/tracking.smk"


# What a cluster's nodes need not do, or cannot: seconds of work, downloads, and telling MLflow. It runs where Snakemake does.
localrules:
    configuration,
    plan,
    acquire,
    track,


rule all:
    default_target: True
    # Everything from the cells on is asked for by name: what is missing in the middle of a chain is otherwise not computed
    # again as long as the end of the chain is there.
    input:
        rules.configuration.output,
        CELLS,
        SWEEPS,
        rules.aggregate.output,
        SIMILARITY,
        rules.report.output,
        rules.track.output,


onstart:
    begin(log)


onsuccess:
    end()


onerror:
    end()
    print(*failed_submissions(), sep="\n")
    print(
        "\nSome jobs failed: see FAILED above, and the logs below "
        f"{RESULTS}/logs. Run the same command again to retry them; what is done stays done."
    )
