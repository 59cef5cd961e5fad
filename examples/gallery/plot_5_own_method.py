"""
Your own method in the benchmark
================================

A method is a file with a scikit-learn clusterer that has a ``name``. Name the file in the configuration, and the
workflow runs it on the same data, with the same random draws and metrics, as every other method. This example writes
such a file, runs a benchmark of a few cells, and reads the results from the table and from MLflow.

In a checkout you would edit ``config.yaml`` and run ``snakemake --cores 8``. Here both are small and in a temporary
folder.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["MLFLOW_DISABLE_TELEMETRY"] = os.environ["DO_NOT_TRACK"] = "true"

import mlflow
import pandas as pd

import hypercut

# make setup installs the package from the checkout.
CHECKOUT = Path(hypercut.__file__).resolve().parents[2]
temporary = tempfile.TemporaryDirectory(prefix="own-method-")
folder = Path(temporary.name)

# %%
# The method
# ----------
# Agglomerative clustering with Ward's criterion. The benchmark sets ``n_clusters`` and ``random_state`` if the class
# has them.

(folder / "ward.py").write_text(
    '''
"""Ward's method."""

from sklearn.cluster import AgglomerativeClustering


class Ward(AgglomerativeClustering):
    """Agglomerative clustering by Ward's criterion."""

    name = "Ward"

    def __init__(self, n_clusters=8):
        super().__init__(n_clusters=n_clusters)
'''
)

# %%
# The configuration
# -----------------
# Iris, clean and with noise of level L5; two repeats; most of the paper's algorithms are left out to save time. The
# complete file with all keys is ``config.yaml``.

(folder / "small.yaml").write_text(
    """
results: results
datasets: {iris: {}}
corruptions: {noise: {levels: {L5: 1.0}, scale: feature_std, distribution: gaussian}}
algorithms:
  Ward: {module: ward.py}
leave_out: [AK+NC, NRSC, PK+HSC, PKO+NC, PO+HSC, RWDSM, STSC]
baselines: [KMeans]
sigma_factors: [0.4, 1.0]
repeats: 2
sweeps: {weights: [], neighbors: [], communities: []}
readings: {names: []}
"""
)

# %%
# Run it
# ------
# The target ``table.parquet`` stops before the report. The step ``track`` then writes ``results/mlflow.db``.

STEPS = [
    f"snakemake --cores 2 --quiet all -s {CHECKOUT}/Snakefile --configfile small.yaml -- results/table.parquet",
    "hypercut.steps.track results --out results/tracking.json",
]
for step in STEPS:
    command = [sys.executable, "-m", *shlex.split(step)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

# %%
# The results
# -----------
# One row per clustering. As in the paper, the σ of each dataset, setting and method is the one with the best mean NMI.

rows = pd.read_parquet(folder / "results" / "table.parquet")
mean = rows.fillna({"sigma_factor": 0}).groupby(["algorithm", "setting", "sigma_factor"])["nmi"].mean()
table = mean.groupby(["algorithm", "setting"]).max().unstack("setting").round(3)
print(table)

ax = table.plot.bar(rot=0, figsize=(7, 3.5), ylabel="NMI", ylim=(0, 1), xlabel="", title="Iris, two repeats")
ax.figure.set_layout_engine("constrained")
assert "Ward" in table.index
assert set(rows["status"]) <= {"ok", "degenerate"}

# %%
# In MLflow
# ---------
# Every cell (a dataset × setting × algorithm) is a run; ``make ui`` shows them in a browser. ``search_runs`` returns
# them as a data frame with a column per metric, parameter and tag; the filter is that of MLflow's search field.

mlflow.set_tracking_uri(f"sqlite:///{folder / 'results' / 'mlflow.db'}")
runs = mlflow.search_runs(
    experiment_names=["hypercut/iris"],
    filter_string="tags.setting = 'clean' AND metrics.nmi > 0.5",
    order_by=["metrics.nmi DESC"],
)
print(runs[["tags.mlflow.runName", "metrics.nmi", "metrics.purity", "tags.status"]].to_string(index=False))
assert set(runs["tags.setting"]) == {"clean"}
