import pytest

from hypercut.progress import Phases


def test_short_work_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Phases() as say:
        say("Reading")
    assert capsys.readouterr().err == ""


def test_long_work_prints_its_phases(capsys: pytest.CaptureFixture[str]) -> None:
    with Phases() as say:
        say("Preparing")
        say("Reading")
        say._begin()  # as the timer does
        say("Writing")
    assert capsys.readouterr().err == "Reading …\nWriting …\n"
