"""What the backend demands and gives, read from its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.backend import read_backend
from analyzer.engine.backend_functions import BACKEND_PACKAGE
from analyzer.engine.backend_plans import WithoutPlan
from analyzer.engine.engine_tree import open_engine_tree
from analyzer.errors import EnvironmentProblem
from analyzer.source.classes import ClassResolver
from rules.rule import Snippet
from rules.snippets import changed
from tests.toy import BASE_FILE, write_engine

if TYPE_CHECKING:
    from pathlib import Path

    from analyzer.engine.backend import Backend


def read(root: Path) -> Backend:
    engine = open_engine_tree(root)
    return read_backend(engine, ClassResolver(engine.files))


def rewrite(root: Path, old: str, new: str) -> None:
    path = root / BASE_FILE
    path.write_text(changed(path.read_text(), old, new))


def test_raises_without_plans(tmp_path: Path) -> None:
    backend = read(write_engine(tmp_path))
    assert backend.tensor_parallel.without is WithoutPlan.RAISES
    assert str(backend.tensor_parallel.location) == f"{BASE_FILE}:30"
    assert backend.pipeline_parallel.without is WithoutPlan.RAISES
    assert str(backend.pipeline_parallel.location) == f"{BASE_FILE}:25"


def test_infers_plans(tmp_path: Path) -> None:
    backend = read(write_engine(tmp_path, Snippet(backend="infers")))
    assert backend.tensor_parallel.without is WithoutPlan.INFERS
    assert backend.pipeline_parallel.without is WithoutPlan.INFERS


def test_infers_in_the_other_branch(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    rewrite(
        root,
        '        if not self.model.supports_pp_plan:\n            raise ValueError("no pipeline parallel")\n',
        "        if self.model.supports_pp_plan:\n            names = 1\n        else:\n            names = 2\n",
    )
    assert read(root).pipeline_parallel.without is WithoutPlan.INFERS


def test_says_so_where_nothing_asks_for_a_plan(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    rewrite(root, "supports_pp_plan", "something_new")
    assert read(root).pipeline_parallel == type(read(root).pipeline_parallel)(WithoutPlan.UNKNOWN, None)


def test_classes_and_what_they_inherit(tmp_path: Path) -> None:
    backend = read(write_engine(tmp_path))
    found = backend.backend_class("TransformersForCausalLM")
    assert found is not None
    assert {"SupportsLoRA", "SupportsPP", "Base", "CausalMixin"} <= {name for name, _ in found.inherits}
    assert str(found.interface("SupportsQuant")) == f"{BASE_FILE}:17"
    assert found.interface("SupportsMultiModal") is None
    assert backend.backend_class("TransformersMultiModalMoEForCausalLM") is None


def test_layers_styles_and_compilation(tmp_path: Path) -> None:
    backend = read(write_engine(tmp_path))
    assert [name for name, _ in backend.replaced_layers] == ["nn.Linear", "nn.Conv2d", "nn.Conv3d", "*RMSNorm"]
    assert backend.replaces("Linear") is not None
    assert backend.replaces("Conv1D") is None
    assert backend.parallel_styles == ("colwise", "rowwise", "replicate")
    assert backend.compile_location is not None


def test_less_is_known_of_an_older_backend(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    rewrite(root, 'Style = Literal["colwise", "rowwise", "replicate"]\n', "")
    rewrite(root, "        support_torch_compile(dynamic_arg_dims={})(decoder)\n", "        pass\n")
    (root / "vllm/config/model.py").write_text("_SUFFIX_TO_DEFAULTS: list = [1, 2]\n")
    backend = read(root)
    assert (backend.parallel_styles, backend.compile_location, backend.default_tasks) == ((), None, ())
    (root / "vllm/config/model.py").write_text("OTHER = 1\n")
    assert read(root).default_tasks == ()
    (root / "vllm/config/model.py").unlink()
    assert read(root).default_tasks == ()


@pytest.mark.parametrize(
    ("architecture", "multimodal", "experts", "name"),
    [
        ("ToyForCausalLM", False, False, "TransformersForCausalLM"),
        ("ToyForCausalLM", False, True, "TransformersMoEForCausalLM"),
        ("ToyForConditionalGeneration", True, False, "TransformersMultiModalForCausalLM"),
        ("ToyModel", False, False, "TransformersEmbeddingModel"),
        ("ToyForSequenceClassification", True, True, "TransformersMultiModalMoEForSequenceClassification"),
    ],
)
def test_chooses_its_class_as_the_engine_does(
    tmp_path: Path, architecture: str, multimodal: bool, experts: bool, name: str
) -> None:
    backend = read(write_engine(tmp_path))
    assert backend.class_for(architecture, multimodal=multimodal, mixture_of_experts=experts) == name


def test_a_tree_without_a_backend(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    (root / BACKEND_PACKAGE / "__init__.py").unlink()
    with pytest.raises(EnvironmentProblem, match="no Transformers modeling backend"):
        read(root)


@pytest.mark.parametrize("left", ["", "import torch\n"])
def test_a_backend_whose_main_file_lost_its_content(tmp_path: Path, left: str) -> None:
    root = write_engine(tmp_path)
    (root / BASE_FILE).write_text(left)
    with pytest.raises(EnvironmentProblem, match="cannot be understood: no call of the Hugging Face model"):
        read(root)


def test_a_backend_whose_main_file_is_missing(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    (root / BASE_FILE).unlink()
    with pytest.raises(EnvironmentProblem, match="cannot be understood"):
        read(root)
