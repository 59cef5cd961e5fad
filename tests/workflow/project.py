"""Copies of the project in which the real Snakefile runs."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np

from hypercut.files import canonical_json
from tests import golden

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "environment.yml", "workflow", "profiles", "src")
TINY = "workflow/presets/tiny.yaml"
#: Measured columns, which differ from run to run.
MEASURED = ["wall_seconds", "cpu_seconds", "shared_seconds", "peak_bytes", "computed"]
#: Generous: a run of the tiny benchmark takes one minute on two idle cores.
SECONDS = 600
#: A user's methods: what each does when it clusters, besides finding two clusters.
MODULE = """
import os
from multiprocessing import Pool
from pathlib import Path
from time import sleep

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
"""
METHOD = """

class {name}(ClusterMixin, BaseEstimator):
    name = "{name}"

    def fit(self, X, y=None):
        self.labels_ = [i % 2 for i in range(len(X))]
        {run}
        return self
"""


def methods(**does: str) -> str:
    """Return a module of methods, by their names."""
    return MODULE + "".join(
        METHOD.format(name=name, run=run.replace("\n", "\n" + 8 * " ")) for name, run in does.items()
    )


class Project:
    """A folder with a copy of the project."""

    def __init__(self, folder: Path, preset: str = "tiny") -> None:
        self.folder = folder
        self.preset = preset
        self.config: dict[str, object] = {}
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
        given = {"preset": self.preset, **self.config}
        # --config takes all arguments up to the next option.
        pairs = [f"{name}={value}" for name, value in given.items() if value]
        config = ["--config", *pairs] if pairs else []
        return [sys.executable, "-m", "snakemake", *config, "--cores", str(cores), *arguments]

    def run(self, *arguments: str, cores: int = 2, status: int | None = 0, **environment: str) -> str:
        """Run Snakemake and return its output."""
        return self._output(self.command(*arguments, cores=cores), status, environment)

    def hypercut(self, *arguments: str, status: int = 0, **environment: str) -> str:
        """Run the hypercut command of this copy and return its output."""
        environment["PYTHONPATH"] = f"{self.folder / 'src'}:{environment.get('PYTHONPATH', '')}"
        return self._output([sys.executable, "-m", "hypercut", *arguments], status, environment)

    def _output(self, command: list[str], status: int | None, environment: dict[str, str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
        )
        assert status in (None, done.returncode), done.stdout[-5000:]
        return done.stdout

    def start(self, *arguments: str, **options: bool) -> "subprocess.Popen[bytes]":
        """Start Snakemake without output."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options}
        return subprocess.Popen(self.command(*arguments), cwd=self.folder, env=self.environment(), **quiet)

    def kill(self, results: str, count: int) -> None:
        """Run until so many result files match a pattern, then kill Snakemake, its server and a worker."""
        run = self.start()
        wait_for(lambda: len(list(self.results.glob(results))) >= count or run.poll() is not None)
        assert run.poll() is None
        run.kill()
        run.wait()
        for pid, command_line in processes(self.folder):
            if "spawn_main" in command_line or "_server" in command_line:  # a worker, the server, or forked by it
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def planned(self, *arguments: str, **environment: str) -> set[str]:
        """Return the jobs that a run would execute, as ``rule`` or ``rule dataset/setting/algorithm``."""
        text = self.run("--dry-run", "--verbose", *arguments, **environment)  # in Snakemake's own form
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

    def add_methods(self, **does: str) -> None:
        """Write methods to a file, and list them in the configuration."""
        (self.folder / "methods.py").write_text(methods(**does))
        entries = ", ".join(f"{name}: {{module: methods.py}}" for name in does)
        self.append(TINY, f"\nalgorithms: {{{entries}}}\n")

    def outcome(self) -> dict[str, str]:
        """Return digests of all deterministic results: rows, data and over-clusterings."""
        found = golden.rows(self.results)
        for path in self.results.glob("*/**/*.npz"):
            with np.load(path) as arrays:  # their times are measured
                digests = {name: sha256(arrays[name].tobytes()).hexdigest() for name in arrays if name != "seconds"}
            found[str(path.relative_to(self.results))] = canonical_json(digests)
        return found


def assert_same_outcome(first: Project, second: Project) -> None:
    mine, other = first.outcome(), second.outcome()
    assert mine.keys() == other.keys()
    assert not {name for name in mine if mine[name] != other[name]}


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


def is_alive(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
