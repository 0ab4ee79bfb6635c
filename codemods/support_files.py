"""Takes away configurations and processors that the engine keeps for a retired model alone.

They stand in packages whose `__init__.py` names each class with its module; configurations are registered by their
model type as well. A file goes when nothing is left that uses its classes; for a model that the backend serves from
now on only where Transformers has a configuration for the model type, or a processor.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.source.source_scan import words_of
from analyzer.source.source_tree import parse_python
from codemods.code.forget_code import forget_file
from codemods.edits import Deletion, Rewrite
from codemods.mentions import mentioning
from codemods.order import family_order, plain_name
from codemods.plan import Migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft
    from codemods.plan import RetirementPlan

UTILITIES = "vllm/transformers_utils"
CONFIGURATIONS = f"{UTILITIES}/configs"
PROCESSORS = f"{UTILITIES}/processors"
CONFIGURATION_REGISTRY = f"{UTILITIES}/config.py"


@dataclass(frozen=True, slots=True)
class _SupportFile:
    file: str
    classes: frozenset[str]
    model_types: frozenset[str]

    @property
    def module(self) -> str:
        return self.file.removesuffix(".py").replace("/", ".")


def drop_support_files(plan: RetirementPlan, draft: Draft) -> None:
    """Delete the files that served only what is retired now, and the rows that name them. Raises `UnreadableSource`."""
    given_up = all(not isinstance(a.outcome, Migrate) for a in plan.architectures)
    lost = _lost_words(draft)
    families = {plain_name(family_order(a.name)[0]) for a in plan.architectures}
    for support in _support_files(draft):
        used = bool(support.classes & lost) or not families.isdisjoint(map(plain_name, support.model_types))
        if used and (given_up or _is_provided(support, plan)) and _is_idle(support, draft):
            for file in filter(draft.exists, _row_files(support)):
                forget_file(file, support.classes, frozenset({support.module}), draft, whole=True)
            draft.delete(support.file, "only the retired model used it")


def _lost_words(draft: Draft) -> frozenset[str]:
    """The words that deleted and edited files of the engine no longer hold."""
    lost: set[bytes] = set()
    for edit in draft.change_set().edits:
        if edit.file.startswith("vllm/") and isinstance(edit, Deletion | Rewrite):
            lost |= words_of(edit.before) - (words_of(edit.after) if isinstance(edit, Rewrite) else set())
    return frozenset(word.decode("utf-8", "replace") for word in lost)


def _support_files(draft: Draft) -> Iterator[_SupportFile]:
    for folder in (CONFIGURATIONS, PROCESSORS):
        for file in draft.tree.walk(folder, frozenset({".py"})) if draft.tree.locate(folder).is_dir() else ():
            if not file.endswith("/__init__.py") and draft.exists(file):
                classes = [n for n in parse_python(draft.read(file), file).body if isinstance(n, ast.ClassDef)]
                types = frozenset(text for node in classes for text in _model_types(node))
                yield _SupportFile(file, frozenset(node.name for node in classes), types)


def _model_types(node: ast.ClassDef) -> Iterator[str]:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="model_type")], value=ast.Constant(value=str() as text)):
                yield text
            case ast.AnnAssign(target=ast.Name(id="model_type"), value=ast.Constant(value=str() as text)):
                yield text


def _is_provided(support: _SupportFile, plan: RetirementPlan) -> bool:
    """Whether Transformers has a configuration for each model type of the file, or the processors."""
    if support.file.startswith(f"{PROCESSORS}/"):
        return plan.provides_processors
    return bool(support.model_types) and support.model_types <= plan.provided_model_types


def _row_files(support: _SupportFile) -> tuple[str, ...]:
    return (f"{support.file.rpartition('/')[0]}/__init__.py", CONFIGURATION_REGISTRY)


def _is_idle(support: _SupportFile, draft: Draft) -> bool:
    """Whether no file uses the classes, save by rows that say where they are."""
    rows = _row_files(support)
    for name in support.classes:
        if any(True for _ in mentioning(name, draft, besides=(support.file, *rows))):
            return False
    stem = support.module.rpartition(".")[2]
    for file in mentioning(stem, draft, besides=(support.file, *rows)):
        if support.module.encode() in draft.read(file):
            return False
    return support.model_types.issuperset(registered_types(support.classes, draft))


def registered_types(classes: frozenset[str], draft: Draft) -> Iterator[str]:
    """The model types under which the classes are registered. Raises `UnreadableSource`."""
    if not draft.exists(CONFIGURATION_REGISTRY):
        return
    for node in ast.walk(parse_python(draft.read(CONFIGURATION_REGISTRY), CONFIGURATION_REGISTRY)):
        match node:
            case ast.keyword(arg=str() as key, value=ast.Constant(value=str() as name)) if name in classes:
                yield key
