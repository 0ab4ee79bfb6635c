"""Finds the Hugging Face classes of an architecture in a Transformers release, without importing it.

Facts of Transformers 4.57 to 5.24: `models/*/modeling_*.py`, `models/*/configuration_*.py` and
`models/auto/`. The `modular_*.py` files are what these are generated from, not what runs, and are not read.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem
from analyzer.release.processors import read_processors
from analyzer.release.sub_configurations import sub_configurations
from analyzer.source.classes import Attribute, ClassResolver, ClassSource, dotted_name
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODELS = "transformers/models"
AUTO_MODELING = f"{MODELS}/auto/modeling_auto.py"
_CLASS = re.compile(rb"\nclass (\w+)")
"""A literal beginning, not an anchored one: five times as fast over 25 MB."""
FRAMEWORK = frozenset(
    {"transformers/configuration_utils.py", "transformers/modeling_utils.py", "transformers/generation/__init__.py"}
)
"""Where model classes end: some ten thousand lines, of which no rule asks anything."""
TEXT_PARTS = ("text_config", "decoder", "generator", "thinker_config")
"""Where `PreTrainedConfig.get_text_config` looks for the language model, and what composite models call it."""


@dataclass(frozen=True, slots=True, eq=False)
class HuggingFaceClasses:
    """The classes that make up one architecture of a release."""

    architecture: str
    head: ClassSource
    """The class the architecture is named after."""
    base: ClassSource
    """The class that `AutoModel` builds, which is what the engine's backend runs."""
    configuration: ClassSource
    text_configuration: ClassSource | None
    """The language model's part of a composite configuration, else the configuration itself; None where the
    checkpoint alone says which it is (`AutoConfig`)."""

    @property
    def multimodal(self) -> bool:
        """Whether the configuration is composite, which is how the engine tells a multimodal model."""
        return self.text_configuration is not self.configuration


