"""The uses of a sub-model, sorted by what the backend's class has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.backend import BackendClass
from analyzer.locations import Location
from analyzer.source.classes import ClassResolver
from analyzer.source.members import Answer
from analyzer.source.source_tree import SourceTree
from analyzer.uses.sub_model_needs import read_sub_model_needs
from analyzer.uses.sub_models import SubModel, Use

if TYPE_CHECKING:
    from pathlib import Path

PLACE = Location("seer.py", 3)
USES = tuple(Use(path, PLACE, called) for path, called in (("head", False), ("gone", False), ("model", True)))
BACKEND = """
from transformers import AutoModel

class Backend:
    def __init__(self):
        self.head = 1
        self.model = AutoModel.from_config()
"""


def test_sorted(tmp_path: Path) -> None:
    (tmp_path / "backend.py").write_text(BACKEND)
    resolver = ClassResolver(SourceTree(tmp_path))
    backend = BackendClass("Backend", Location("backend.py", 4), ())
    (needs,) = read_sub_model_needs(resolver, (SubModel(PLACE, "ToyForCausalLM", "Seer", USES),), backend)
    assert [use.path for use in needs.uses(Answer.HAS)] == ["head"]
    assert [use.path for use in needs.uses(Answer.LACKS)] == ["gone"]
    assert [use.path for use in needs.uses(Answer.FOREIGN)] == ["model"]
    assert needs.uses(Answer.UNKNOWN) == ()


def test_class_that_cannot_be_found(tmp_path: Path) -> None:
    resolver = ClassResolver(SourceTree(tmp_path))
    backend = BackendClass("Gone", Location("gone.py", 1), ())
    assert read_sub_model_needs(resolver, (SubModel(PLACE, "ToyForCausalLM", "Seer", USES),), backend) == ()
