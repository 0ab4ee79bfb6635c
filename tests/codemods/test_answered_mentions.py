"""What becomes of each place that names a retired model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.errors import Refused
from analyzer.uses.mentions import MentionKind
from codemods.answered_mentions import Answer, answered_mentions, kept
from codemods.built_by_name import refuse_built_by_name
from codemods.code.forget_code import forget_code
from codemods.edits import Draft
from codemods.plan import Plugin, Remove
from rules.findings import Capability
from tests.codemods.small_tree import REGISTRY, TEXT, drafted, plan_of, retired, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.answered_mentions import AnsweredMention
    from codemods.plan import Outcome, RetirementPlan

PEAR = "vllm/model_executor/models/pear.py"
K = MentionKind
GONE = Remove("0.9.0")


def drafted_tree(folder: Path, files: dict[str, str | bytes]) -> Draft:
    tests = 'X = {"PearForCausalLM": _HfExamplesInfo("org/pear")}\n'
    return Draft(write_tree(folder, {REGISTRY_FILE: REGISTRY, "tests/models/registry.py": tests, PEAR: "", **files}))


def plan_for(draft: Draft, outcome: Outcome) -> RetirementPlan:
    pear = retired("PearForCausalLM", outcome, tree=draft.tree, checkpoints=("org/pear",))
    return replace(plan_of(pear, files=(PEAR,)), model_types=frozenset({"pear"}))


def answers(draft: Draft, outcome: Outcome = GONE) -> tuple[AnsweredMention, ...]:
    return answered_mentions(plan_for(draft, outcome), draft.change_set(), draft.tree)


def told(mentions: tuple[AnsweredMention, ...]) -> list[tuple[str, int, MentionKind]]:
    places = [(a.mention.location.file, a.mention.location.line, a.mention.kind) for a in kept(mentions)]
    return [place for place in places if place[0] != "tests/models/registry.py"]


def test_what_stays_is_told(tmp_path: Path) -> None:
    draft = drafted_tree(
        tmp_path,
        {
            "vllm/a.py": 'X = a == "PearForCausalLM"\n# PearForCausalLM\nY = "see org/pear"\nPearForCausalLM = 1\n',
            "docs/a.md": "`org/pear`\n`org/pear2`\n",
            "rust/a.rs": '"org/pear"\n',
        },
    )
    assert told(answers(draft)) == [
        ("docs/a.md", 1, K.DOCS_PROSE),
        ("rust/a.rs", 1, K.OTHER_LANGUAGE),
        ("vllm/a.py", 1, K.CODE),
        ("vllm/a.py", 2, K.COMMENT),
        ("vllm/a.py", 3, K.CODE),
        ("vllm/a.py", 4, K.CODE),
    ]


def test_of_a_migrated_model_every_place_has_its_reason(tmp_path: Path) -> None:
    draft = drafted_tree(
        tmp_path,
        {
            "vllm/a.py": 'if config.model_type == "pear" or a == "PearForCausalLM":\n    pass\n',
            "tests/a.py": 'M = ["org/pear"]\n',
            "docs/a.md": "see models/pear.py and `org/pear`\n",
        },
    )
    reasons = {(a.mention.kind, a.mention.name): a.reason for a in kept(answers(draft, TEXT))}
    assert reasons[K.TEST_PARAMETER, "org/pear"] == "stays, and checks the backend from now on"
    assert reasons[K.MODEL_TYPE, "pear"].startswith("compares the model type: look whether that holds")
    assert reasons[K.CODE, "PearForCausalLM"].startswith("code that knows the architecture")
    assert reasons[K.DOCS_PROSE, "pear"] == "text, for a person to rewrite"
    assert reasons[K.DOCS_PROSE, "org/pear"] == "text on a model that is still served"


def test_a_test_of_what_is_lost(tmp_path: Path) -> None:
    test = 'def test_a():\n    run("org/pear", tensor_parallel_size=2)\n'
    draft = drafted_tree(tmp_path, {"tests/a.py": test, "tests/b.py": 'M = ["org/pear"]\n'})
    plan = plan_for(draft, TEXT)
    (pear,) = plan.architectures
    losing = replace(pear, losses=(Capability.TENSOR_PARALLEL,))
    plan = replace(plan, modules=(replace(plan.modules[0], architectures=(losing,)),))
    found = kept(answered_mentions(plan, draft.change_set(), draft.tree))
    reasons = {a.mention.location.file: a.reason for a in found if a.mention.kind is K.TEST_PARAMETER}
    assert reasons == {
        "tests/a.py": "may test tensor-parallel, which is lost: look whether it has to go",
        "tests/b.py": "stays, and checks the backend from now on",
    }


LIST = 'M = [\n    "a/b",\n    "org/pear",\n]\n# org/pear, org/fig\n# more\n'


def test_what_an_edit_takes_away_is_edited_where_it_was(tmp_path: Path) -> None:
    draft = drafted_tree(
        tmp_path, {"tests/a.py": 'M = [\n    "a/b",\n    "org/pear",\n]\n# org/pear, org/fig\n# more\n'}
    )
    forget_code(plan_for(draft, GONE), draft)
    found = [(a.answer, a.mention.location.line) for a in answers(draft) if a.mention.location.file == "tests/a.py"]
    assert found == [(Answer.EDITED, 3), (Answer.KEPT, 4)]


def test_a_row_that_moves_is_edited_and_a_mended_sentence_kept(tmp_path: Path) -> None:
    draft = drafted_tree(tmp_path, {"docs/a.md": "| `org/pear` | x |\ntext\n\n`org/pear` [a](b)\n"})
    draft.rewrite("docs/a.md", b"text\n\n`org/pear` [a](c)\n| `org/pear` | y |\n", "moved")
    found = [
        (a.answer, a.mention.location.line, a.mention.kind)
        for a in answers(draft)
        if a.mention.location.file == "docs/a.md"
    ]
    assert found == [
        (Answer.EDITED, 1, K.DOCS_ROW),
        (Answer.KEPT, 3, K.DOCS_PROSE),
        (Answer.EDITED, 4, K.DOCS_PROSE),
    ]


BUILDER = """\
class Fig:
    def __init__(self, config):
        config.architectures = ["PearForCausalLM"]
        self.language_model = init_vllm_registered_model(config)
        self.make = self.language_model.make_tensors
