"""The whole command, with a stand-in for the smoke run."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from packaging.version import Version

from retire_model.command import run
from retire_model.prove import command
from retire_model.prove.running import run_cases
from tests.retire_model.prove.fake import calls, is_alive, process_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retire_model.prove.cases import Case
    from retire_model.prove.results import Result
    from retire_model.prove.running import Workers
    from tests.retire_model.prove.conftest import Place

DOCS = Path(__file__).parents[3] / "docs"
BOTH = ("--tensor-parallel", "1", "--tensor-parallel", "2")


def test_each_case_is_run_once(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.behave("ToyForCausalLM", "passed", "failed")
    assert run(place.command("toy", *BOTH)) == 1
    out, err = capsys.readouterr()
    assert "2 cases: 1 passed, 1 failed." in out
    assert "2 of 2: ToyForCausalLM, Transformers 5.0.0, tensor parallel 2: failed" in err
    # All is known: nothing is run, and the answer is the same.
    assert run(place.command("toy", *BOTH)) == 1
    assert "2 cases of an earlier run." in capsys.readouterr().out
    assert len(calls(place.folder)) == 2
    assert run([*place.command("toy", *BOTH), "--again"]) == 1
    assert len(calls(place.folder)) == 4


def test_what_changes_runs_again(place: Place) -> None:
    assert run(place.command("toy", "--tensor-parallel", "1")) == 0
    assert run(place.command("toy", "--tensor-parallel", "1", "--dtype", "bfloat16")) == 0
    assert len(calls(place.folder)) == 2
    toy = place.trees.engine / "vllm/model_executor/models/toy.py"
    toy.write_text(toy.read_text() + "\n")
    assert run(place.command("toy", "--tensor-parallel", "1")) == 0
    modeling = place.trees.release / "transformers/models/toy/modeling_toy.py"
    modeling.write_text(modeling.read_text() + "\n")
    assert run(place.command("toy", "--tensor-parallel", "1")) == 0
    assert len(calls(place.folder)) == 4


def test_what_could_not_be_run_runs_again(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.behave("ToyForCausalLM", "refuses", "passed")
    words = ("toy", "--tensor-parallel", "1", "--retries", "0")
    assert run(place.command(*words)) == 2
    assert "no checkpoint can be made" in capsys.readouterr().out
    assert run(place.command(*words)) == 0


def test_a_killed_run_is_tried_again(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.behave("ToyForCausalLM", "killed", "passed")
    assert run(place.command("toy", "--tensor-parallel", "1")) == 0
    assert "2 attempts" in capsys.readouterr().err


def test_too_long(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.behave("ToyForCausalLM", "hangs")
    assert run(place.command("toy", "--tensor-parallel", "1", "--case-seconds", "1")) == 2
    assert "not done within 1 seconds" in capsys.readouterr().out
    assert len(calls(place.folder)) == 1


def test_the_json_keeps_to_its_schema(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.behave("ToyForCausalLM", "passed", "refuses")
    assert run([*place.command("toy", *BOTH), "--format", "json", "--retries", "0"]) == 2
    report = json.loads(capsys.readouterr().out)
    schemas = {name: json.loads((DOCS / f"{name}.schema.json").read_text()) for name in ("prove", "smoke")}
    jsonschema.validate(report, schemas["prove"])
    first, second = report["cases"]
    smoke = {"version": 1, "exit_status": 0, "models": [first["report"]]}
    jsonschema.validate(smoke, schemas["smoke"])
    assert second["report"] is None
    assert first["command"][:3] == ["retire-model", "smoke", "ToyForCausalLM"]


def test_markdown(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*place.command("toy", "--tensor-parallel", "1"), "--format", "markdown"]) == 0
    out = capsys.readouterr().out
    assert "| passed | ToyForCausalLM | 5.0.0 | 1 | " in out
    assert out.endswith("1 case: 1 passed.\n")


def test_an_interrupt_keeps_what_is_done(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(cases: Sequence[Case], workers: Workers, retries: int, done: Callable[[Result], None]) -> None:
        run_cases(cases[:1], workers, retries, done)
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "run_cases", interrupted)
    assert run(place.command("toy", *BOTH)) == 130
    err = capsys.readouterr().err
    assert "interrupted with 1 of 2 cases done" in err
    assert f"Results are kept in {place.results}" in err
    monkeypatch.undo()
    assert len(place.results.read_text().splitlines()) == 1


def test_a_signal_that_ends_programs(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.behave("ToyForCausalLM", "hangs")
    ended: list[int] = []

    def end() -> None:
        ended.append(process_of(place.folder, "ToyForCausalLM"))
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=end)
    thread.start()
    assert run(place.command("toy", "--tensor-parallel", "1")) == 130
    thread.join()
    assert "interrupted: ending what still runs" in capsys.readouterr().err
    assert not is_alive(ended[0])


def test_all_that_are_eligible(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*place.command("--eligible", "--tensor-parallel", "1"), "--format", "json"]) == 0
    out = capsys.readouterr().out
    assert [case["architecture"] for case in json.loads(out)["cases"]] == ["ToyForCausalLM"]
    names = place.trees.release / "transformers/models/auto/modeling_auto.py"
    names.write_text(names.read_text().replace("CAUSAL_LM", "EMBEDDING"))
    assert run(place.command("--eligible")) == 2
    err = capsys.readouterr().err
    assert "left out, since they generate no text with Transformers 5.0.0: ToyForCausalLM" in err
    assert "no model can be retired" in err


def test_each_release_has_its_python(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.releases["/other"] = "5.1.0"
    more = ("--engine-python", "/other", "--tensor-parallel", "1")
    assert run([*place.command("toy", *more), "--format", "json"]) == 2
    report = json.loads(capsys.readouterr().out)
    # The stand-in says that it has 5.0.0, wherever it is run.
    assert [(case["transformers"], case["outcome"]) for case in report["cases"]] == [
        ("5.1.0", "not run"),
        ("5.0.0", "passed"),
    ]
    assert run([*place.command("toy", *more), "--transformers", "5.0"]) == 0
    capsys.readouterr()
    for words, said in (
        (("--transformers", "5.2.0"), "no engine's Python has Transformers 5.2.0: there is 5.0.0 in"),
        (("--transformers", "new"), "--transformers new is no version"),
    ):
        assert run(place.command("toy", *words)) == 2
        assert said in capsys.readouterr().err
    place.releases["/other"] = "5.0.0"
    assert run(place.command("toy", *more)) == 2
    assert "both have Transformers 5.0.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "prove takes models, or else --eligible"),
        (("toy", "--eligible"), "prove takes models, or else --eligible"),
        (("toy", "--matrix", "github"), "--matrix runs nothing"),
        (("toy", "--ray", "auto"), "--jobs is of this machine"),
        (("toi",), "unknown model 'toi'"),
        (("other",), "no class of Transformers 5.0.0 that generates text"),
    ],
)
def test_wrong_use(place: Place, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(place.command(*words)) == 2
    assert said in capsys.readouterr().err


def test_another_version_of_the_engine(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.engine = Version("9.2.0")
    assert run(place.command("toy")) == 2
    assert "extensions and Python files have to match" in capsys.readouterr().err
