"""Time ``hypercut report`` on a complete benchmark: random scores for every result of ``config.yaml``.

``python benchmarks/report.py`` writes the scores as a reference to a folder and runs the command there, three times. It
prints wall and processor seconds, imports and reading included. ``--profile FILE`` writes a profile of one run instead,
for ``python -m pstats``.
"""

import argparse
import cProfile
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from hypercut.benchmark.archive import located
from hypercut.benchmark.cost import calibrated
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.reference import ARCHIVE_SCHEMA, Reference, read_reference, write_reference
from hypercut.benchmark.rows import METRICS, Status
from hypercut.benchmark.variations import Variation
from hypercut.files import canonical_json
from hypercut.seeds import stream

ROOT = Path(__file__).parents[1]
RUNS = 3


def made_reference(real: Reference) -> Reference:
    """Return a complete reference of the same benchmark, with random scores and the facts of the real one."""
    benchmark = Benchmark(located(real.config, "data"))
    origin = real.rows["origin"].iloc[0]
    facts = real.rows.groupby("dataset")[["data_kind", "complete", "n_samples", "n_features", "n_clusters"]].first()
    some, roles = facts.iloc[0], real.rows.groupby("algorithm")["role"].first()
    rows = pd.concat(
        [
            made_rows(benchmark, result).assign(
                **(facts.loc[result.dataset] if result.dataset in facts.index else some),
                role=roles[result.algorithm],
                origin=origin,
            )
            for result in benchmark.results()
        ],
        ignore_index=True,
    )
    return Reference(real.config, real.datasets, real.contributions, frozenset(), rows[ARCHIVE_SCHEMA.names])


def made_rows(benchmark: Benchmark, result: Variation) -> pd.DataFrame:
    """Return rows of one result, for every set of parameters, repeat and scale."""
    scaled = calibrated().of(result.algorithm).scaled
    factors = benchmark.factors(result.setting) if scaled else [np.nan]
    axes = [list(map(canonical_json, benchmark.combinations(result))), range(result.repeats), factors]
    rows = pd.MultiIndex.from_product(axes, names=["parameters", "repeat", "sigma_factor"]).to_frame(index=False)
    rng = stream("made", *result.names.values())
    level = benchmark.level(result.setting)
    score = rng.uniform(0.3, 0.9) / (1 + level) * (1 + 0.05 * rng.standard_normal(len(rows))).clip(0.8, 1.1)
    return rows.assign(
        **result.names,
        **dict.fromkeys([*METRICS, "neighbor_information"], score),
        corruption=result.setting.partition("-")[0],
        level=level,
        sigma=rows["sigma_factor"],
        n_found=10,
        status=str(Status.OK),
        message="",
        n_iter=4,
        **dict.fromkeys(["wall_seconds", "cpu_seconds", "shared_seconds"], rng.uniform(0.1, 1, len(rows))),
        peak_bytes=2.0**28,
        threads=1,
    )


def timed(command: list[str]) -> Iterator[tuple[float, float]]:
    """Yield wall and processor seconds of each run."""
    for _ in range(RUNS):
        begun, before = time.perf_counter(), os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        processor = after.children_user + after.children_system - before.children_user - before.children_system
        yield time.perf_counter() - begun, processor


def main() -> None:
    """Write the reference, and time or profile the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", type=Path, metavar="FILE", help="write a profile instead of times")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "reference")
        (folder / "rows").mkdir(parents=True)
        made = made_reference(read_reference(ROOT / "reference"))
        write_reference(folder, made)
        print(f"{len(made.rows)} clusterings", flush=True)
        if args.profile:
            from hypercut.cli import report

            with cProfile.Profile() as profile:
                report.run(argparse.Namespace(results=folder, out=None))
            profile.dump_stats(args.profile)
            return
        for wall, processor in timed([sys.executable, "-m", "hypercut", "report", str(folder)]):
            print(f"wall {wall:.1f} s, processor {processor:.1f} s", flush=True)


if __name__ == "__main__":
    main()