"""


def test_what_is_built_by_name(tmp_path: Path) -> None:
    files = {
        "vllm/model_executor/models/fig.py": BUILDER,
        "vllm/b.py": 'if a:\n    architectures = ["PearForCausalLM"]\nbuild(architectures=architectures)\n',
    }
    draft = drafted_tree(tmp_path, dict(files))
    found = kept(answers(draft, TEXT))
    assert told(found) == [
        ("vllm/b.py", 2, K.BUILT_BY_NAME),
        ("vllm/model_executor/models/fig.py", 3, K.BUILT_BY_NAME),
    ]
    assert found[-1].mention.uses == ("make_tensors",)
    refuse_built_by_name(plan_for(draft, TEXT), found)
    with pytest.raises(Refused, match="other models are built on PearForCausalLM") as caught:
        refuse_built_by_name(plan_for(draft, GONE), found)
    assert "vllm/model_executor/models/fig.py:3  builds PearForCausalLM by its name" in caught.value.problem


@pytest.mark.parametrize("file", ["vllm/config/speculative.py", "vllm/transformers_utils/configs/pear.py"])
def test_a_configuration_that_names_its_own_architecture_builds_no_other_model(tmp_path: Path, file: str) -> None:
    draft = drafted_tree(tmp_path, {file: "hf_config.update({'architectures': ['PearForCausalLM']})\n"})
    found = kept(answers(draft, GONE))
    assert [place for place, _, _ in told(found)] == [file]
    refuse_built_by_name(plan_for(draft, GONE), found)


def test_the_row_of_a_plugin_is_no_leftover(tmp_path: Path) -> None:
    page = "| `PearForCausalLM` | Pear | [pear](https://example.org/pear) |\n`PearForCausalLM`\n"
    draft = drafted_tree(tmp_path, {"docs/a.md": page})
    assert told(answers(draft, Plugin("https://example.org/pear"))) == [("docs/a.md", 2, K.DOCS_PROSE)]


MODEL_TYPES = """\
CONVERTORS = {
    "pear": Pear,
    "fig": Fig,
}


def f(config, parsers):
    return config.model_type in ["pear", "fig"] or {"pear": 1, "x": 2}
"""


def test_a_model_type_goes_as_a_key_outside_the_models_alone(tmp_path: Path) -> None:
    files = {"vllm/config/a.py": MODEL_TYPES, "vllm/model_executor/models/fig.py": MODEL_TYPES}
    draft = drafted_tree(tmp_path, dict(files))
    forget_code(plan_for(draft, GONE), draft)
    assert drafted(draft, "vllm/config/a.py") == MODEL_TYPES.replace('    "pear": Pear,\n', "")
    assert drafted(draft, "vllm/model_executor/models/fig.py") == MODEL_TYPES
    assert [place for place in told(answers(draft)) if place[2] is K.MODEL_TYPE] == [
        ("vllm/config/a.py", 7, K.MODEL_TYPE),
        ("vllm/model_executor/models/fig.py", 8, K.MODEL_TYPE),
    ]


def test_a_plain_word_that_a_test_has_for_a_checkpoint_means_other_things_elsewhere(tmp_path: Path) -> None:
    tests = 'X = {"PearForCausalLM": _HfExamplesInfo("org/pear", extras={"alias": "pear"})}\n'
    fig = 'if text_config.model_type in ["pear", "fig"]:\n    pass\n'
    files = {"tests/models/registry.py": tests, "vllm/model_executor/models/fig.py": fig, "vllm/a.py": fig}
    draft = drafted_tree(tmp_path, dict(files))
    forget_code(plan_for(draft, GONE), draft)
    assert drafted(draft, "vllm/model_executor/models/fig.py") == fig
    assert drafted(draft, "vllm/a.py") == fig
