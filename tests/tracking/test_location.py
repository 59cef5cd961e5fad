"""Which store is used, and which addresses are errors."""

from pathlib import Path

import pytest

from hypercut.tracking.location import TrackingError, tracking_uri


def test_where_the_store_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tracking_uri(tmp_path) == f"sqlite:///{tmp_path / 'mlflow.db'}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://server:5000")
    assert tracking_uri(tmp_path) == "http://server:5000"
    assert tracking_uri(tmp_path, "sqlite:///x.db") == "sqlite:///x.db"
    with pytest.raises(TrackingError, match=r"found postgresql://\*\*\*@db/m"):
        tracking_uri(tmp_path, "postgresql://me:secret@db/m")


@pytest.mark.parametrize("password", ["hun/ter2", "hun@ter2", "hun?ter2", "hun#ter2", "hun[ter2", "hun ter2"])
@pytest.mark.parametrize("scheme", ["http://", "https://", ""])
def test_address_whose_password_would_be_misread(tmp_path: Path, scheme: str, password: str) -> None:
    """MLflow and its libraries would take a part of it for a host or a path, and print that."""
    with pytest.raises(TrackingError) as error:
        tracking_uri(tmp_path, f"{scheme}me:{password}@host")
    assert "hun" not in str(error.value)
    assert "ter2" not in str(error.value)
    assert ("MLFLOW_TRACKING_PASSWORD" in str(error.value)) == bool(scheme)