class HuggingFaceSource:
    """One Transformers release: `root` holds the folder `transformers/`."""

    def __init__(self, root: Path, label: str) -> None:
        self.label = label
        self.files = SourceTree(root)
        self.resolver = ClassResolver(self.files, FRAMEWORK)
        self._index: dict[str, str] | None = None
        self._auto: dict[str, dict[str, str]] | None = None
        self._processors: dict[str, str] | None = None
        if not self.files.exists(AUTO_MODELING):
            raise EnvironmentProblem(
                f"{root} holds no Transformers release: there is no {AUTO_MODELING}",
                "Name a release (--transformers 5.19.0) or a folder that holds `transformers/`.",
            )

    def file_of(self, class_name: str) -> str | None:
        """The modeling file that defines `class_name`.

        The folder that the auto mappings lead to is looked at first: most questions end there, and the 25 MB of the
        other modeling files are not read.
        """
        if self._index is None:
            near = next((f for f in self._near(class_name) if self.resolver.defines(f, class_name)), None)
            if near is not None:
                return near
            self._index = dict(self._scan())
        return self._index.get(class_name)

    def _near(self, class_name: str) -> Iterator[str]:
        for name, mapping in self._mappings().items():
            if name.startswith("MODEL_") and class_name in mapping.values():
                model_type = next(key for key, value in mapping.items() if value == class_name)
                folder = model_type.replace("-", "_")
                yield f"{MODELS}/{folder}/modeling_{folder}.py"

    def _scan(self) -> Iterator[tuple[str, str]]:
        folder = self.files.locate(MODELS)
        for path in sorted(folder.glob("*/modeling_*.py"), reverse=True):
            file = f"{MODELS}/{path.parent.name}/{path.name}"
            # Some 25 MB together.
            for found in _CLASS.findall(self.files.read_once(file)) if path.is_file() else ():
                yield found.decode("ascii", "replace"), file

    def names(self) -> tuple[str, ...]:
        """All class names of the modeling files."""
        if self._index is None:
            self._index = dict(self._scan())
        return tuple(self._index)

    def find(self, architecture: str) -> HuggingFaceClasses | None:
        """The classes of `architecture`; None where the release has no such class or it is no model.

        Raises `UnreadableSource` where one of its files does not parse.
        """
        file = self.file_of(architecture)
        head = self.resolver.find_class(file, architecture) if file else None
        if file is None or head is None:
            if file is not None:
                self.files.parse(file)
            return None
        configuration = self._configuration(head)
        if configuration is None:
            return None
        base = self._base(head, configuration)
        return HuggingFaceClasses(architecture, head, base, configuration, self._text_configuration(configuration))

    def _configuration(self, head: ClassSource) -> ClassSource | None:
        """As `PreTrainedModel.__init_subclass__` has it: from the nearest class, `config_class` before `config`."""
        said = [a for name in ("config_class", "config") if (a := self.resolver.attribute(head, name)) is not None]
        for attribute in sorted(said, key=lambda a: self.resolver.linearization(head).index(a.owner)):
            if (found := self._class_in(attribute)) is not None:
                return found
        init = self.resolver.method(head, "__init__")
        if init is not None:
            for argument in init.node.args.args[1:2]:
                if argument.annotation is not None:
                    return self._named(init.owner.file, argument.annotation)
        return None

    def _class_in(self, attribute: Attribute) -> ClassSource | None:
        expression = attribute.value if isinstance(attribute.value, ast.Name) else attribute.annotation
        return self._named(attribute.owner.file, expression) if expression is not None else None

    def _named(self, file: str, expression: ast.expr) -> ClassSource | None:
        if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
            name: str | None = expression.value
        else:
            name = dotted_name(expression)
        return self.resolver.find_class(file, name) if name else None

    def _base(self, head: ClassSource, configuration: ClassSource) -> ClassSource:
        """What `AutoModel.from_config` builds for the configuration; the head itself where there is no entry."""
        model_type = self.model_type(configuration)
        name = self.auto_mapping("MODEL_MAPPING_NAMES").get(model_type) if model_type else None
        if name is None:
            return head
        return self.resolver.find_class(head.file, name) or self._elsewhere(name) or head

    def _elsewhere(self, class_name: str) -> ClassSource | None:
        file = self.file_of(class_name)
        return self.resolver.find_class(file, class_name) if file else None

    def model_type(self, configuration: ClassSource) -> str | None:
        """The `model_type` of a configuration class."""
        attribute = self.resolver.attribute(configuration, "model_type")
        match attribute and attribute.value:
            case ast.Constant(value=str() as text):
                return text
            case _:
                return None

    def _text_configuration(self, configuration: ClassSource) -> ClassSource | None:
        parts = sub_configurations(self.resolver, configuration)
        named = next((name for name in TEXT_PARTS if name in parts), None)
        if named is None:
            return configuration
        found = parts[named]
        return found if found is not None and self.model_type(found) is not None else None

    def language_model(self, classes: HuggingFaceClasses) -> ClassSource:
        """The class whose attention the engine replaces: it sets its implementation on the text part alone."""
        if not classes.multimodal or classes.text_configuration is None:
            return classes.base
        model_type = self.model_type(classes.text_configuration)
        name = self.auto_mapping("MODEL_MAPPING_NAMES").get(model_type or "")
        return (self._elsewhere(name) if name else None) or classes.base

    def processor(self, configuration: ClassSource) -> str | None:
        """The class that `AutoProcessor` builds for the configuration; None where the release names none."""
        if self._processors is None:
            self._processors = read_processors(self.files)
        return self._processors.get(self.model_type(configuration) or "")

    def auto_mapping(self, name: str) -> dict[str, str]:
        """A mapping of `models/auto/modeling_auto.py`, such as `MODEL_FOR_CAUSAL_LM_MAPPING_NAMES`."""
        return self._mappings().get(name, {})

    def _mappings(self) -> dict[str, dict[str, str]]:
        if self._auto is None:
            self._auto = dict(_ordered_dicts(self.files.parse(AUTO_MODELING)))
        return self._auto


def _ordered_dicts(tree: ast.Module) -> Iterator[tuple[str, dict[str, str]]]:
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.List(elts=rows)])):
                pairs: dict[str, str] = {}
                for row in rows:
                    match row:
                        case ast.Tuple(elts=[ast.Constant(value=str() as key), value]):
                            pairs[key] = _first_name(value)
                yield name, pairs


def _first_name(value: ast.expr) -> str:
    first = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
