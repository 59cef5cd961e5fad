# hypercut: the benchmark as a Snakemake workflow. Results are written below results/.

from snakemake.utils import min_version

min_version("9.0")


configfile: "config.yaml"


# Jobs run the package of this checkout, in whatever environment they are in.
shell.prefix(
    f"export PYTHONPATH='{workflow.basedir}/src'${{{{PYTHONPATH:+:$PYTHONPATH}}}}; "
)


include: "workflow/rules/demo.smk"


rule all:
    default_target: True
    input:
        rules.demo.output,
