rule demo:
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
