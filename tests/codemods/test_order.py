"""The order of registries and docs tables."""

from __future__ import annotations

from codemods.order import family_order


def test_by_family_without_regard_to_case() -> None:
    names = ["Olmo2ForCausalLM", "GPTNeoXForCausalLM", "OlmoForCausalLM", "GlmForCausalLM", "GPTBigCodeForCausalLM"]
    ordered = ["GlmForCausalLM", "GPTBigCodeForCausalLM", "GPTNeoXForCausalLM", "OlmoForCausalLM", "Olmo2ForCausalLM"]
    assert sorted(names, key=family_order) == ordered


def test_only_the_task_ends_the_family() -> None:
    assert family_order("ForestForCausalLM")[0] == "forest"
    assert family_order("FormerForImageForCausalLM")[0] == "formerforimage"
    assert family_order("GritLM")[0] == "gritlm"
