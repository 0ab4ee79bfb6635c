"""The classes of an architecture found in a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem, UnreadableSource
from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.release.hugging_face_model import HuggingFaceModel, read_hugging_face_model
from rules.snippets import CONFIGURATION, MODELING, changed
from tests.analyzer.source.test_source_tree import make_pipe
from tests.toy import write_release

if TYPE_CHECKING:
    from pathlib import Path

TOY = "transformers/models/toy"


def read(root: Path, architecture: str = "ToyForCausalLM") -> HuggingFaceModel | None:
    return read_hugging_face_model(HuggingFaceSource(root, "5.0.0"), architecture)


def must_read(root: Path, architecture: str = "ToyForCausalLM") -> HuggingFaceModel:
    found = read(root, architecture)
    assert found is not None
    return found


def write_modeling(root: Path, text: str) -> None:
    (root / TOY / "modeling_toy.py").write_text(text)


def write_configuration(root: Path, text: str) -> None:
    (root / TOY / "configuration_toy.py").write_text(text)


def test_reads_a_language_model(tmp_path: Path) -> None:
    model = must_read(write_release(tmp_path))
    assert (model.base_class, model.configuration_class, model.release) == ("ToyModel", "ToyConfig", "5.0.0")
    assert str(model.head).startswith(f"{TOY}/modeling_toy.py:")
    assert (model.multimodal, model.mixture_of_experts, model.plan_readable) == (False, False, True)
    assert model.declares_attention_backend
    assert [(m.name, len(m.dispatches)) for m in model.attention] == [("ToyAttention", 1)]
    assert model.tensor_parallel_plan is not None
    assert len(model.tensor_parallel_plan.entries) == 4
    assert model.pipeline_parallel_plan is not None
    assert [e.pattern for e in model.pipeline_parallel_plan.entries] == ["embed_tokens", "layers", "norm"]


@pytest.mark.parametrize("name", ["Absent", "TwinForCausalLM", ""])
def test_unknown_architecture(tmp_path: Path, name: str) -> None:
    assert read(write_release(tmp_path), name) is None


def test_a_class_without_a_configuration_is_no_model(tmp_path: Path) -> None:
    assert read(write_release(tmp_path), "ToyAttention") is None
    source = HuggingFaceSource(tmp_path / "release", "5.0.0")
    assert "ToyLayer" in source.names()
    assert source.names() is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("config: ToyConfig\n", "config_class = ToyConfig\n"),
        ("config: ToyConfig\n", 'config: "ToyConfig"\n'),
    ],
)
def test_ways_to_name_the_configuration(tmp_path: Path, old: str, new: str) -> None:
    root = write_release(tmp_path)
    write_modeling(root, changed(MODELING, old, new))
    assert must_read(root).configuration_class == "ToyConfig"


def test_the_nearest_class_names_the_configuration(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    parent = changed(MODELING, "    config: ToyConfig\n", "    config_class = OtherConfig\n")
    head = "class ToyForCausalLM(ToyPreTrainedModel):\n"
    write_modeling(root, changed(parent, head, f"{head}    config: ToyConfig\n"))
    write_configuration(root, f"{CONFIGURATION}\n\nclass OtherConfig(PreTrainedConfig):\n    model_type = 'other'\n")
    assert must_read(root).configuration_class == "ToyConfig"


def test_the_configuration_named_by_the_constructor(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    text = changed(MODELING, "    config: ToyConfig\n", "")
    head = text.index("class ToyForCausalLM")
    write_modeling(root, text[:head] + text[head:].replace("(self, config)", "(self, config: ToyConfig)"))
    assert must_read(root).configuration_class == "ToyConfig"


def test_without_an_auto_mapping_the_head_is_the_base(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    (root / "transformers/models/auto/modeling_auto.py").write_text("OTHER = 1\n")
    assert must_read(root).base_class == "ToyForCausalLM"


def test_a_model_type_that_is_not_told(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    write_configuration(root, changed(CONFIGURATION, '    model_type = "toy"\n', ""))
    assert must_read(root).base_class == "ToyForCausalLM"


COMPOSITE = """
class ToyVisionConfig(PreTrainedConfig):
    model_type = "toy_vision"


class ToyConfig(PreTrainedConfig):
    model_type = "toy"
    sub_configs = {"vision_config": ToyVisionConfig, "text_config": %s}
"""


def test_a_composite_configuration_gives_its_text_part(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    text = CONFIGURATION.replace("ToyConfig", "ToyTextConfig").replace('"toy"', '"toy_text"')
    write_configuration(root, text + COMPOSITE % "ToyTextConfig")
    model = must_read(root)
    assert model.multimodal
    assert model.tensor_parallel_plan is not None
    assert model.plan_readable


@pytest.mark.parametrize("text_part", ["AutoConfig", "ToyVisionConfig | None"])
def test_a_text_part_that_the_checkpoint_names(tmp_path: Path, text_part: str) -> None:
    root = write_release(tmp_path)
    write_configuration(root, COMPOSITE % text_part)
    model = must_read(root)
    assert model.multimodal
    assert not model.plan_readable


def test_parts_that_are_no_language_model(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    write_configuration(root, (COMPOSITE % "X").replace('"text_config"', '"audio_config"'))
    assert not must_read(root).multimodal


def test_the_language_models_attention_counts(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    text = CONFIGURATION.replace("ToyConfig", "ToyTextConfig").replace('"toy"', '"toy_text"')
    write_configuration(root, text + COMPOSITE % "ToyTextConfig")
    vision = "class ToyVisionAttention(nn.Module):\n    def forward(self, x):\n        return x.softmax(-1)\n"
    tower = changed(
        MODELING,
        "        self.norm = nn.LayerNorm(config.hidden_size)\n",
        "        self.tower = ToyVisionAttention()\n",
    )
    write_modeling(
        root, vision + tower.replace("ToyModel(", "ToyWholeModel(") + MODELING[MODELING.index("class ToyModel") :]
    )
    (root / "transformers/models/auto/modeling_auto.py").write_text(
        'MODEL_MAPPING_NAMES = OrderedDict([("toy", "ToyWholeModel"), ("toy_text", ("ToyModel", "Other"))])\n'
    )
    model = must_read(root)
    assert model.base_class == "ToyWholeModel"
    assert [m.name for m in model.attention] == ["ToyAttention"]


@pytest.mark.parametrize("field", ["num_experts: int = 4", "def __init__(self, num_local_experts=8): ..."])
def test_a_mixture_of_experts(tmp_path: Path, field: str) -> None:
    root = write_release(tmp_path)
    write_configuration(root, f"{CONFIGURATION}    {field}\n")
    assert must_read(root).mixture_of_experts


def test_a_file_that_does_not_parse_is_named(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    write_modeling(root, f"{MODELING}\ndef broken(:\n")
    with pytest.raises(UnreadableSource, match=r"modeling_toy\.py:\d+ is not valid Python"):
        read(root)


def test_a_folder_without_a_release(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="holds no Transformers release"):
        HuggingFaceSource(tmp_path, "5.0.0")


def test_a_pipe_among_the_modeling_files_is_passed_over(tmp_path: Path) -> None:
    release = write_release(tmp_path)
    make_pipe(release / "transformers/models/toy/modeling_pipe.py")
    assert "ToyForCausalLM" in HuggingFaceSource(release, "5.0.0").names()
