"""Two models retired from the real vLLM 0.24.0 with a plan made by hand: what 0.25.0 holds, and nothing else."""

from __future__ import annotations

import difflib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.engine.engine_tree import EngineTree, open_engine_tree
from analyzer.engine.test_registry import checkpoints_of, read_test_registry
from analyzer.source.source_tree import SourceTree
from codemods.catalogue import draft_retirement
from codemods.dependents import refuse_needed_modules
from codemods.edits import ChangeSet, Deletion
from codemods.plan import Migrate, RetiredArchitecture, RetiredModule, RetirementPlan
from codemods.writing.check_after import check_after, faults_of
from rules.findings import Capability
from tests.codemods.applying import apply

pytestmark = pytest.mark.release

SCORE = Path(__file__).parents[2].parent / "shared/replay/score.py"
MODELS = "vllm/model_executor/models"
DOCS = "docs/models/supported_models.md"
TESTS = "tests/distributed/test_pipeline_parallel.py"
MODULES = (("gpt_bigcode", "GPTBigCodeForCausalLM", False), ("starcoder2", "Starcoder2ForCausalLM", True))


def plan_for(engine: EngineTree) -> RetirementPlan:
    tested = read_test_registry(engine.files)
    modules = []
    for module, architecture, pipeline_parallel in MODULES:
        entries = tuple(e for e in engine.registry.bespoke_entries() if e.architecture == architecture)
        retired = RetiredArchitecture(
            architecture,
            entries,
            Migrate("TransformersForCausalLM"),
            checkpoints_of(tested, architecture),
            supports_lora=True,
            supports_pipeline_parallel=pipeline_parallel,
            losses=() if pipeline_parallel else (Capability.PIPELINE_PARALLEL,),
        )
        modules.append(RetiredModule(module, (f"{MODELS}/{module}.py",), (retired,)))
    return RetirementPlan(tuple(modules))


@pytest.fixture(scope="module")
def done(engine_0_24: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RetirementPlan, ChangeSet]:
    root = tmp_path_factory.mktemp("engine") / "vllm"
    shutil.copytree(engine_0_24, root, symlinks=True)
    engine = open_engine_tree(root)
    plan = plan_for(engine)
    changes = draft_retirement(plan, engine)
    refuse_needed_modules(plan, changes, engine.files)
    apply(root, changes)
    return root, plan, changes


Done = tuple[Path, RetirementPlan, ChangeSet]


def difference(before: Path, after: Path, file: str) -> list[str]:
    old, new = ((root / file).read_bytes().decode().split("\n") for root in (before, after))
    return [line for line in difflib.unified_diff(old, new, n=0, lineterm="") if line[:3] not in {"---", "+++", "@@ "}]


def test_five_files_and_no_other(engine_0_24: Path, done: Done) -> None:
    root, _, changes = done
    gone = [edit.file for edit in changes.edits if isinstance(edit, Deletion)]
    assert gone == [f"{MODELS}/gpt_bigcode.py", f"{MODELS}/starcoder2.py"]
    differing = subprocess.run(["diff", "-rq", engine_0_24, root], capture_output=True, text=True).stdout.splitlines()
    assert len(differing) == len(changes.edits) == 5
    for edit in changes.edits:
        if not isinstance(edit, Deletion):
            assert (root / edit.file).stat().st_mode == (engine_0_24 / edit.file).stat().st_mode


def test_the_registry(engine_0_24: Path, done: Done) -> None:
    assert difference(engine_0_24, done[0], f"{MODELS}/registry.py") == [
        '-    "GPTBigCodeForCausalLM": ("gpt_bigcode", "GPTBigCodeForCausalLM"),',
        '-    "Starcoder2ForCausalLM": ("starcoder2", "Starcoder2ForCausalLM"),',
        '+    "GPTBigCodeForCausalLM": ("transformers", "TransformersForCausalLM"),',
        '+    "Starcoder2ForCausalLM": ("transformers", "TransformersForCausalLM"),',
    ]


def test_the_pipeline_parallel_tests(engine_0_24: Path, done: Done) -> None:
    assert difference(engine_0_24, done[0], TESTS) == ['-    "bigcode/starcoder": PPTestSettings.fast(),']


def test_the_docs_as_the_maintainers_have_them(engine_0_24: Path, engine_0_25: Path, done: Done) -> None:
    lines = difference(engine_0_24, done[0], DOCS)
    assert len(lines) == 4
    theirs = (engine_0_25 / DOCS).read_text().splitlines()
    assert all((line[1:] in theirs) is line.startswith("+") for line in lines)


def test_the_score(engine_0_24: Path, engine_0_25: Path, done: Done) -> None:
    if not SCORE.exists():
        pytest.skip("the replay score is not part of this checkout")
    trees = ["--before", str(engine_0_24), "--after", str(engine_0_25), "--tool", str(done[0])]
    names = [word for _, architecture, _ in MODULES for word in ("--arch", architecture)]
    scored = subprocess.run([sys.executable, str(SCORE), *trees, *names], capture_output=True, text=True, check=True)
    report = json.loads(scored.stdout)
    assert report["score"] == {"agree": 9, "missed": 1, "own": 0}
    assert report["added"]["missed"][0].startswith("vllm/v1/utils.py: #")


def test_nothing_is_left_over(engine_0_24: Path, done: Done) -> None:
    assert check_after(*done, faults_of(SourceTree(engine_0_24))) == ()


def test_a_second_run_changes_nothing(done: Done) -> None:
    root, plan, _ = done
    assert draft_retirement(plan, open_engine_tree(root)).edits == ()
