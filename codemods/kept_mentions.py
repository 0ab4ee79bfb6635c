"""Finds what still names a retired model after all edits, and says why it stays.

Three kinds are told apart: what builds the model by its name and would break, or silently get the backend's class;
code that compares or stores the name; text that only a person can rewrite.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from analyzer.locations import Location
from analyzer.registry import REGISTRY_FILE
from analyzer.source_scan import files_mentioning
from analyzer.source_tree import parse_python
from codemods.edits import Deletion
from codemods.gone import gone_with
from codemods.plan import Migrate, Plugin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source_tree import SourceTree
    from codemods.edits import ChangeSet
    from codemods.plan import RetirementPlan

TEXT_FOLDERS = ("docs", ".buildkite", ".github", "recipes", "benchmarks", "tests", "examples")
BUILDER = "init_vllm_registered_model"
OF_PART = re.compile(r"self\.(\w+)\.([\w.]+)")
TEXTS = frozenset({".md", ".yaml", ".yml", ".sh", ".json", ".txt", ".jinja"})


class KeptKind(StrEnum):
    """Why a mention stays, in words for a report."""

    BUILT_BY_NAME = "builds the model by its architecture's name"
    CODE = "code that stays uses the name: look whether it is still needed"
    COMMENT = "a comment, for a person to rewrite"
    PROSE = "text, for a person to rewrite"
    WANTS_ANOTHER = "runs on the checkpoint: give it another one"


@dataclass(frozen=True, slots=True, order=True)
class KeptMention:
    """A place that names a retired model and is left as it is."""

    location: Location
    kind: KeptKind
    name: str
    uses: tuple[str, ...] = ()
    """What the file asks of a model that it builds by name: `make_empty_intermediate_tensors` …"""


def kept_mentions(plan: RetirementPlan, changes: ChangeSet, tree: SourceTree) -> tuple[KeptMention, ...]:
    """Every such place in the tree as it will be, in order."""
    gone = gone_with(plan, tree)
    migrated = frozenset(a.name for a in plan.architectures if isinstance(a.outcome, Migrate))
    addresses = frozenset(a.outcome.address for a in plan.architectures if isinstance(a.outcome, Plugin))
    edited = {edit.file: b"" if isinstance(edit, Deletion) else edit.after for edit in changes.edits}
    names = gone.texts | migrated
    found: set[KeptMention] = set()
    for file, data in files_mentioning(tree.root, frozenset(name.encode() for name in names)) if names else ():
        if file != REGISTRY_FILE:
            found.update(_in_python(file, edited.get(file, data), gone.texts, migrated))
    for folder in TEXT_FOLDERS if gone.texts else ():
        for file in tree.walk(folder, TEXTS) if tree.locate(folder).is_dir() else ():
            data = edited[file] if file in edited else tree.read(file)
            found.update(_in_text(file, data, gone.texts, addresses))
    return tuple(sorted(found))


def _in_python(file: str, data: bytes, gone: frozenset[str], migrated: frozenset[str]) -> Iterator[KeptMention]:
    names = [name for name in gone | migrated if name.encode() in data]
    module = parse_python(data, file) if names else None
    if module is None:
        return
    strings: set[int] = set()
    built = {id(c) for node in ast.walk(module) for c in _built(node)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            for name in names:
                by_name = id(node) in built and node.value == name
                if by_name or (name in gone and _holds(name, node.value)):
                    place = Location(file, node.lineno, node.col_offset + 1)
                    uses = _uses(module, node) if by_name else ()
                    yield KeptMention(place, _kind(file, node, name, by_name=by_name), name, uses)
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        for name in (n for n in names if n in gone and number not in strings and _holds(n, line)):
            kind = KeptKind.COMMENT if "#" in line.partition(name)[0] else KeptKind.CODE
            yield KeptMention(Location(file, number, line.index(name) + 1), kind, name)


def _kind(file: str, node: ast.Constant, name: str, *, by_name: bool) -> KeptKind:
    if by_name:
        return KeptKind.BUILT_BY_NAME
    if node.value != name:
        return KeptKind.PROSE
    return KeptKind.CODE if file.startswith("vllm/") else KeptKind.WANTS_ANOTHER


def _uses(module: ast.Module, name: ast.Constant) -> tuple[str, ...]:
    """What is asked of the attribute that holds the model which is built by `name`."""
    attributes = {
        target.attr
        for statement in ast.walk(module)
        if isinstance(statement, ast.Assign) and any(n is name or _is_builder(n) for n in ast.walk(statement.value))
        for target in statement.targets
        if isinstance(target, ast.Attribute)
    }
    parts = (_of_part(node) for node in ast.walk(module) if isinstance(node, ast.Attribute))
    return tuple(sorted({part[1] for part in parts if part is not None and part[0] in attributes}))


def _is_builder(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == BUILDER


def _of_part(node: ast.Attribute) -> tuple[str, str] | None:
    """`("language_model", "logits_processor.scale")` for `self.language_model.logits_processor.scale`."""
    found = OF_PART.fullmatch(ast.unparse(node))
    return (found[1], found[2]) if found else None


def _built(node: ast.AST) -> Iterator[ast.expr]:
    """The strings of an `architectures` that a call gets, a configuration is given, or an override holds."""
    match node:
        case ast.keyword(arg="architectures", value=ast.List(elts=elements)):
            yield from elements
        case ast.Assign(targets=[ast.Attribute(attr="architectures")], value=ast.List(elts=elements)):
            yield from elements
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                match key, value:
                    case ast.Constant(value="architectures"), ast.List(elts=elements):
                        yield from elements


def _in_text(file: str, data: bytes, names: frozenset[str], addresses: frozenset[str]) -> Iterator[KeptMention]:
    wanted = [name for name in names if name.encode() in data]
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1) if wanted else ():
        for name in wanted:
            # The row that says where a plugin is stays for good.
            if _holds(name, line) and not any(address in line for address in addresses):
                yield KeptMention(Location(file, number, line.index(name) + 1), KeptKind.PROSE, name)


def _holds(name: str, text: str) -> bool:
    return name in text and re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w-])", text) is not None
