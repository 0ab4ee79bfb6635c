"""Finds every place of a tree that names a model, by whichever of its names, and says what kind of place it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import DOCS_FOLDER
from analyzer.locations import Location
from analyzer.uses.reference import dotted_module

if TYPE_CHECKING:
    from collections.abc import Iterator

CI_FOLDERS = (".buildkite/", ".github/")
OTHER_LANGUAGES = (".rs", ".cu", ".cuh", ".cpp", ".hpp", ".h", ".js")
TEXTS = (".md", ".yaml", ".yml", ".sh", ".json", ".txt", ".csv", ".jinja", ".toml", "CODEOWNERS", *OTHER_LANGUAGES)
LONGEST_LINE = 2000
"""Characters of a text's line beyond which it is data that nobody wrote."""


class MentionKind(StrEnum):
    """What kind of place names a model."""

    IMPORT = "import"
    RELATIVE_IMPORT = "relative import"
    TYPE_CHECKING_IMPORT = "import for type checking"
    MODULE_STRING = "string with the module's path"
    PATCH = "patch of a test"
    USE = "use of what is imported"
    REGISTRY = "registry entry"
    TEST_REGISTRY = "test registry entry"
    BUILT_BY_NAME = "architecture that is built by its name"
    OVERRIDE = "architecture that an override sets"
    MODEL_TYPE = "comparison of the model type"
    TEST_PARAMETER = "parameter of a test"
    CODE = "code"
    DOCSTRING = "documentation in code"
    COMMENT = "comment"
    DOCS_ROW = "docs row"
    DOCS_PROSE = "docs prose"
    CI_PATH = "CI path"
    OTHER_LANGUAGE = "code in another language"
    DATA = "data"


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """One place that names a model."""

    location: Location
    kind: MentionKind
    name: str
    line: str
    """The text of the line, without the blanks around it: what is left of a place after an edit above it."""
    uses: tuple[str, ...] = ()
    """What the file takes of a model that it builds by name: `make_empty_intermediate_tensors` …"""


@dataclass(frozen=True, slots=True)
class ModelNames:
    """All that one or several models are called."""

    texts: frozenset[str]
    """Architectures, checkpoints and classes: whole words that mean nothing else."""
    model_types: frozenset[str] = frozenset()
    """Plain words such as `phi`: only a comparison with a `model_type` means the model."""
    modules: frozenset[str] = frozenset()
    """As the registry writes them."""

    @property
    def words(self) -> frozenset[bytes]:
        """What a file that names one of the models has in it, perhaps as a part of a longer word."""
        parts = {dotted_module(module).rpartition(".")[2] for module in self.modules}
        return frozenset(name.encode() for name in self.texts | self.model_types | parts)


def holds(name: str, text: str) -> bool:
    """Whether `text` has `name` as a whole word, of which a dash or a slash may be a part."""
    return name in text and re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w-])", text) is not None


def mentions_in_text(file: str, data: bytes, names: ModelNames) -> Iterator[Mention]:
    """The mentions in a file that is not Python: by name, and of a module by the path of its file."""
    paths = {module: _path(module) for module in names.modules}
    text = data.decode("utf-8", "replace")
    wanted = [name for name in names.texts if name in text]
    reached = [module for module in names.modules if paths[module].search(text)]
    for number, line in enumerate(text.splitlines(), 1) if wanted or reached else ():
        if len(line) <= LONGEST_LINE:
            for name in wanted:
                if holds(name, line):
                    place = Location(file, number, line.index(name) + 1)
                    yield Mention(place, _kind_of_text(file, line), name, line.strip())
            for module in reached:
                if (found := paths[module].search(line)) is not None:
                    place = Location(file, number, found.start() + 1)
                    yield Mention(place, _kind_of_text(file, line), module, line.strip())


def _path(module: str) -> re.Pattern[str]:
    """The path of a module's file or folder, as CI and links write it, or its full name."""
    dotted = dotted_module(module)
    package, _, last = dotted.rpartition(".")
    folder = package.rpartition(".")[2]
    return re.compile(rf"(?<!\w){folder}/{last}(?:\.py|/)|(?<![\w.]){re.escape(dotted)}(?!\w)")


def _kind_of_text(file: str, line: str) -> MentionKind:
    if file.startswith(CI_FOLDERS):
        return MentionKind.CI_PATH
    if file.endswith(OTHER_LANGUAGES):
        return MentionKind.OTHER_LANGUAGE
    if file.startswith(f"{DOCS_FOLDER}/") or file.endswith(".md"):
        return MentionKind.DOCS_ROW if line.lstrip().startswith("|") else MentionKind.DOCS_PROSE
    return MentionKind.DATA
