"""What a survey says of real releases, and what was done with their models afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.release.hugging_face import HuggingFaceSource
from retire_model.survey.ranking import ranked
from retire_model.survey.survey import Survey, survey
from rules.findings import Capability

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.release
ROOT = Path(__file__).parents[3]
TRUTHS = [ROOT / "fixtures/truth-0.32.0.json", ROOT.parent / "shared/truth/backend.json"]
"""What the engine did: our own measurements, and those that lie beside the project."""
RETIRED = {"arcee", "glm", "gpt_neox", "jais2", "mellum", "phi", "seed_oss"}
"""The modules that 0.32.0 gave to the backend; the eighth was an entry on a module that stayed."""


@pytest.fixture(scope="module")
def surveyed(
    engine_release: Callable[[str], Path],
    transformers_release: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str, str], Survey]:
    kept = tmp_path_factory.mktemp("kept")

    def read(engine: str, release: str) -> Survey:
        source = HuggingFaceSource(transformers_release(release), release)
        return survey(open_engine_tree(engine_release(engine)), (source,), {}, kept)

    return read


def test_what_was_retired_next_was_eligible(surveyed: Callable[[str, str], Survey]) -> None:
    found = surveyed("0.31.0", "5.16.1")
    rows = {row.module: row for row in found.rows}
    assert {row.module for row in ranked(found.rows, "rank", "eligible")} >= RETIRED
    # The docs tables of 0.32.0 take LoRA and pipeline parallel from none of them.
    assert {module: rows[module].lost for module in RETIRED if rows[module].lost} == {}
    assert [one.architecture for one in rows["llama"].entries_alone].count("CwmForCausalLM") == 1


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda file: file.parent.name)
def test_nothing_is_called_eligible_that_fails(truth: Path, surveyed: Callable[[str, str], Survey]) -> None:
    if not truth.exists():
        pytest.skip(f"{truth} is not beside this clone")
    told_by = json.loads(truth.read_text())
    measured = told_by["architectures"]
    compared = 0
    for row in surveyed(told_by["engine"].removeprefix("vllm "), told_by["transformers"]).rows:
        for architecture in row.assessment.architectures if row.eligible else ():
            found = measured.get(architecture, {})
            for what, capability in (("load", Capability.LOAD), ("tensor_parallel_2", Capability.TENSOR_PARALLEL)):
                told = found.get(what, {"result": "runs"})
                if told["result"] != "runs" and not told.get("cpu_only"):
                    assert capability in row.lost, (architecture, what)
                compared += what in found
    assert compared > 20
