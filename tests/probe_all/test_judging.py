"""The list of known disagreements, and how a comparison is held against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.release.hugging_face_model import read_hugging_face_model
from retire_model.probe.comparison import SUBJECTS
from tests.probe_all.judging import NOT_BUILT, Row, gone, read_known, row, summary, table, unlisted
from tests.retire_model.probe_answers import toy_answer
from tests.toy import write_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

KNOWN = {"ToyForCausalLM": {"conv1d": "a reason"}}


def toy_row(folder: Path, **changed: Any) -> Row:
    model = read_hugging_face_model(HuggingFaceSource(write_release(folder), "5.0.0"), "ToyForCausalLM")
    assert model is not None
    return row(model, toy_answer(**changed), True)


def test_every_known_disagreement_is_of_a_subject_and_has_a_reason() -> None:
    tested, known = read_known()
    assert tested
    for reasons in known.values():
        assert reasons
        assert not reasons.keys() - {*SUBJECTS, NOT_BUILT}
        assert all(len(reason) > 20 for reason in reasons.values())


@pytest.mark.release
def test_every_known_disagreement_is_of_a_class_of_a_tested_release(
    transformers_release: Callable[[str], Path],
) -> None:
    tested, known = read_known()
    sources = [HuggingFaceSource(transformers_release(version), version) for version in tested]
    classes = {name for s in sources for name in s.auto_mapping("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES").values()}
    assert not known.keys() - classes


def test_agreement(tmp_path: Path) -> None:
    found = toy_row(tmp_path)
    assert list(unlisted([found], {})) == []
    assert {found.mark(subject, {}) for subject in SUBJECTS} == {"ok"}
    assert (found.ranks, found.stages) == ("same", "same")


def test_a_disagreement_without_a_reason(tmp_path: Path) -> None:
    found = toy_row(tmp_path, transposed_linears=[["ToyAttention", "o_proj"]])
    assert list(unlisted([found], {})) == ["ToyForCausalLM conv1d: read none, is ToyAttention.o_proj"]
    assert found.mark("conv1d", {}) == "DIFFERS"
    assert list(unlisted([found], KNOWN)) == []
    assert found.mark("conv1d", KNOWN) == "known"


def test_a_reason_without_a_disagreement(tmp_path: Path) -> None:
    assert list(gone([toy_row(tmp_path)], KNOWN)) == ["ToyForCausalLM conv1d"]
    assert list(gone([toy_row(tmp_path / "b", transposed_linears=[["A", "b"]])], KNOWN)) == []
    assert list(gone([], KNOWN)) == []


def test_what_is_not_built_is_listed_as_well(tmp_path: Path) -> None:
    found = toy_row(tmp_path, not_built="a reason")
    assert list(unlisted([found], KNOWN)) == ["ToyForCausalLM not-built: a reason"]
    assert list(unlisted([found], {"ToyForCausalLM": {NOT_BUILT: "known"}})) == []
    assert {found.mark(subject, {}) for subject in SUBJECTS} == {"-"}


def test_what_nobody_tells(tmp_path: Path) -> None:
    found = toy_row(tmp_path, sharded=None, head=None)
    assert found.mark("sharding", {}) == found.mark("output-head", {}) == "?"
    assert found.ranks == "-"


def test_a_model_that_is_said_to_run_in_stages_and_does_not(tmp_path: Path) -> None:
    other = {"difference": 1.0, "scale": 3.0, "error": None}
    (told,) = unlisted([toy_row(tmp_path, staged=other)], {})
    assert told.startswith("ToyForCausalLM pipeline-stages: read the backend can run it in stages, is ")


def test_table_and_summary(tmp_path: Path) -> None:
    rows = [toy_row(tmp_path / "a"), toy_row(tmp_path / "b", transposed_linears=[["A", "b"]], staged=None)]
    heading, first, second = table(rows, {})
    assert all(subject in heading for subject in SUBJECTS)
    assert first.split() == ["ToyForCausalLM", *["ok"] * len(SUBJECTS), "same", "same"]
    assert "DIFFERS" in second
    counts, *lines = summary(rows, {})
    assert counts == "2 classes, 2 built, 1 agree on everything"
    assert [line for line in lines if "1 disagree" in line] == [
        f"{'conv1d':24}1 agree, 0 untold, 0 listed with a reason, 1 disagree"
    ]
