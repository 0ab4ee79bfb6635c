"""Several models, and several releases, judged together."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import Mock

import rules.assessment
from analyzer.engine.model_names import find_model
from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.uses.references import find_references
from rules.assessment import Assessor
from rules.rule import Snippet
from tests.toy import open_toy

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SNIPPET = Snippet(dependent="from .toy import ToyForCausalLM\n")


def test_the_tree_is_searched_once_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, source = open_toy(tmp_path, SNIPPET)
    models = [find_model(engine, (source,), name) for name in ("toy", "other", "twin")]
    alone = [Assessor(engine, (source,)).assess(model) for model in models]
    assert any(f.rule == "dependents" for a in alone for f in a.judgement.findings)
    search = Mock(side_effect=find_references)
    monkeypatch.setattr(rules.assessment, "find_references", search)
    assessor = Assessor(engine, (source,))
    assert assessor.assess_all(models) == alone
    later = assessor.against(HuggingFaceSource(source.files.root, "5.1.0"))
    assert later.assess_all(models)[0].judgement.release == "5.1.0"
    assert search.call_count == 1
