"""Broken and hostile Transformers sources: a finding or one clear line, never a traceback, never an import."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retire_model.command import run
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, MODELING, TP_PLAN_LINES, changed
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from pathlib import Path

DEEP = 10_000
MARK = "import pathlib; pathlib.Path({!r}).touch()\n"

HOSTILE = {
    "syntax error": Snippet(modeling=f"{MODELING}\ndef broken(:\n"),
    "nested parentheses": Snippet(modeling=f"{MODELING}\nx = {'(' * DEEP}1{')' * DEEP}\n"),
    "long chain of attributes": Snippet(
        modeling=changed(MODELING, "self.norm(hidden_states)", f"self{'.a' * DEEP}(1)")
    ),
    "long chain of calls": Snippet(modeling=changed(MODELING, "self.norm(hidden_states)", f"f{'(1)' * DEEP}")),
    "long sum": Snippet(modeling=changed(MODELING, "self.norm(hidden_states)", "+".join(["1"] * DEEP))),
    "a plan that is a call": Snippet(
        configuration=changed(CONFIGURATION, TP_PLAN_LINES, "    base_model_tp_plan = make(__import__('os'))\n")
    ),
    "a plan for every number": Snippet(
        configuration=changed(CONFIGURATION, TP_PLAN_LINES, "    base_model_tp_plan = {i: i for i in range(10**12)}\n")
    ),
    "a plan of broken expressions": Snippet(
        configuration=changed(CONFIGURATION, TP_PLAN_LINES, '    base_model_tp_plan = {"((((": "colwise"}\n')
    ),
    "cyclic imports": Snippet(
        modeling=changed(MODELING, "from .configuration_toy import ToyConfig", "from .modeling_toy import ToyConfig")
    ),
    "a class that inherits from itself": Snippet(
        modeling=changed(MODELING, "class ToyModel(ToyPreTrainedModel)", "class ToyModel(ToyModel)")
    ),
    "classes that inherit from each other": Snippet(
        modeling=changed(MODELING, "class ToyPreTrainedModel(PreTrainedModel)", "class ToyPreTrainedModel(ToyModel)")
    ),
    "endless defaults": Snippet(configuration=f"{CONFIGURATION}    layer_types: list = ['x'] * 10**12\n"),
    "not UTF-8": Snippet(modeling=f"{MODELING}# \udcff\n"),
    "a null byte": Snippet(modeling=f"{MODELING}\0"),
    "empty": Snippet(modeling="\n", configuration="\n"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_one_clear_answer(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    snippet = HOSTILE[name]
    engine = write_engine(tmp_path)
    release = write_release(tmp_path)
    toy = release / "transformers/models/toy"
    ran = tmp_path / "ran"
    for file, text in (("modeling_toy.py", snippet.modeling), ("configuration_toy.py", snippet.configuration)):
        if text:
            (toy / file).write_bytes((MARK.format(str(ran)) + text).encode("utf-8", "surrogateescape"))
    status = run(["check", "toy", "--engine", str(engine), "--transformers", str(release)])
    error = capsys.readouterr().err
    assert status in (0, 1, 2), error
    assert "Traceback" not in error
    assert len(error.splitlines()) <= 2
    assert bool(error) is (status == 2)
    assert not ran.exists()
