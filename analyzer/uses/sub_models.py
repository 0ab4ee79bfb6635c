"""Finds the models that the engine builds by an architecture's name: inside another model, or instead of one.

A vision-language model sets `architectures=["…"]` and lets the registry find its language model. To whoever looks at
imports alone the module of that language model is free.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.locations import Location, location_of
from analyzer.source.classes import dotted_name, end_of_dotted_name
from analyzer.source.source_scan import files_mentioning
from analyzer.source.syntax import every, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree

ENGINE_FOLDER = "vllm"
FIELD = "architectures"
BUILDER = "init_vllm_registered_model"
NAMED = re.compile(rb"architectures[\"']?\]?\s*[:=]\s*\[([^\]]*)\]")
NAME = re.compile(rb"[\"'](\w+)[\"']")
CLASS_ARGUMENT = b"model_class="
CLASS = re.compile(CLASS_ARGUMENT + rb"(\w+)")


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """One thing that a model takes of the model inside it."""

    path: str
    """As in `logits_processor.scale`."""
    location: Location
    called: bool


@dataclass(frozen=True, slots=True, order=True)
class SubModel:
    """One place that names an architecture so that the registry builds it."""

    location: Location
    architecture: str
    owner: str
    """The class that holds the model; empty where a configuration is all that is set."""
    uses: tuple[Use, ...]


class SubModels:
    """The sub-models of one tree. Files are only parsed when an architecture is asked for that they name."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        self._read: dict[str, tuple[SubModel, ...]] = {}

    @cached_property
    def _named(self) -> tuple[dict[str, list[str]], frozenset[str]]:
        """For each architecture the files that name it so, and the classes that a loader is given."""
        found: dict[str, list[str]] = {}
        classes: set[str] = set()
        for name, data in files_mentioning(
            self._tree.root / ENGINE_FOLDER, frozenset({FIELD.encode(), CLASS_ARGUMENT})
        ):
            file = f"{ENGINE_FOLDER}/{name}"
            classes.update(match.decode() for match in CLASS.findall(data))
            inside = {n.decode() for names in NAMED.findall(data) for n in NAME.findall(names)}
            for architecture in inside if file != REGISTRY_FILE else ():
                found.setdefault(architecture, []).append(file)
        return found, frozenset(classes)

    @property
    def names(self) -> frozenset[str]:
        """The architectures that something builds by name. Raises `UnreadableSource`."""
        return frozenset(self._named[0])

    @property
    def classes(self) -> frozenset[str]:
        """The classes that something has the engine's loader build. Raises `UnreadableSource`."""
        return self._named[1]

    def files_naming(self, architecture: str) -> tuple[str, ...]:
        """The files that build `architecture` by its name, to judge by their bytes. Raises `UnreadableSource`."""
        return tuple(sorted(self._named[0].get(architecture, ())))

    def of(self, architecture: str) -> tuple[SubModel, ...]:
        """Every place that builds `architecture` by its name, in order. Raises `UnreadableSource`."""
        files = self._named[0].get(architecture, ())
        found = (sub_model for file in files for sub_model in self._in_file(file))
        return tuple(sorted(sub_model for sub_model in found if sub_model.architecture == architecture))

    def _in_file(self, file: str) -> tuple[SubModel, ...]:
        if file not in self._read:
            self._read[file] = tuple(sub_models_in(file, self._tree.parse(file)))
        return self._read[file]


def sub_models_in(file: str, module: ast.Module) -> Iterator[SubModel]:
    """Every place of one file that names an architecture so that the registry builds it."""
    inside: set[int] = set()
    for node in every(module, ast.ClassDef):
        for place, architecture in _names(node):
            inside.add(id(place))
            attributes = _built_attributes(node, place)
            owner = node.name if attributes else ""
            yield SubModel(location_of(place, file), architecture, owner, tuple(_uses(node, attributes, file)))
    for place, architecture in _names(module):
        if id(place) not in inside:
            yield SubModel(location_of(place, file), architecture, "", ())


def _names(scope: ast.AST) -> Iterator[tuple[ast.Constant, str]]:
    """The strings in `architectures` lists."""
    given = [keyword.value for keyword in every(scope, ast.keyword) if keyword.arg == FIELD]
    given += (s.value for s in every(scope, ast.Assign) if len(s.targets) == 1 and _last_part(s.targets[0]) == FIELD)
    for display in every(scope, ast.Dict):
        pairs = zip(display.keys, display.values, strict=True)
        given += (value for key, value in pairs if isinstance(key, ast.Constant) and key.value == FIELD)
    for part in (part for value in given if isinstance(value, ast.List) for part in value.elts):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part, part.value


def _last_part(target: ast.expr) -> str:
    match target:
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
    return end_of_dotted_name(target)


def _built_attributes(owner: ast.ClassDef, place: ast.Constant) -> frozenset[str]:
    """The attributes of `self` that hold the model: built with the name itself, or else by a call that has none."""
    calls = [
        (attribute, node.value)
        for node in every(owner, ast.Assign)
        if isinstance(node.value, ast.Call)
        for attribute in _self_attributes(node)
        if end_of_dotted_name(node.value.func) == BUILDER
    ]
    own = {attribute for attribute, call in calls if any(node is place for node in walk(call))}
    unnamed = {a for a, call in calls if not any(isinstance(v, ast.List) for v in _architectures(call))}
    return frozenset(own or unnamed)


def _self_attributes(node: ast.Assign) -> Iterator[str]:
    for target in node.targets:
        match target:
            case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
                yield attribute


def _architectures(call: ast.Call) -> Iterator[ast.expr]:
    return (keyword.value for keyword in call.keywords if keyword.arg == FIELD)


def _uses(owner: ast.ClassDef, attributes: frozenset[str], file: str) -> Iterator[Use]:
    """What the class takes of `self.<attribute>`, each once, the longest path of each place."""
    called = {id(node.func) for node in every(owner, ast.Call)}
    shorter = {id(node.value) for node in every(owner, ast.Attribute)}
    found: dict[tuple[str, bool], Use] = {}
    for node in every(owner, ast.Attribute):
        if id(node) not in shorter:
            first, _, rest = (dotted_name(node) or "").removeprefix("self.").partition(".")
            if first in attributes and rest and (dotted_name(node) or "").startswith("self."):
                use = Use(rest, location_of(node, file), id(node) in called)
                found.setdefault((use.path, use.called), use)
    yield from sorted(found.values())
