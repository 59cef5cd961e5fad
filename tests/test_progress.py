import pytest

from hypercut.progress import Phases


def test_short_work_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Phases() as say:
        say("Reading")
    assert capsys.readouterr().err == ""


def test_long_work_prints_its_phases(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hypercut.progress.PATIENCE_SECONDS", 0.0)
    with Phases() as say:
        say("Reading")
        say("Writing")
    assert capsys.readouterr().err == "Reading …\nWriting …\n"
