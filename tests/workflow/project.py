"""A copy of the project in which the real Snakefile runs."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from hypercut.benchmark.rows import read_rows

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "environment.yml", "workflow", "profiles", "src")
#: Measured columns, which differ from run to run.
MEASURED = ["wall_seconds", "cpu_seconds", "shared_seconds", "peak_bytes", "computed"]
#: Generous: a run of the tiny benchmark takes one minute on two idle cores.
SECONDS = 600


class Project:
    """A folder with a copy of the project."""

    def __init__(self, folder: Path, preset: str = "tiny") -> None:
        self.folder = folder
        self.preset = preset
        self.results = folder / "results" / "tiny"

    @classmethod
    def create(cls, folder: Path) -> "Project":
        folder.mkdir(parents=True)
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            else:
                shutil.copy2(source, folder / part)
        return cls(folder)

    def copy(self, folder: Path) -> "Project":
        """Return a copy with all results and their modification times."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder, self.preset)

    def environment(self, **extra: str) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MLFLOW", "HYPERCUT"))}
        binaries = Path(sys.executable).parent
        return {**environment, "PATH": f"{binaries}:{environment['PATH']}", "PYTHONPATH": "", **extra}

    def command(self, *arguments: str, cores: int = 2) -> list[str]:
        config = ["--config", f"preset={self.preset}"]
        # --config takes all arguments up to the next option.
        return [sys.executable, "-m", "snakemake", *config, "--cores", str(cores), *arguments]

    def run(self, *arguments: str, cores: int = 2, status: int = 0, **environment: str) -> str:
        """Run Snakemake and return its output."""
        return self._output(self.command(*arguments, cores=cores), status, environment)

    def hypercut(self, *arguments: str, status: int = 0, **environment: str) -> str:
        """Run the hypercut command of this copy and return its output."""
        environment["PYTHONPATH"] = f"{self.folder / 'src'}:{environment.get('PYTHONPATH', '')}"
        return self._output([sys.executable, "-m", "hypercut", *arguments], status, environment)

    def _output(self, command: list[str], status: int, environment: dict[str, str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == status, done.stdout[-5000:]
        return done.stdout

    def kill(self, results: str, count: int, cores: int = 2) -> None:
        """Run until so many result files match a pattern, then kill Snakemake, its server and a worker."""
        output = subprocess.DEVNULL
        command, environment = self.command(cores=cores), self.environment()
        run = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=output, stderr=output)
        deadline = time.monotonic() + SECONDS
        while len(list(self.results.glob(results))) < count:
            assert run.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        run.kill()
        run.wait()
        for pid, command_line in processes(self.folder):
            if "spawn_main" in command_line or "_server" in command_line:  # a worker, the server, or forked by it
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def planned(self, **environment: str) -> set[str]:
        """Return the jobs that a run would execute, as ``rule`` or ``rule dataset/setting/algorithm``."""
        text = self.run("--dry-run", "--quiet", "progress", **environment)
        jobs = set()
        for block in re.split(r"\n(?=(?:local)?rule )", text)[1:]:
            rule = re.match(r"(?:local)?rule (\w+):", block)[1]
            wildcards = re.search(r"^    wildcards: (.*)$", block, flags=re.MULTILINE)
            values = [pair.partition("=")[2] for pair in wildcards[1].split(", ")] if wildcards else []
            jobs.add(" ".join([rule, "/".join(values)]).strip())
        return jobs

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def append(self, file: str, text: str) -> None:
        """Append to a file that must exist: a test of a module that has moved must fail."""
        with (self.folder / file).open("r+", encoding="utf-8") as stream:
            stream.seek(0, os.SEEK_END)
            stream.write(text)

    def outcome(self) -> dict[str, object]:
        """Return all deterministic results: rows without measurements, and the bytes of the data."""
        found: dict[str, object] = {}
        tables = [
            self.results / "table.parquet",
            *self.results.glob("variations/*/*/*/*"),
            *self.results.glob("clusters/*/*/*"),
        ]
        for path in sorted(tables):
            rows = read_rows(path, labels=True)
            found[str(path.relative_to(self.results))] = rows.drop(columns=MEASURED)
        for path in sorted([*self.results.glob("features/*.npz"), *self.results.glob("problems/*/*.npz")]):
            found[str(path.relative_to(self.results))] = path.read_bytes()
        for path in sorted(self.results.glob("communities/*/*.npz")):
            with np.load(path) as archive:
                found[str(path.relative_to(self.results))] = archive["labels"].tobytes()
        return found


def assert_same_outcome(first: Project, second: Project) -> None:
    mine, other = first.outcome(), second.outcome()
    assert mine.keys() == other.keys()
    for name, content in mine.items():
        if isinstance(content, pd.DataFrame):
            pd.testing.assert_frame_equal(content, other[name], obj=name)
        else:
            assert content == other[name], name


def processes(folder: Path) -> list[tuple[int, str]]:
    """Return number and command of every process that works in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder:
                found.append((int(process.name), (process / "cmdline").read_text().replace("\0", " ")))
        except OSError:
            continue
    return found
