"""Examples that go with their model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.registry import REGISTRY_FILE
from codemods.edits import Draft
from codemods.example_files import drop_examples
from codemods.plan import Remove
from codemods.registry.entries import move_registry_entries
from tests.codemods.small_tree import REGISTRY, TEXT, plan_of, retired, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.plan import Outcome

CLIENT = '"""A client of Pear.\n\nStart it:\n\n    vllm serve org/pear\n"""\nrun("localhost")\n'


def left(folder: Path, client: str, outcome: Outcome) -> bool:
    tests = 'X = {"PearForCausalLM": _HfExamplesInfo("org/pear")}\n'
    files: dict[str, str | bytes] = {"tests/models/registry.py": tests, "examples/speech/client.py": client}
    draft = Draft(write_tree(folder, {REGISTRY_FILE: REGISTRY, **files}))
    plan = plan_of(retired("PearForCausalLM", outcome, tree=draft.tree, checkpoints=("org/pear",)))
    move_registry_entries(plan, draft)
    drop_examples(plan, draft)
    return draft.exists("examples/speech/client.py")


def test_a_client_of_the_model_goes_with_it(tmp_path: Path) -> None:
    assert not left(tmp_path / "removed", CLIENT, Remove("1.0"))
    assert left(tmp_path / "migrated", CLIENT, TEXT)


@pytest.mark.parametrize(
    "client",
    [
        CLIENT.replace("of Pear", "of embeddings"),
        CLIENT.replace("of Pear", "of Apple and PearTree"),
        CLIENT.replace("org/pear\n", "org/pear\n    vllm serve org/fig\n"),
        'run("org/pear")\n',
    ],
)
def test_what_is_about_something_else_stays(tmp_path: Path, client: str) -> None:
    assert left(tmp_path, client, Remove("1.0"))
