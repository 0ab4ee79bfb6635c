"""The verdicts and the whole retirement of two models on the real vLLM 0.24.0."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from retire_model.command import run

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.release

FLOOR = "5.5.3"
SCORE = Path(__file__).parents[2].parent / "shared/replay/score.py"
ACCEPTED = ["--accept", "pipeline-parallel", "--accept", "tensor-parallel"]
TICK = "✅︎"


@pytest.fixture
def check(
    engine_0_24: Path, transformers_release: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> Callable[[str, str], dict[str, Any]]:
    def check_one(name: str, release: str) -> dict[str, Any]:
        root = transformers_release(release)
        run(["check", name, "--engine", str(engine_0_24), "--transformers", str(root), "--format", "json"])
        judgement: dict[str, Any] = json.loads(capsys.readouterr().out)["models"][0]["judgements"][0]
        return judgement

    return check_one


def statuses(judgement: dict[str, Any]) -> dict[str, str]:
    return {name: found["status"] for name, found in judgement["capabilities"].items()}


def places(judgement: dict[str, Any], rule: str) -> list[str]:
    found = [f["location"] for f in judgement["findings"] if f["rule"] == rule]
    return [f"{place['file']}:{place['line']}" for place in found]


def test_gpt_bigcode_loses_both_parallels(check: Callable[[str, str], dict[str, Any]]) -> None:
    judgement = check("gpt_bigcode", FLOOR)
    assert judgement["verdict"] == "retire-with-losses"
    found = statuses(judgement)
    assert (found["load"], found["lora"]) == ("kept", "kept")
    assert (found["tensor-parallel"], found["pipeline-parallel"]) == ("lost", "lost")
    assert (found["quantization"], found["speculative-decoding"]) == ("gained", "gained")
    configuration = "transformers/models/gpt_bigcode/configuration_gpt_bigcode.py:24"
    assert places(judgement, "tp-plan") == places(judgement, "pp-plan") == [configuration]
    messages = {f["rule"]: f["message"] for f in judgement["findings"]}
    assert "raises without one (vllm/model_executor/models/transformers/base.py:441)" in messages["tp-plan"]
    assert "raises without one (vllm/model_executor/models/transformers/base.py:366)" in messages["pp-plan"]
    note = next(f for f in judgement["findings"] if f["rule"] == "attention-interface")
    assert note["level"] == "note"


def test_starcoder2_loses_nothing(check: Callable[[str, str], dict[str, Any]]) -> None:
    judgement = check("starcoder2", FLOOR)
    assert judgement["verdict"] == "retire"
    found = statuses(judgement)
    assert {found[c] for c in ("lora", "quantization", "speculative-decoding")} == {"gained"}
    assert {found[c] for c in ("load", "tensor-parallel", "pipeline-parallel", "compile", "accuracy")} == {"kept"}


def test_gpt2_is_refused_for_its_transposed_linears(check: Callable[[str, str], dict[str, Any]]) -> None:
    judgement = check("gpt2", FLOOR)
    assert judgement["verdict"] == "keep"
    modeling = "transformers/models/gpt2/modeling_gpt2.py"
    assert places(judgement, "conv1d") == [f"{modeling}:{line}" for line in (103, 104, 106, 107, 233, 234)]


def test_gptj_was_rewritten_between_two_releases(check: Callable[[str, str], dict[str, Any]]) -> None:
    before, after = check("gptj", "5.19.0"), check("gptj", "5.24.0")
    assert before["verdict"] == "keep"
    modeling = "transformers/models/gptj/modeling_gptj.py"
    assert places(before, "attention-interface") == [f"{modeling}:387", f"{modeling}:153"]
    assert after["verdict"] != "keep"
    assert places(after, "attention-interface") == []


def test_retirement_is_the_maintainers_own(
    engine_0_24: Path, engine_0_25: Path, transformers_release: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(engine_0_24, copy)
    options = ["--engine", str(copy), "--transformers", str(transformers_release(FLOOR)), "--write"]
    models = ["gpt_bigcode", "starcoder2"]
    assert run([*models, *options]) == 1
    assert changed_files(engine_0_24, copy) == set()
    assert run([*models, *options, *ACCEPTED]) == 0
    assert changed_files(engine_0_24, copy) == {
        "vllm/model_executor/models/gpt_bigcode.py",
        "vllm/model_executor/models/starcoder2.py",
        "vllm/model_executor/models/registry.py",
        "docs/models/supported_models.md",
        "tests/distributed/test_pipeline_parallel.py",
    }
    registry = (copy / "vllm/model_executor/models/registry.py").read_text()
    backend = '("transformers", "TransformersForCausalLM")'
    assert (
        "_TRANSFORMERS_SUPPORTED_MODELS = {\n    # Text generation models\n"
        f'    "GPTBigCodeForCausalLM": {backend},\n    "SmolLM3ForCausalLM": {backend},\n'
        f'    "Starcoder2ForCausalLM": {backend},\n    # Multimodal models\n'
    ) in registry
    rows = [
        line for line in (copy / "docs/models/supported_models.md").read_text().splitlines() if "ForCausalLM`" in line
    ]
    ends = {
        name: next(r for r in rows if f"`{name}`" in r) for name in ("GPTBigCodeForCausalLM", "Starcoder2ForCausalLM")
    }
    assert ends["GPTBigCodeForCausalLM"].endswith(f", etc. | {TICK} | |")
    assert ends["Starcoder2ForCausalLM"].endswith(f", etc. | {TICK} | {TICK} |")
    tests = (copy / "tests/distributed/test_pipeline_parallel.py").read_text()
    assert '"bigcode/starcoder"' not in tests
    assert '"bigcode/starcoder2-3b"' in tests

    architectures = ["--arch", "GPTBigCodeForCausalLM", "--arch", "Starcoder2ForCausalLM"]
    trees = ["--before", str(engine_0_24), "--after", str(engine_0_25), "--tool", str(copy)]
    output = subprocess.run(
        [sys.executable, str(SCORE), *trees, *architectures], capture_output=True, check=True
    ).stdout
    report = json.loads(output)
    assert report["score"] == {"agree": 9, "missed": 1, "own": 0}
    assert report["removed"]["missed"] + report["added"]["missed"] == [
        "vllm/v1/utils.py: # Show what was wrapped e.g. TransformersForCausalLM(Starcoder2ForCausalLM)"
    ]

    after = changed_files(engine_0_24, copy)
    assert run([*models, *options, *ACCEPTED]) == 1
    assert changed_files(engine_0_24, copy) == after


def changed_files(one: Path, other: Path) -> set[str]:
    """The files that differ, or that only one side has."""
    return {
        file
        for file in relative_files(one) | relative_files(other)
        if not (
            (one / file).is_file()
            and (other / file).is_file()
            and (one / file).read_bytes() == (other / file).read_bytes()
        )
    }


def relative_files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
