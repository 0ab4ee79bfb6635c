"""What a terminal shows while something takes its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retire_model.reports.progress import DownloadProgress, end_steps, show_step

if TYPE_CHECKING:
    import pytest


def download() -> None:
    progress = DownloadProgress()
    for done in range(0, 3_000_001, 10_000):
        progress("some.whl", done, 3_000_000)


def test_a_line_for_each_megabyte(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    download()
    *shown, last = capsys.readouterr().err.split("\r")[1:]
    assert [line.partition(" of")[0] for line in shown] == [f"some.whl: {n}" for n in range(4)]
    assert last == "some.whl: 3 of 3 MB\x1b[K\n"


def test_steps_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    show_step("Transformers 5.0.0")
    end_steps()
    assert capsys.readouterr().err == "\rTransformers 5.0.0\x1b[K\r\x1b[K"


def test_nothing_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    download()
    show_step("Transformers 5.0.0")
    end_steps()
    assert capsys.readouterr().err == ""
