# hypercut: the benchmark as a Snakemake workflow.
#
#   snakemake --cores 8                          the full benchmark of config.yaml
#   snakemake --cores 2 --config preset=quick    a small one, in minutes (make quick)
#
# All output is below the folder `results` of the configuration:
#
#   config.json                                  the configuration, checked, with defaults
#   features/<dataset>.npz                       features and classes
#   problems/<dataset>/<problem>.npz             all repeats of a dataset under a setting (clean, noise-L1 …), or with
#                                                data changed by a reading of the paper (clean~features-unit)
#   overclusterings/<dataset>/<problem>.npz      over-clusterings, shared by several algorithms
#   clusters/<dataset>/<setting>/<algorithm>.parquet    one row per clustering, with its labels
#   clusters/<dataset>/<setting>/<variation>/<algorithm>.parquet    the same rows for a sweep or a reading
#   table.parquet, run.json                      all rows without labels; configuration, code, machine and data
#   similarity.npz                               similarity matrices of ORL, if the benchmark includes it
#   report/index.html, report/appendix.html      the answer with tables and figures; everything else
#   tracking.json                                the report of the MLflow sync (mlflow.db, mlartifacts/)
#   benchmark-id                                 distinguishes the MLflow runs of this benchmark from others
#   logs/                                        one log per job
#
# A result has a recipe: everything that decides it (src/hypercut/benchmark/recipe.py). It is the parameter of its job.

from snakemake.utils import min_version

min_version("9.12")


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/resources.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/clustering.smk"
include: "workflow/rules/report.smk"


# Rules that run on the submitting host: short ones, and those that need the network (downloads, MLflow).
localrules:
    configuration,
    plan,
    acquire,
    track,


rule all:
    default_target: True
    # Results and everything after them are listed one by one: Snakemake does not recompute a missing intermediate file as
    # long as the final files exist.
    input:
        rules.configuration.output,
        RESULT_FILES,
        rules.aggregate.output,
        SIMILARITY,
        rules.report.output,
        rules.track.output,


onstart:
    redate_future_files()
    start_server()


onsuccess:
    end()


onerror:
    end(
        f"See FAILED above and the logs below {RESULTS}/logs. "
        "Run the same command again to retry; finished jobs are kept.",
    )
