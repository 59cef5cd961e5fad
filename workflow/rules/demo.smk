rule demo:
    input:
        # The package is an input: a demonstration of other code than that at hand would be stale.
        sorted(
            str(path.relative_to(workflow.basedir))
            for path in Path(workflow.basedir, "src").rglob("*.py")
        ),
    output:
        "results/demo.txt",
    log:
        "results/logs/demo.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
    shell:
        "python -m hypercut demo --seed {params.seed} --out {output} 2> {log}"
