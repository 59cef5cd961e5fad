"""No test of this folder leaves the machine."""

import pytest

from hypercut.data import download as _download
from hypercut.data.acquisition import MIRROR_VARIABLE
from hypercut.data.features import gist


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    monkeypatch.setattr(_download, "BACKOFF_SECONDS", 0.0)


@pytest.fixture
def _small_gist(monkeypatch: pytest.MonkeyPatch) -> None:
    """GIST of small pictures: as many values, in a fraction of the time."""
    monkeypatch.setattr(gist, "SIDE", 32)
