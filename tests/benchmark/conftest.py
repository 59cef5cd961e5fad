from pathlib import Path

import pytest

from tests.benchmark.current import write_benchmark


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A complete benchmark whose results are all current."""
    write_benchmark(tmp_path / "results")
    return tmp_path / "results"
