"""What becomes of projections on several ranks, with and without fusers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.hugging_face_model import read_hugging_face_model
from rules.rule import Snippet
from rules.sharding import Cause, Sharding, pattern_matches, shard
from rules.snippets import CONFIGURATION, MODELING, TP_PLAN_LINES, changed
from tests.toy import open_toy

if TYPE_CHECKING:
    from pathlib import Path

NO_PLAN = changed(CONFIGURATION, TP_PLAN_LINES, "")
EARLY = ("GLUFuser", "QKVFuser", "RMSNormFuser")
LATE = ("MLAFuser", "GLUFuser", "QKVFuser", "PackedQKVFuser", "MergedColumnParallelFuser")
SEPARATE = "query, key, value = self.q_proj(hidden_states), self.k_proj(hidden_states), self.v_proj(hidden_states)"
PACKED = "query, key, value = self.q_proj(hidden_states).split((4, 2, 2), dim=-1)"
CLAMPED = "packed = self.q_proj(hidden_states).clamp(1)\n        query, key, value = packed.split((4, 2, 2), dim=-1)"
GATED = "return self.o_proj(self.act(self.q_proj(hidden_states)) * self.k_proj(hidden_states))"
NORMED = "return self.o_proj(self.norm(self.act(self.q_proj(hidden_states)) * self.k_proj(hidden_states)))"
NORM = "        self.norm = ToyNorm(config.num_attention_heads * 16)\n"


def sharded(folder: Path, fusers: tuple[str, ...], configuration: str, modeling: str = MODELING) -> Sharding:
    _, source = open_toy(folder, Snippet(modeling=modeling, configuration=configuration))
    model = read_hugging_face_model(source, "ToyForCausalLM")
    assert model is not None
    return shard(model, fusers)


def causes(found: Sharding) -> list[Cause]:
    return [problem.cause for problem in found.problems]


def test_by_the_plan_alone(tmp_path: Path) -> None:
    found = sharded(tmp_path, (), CONFIGURATION)
    assert {s.name: (s.style, s.reached_by) for s in found.linears} == {
        "q_proj": ("colwise", "plan"),
        "k_proj": ("colwise", "plan"),
        "v_proj": ("colwise", "plan"),
        "o_proj": ("rowwise", "plan"),
    }
    assert found.problems == ()


def test_by_fusers_alone(tmp_path: Path) -> None:
    found = sharded(tmp_path, EARLY, NO_PLAN)
    assert {s.reached_by for s in found.linears} == {"QKVFuser"}
    assert found.problems == ()


def test_nothing_shards_the_heads(tmp_path: Path) -> None:
    found = sharded(tmp_path, (), NO_PLAN)
    assert causes(found) == [Cause.COVERAGE]
    assert "nothing shards k_proj, q_proj, v_proj" in found.problems[0].message


def test_a_fourth_linear_of_the_same_input(tmp_path: Path) -> None:
    gate = changed(MODELING, SEPARATE, f"{SEPARATE}\n        gate = self.gate(hidden_states)")
    text = changed(
        gate, "self.layer_idx = layer_idx\n", "self.layer_idx = layer_idx\n        self.gate = nn.Linear(1, 1)\n"
    )
    assert causes(sharded(tmp_path, LATE, NO_PLAN, text)) == [Cause.COVERAGE]


@pytest.mark.parametrize(
    ("projection", "fusers", "expected"),
    [(PACKED, LATE, []), (PACKED, EARLY, [Cause.PACKED]), (CLAMPED, LATE, [Cause.PACKED])],
)
def test_packed_projections(tmp_path: Path, projection: str, fusers: tuple[str, ...], expected: list[Cause]) -> None:
    assert causes(sharded(tmp_path, fusers, NO_PLAN, changed(MODELING, SEPARATE, projection))) == expected


@pytest.mark.parametrize(("tail", "expected"), [(GATED, []), (NORMED, [Cause.COVERAGE])])
def test_gated_blocks(tmp_path: Path, tail: str, expected: list[Cause]) -> None:
    start, end = MODELING.index("        attention_interface ="), MODELING.index("\n\n\nclass ToyLayer")
    text = MODELING[:start] + f"        {tail}" + MODELING[end:]
    assert causes(sharded(tmp_path, EARLY, NO_PLAN, text)) == expected


def test_a_gated_block_whose_activation_is_a_function(tmp_path: Path) -> None:
    tail = GATED.replace("self.act", "silu")
    start, end = MODELING.index("        attention_interface ="), MODELING.index("\n\n\nclass ToyLayer")
    text = MODELING[:start] + f"        {tail}" + MODELING[end:]
    assert causes(sharded(tmp_path, LATE, NO_PLAN, text)) == [Cause.COVERAGE]
    assert causes(sharded(tmp_path / "early", EARLY, NO_PLAN, text)) == []


def test_a_latent(tmp_path: Path) -> None:
    latent = (
        "query, key, value = self.q_proj(hidden_states), *self.v_proj(self.norm(self.k_proj(hidden_states))).chunk(2)"
    )
    text = changed(MODELING, SEPARATE, latent)
    assert causes(sharded(tmp_path, LATE, NO_PLAN, text)) == []


def test_rowwise_without_a_split_input(tmp_path: Path) -> None:
    plan = '    base_model_tp_plan = {"layers.*.self_attn.o_proj": "rowwise"}\n'
    text = changed(MODELING, "return self.o_proj(output)", "return self.o_proj(self.q_proj(hidden_states))")
    start, end = text.index("        attention_interface ="), text.index("        return self.o_proj")
    found = sharded(tmp_path, (), changed(CONFIGURATION, TP_PLAN_LINES, plan), text[:start] + text[end:])
    assert causes(found) == [Cause.COVERAGE]
    assert "nothing splits its input" in found.problems[0].message


def test_a_pattern_that_is_no_expression_is_a_name(tmp_path: Path) -> None:
    plan = '    base_model_tp_plan = {"layers.*.self_attn.(q_proj": "colwise"}\n'
    assert {s.style for s in sharded(tmp_path, (), changed(CONFIGURATION, TP_PLAN_LINES, plan)).linears} == {
        "replicate"
    }


def test_a_fuser_overrules_the_plan(tmp_path: Path) -> None:
    plan = '    base_model_tp_plan = {"layers.*.self_attn.q_proj": "colwise_gather_output"}\n'
    found = sharded(tmp_path, LATE, changed(CONFIGURATION, TP_PLAN_LINES, plan))
    assert [(s.name, style) for s, style in found.overruled] == [("q_proj", "colwise_gather_output")]


NAME = "layers.0.self_attn.q_proj"


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("layers.*.self_attn.q_proj", True),
        (NAME, True),
        ("layers.*.self_attn", True),
        ("layers", True),
        ("*.q_proj", False),
        ("ayers", False),
        ("layers.*.mlp.q_proj", False),
        ("layers.*q", True),
        ("l*a*y*e*r*s*.*.*.*", True),
        ("layers.0.self_attn.q_proj.weight", False),
        ("layers.(0|1).self_attn.q_proj", False),
        ("", True),
    ],
)
def test_patterns_are_taken_from_the_start_of_a_name(pattern: str, matches: bool) -> None:
    assert pattern_matches(pattern, NAME) is matches


def test_no_pattern_takes_long() -> None:
    assert not pattern_matches("(l*a*y*e*r*s*.*)*(.*)*(.*)*(.+)+$Z", NAME)
    assert not pattern_matches("a*.*" * 200 + "Z", NAME * 20)


def test_norm_as_wide_as_all_heads_where_a_fuser_gathers(tmp_path: Path) -> None:
    modeling = changed(MODELING, "        self.layer_idx = layer_idx\n", "        self.layer_idx = layer_idx\n" + NORM)
    modeling = changed(modeling, SEPARATE, f"{SEPARATE}\n        query = self.norm(query)")
    modeling += "\n\nclass ToyNorm(nn.Module):\n    def forward(self, x):\n        return self._norm(x)\n\n"
    modeling += "    def _norm(self, x):\n        return x * torch.rsqrt(x.pow(2).mean())\n"
    assert causes(sharded(tmp_path / "early", (), CONFIGURATION, modeling)) == [Cause.HEAD_COUNT]
    assert causes(sharded(tmp_path / "late", EARLY, CONFIGURATION, modeling)) == []
    centred = modeling.replace("torch.rsqrt(x.pow(2).mean())", "x.mean()")
    assert causes(sharded(tmp_path / "centred", EARLY, CONFIGURATION, centred)) == [Cause.HEAD_COUNT]


def test_a_value_added_to_itself_is_no_endless_size(tmp_path: Path) -> None:
    more = "query = query + 1\n        query = query + key\n        query = late(query.view(query))"
    late = "\n\ndef late(query):\n    return query.view(query)\n"
    modeling = changed(MODELING, SEPARATE, f"{SEPARATE}\n        {more}") + late
    assert causes(sharded(tmp_path, (), CONFIGURATION, modeling)) == []
