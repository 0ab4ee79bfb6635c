"""The answers of the probe's child are checked before they are used."""

from __future__ import annotations

from typing import Any

import pytest

from retire_model.probe.reading import NotBuilt, ProbeReading, SecondRun, parse
from tests.retire_model.probe_answers import toy_answer


def test_a_whole_answer() -> None:
    found = parse(toy_answer(transposed_linears=[["ToyMLP", "c_fc"]]))
    assert isinstance(found, ProbeReading)
    assert found.linears[0].name == "layers.*.self_attn.q_proj"
    assert found.linears[0].style == "colwise"
    assert found.transposed_linears == {("ToyMLP", "c_fc")}
    assert [d.layer for d in found.attention] == [0, 1]
    assert found.sharded is not None
    assert found.sharded.agrees


def test_what_is_not_there() -> None:
    found = parse(toy_answer(head=None, sharded=None, staged=None, attention_error="KeyError: 'x'", attention=[]))
    assert isinstance(found, ProbeReading)
    assert (found.head, found.sharded, found.staged) == (None, None, None)
    assert found.attention_error == "KeyError: 'x'"


def test_not_built() -> None:
    assert parse({"architecture": "A", "not_built": "a reason"}) == NotBuilt("A", "a reason")


@pytest.mark.parametrize(
    "changed",
    [
        {"tensor_parallel_plan": ["a"]},
        {"linears": [{"name": "a"}]},
        {"linears": 3},
        {"transposed_linears": [["only one"]]},
        {"attention": [{"name": "a", "class": "b", "layer": "x", "calls": 1}]},
        {"head": {"projection": "a"}},
        {"sharded": {"difference": "much", "scale": 1.0, "error": None}},
        {"settings": None},
    ],
)
def test_answers_that_are_not_as_they_must_be(changed: dict[str, Any]) -> None:
    found = parse(toy_answer(**changed))
    assert isinstance(found, NotBuilt)
    assert "cannot be read" in found.reason


def test_an_empty_answer() -> None:
    assert isinstance(parse({}), NotBuilt)


@pytest.mark.parametrize(
    ("run", "agrees", "told"),
    [
        (SecondRun(1e-6, 3.0, None), True, "the same numbers"),
        (SecondRun(0.0, 0.0, None), True, "the same numbers"),
        (SecondRun(0.2, 3.0, None), False, "other numbers"),
        (SecondRun(float("nan"), 3.0, None), False, "other numbers"),
        (SecondRun(None, None, "ValueError: x"), False, "it fails: ValueError: x"),
    ],
)
def test_second_runs(run: SecondRun, agrees: bool, told: str) -> None:
    assert run.agrees is agrees
    assert run.told.startswith(told)
