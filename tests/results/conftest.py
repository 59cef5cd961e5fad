import shutil
from pathlib import Path

import pytest

from tests.results.current import write_benchmark, write_config


@pytest.fixture(scope="session")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete benchmark whose results are all current, to be copied."""
    folder = tmp_path_factory.mktemp("complete") / "results"
    write_benchmark(folder)
    return folder


@pytest.fixture
def results(complete: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A complete benchmark whose results are all current, in a folder without data of earlier runs."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(complete, tmp_path / "results")
    write_config(tmp_path / "results")
    return tmp_path / "results"
