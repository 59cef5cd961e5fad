"""No test in this folder uses the network."""

import pytest

from hypercut.data import sources as _sources
from hypercut.data.features import gist
from hypercut.data.store import MIRROR_VARIABLE


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    monkeypatch.setattr(_sources, "BACKOFF_SECONDS", 0.0)


@pytest.fixture
def _small_gist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute GIST of smaller pictures: the same number of values in a fraction of the time."""
    monkeypatch.setattr(gist, "SIDE", 32)
