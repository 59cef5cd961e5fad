from pathlib import Path

import pytest

from tests.benchmark.current import write_benchmark


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A complete benchmark whose results are all current, in a folder without data of earlier runs."""
    monkeypatch.chdir(tmp_path)
    write_benchmark(tmp_path / "results")
    return tmp_path / "results"
