"""What a survey says of real releases, and what was done with their models afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from analyzer.engine_tree import open_engine_tree
from analyzer.hugging_face import HuggingFaceSource
from retire_model.survey.survey import Survey, survey
from rules.findings import Capability

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.release
TRUTH = json.loads((Path(__file__).parents[3] / "fixtures/truth-0.32.0.json").read_text())
RETIRED = {"arcee", "glm", "gpt_neox", "jais2", "mellum", "phi", "seed_oss"}
"""The modules that 0.32.0 gave to the backend; the eighth was an entry on a module that stayed."""


@pytest.fixture(scope="module")
def surveyed(
    engine_release: Callable[[str], Path],
    transformers_release: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str, str], Survey]:
    def read(engine: str, release: str) -> Survey:
        source = HuggingFaceSource(transformers_release(release), release)
        kept = tmp_path_factory.mktemp("kept")
        return survey(open_engine_tree(engine_release(engine)), (source,), {}, kept)

    return read


def test_what_was_retired_next_was_eligible(surveyed: Callable[[str, str], Survey]) -> None:
    rows = {row.module: row for row in surveyed("0.31.0", "5.16.1").rows}
    assert all(rows[module].eligible for module in RETIRED)
    assert [one.architecture for one in rows["llama"].entries_alone].count("CwmForCausalLM") == 1


def test_nothing_is_called_eligible_that_fails(surveyed: Callable[[str, str], Survey]) -> None:
    measured = TRUTH["architectures"]
    compared = 0
    for row in surveyed(TRUTH["engine"].removeprefix("vllm "), TRUTH["transformers"]).rows:
        for architecture in row.assessment.architectures if row.eligible else ():
            found = measured.get(architecture, {})
            for what, capability in (("load", Capability.LOAD), ("tensor_parallel_2", Capability.TENSOR_PARALLEL)):
                told = found.get(what, {"result": "runs"})
                if told["result"] != "runs" and not told.get("cpu_only"):
                    assert capability in row.lost, (architecture, what)
                compared += what in found
    assert compared > 20
