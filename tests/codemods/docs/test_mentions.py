"""Mentions of a removed model in the docs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.registry import REGISTRY_FILE
from codemods.docs.lines import DocsLines
from codemods.docs.mentions import forget_in_docs
from codemods.docs.prose import without_dead_notes, without_enumerated
from codemods.edits import Draft
from codemods.plan import Remove
from tests.codemods.small_tree import REGISTRY, TEXT, drafted, plan_of, retired, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.plan import Outcome

PEAR = "vllm/model_executor/models/pear.py"
TEXTS = frozenset({"PearForCausalLM", "org/pear"})


def forget(folder: Path, page: str, outcome: Outcome | None = None) -> str:
    tree = write_tree(folder, {REGISTRY_FILE: REGISTRY, "docs/a/page.md": page, "docs/other.md": "nothing\n"})
    draft = Draft(tree)
    pear = retired("PearForCausalLM", outcome or Remove("0.9.0"), checkpoints=("org/pear",))
    forget_in_docs(plan_of(pear, files=(PEAR,)), draft)
    assert "docs/other.md" not in {edit.file for edit in draft.change_set().edits}
    return drafted(draft, "docs/a/page.md")


OWN = "| Architecture | Models |\n| --- | --- |\n| `PearForCausalLM` | `org/pear` |\n\n"
"""What makes the checkpoint the model's own."""
CASES = {
    "a row of another table": (
        "| Model | Architecture |\n| --- | --- |\n| org/pear | PearForCausalLM |\n| org/fig | FigForCausalLM |\n",
        "| Model | Architecture |\n| --- | --- |\n| org/fig | FigForCausalLM |\n",
    ),
    "a note": (
        "Text.\n\n!!! note\n    To use `org/pear`, pass `--x '[\"PearForCausalLM\"]'`.\n\n    More.\n\nEnd.\n",
        "Text.\n\nEnd.\n",
    ),
    "an enumeration": (
        "Those are (`FigForCausalLM`, `PearForCausalLM`).\nAs `PearForCausalLM`, `FigForCausalLM` are.\n",
        "Those are (`FigForCausalLM`).\nAs `FigForCausalLM` are.\n",
    ),
    "an enumeration of links": (
        "See [`PearForCausalLM`](x.md), [`FigForCausalLM`](y.md).\n",
        "See [`FigForCausalLM`](y.md).\n",
    ),
    "an item that leads to the file": (
        "- Pear: [pear.py](../../vllm/model_executor/models/pear.py)\n- Fig: [fig](fig.md)\n",
        "- Fig: [fig](fig.md)\n",
    ),
    "a link to the file": (
        "As [Pear](../../vllm/model_executor/models/pear.py#L3) does, and [Fig](fig.md).\n",
        "As [Pear](https://github.com/vllm-project/vllm/blob/v0.9.0/vllm/model_executor/models/pear.py) does, "
        "and [Fig](fig.md).\n",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_goes(tmp_path: Path, case: str) -> None:
    before, after = CASES[case]
    assert forget(tmp_path, OWN + before) == OWN + after


KEPT = {
    "a row about another model as well": (
        "| Model | Architecture |\n| --- | --- |\n| org/pear | FigForCausalLM (as Pear) |\n"
    ),
    "a note about another model as well": "!!! note\n    Use `org/pear` or `org/fig`.\n",
    "prose": "The best is `PearForCausalLM`.\nOr `A` and `PearForCausalLM`.\n",
    "code": (
        "```python\nLLM(`PearForCausalLM`, `FigForCausalLM`)\n# [a](../../vllm/model_executor/models/pear.py)\n```\n"
    ),
    "longer names": "(`PearForCausalLM2`, `org/pear-2`)\n",
}


@pytest.mark.parametrize("case", KEPT)
def test_what_stays(tmp_path: Path, case: str) -> None:
    assert forget(tmp_path, OWN + KEPT[case]) == OWN + KEPT[case]


def test_of_a_migrated_model_only_links_are_mended(tmp_path: Path) -> None:
    page = "(`FigForCausalLM`, `PearForCausalLM`), [Pear](../../vllm/model_executor/models/pear.py)\n"
    assert forget(tmp_path, page, TEXT) == "(`FigForCausalLM`, `PearForCausalLM`), Pear\n"


def test_a_part_of_another_models_row(tmp_path: Path) -> None:
    row = "| `FigForCausalLM` | `org/fig`, `org/pear` (see note), etc. | ✅︎ |\n"
    page = "| Architecture | Models | LoRA |\n| --- | --- | --- |\n" + row
    tree = write_tree(
        tmp_path,
        {
            REGISTRY_FILE: REGISTRY,
            "docs/page.md": page,
            "tests/models/registry.py": 'X = {"PearForCausalLM": _HfExamplesInfo("org/pear")}\n',
        },
    )
    draft = Draft(tree)
    forget_in_docs(plan_of(retired("PearForCausalLM", Remove("0.9.0"), checkpoints=("org/pear",))), draft)
    assert drafted(draft, "docs/page.md") == page.replace(" `org/pear` (see note),", "")


LINE = st.sampled_from(
    [
        "",
        "Text with `org/fig`, and more.",
        "!!! note",
        "    `org/pear`",
        "    `org/fig` \\| <br>",
        "```",
        "| a | `b` |",
        "ünï – `x`, `y`",
    ]
)


@given(st.lists(LINE, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_page_keeps_everything_else(lines: list[str], newline: str, ended: bool) -> None:
    data = (newline.join(lines) + (newline if ended and lines else "")).encode()
    page = DocsLines.of(data)
    assert without_enumerated(page, TEXTS).encode() == data
    after = without_dead_notes(page, TEXTS)
    if "    `org/pear`" not in lines:
        assert after.encode() == data
    gone = list(lines)
    for line in after.lines:
        while gone and gone[0] != line:
            assert gone.pop(0) in {"", "!!! note", "    `org/pear`", "```", "    `org/fig` \\| <br>"}
        if gone:
            gone.pop(0)
    assert without_dead_notes(after, TEXTS).encode() == after.encode()
