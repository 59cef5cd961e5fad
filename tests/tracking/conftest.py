"""Results with an empty store, and synced results."""

import shutil
from pathlib import Path

import pytest

from hypercut.tracking.store import Store, tracking_uri
from tests.tracking.results import make_results, run_sync


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results before and after a sync, created once, since MLflow takes seconds to create its tables."""
    folder = tmp_path_factory.mktemp("tracking")
    fresh, synced = folder / "fresh", folder / "synced"
    make_results(fresh)
    Store(tracking_uri(fresh))
    shutil.copytree(fresh, synced)
    run_sync(synced)
    return folder


@pytest.fixture
def results(tmp_path: Path, templates: Path) -> Path:
    """Results beside an empty store."""
    return Path(shutil.copytree(templates / "fresh", tmp_path / "results"))


@pytest.fixture
def synced(tmp_path: Path, templates: Path) -> Path:
    """Results that MLflow has."""
    return Path(shutil.copytree(templates / "synced", tmp_path / "results"))


@pytest.fixture
def shared(tmp_path: Path, templates: Path) -> tuple[Path, Path, str]:
    """Two benchmarks with the same cells, and an empty store for both."""
    made = []
    for name in ("one", "two"):
        folder = Path(shutil.copytree(templates / "fresh", tmp_path / name))
        (folder / "mlflow.db").rename(tmp_path / "shared.db")
        made.append(folder)
    return made[0], made[1], f"sqlite:///{tmp_path / 'shared.db'}"
