"""How reports stand on the page."""

from __future__ import annotations

import pytest
from rich.text import Text

from retire_model.reports import layout
from retire_model.reports.layout import aligned, hanging

LINE = "loses    the model asks for something long  [some-rule]"
ROWS = [
    [Text("edit"), Text("a/long/path.py"), Text("+1 -0"), Text("what is done to the rows of several architectures")]
]


def plain(lines: object) -> list[str]:
    return [line.plain for line in lines]  # type: ignore[attr-defined]


@pytest.fixture(params=[40, 60, None])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int | None:
    wide: int | None = request.param
    monkeypatch.setattr(layout, "line_width", lambda: wide)
    return wide


def test_long_lines_go_on_below_where_they_began(width: int | None) -> None:
    lines = plain(hanging(Text(LINE), 9))
    if width == 40:
        assert lines == ["loses    the model asks for something", "         long  [some-rule]"]
    else:
        assert lines == [LINE]


def test_columns(width: int | None) -> None:
    lines = plain(aligned(ROWS))
    if width is None:
        assert lines == ["edit   a/long/path.py   +1 -0   what is done to the rows of several architectures"]
    elif width == 60:
        assert lines == [
            "edit   a/long/path.py   +1 -0   what is done to the rows of",
            "                                several architectures",
        ]
    else:
        assert lines == [
            "edit   a/long/path.py   +1 -0",
            "         what is done to the rows of",
            "         several architectures",
        ]


def test_a_path_is_never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "line_width", lambda: 40)
    path = f"vllm/model_executor/models/{'very_' * 5}long.py:1"
    assert plain(hanging(Text(f"{' ' * 9}{path}"), 9)) == [f"{' ' * 9}{path}"]
    assert path in "\n".join(plain(hanging(Text(f"{' ' * 9}see {path} for more of it"), 9)))


def test_styles_stay_on_their_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "line_width", lambda: 40)
    *_, last = hanging(Text.assemble(("loses    ", "red"), "the model asks for something long", ("  [r]", "dim")), 9)
    assert [last.plain[span.start : span.end] for span in last.spans if span.style == "dim"] == ["  [r]"]


def test_a_pipe_has_no_width(capsys: pytest.CaptureFixture[str]) -> None:
    assert layout.line_width() is None
    print("captured")
    assert capsys.readouterr().out == "captured\n"
