"""The small trees as they are surveyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.release.hugging_face import HuggingFaceSource
from retire_model.survey.survey import Survey, survey
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from pathlib import Path

    from rules.rule import Snippet

MODELS = "vllm/model_executor/models"


class ToyTrees:
    """The small trees in a folder of a test."""

    def __init__(self, folder: Path, snippet: Snippet | None = None) -> None:
        self.kept = folder / "kept"
        self.engine = write_engine(folder, snippet)
        self.release = write_release(folder, snippet)
        self.options = ["--engine", str(self.engine), "--transformers", str(self.release)]

    def write(self, file: str, text: str) -> None:
        (self.engine / file).write_text(text)

    def change(self, file: str, old: str, new: str) -> None:
        text = (self.engine / file).read_text()
        assert old in text
        self.write(file, text.replace(old, new))

    def survey(self) -> Survey:
        source = HuggingFaceSource(self.release, "5.0.0")
        return survey(open_engine_tree(self.engine), (source,), {}, self.kept)
