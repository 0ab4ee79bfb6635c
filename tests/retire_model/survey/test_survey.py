"""The rows of a survey, and what is made of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.model_names import BespokeModel, NamedModel, find_model
from analyzer.engine.registry import REGISTRY_FILE
from analyzer.errors import EnvironmentProblem
from analyzer.release.hugging_face import HuggingFaceSource
from retire_model.survey import judging
from retire_model.survey.families import families, needs, order
from retire_model.survey.ranking import CHOICES, KEYS, ranked
from retire_model.survey.remedies import unlocks
from rules.assessment import Assessment, Assessor
from rules.findings import Capability
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, MODELING, PP_PLAN_LINES, changed
from rules.verdict import Verdict
from tests.retire_model.survey.toy_survey import MODELS, ToyTrees

if TYPE_CHECKING:
    from pathlib import Path

    from retire_model.survey.rows import Row

NO_PIPELINE = Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, ""))
TRANSPOSED = Snippet(modeling=changed(MODELING, "self.o_proj = nn.Linear(", "self.o_proj = Conv1D("))


@pytest.fixture
def toy(tmp_path: Path) -> ToyTrees:
    return ToyTrees(tmp_path)


def row_of(toy: ToyTrees, module: str = "toy") -> Row:
    return next(row for row in toy.survey().rows if row.module == module)


def test_the_verdicts_are_those_of_check(toy: ToyTrees) -> None:
    found = toy.survey()
    assert found.unread == ()
    assert [row.module for row in found.rows] == ["other", "toy", "twin"]
    source = HuggingFaceSource(toy.release, "5.0.0")
    for row in found.rows:
        alone = Assessor(found.engine, (source,)).assess(find_model(found.engine, (source,), row.module))
        assert row.judgement == alone.judgement
        assert row.lines_saved == (toy.engine / MODELS / f"{row.module}.py").read_bytes().count(b"\n")


@pytest.mark.parametrize("cores", [1, 3])
def test_as_many_processes_as_there_are_cores(toy: ToyTrees, monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    monkeypatch.setattr(judging, "_cores", lambda: cores)
    monkeypatch.setattr(judging, "MOST_KEPT", 0)
    before = [(row.module, row.judgement) for row in toy.survey().rows]
    (toy.kept / next(toy.kept.iterdir()).name).unlink()
    assert [(row.module, row.judgement) for row in toy.survey().rows] == before
    assert dict(before)["toy"].verdict is Verdict.RETIRE


def test_a_process_that_is_ended_is_told(toy: ToyTrees, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "_cores", lambda: 2)
    monkeypatch.setattr(judging, "_outcome", lambda *_: os._exit(1))
    with pytest.raises(EnvironmentProblem, match="was ended"):
        toy.survey()


def test_what_is_around_a_model(toy: ToyTrees) -> None:
    toy.change(f"{MODELS}/toy.py", "from ", "from .toy_layers import Layer\nfrom ")
    toy.write(f"{MODELS}/toy_layers.py", "class Layer: ...\n")
    toy.write(f"{MODELS}/shared.py", "class Shared: ...\n")
    toy.write(f"{MODELS}/user.py", "from .toy import ToyForCausalLM\nfrom .shared import Shared\n")
    toy.write(f"{MODELS}/builder.py", 'init(architectures=["ToyForCausalLM"])\n')
    around = row_of(toy).around
    assert around.falls == (f"{MODELS}/toy_layers.py",)
    assert around.falling_lines == 1
    assert around.dependents == (f"{MODELS}/user.py",)
    assert around.builders == (f"{MODELS}/builder.py",)
    assert around.tested


def test_a_model_that_cannot_be_read_does_not_stop_the_others(toy: ToyTrees) -> None:
    toy.write(f"{MODELS}/other.py", "def f(:\n")
    found = toy.survey()
    assert [row.module for row in found.rows] == ["toy", "twin"]
    (unread,) = found.unread
    assert unread.model.module == "other"
    assert "other.py:1 is not valid Python" in unread.problem


def test_a_module_whose_name_no_file_can_have_does_not_stop_the_others(toy: ToyTrees) -> None:
    toy.change(REGISTRY_FILE, '("other", ', f'("{"o" * 300}", ')
    found = toy.survey()
    assert [row.module for row in found.rows] == ["toy", "twin"]
    assert "there is no vllm/model_executor/models/ooo" in found.unread[0].problem


def test_a_model_that_is_nested_too_deeply_does_not_stop_the_others(
    toy: ToyTrees, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(_: Assessor, model: NamedModel) -> Assessment:
        assert isinstance(model, BespokeModel)
        return judge(_, model) if model.module == "other" else usual(_, model)

    usual = Assessor._assess
    monkeypatch.setattr(Assessor, "_assess", judge)
    found = toy.survey()
    assert [row.module for row in found.rows] == ["toy", "twin"]
    assert [unread.problem for unread in found.unread] == ["the source of other is nested too deeply to be followed"]


def test_a_loss_and_its_mend(tmp_path: Path) -> None:
    row = row_of(ToyTrees(tmp_path, NO_PIPELINE))
    assert (row.verdict, row.lost) == (Verdict.RETIRE_WITH_LOSSES, (Capability.PIPELINE_PARALLEL,))
    assert row.score == row.lines_saved / 2
    assert row.unlock == "Add base_model_pp_plan to the configuration class"
    (unlock,) = (u for u in unlocks([row]) if u.alone)
    assert (unlock.lines, unlock.lossless_lines, unlock.rules) == (0, row.lines_saved, ("pp-plan",))


def test_what_blocks_and_its_mend(tmp_path: Path) -> None:
    row = row_of(ToyTrees(tmp_path, TRANSPOSED))
    assert (row.verdict, row.lost, row.gained) == (Verdict.KEEP, (), ())
    assert row.unlock == "Let the Hugging Face class use nn.Linear"
    (unlock,) = unlocks([row])
    assert (unlock.lines, unlock.with_others) == (row.lines_saved, ())


def test_order_and_choice(toy: ToyTrees) -> None:
    rows = toy.survey().rows
    assert ranked(rows, "rank", None)[0].eligible
    assert all(row.eligible for row in ranked(rows, "rank", "eligible"))
    assert sum(len(ranked(rows, key, choice)) for key in KEYS for choice in CHOICES if choice != "eligible") == len(
        KEYS
    ) * len(rows)
    assert [row.module for row in ranked(rows, "module", None)] == ["other", "toy", "twin"]


def test_a_family_is_what_hangs_together(toy: ToyTrees) -> None:
    toy.change(f"{MODELS}/twin.py", "from ", "from .toy import ToyForCausalLM as Base\nfrom ")
    rows = toy.survey().rows
    assert needs(rows) == {"other": {"twin"}, "toy": {"twin"}, "twin": set()}
    (family,) = families(rows)
    assert family.modules == ("other", "toy", "twin")
    assert (family.waves, family.held) == ((), (("toy", ("twin",)),))


def test_families_go_in_waves() -> None:
    users = {"base": {"middle"}, "middle": {"leaf"}, "leaf": set(), "here": {"there"}, "there": {"here"}}
    frozen = {module: frozenset(needing) for module, needing in users.items()}
    assert order({"base", "middle", "leaf"}, frozen) == ((("leaf",), ("middle",), ("base",)), ())
    assert order({"base", "leaf"}, frozen) == ((("leaf",),), (("base", ("middle",)),))
    assert order({"base", "middle"}, frozen) == ((), (("base", ("middle",)), ("middle", ("leaf",))))
    assert order({"here", "there"}, frozen) == ((("here", "there"),), ())


def test_what_is_kept_is_that_of_the_contents(toy: ToyTrees, monkeypatch: pytest.MonkeyPatch) -> None:
    first = toy.survey()
    monkeypatch.setattr("retire_model.survey.survey._judge", lambda *_: pytest.fail("judged again"))
    assert [row.judgement for row in toy.survey().rows] == [row.judgement for row in first.rows]
    toy.write(f"{MODELS}/user.py", "from .toy import ToyForCausalLM\n")
    with pytest.raises(pytest.fail.Exception, match="judged again"):
        toy.survey()


def test_what_is_kept_runs_no_code(toy: ToyTrees) -> None:
    toy.survey()
    (file,) = toy.kept.iterdir()
    marker = toy.kept.parent / "ran"
    file.write_bytes(b"cos\nsystem\n(S'touch " + str(marker).encode() + b"'\ntR.")
    assert len(toy.survey().rows) == 3
    assert not marker.exists()


def test_a_cache_that_cannot_be_written_is_no_error(toy: ToyTrees) -> None:
    toy.kept.write_text("a file")
    assert len(toy.survey().rows) == 3


@pytest.mark.parametrize("count", [0, 1, 5, 100])
def test_rounds_take_every_model_once_and_get_shorter(count: int) -> None:
    models = [BespokeModel(f"m{number}", (), whole=True) for number in range(count)]
    rounds = list(judging._rounds(models, 2))
    assert [model for taken in rounds for model in taken] == models
    sizes = [len(taken) for taken in rounds]
    assert sizes == sorted(sizes, reverse=True)
    assert all(size <= max(judging.SMALLEST_ROUND, count // 4) for size in sizes)
