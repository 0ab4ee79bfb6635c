"""Every kind of place that names a model."""

from __future__ import annotations

import pytest

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from analyzer.uses.mentions import MentionKind, ModelNames, mentions_in_text
from analyzer.uses.python_mentions import mentions_in_python

NAMES = ModelNames(frozenset({"PearForCausalLM", "org/pear"}), frozenset({"pear"}), frozenset({"pear"}))
K = MentionKind
MODELS = "vllm/model_executor/models/"


def python(file: str, text: str) -> list[tuple[int, MentionKind]]:
    return sorted({(m.location.line, m.kind) for m in mentions_in_python(file, text.encode(), NAMES)})


@pytest.mark.parametrize(
    ("file", "text", "kinds"),
    [
        ("tests/a.py", "import vllm.model_executor.models.pear\n", [(1, K.IMPORT)]),
        (MODELS + "a.py", "from .pear import Pear\nPear()\n", [(1, K.RELATIVE_IMPORT), (2, K.USE)]),
        (
            "vllm/model_executor/models/a.py",
            "if TYPE_CHECKING:\n    from .pear import P\n",
            [(2, K.TYPE_CHECKING_IMPORT)],
        ),
        ("tests/a.py", 'importlib.import_module("vllm.model_executor.models.pear")\n', [(1, K.MODULE_STRING)]),
        ("tests/a.py", 'mocker.patch("vllm.model_executor.models.pear.Pear", x)\n', [(1, K.PATCH)]),
        (
            "tests/a.py",
            "from vllm.model_executor.models import pear\n\nmonkeypatch.setattr(pear.Pear, 'x', 1)\npear.run()\n",
            [(1, K.IMPORT), (3, K.PATCH), (4, K.USE)],
        ),
        (REGISTRY_FILE, 'A = {"PearForCausalLM": ("pear", "PearForCausalLM")}\n', [(1, K.REGISTRY)]),
        (TEST_REGISTRY_FILE, 'A = {"PearForCausalLM": I("org/pear")}\n', [(1, K.TEST_REGISTRY)]),
        ("vllm/a.py", 'architectures = ["PearForCausalLM"]\n', [(1, K.BUILT_BY_NAME)]),
        ("vllm/a.py", 'c.architectures = ["FigForCausalLM", "PearForCausalLM"]\n', [(1, K.BUILT_BY_NAME)]),
        ("tests/a.py", 'o = {"architectures": ["PearForCausalLM"]}\n', [(1, K.OVERRIDE)]),
        (TEST_REGISTRY_FILE, 'f(hf_overrides={"architectures": ["PearForCausalLM"]})\n', [(1, K.OVERRIDE)]),
        ("vllm/a.py", 'if config.model_type in ["pear", "fig"]:\n    pass\n', [(1, K.MODEL_TYPE)]),
        ("vllm/a.py", 'if name == "pear":\n    pass\n', []),
        ("tests/a.py", 'M = ["org/pear"]\n', [(1, K.TEST_PARAMETER)]),
        ("vllm/a.py", 'if a == "PearForCausalLM":\n    pass\n', [(1, K.CODE)]),
        ("vllm/a.py", "x = PearForCausalLM\n", [(1, K.CODE)]),
        ("vllm/a.py", '"""Of org/pear."""\n', [(1, K.DOCSTRING)]),
        ("vllm/a.py", "x = 1  # as org/pear does\n", [(1, K.COMMENT)]),
        ("vllm/a.py", '"org/pear2", "OldPearForCausalLM", "more/org/pear"\n', []),
        ("vllm/model_executor/models/pear.py", "from vllm.model_executor.models.pear import x\n", []),
    ],
)
def test_python(file: str, text: str, kinds: list[tuple[int, MentionKind]]) -> None:
    assert python(file, text) == kinds


@pytest.mark.parametrize(
    ("file", "text", "kinds"),
    [
        ("docs/a.md", "| `PearForCausalLM` | x |\n", [K.DOCS_ROW]),
        ("docs/a.md", "see [pear](../vllm/model_executor/models/pear.py)\n", [K.DOCS_PROSE]),
        ("docs/a.md", "as `org/pear` does\n", [K.DOCS_PROSE]),
        (".github/CODEOWNERS", "/vllm/model_executor/models/pear.py @me\n", [K.CI_PATH]),
        (".buildkite/a.yaml", "  - vllm/model_executor/models/pear.py\n", [K.CI_PATH]),
        ("rust/a.rs", 'let x = "PearForCausalLM";\n', [K.OTHER_LANGUAGE]),
        ("recipes/a.yaml", "model_id: org/pear\n", [K.DATA]),
        ("docs/a.md", "models/pearl.py, xmodels/pear.py, org/pear-2\n", []),
        ("tests/a.json", "x" * 3000 + " org/pear\n", []),
    ],
)
def test_text(file: str, text: str, kinds: list[MentionKind]) -> None:
    assert [m.kind for m in mentions_in_text(file, text.encode(), NAMES)] == kinds


def test_what_is_used_of_a_model_that_is_built_by_name() -> None:
    text = """\
class Fig:
    def __init__(self, config):
        config.architectures = ["PearForCausalLM"]
        self.language_model = init_vllm_registered_model(config)
        self.scale = self.language_model.logits_processor.scale
        self.make = self.language_model.make_tensors
"""
    (found,) = mentions_in_python("vllm/model_executor/models/fig.py", text.encode(), NAMES)
    assert found.uses == ("logits_processor.scale", "make_tensors")
    assert found.line == 'config.architectures = ["PearForCausalLM"]'
