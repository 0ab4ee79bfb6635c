"""Models that are built by an architecture's name, and what is taken of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.source.source_tree import SourceTree
from analyzer.uses.sub_models import SubModels

if TYPE_CHECKING:
    from pathlib import Path

SEER = """
class SeerForConditionalGeneration(nn.Module):
    def __init__(self, config):
        self.tower = init_vllm_registered_model(config, architectures=["TowerModel"])
        config.text_config.architectures = ["ToyForCausalLM"]
        self.language_model = init_vllm_registered_model(hf_config=config.text_config)
        self.language_model.logits_processor.scale *= 2
        self.make = self.language_model.make

    def forward(self, x):
        self.tower(x)
        return self.language_model.model(self.tower.encode(x))

    def again(self, x):
        return self.language_model.model(x)
"""


def sub_models(root: Path, text: str, file: str = "vllm/model_executor/models/seer.py") -> SubModels:
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(text)
    return SubModels(SourceTree(root))


def test_configuration_that_is_changed_first(tmp_path: Path) -> None:
    (found,) = sub_models(tmp_path, SEER).of("ToyForCausalLM")
    assert (found.owner, found.location.line) == ("SeerForConditionalGeneration", 5)
    assert [(use.path, use.called, use.location.line) for use in found.uses] == [
        ("logits_processor.scale", False, 7),
        ("make", False, 8),
        ("model", True, 12),
    ]


def test_call_that_has_the_name(tmp_path: Path) -> None:
    (found,) = sub_models(tmp_path, SEER).of("TowerModel")
    assert [(use.path, use.called) for use in found.uses] == [("encode", True)]


def test_names_and_classes(tmp_path: Path) -> None:
    text = 'override = {"architectures": ["A", "B"]}\nhf["architectures"] = ["C"]\nbuild(model_class=ToyForCausalLM)\n'
    found = sub_models(tmp_path, text)
    assert found.names == {"A", "B", "C"}
    assert found.classes == {"ToyForCausalLM"}
    assert [(s.location.line, s.owner, s.uses) for name in "ABC" for s in found.of(name)] == [
        (1, "", ()),
        (1, "", ()),
        (2, "", ()),
    ]


def test_what_is_none(tmp_path: Path) -> None:
    text = '# architectures=["A"]\n"""architectures=["A"]"""\nx.architectures = other\nf(architectures=x, a=["A"])\n'
    assert sub_models(tmp_path, text).of("A") == ()
    assert sub_models(tmp_path, 'x = {"architectures": ["A"]}', "vllm/model_executor/models/registry.py").of("A") == ()
    assert sub_models(tmp_path, text).of("Z") == ()
