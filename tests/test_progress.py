"""Long work says what it is doing, short work nothing."""

import time

import pytest

from hypercut.progress import working


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hypercut.progress.PATIENCE_SECONDS", 0.05)


@pytest.mark.parametrize("terminal", [True, False])
def test_short_work_is_silent(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hypercut.progress.in_terminal", lambda: terminal)
    monkeypatch.setattr("hypercut.progress.PATIENCE_SECONDS", 60)
    with working("counting"):
        pass
    assert capsys.readouterr() == ("", "")


def test_long_work_writes_a_line_into_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    with working("counting"):
        time.sleep(0.3)
    assert capsys.readouterr() == ("", "counting …\n")


def test_a_terminal_shows_the_time_and_is_clean_afterwards(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hypercut.progress.in_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "12")
    with working("counting for a long time"):
        time.sleep(0.3)
    assert capsys.readouterr().err == "\rcounting fo\x1b[K\r\x1b[K"


def test_it_ends_with_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="lost count"), working("counting"):
        raise ValueError("lost count")
