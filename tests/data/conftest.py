"""No test of this folder leaves the machine."""

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
    """GIST of small pictures: as many values, in a fraction of the time."""
    monkeypatch.setattr(gist, "SIDE", 32)
