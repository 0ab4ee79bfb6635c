"""A little of what `make fuzz` does for long, from small files of this project, and what it found."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.snippets import MODELING
from tests.codemods.docs.test_table import PAGE
from tests.codemods.small_tree import REGISTRY
from tests.fuzz.mutations import mutated
from tests.fuzz.readers import READERS

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = {
    "registry": REGISTRY,
    "docs": PAGE,
    "modeling": MODELING,
    "references": "import vllm.model_executor.models as models\nfrom .llama import LlamaModel\n"
    "\n\ndef f(x):\n    return models.llama, 'LlamaForCausalLM', 'vllm.model_executor.models.' + x\n",
}


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_damaged_files(tmp_path: Path, name: str, seed: int) -> None:
    READERS[name](tmp_path, mutated(SEEDS[name].encode(), Random(seed)))


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
def test_any_bytes(tmp_path: Path, name: str, data: bytes) -> None:
    READERS[name](tmp_path, data)
    READERS[name](tmp_path, SEEDS[name].encode() + data)
