rule demo:
    output:
        "results/demo.txt",
    log:
        "results/logs/demo.log",
    params:
        seed=config["seed"],
    conda:
        "../../environment.yml"
    shell:
        "python -m hypercut demo --seed {params.seed} --out {output} 2> {log}"
