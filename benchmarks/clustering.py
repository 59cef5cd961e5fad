"""Time and peak memory of PKO+HSC and of scikit-learn's SpectralClustering with the same RBF kernel.

Each measurement runs from features to labels in its own process, one after the other. On a shared machine only ratios
within one run are comparable. The default data are generated, similar to digits; `--data` reads a file (.npz with X,
.csv, …) and draws N of its rows at random.

    python benchmarks/clustering.py --data usps.npz --sizes 1000 2000 4000 9298
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np

SIZES = (1000, 2000, 4000, 9298)
N_CLUSTERS = 10
METHODS = ("PKO+HSC", "SpectralClustering")

# Runs in the measured process. ru_maxrss would include memory of the parent at the fork; VmHWM does not.
WORKER = """
import json, sys, time
import numpy as np
method, data, clusters, factor = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
X = np.load(data)
if method == "PKO+HSC":
    from hypercut import PKOHSC
    estimator = PKOHSC(clusters, sigma_factor=factor, random_state=0)
else:
    from sklearn.cluster import SpectralClustering
    rho = float(np.load(data.replace(".npy", ".rho.npy")))
    estimator = SpectralClustering(clusters, gamma=0.5 / (factor * rho) ** 2, random_state=0)
started = time.perf_counter()
labels = estimator.fit_predict(X)
seconds = time.perf_counter() - started
peak = next(int(line.split()[1]) / 1e6 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({"seconds": seconds, "gigabytes": peak, "clusters": len(set(labels.tolist()))}))
"""


def generated(n: int) -> np.ndarray:
    """Return samples on ten curved sheets in 256 dimensions, with neighbourhoods and degrees like the USPS digits."""
    rng = np.random.default_rng(0)
    latent = rng.standard_normal((n, 8))
    classes = rng.integers(N_CLUSTERS, size=n)
    maps = rng.standard_normal((N_CLUSTERS, 8, 256)) / 8**0.5
    centers = rng.standard_normal((N_CLUSTERS, 256))
    return np.tanh(np.einsum("ni,nij->nj", latent, maps[classes]) + centers[classes])


def measure(method: str, data: Path, factor: float) -> dict[str, float]:
    """Return seconds, memory and number of clusters of one clustering in its own process."""
    command = [sys.executable, "-c", WORKER, method, str(data), str(N_CLUSTERS), str(factor)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def growth(sizes: list[int], seconds: list[float]) -> float:
    """Return the exponent p of a least-squares fit of seconds ∝ N^p."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0]) if len(sizes) > 1 else math.nan


def main() -> None:
    """Measure every size and print the table."""
    import tempfile

    from hypercut.core.samples import Samples
    from hypercut.data.tables import read_table

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="samples to use instead of generated ones")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--sigma", type=float, default=2.0, help="σ as a multiple of the mean distance (default 2)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each; the fastest counts (default 3)")
    args = parser.parse_args()
    X = read_table(args.data).X if args.data else generated(max(args.sizes))
    order = np.random.default_rng(0).permutation(len(X))
    sizes = [n for n in args.sizes if n <= len(X)]
    print(f"{X.shape[1]} features, {N_CLUSTERS} clusters, σ = {args.sigma:g}ρ, fastest of {args.repeats}")
    print(f"{'N':>6}  " + "".join(f"{method:>28}" for method in METHODS) + f"{'ratio':>10}")
    times: dict[str, list[float]] = {method: [] for method in METHODS}
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            data = Path(folder) / f"{n}.npy"
            np.save(data, X[order[:n]])
            np.save(data.with_suffix(".rho.npy"), Samples.from_features(X[order[:n]]).mean_distance)
            line = f"{n:>6}  "
            for method in METHODS:
                runs = [measure(method, data, args.sigma) for _ in range(args.repeats)]
                times[method].append(min(run["seconds"] for run in runs))
                line += f"{times[method][-1]:16.2f} s {max(run['gigabytes'] for run in runs):7.2f} GB"
            print(line + f"{times[METHODS[1]][-1] / times[METHODS[0]][-1]:9.1f}×", flush=True)
    exponents = "".join(f"{f'∝ N^{growth(sizes, times[method]):.2f}':>28}" for method in METHODS)
    print(f"{'growth':>6}  {exponents}")


if __name__ == "__main__":
    main()
