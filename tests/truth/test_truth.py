"""The verdicts agree with what the real engine did, save where a reason is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.truth.comparison import Comparison, compare, known_reasons

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.release

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared/truth/backend.json"
WIDE = ROOT / "fixtures/truth-0.32.0.json"
SEEDS = ("GPTBigCode", "Starcoder2", "Gemma", "StableLm", "GPT2", "GPTJ")


def rows(file: Path, engine: Path, release: Path) -> list[Comparison]:
    return list(compare(file, engine, release))


@pytest.mark.skipif(not SHARED.exists(), reason="the shared measurements lie beside the repository")
def test_shared_measurements(engine_0_32: Path, transformers_release: Callable[[str], Path]) -> None:
    found = rows(SHARED, engine_0_32, transformers_release("5.19.0"))
    assert len(found) > 60
    assert [r.architecture for r in found if r.wrong] == []
    unproven = [r.architecture for r in found if r.verdict is None]
    assert len(unproven) * 10 <= len(found)
    assert not [name for name in unproven if name.startswith(SEEDS)]


def test_wider_measurements(engine_0_32: Path, transformers_release: Callable[[str], Path]) -> None:
    found = rows(WIDE, engine_0_32, transformers_release("5.19.0"))
    assert {(r.architecture, r.measured) for r in found if r.wrong} == set(known_reasons())
    assert sum(r.verdict is None for r in found) * 10 <= len(found)
