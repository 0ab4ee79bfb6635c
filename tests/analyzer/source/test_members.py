"""Whether instances have what a path asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.source.classes import ClassResolver
from analyzer.source.members import Answer, has_member
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

TREE = {
    "own.py": """
import transformers
from torch import nn
from transformers import AutoModel
from .layers import Logits, build

class Base(nn.Module):
    tasks: ClassVar = ()

    def __init__(self, config):
        self.model: PreTrainedModel = create()
        self.other = AutoModel.from_config(config)
        self.third = transformers.build(config)
        self.config = config

    def compute(self): ...

    @property
    def named(self): ...


class Own(Base):
    def __init__(self, config):
        super().__init__(config)
        if config.x:
            self.logits = Logits(config)
        else:
            self.logits = build(config)
        self.sure = self.alias = Logits(config)
        self.unsure = build(config)
        self.layers = [Logits()]


if TYPE_CHECKING:
    from transformers import PreTrainedModel
""",
    "layers.py": "class Logits:\n    def __init__(self):\n        self.scale = 1\n\n\ndef build(x): ...\n",
}


@pytest.mark.parametrize(
    ("path", "called", "answer"),
    [
        ("compute", True, Answer.HAS),
        ("tasks", False, Answer.HAS),
        ("named", False, Answer.HAS),
        ("named.more", False, Answer.UNKNOWN),
        ("config", False, Answer.HAS),
        ("config.vocab", False, Answer.UNKNOWN),
        ("model", False, Answer.HAS),
        ("model", True, Answer.FOREIGN),
        ("model.layers", False, Answer.FOREIGN),
        ("other", True, Answer.FOREIGN),
        ("third", True, Answer.FOREIGN),
        ("logits.scale", False, Answer.HAS),
        ("logits.gone", False, Answer.UNKNOWN),
        ("sure.gone", False, Answer.LACKS),
        ("alias.scale", False, Answer.HAS),
        ("unsure.scale", False, Answer.UNKNOWN),
        ("layers", False, Answer.HAS),
        ("gone", False, Answer.LACKS),
        ("gone.deeper", False, Answer.LACKS),
        ("named_parameters", True, Answer.HAS),
    ],
)
def test_path(path: str, called: bool, answer: Answer, tmp_path: Path) -> None:
    for file, text in TREE.items():
        (tmp_path / file).write_text(text)
    resolver = ClassResolver(SourceTree(tmp_path))
    source = resolver.find_class("own.py", "Own")
    assert source is not None
    assert has_member(resolver, source, path, called=called) is answer
