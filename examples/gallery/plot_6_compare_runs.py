"""
Compare runs in MLflow
======================

Every cell of the benchmark (a dataset × setting × algorithm) is a run in MLflow. ``make ui`` shows them in a browser;
this example asks for the same runs from Python and draws what MLflow's chart of noise levels shows.

It computes a small benchmark in a temporary folder first. With results of your own, start at *Ask MLflow*.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["MLFLOW_DISABLE_TELEMETRY"] = os.environ["DO_NOT_TRACK"] = "true"

import matplotlib.pyplot as plt
import mlflow

import hypercut

# make setup installs the package from the checkout.
CHECKOUT = Path(hypercut.__file__).resolve().parents[2]
temporary = tempfile.TemporaryDirectory(prefix="compare-runs-")
folder = Path(temporary.name)

# %%
# A small benchmark
# -----------------
# Iris, clean and with two levels of noise, CSC and scikit-learn's spectral clustering, one scale, two repeats. The step
# ``track`` then writes the runs to ``results/mlflow.db``.

(folder / "small.yaml").write_text(
    """
results: results
datasets: {iris: {}}
corruptions: {noise: {levels: {L5: 1.0, L10: 2.0}, scale: feature_std, distribution: gaussian}}
leave_out: [AK+NC, NRSC, PK+HSC, PO+HSC, PKO+HSC, PKO+NC, RWDSM, STSC]
baselines: [SpectralClustering]
sigma_factors: [0.4]
repeats: 2
sweeps: {weights: [], neighbors: [], communities: []}
readings: {names: []}
"""
)
STEPS = [
    f"snakemake --cores 2 --quiet all -s {CHECKOUT}/Snakefile --configfile small.yaml -- results/table.parquet",
    "hypercut.steps.track results --out results/tracking.json",
]
for step in STEPS:
    command = [sys.executable, "-m", *shlex.split(step)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

# %%
# Ask MLflow
# ----------
# One experiment per dataset. ``search_runs`` returns a data frame with a column per metric, parameter and tag; the
# filter is the one that MLflow's search field takes.

mlflow.set_tracking_uri(f"sqlite:///{folder / 'results' / 'mlflow.db'}")
runs = mlflow.search_runs(
    experiment_names=["hypercut/iris"],
    filter_string="tags.setting = 'clean' AND metrics.nmi > 0.5",
    order_by=["metrics.nmi DESC"],
)
print(runs[["tags.mlflow.runName", "metrics.nmi", "metrics.purity", "tags.status"]].to_string(index=False))
assert set(runs["tags.setting"]) == {"clean"}

# %%
# Curves
# ------
# The experiment ``hypercut/curves`` has a run per dataset, corruption and algorithm, whose metrics have the level as
# their step: 0 is clean.

client = mlflow.MlflowClient()
noise_on_iris = "tags.dataset = 'iris' AND tags.corruption = 'noise'"
curves = mlflow.search_runs(experiment_names=["hypercut/curves"], filter_string=noise_on_iris)
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for run_id, algorithm in zip(curves["run_id"], curves["tags.algorithm"], strict=True):
    history = sorted(client.get_metric_history(run_id, "nmi"), key=lambda point: point.step)
    assert [point.step for point in history] == [0, 5, 10]
    ax.plot([point.step for point in history], [point.value for point in history], "o-", label=algorithm)
ax.set(xlabel="noise level", ylabel="NMI", ylim=(0, 1), title="Iris, two repeats")
ax.legend()
