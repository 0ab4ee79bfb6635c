"""Sources that parse and are too deep to be followed, or grow when they are: a clear line or an answer, no fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retire_model.command import run
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from pathlib import Path

MODELS = "vllm/model_executor/models"
DEEP = {
    "attributes": f"x{'.a' * 1500}",
    "calls": f"f{'(1)' * 1500}",
    "a sum": "+".join(["1"] * 1500),
    "signs": f"{'-' * 1500}1",
}
COMMANDS = {
    "check": ["check", "toy"],
    "plan": ["toy"],
    "remove": ["toy", "--remove", "--last-version", "8.0.0"],
    "lint": ["lint"],
    "survey": ["survey"],
}


@pytest.mark.parametrize("file", [f"{MODELS}/registry.py", f"{MODELS}/toy.py", f"{MODELS}/transformers/base.py"])
@pytest.mark.parametrize("command", COMMANDS)
def test_one_clear_answer(command: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine, release = write_engine(tmp_path), write_release(tmp_path)
    (engine / "PKG-INFO").write_text("Version: 9.0.0\n")
    whole = (engine / file).read_text()
    for expression in DEEP.values():
        (engine / file).write_text(f"{whole}\nodd = {expression}\n\n\nclass Odd:\n    odd = {expression}\n")
        transformers = [] if command == "lint" else ["--transformers", str(release)]
        status = run([*COMMANDS[command], "--engine", str(engine), *transformers])
        error = capsys.readouterr().err
        assert status in (0, 1, 2), error
        assert "Traceback" not in error


def test_an_entry_whose_name_is_a_deep_expression(tmp_path: Path) -> None:
    engine = write_engine(tmp_path)
    registry = engine / f"{MODELS}/registry.py"
    first = "_TEXT_GENERATION_MODELS = {\n"
    deep = f'{first}    f{"(1)" * 900}: ("toy", "ToyForCausalLM"),\n'
    registry.write_text(registry.read_text().replace(first, deep, 1))
    assert run(["lint", "--engine", str(engine)]) == 1


def test_a_text_that_doubles_with_each_line(tmp_path: Path) -> None:
    engine = write_engine(tmp_path)
    (engine / "PKG-INFO").write_text("Version: 9.0.0\n")
    registry = engine / f"{MODELS}/registry.py"
    lines = ["a0 = 'xxxx'", *(f"a{n + 1} = a{n} + a{n} + 'y'" for n in range(60))]
    registry.write_text("\n".join([*lines, registry.read_text()]))
    assert run(["lint", "--engine", str(engine)]) in (0, 1)


@pytest.mark.parametrize(
    ("first", "step"),
    [("[1, 2]", "{0} + {0}"), ("'xx'", "{0} + {0}"), ("'%999999999d'", "{0} % 1"), ("99", "{0} * {0}")],
)
def test_defaults_that_double_with_each_line(first: str, step: str, tmp_path: Path) -> None:
    engine, release = write_engine(tmp_path), write_release(tmp_path)
    file = release / "transformers/models/toy/configuration_toy.py"
    lines = [f"        a{n + 1} = {step.format(f'a{n}')}\n" for n in range(60)]
    start = "\n    def __init__(self, hidden_size=1):\n"
    file.write_text(f"{file.read_text()}{start}        a0 = {first}\n{''.join(lines)}        self.odd = a60\n")
    assert run(["check", "toy", "--engine", str(engine), "--transformers", str(release)]) in (0, 1)
