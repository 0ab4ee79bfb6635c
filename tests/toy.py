"""Builds the small trees of `fixtures/` in a folder of a test, with the model that a rule's snippet describes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.engine.engine_tree import EngineTree, open_engine_tree
from analyzer.engine.model_names import BespokeModel
from analyzer.release.hugging_face import HuggingFaceSource
from rules.assessment import Assessment, Assessor
from rules.snippets import CONFIGURATION, MODELING, changed

if TYPE_CHECKING:
    from rules.rule import Snippet

FIXTURES = Path(__file__).parent.parent / "fixtures"
BASE_FILE = "vllm/model_executor/models/transformers/base.py"

LATENT_LAYER = "from vllm.model_executor.layers.attention import MLAAttention"
BACKENDS = {
    "infers": {
        '            raise ValueError("no pipeline parallel")': '            logger.warning("inferring the split")',
        '            raise ValueError("no tensor parallel")': '            logger.warning("sharding what fuses")',
    },
    "latent": {"from torch import nn\n": f"from torch import nn\n\n{LATENT_LAYER}\n"},
}


def write_engine(folder: Path, snippet: Snippet | None = None) -> Path:
    """A fresh copy of the small engine tree."""
    root = folder / "engine"
    shutil.copytree(FIXTURES / "engine", root)
    if snippet is not None and snippet.bespoke:
        header = "from torch import nn\nfrom .interfaces import *\n"
        names = "SupportsLoRA, SupportsPP, SupportsQuant, SupportsEagle, SupportsEagle3"
        toy = header.replace("*", names) + snippet.bespoke
        (root / "vllm/model_executor/models/toy.py").write_text(toy)
    if snippet is not None and snippet.dependent:
        (root / "vllm/model_executor/models/dependent.py").write_text(snippet.dependent)
    if snippet is not None and snippet.backend in BACKENDS:
        base = (root / BASE_FILE).read_text()
        for old, new in BACKENDS[snippet.backend].items():
            base = changed(base, old, new)
        (root / BASE_FILE).write_text(base)
    return root


def write_release(folder: Path, snippet: Snippet | None = None) -> Path:
    """A fresh copy of the small Transformers release with the toy model in it."""
    root = folder / "release"
    shutil.copytree(FIXTURES / "transformers", root)
    toy = root / "transformers/models/toy"
    toy.mkdir(parents=True, exist_ok=True)
    (toy / "modeling_toy.py").write_text((snippet and snippet.modeling) or MODELING)
    (toy / "configuration_toy.py").write_text((snippet and snippet.configuration) or CONFIGURATION)
    return root


def open_toy(folder: Path, snippet: Snippet | None = None) -> tuple[EngineTree, HuggingFaceSource]:
    """Both trees, opened."""
    engine = open_engine_tree(write_engine(folder, snippet))
    return engine, HuggingFaceSource(write_release(folder, snippet), "5.0.0")


def assess_toy(folder: Path, snippet: Snippet | None = None) -> Assessment:
    """The judgement of the toy model that the snippet describes."""
    engine, source = open_toy(folder, snippet)
    return Assessor(engine, (source,)).assess(BespokeModel("toy", ("ToyForCausalLM",), whole=True))
