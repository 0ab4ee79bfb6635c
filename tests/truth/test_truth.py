"""The verdicts agree with what the real engine did, save where a reason is kept."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.truth.comparison import Comparison, compare

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.release

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared/truth/backend.json"
WIDE = ROOT / "fixtures/truth-0.32.0.json"
KNOWN = ROOT / "fixtures/truth-known.toml"
SEEDS = ("GPTBigCode", "Starcoder2", "Gemma", "StableLm", "GPT2", "GPTJ")


def rows(file: Path, engine: Path, release: Path) -> list[Comparison]:
    return list(compare(file, engine, release))


@pytest.mark.skipif(not SHARED.exists(), reason="the shared measurements lie beside the repository")
def test_shared_measurements(engine_0_32: Path, transformers_release: Callable[[str], Path]) -> None:
    found = rows(SHARED, engine_0_32, transformers_release("5.19.0"))
    assert len(found) > 60
    assert [r.architecture for r in found if r.called_eligible_and_failed or r.refused_and_ran] == []
    unproven = [r.architecture for r in found if r.verdict is None]
    assert len(unproven) * 10 <= len(found)
    assert not [name for name in unproven if name.startswith(SEEDS)]


def test_wider_measurements(engine_0_32: Path, transformers_release: Callable[[str], Path]) -> None:
    known = {(name, what) for name, reasons in tomllib.loads(KNOWN.read_text()).items() for what in reasons}
    found = rows(WIDE, engine_0_32, transformers_release("5.19.0"))
    wrong = {(r.architecture, r.measured) for r in found if r.called_eligible_and_failed or r.refused_and_ran}
    assert wrong == known
    assert sum(r.verdict is None for r in found) * 10 <= len(found)
