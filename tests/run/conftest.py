from pathlib import Path

import pytest

from tests.run import blobs


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The file of a small problem with noise, in two repeats."""
    return blobs.saved(tmp_path / "problem.npz", blobs.blobs())
