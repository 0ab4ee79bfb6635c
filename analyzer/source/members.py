"""Whether an instance of a class has what a dotted path asks for, as far as its own source can tell."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from analyzer.source.classes import ClassSource, ImportedName, dotted_name
from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.classes import ClassResolver

MODULE_NAMES = """
apply bfloat16 buffers children cpu cuda double eval extra_repr float forward get_parameter get_submodule half
load_state_dict modules named_buffers named_children named_modules named_parameters parameters register_buffer
register_forward_hook register_module register_parameter requires_grad_ state_dict to train training type zero_grad
"""
MODULE = frozenset(MODULE_NAMES.split())
"""What every `nn.Module` has; its source is in none of the trees that are read."""
TRANSFORMERS = "transformers"


class Answer(StrEnum):
    """What can be said of a path."""

    HAS = "has"
    LACKS = "lacks"
    FOREIGN = "foreign"
    """It leads to, or into, a model of Transformers, which takes and gives other things than the engine's own."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class _Assigned:
    """An assignment to an attribute: its value, its annotation, and the class that makes it."""

    value: ast.expr | None
    annotation: ast.expr | None
    owner: ClassSource


def has_member(resolver: ClassResolver, source: ClassSource, path: str, *, called: bool) -> Answer:
    """Whether instances of `source` have `path`, as in `logits_processor.scale`; `called` if the path is called."""
    name, _, rest = path.partition(".")
    assigned = list(_assigned(resolver, source, name))
    if any(_is_foreign(resolver, found) for found in assigned):
        return Answer.FOREIGN if rest or called else Answer.HAS
    if resolver.method(source, name) is not None or resolver.attribute(source, name) is not None:
        return Answer.UNKNOWN if rest else Answer.HAS
    if not assigned:
        return Answer.HAS if name in MODULE and not rest else Answer.LACKS
    if not rest:
        return Answer.HAS
    inner = [_class_of(resolver, found) for found in assigned]
    known = [found for found in inner if found is not None]
    answers = {has_member(resolver, found, rest, called=called) for found in known}
    if Answer.HAS in answers:
        return Answer.HAS
    return answers.pop() if len(answers) == 1 and len(known) == len(inner) else Answer.UNKNOWN


def _assigned(resolver: ClassResolver, source: ClassSource, name: str) -> Iterator[_Assigned]:
    """The assignments to `self.<name>` in all methods, inherited ones too."""
    for member in resolver.linearization(source):
        for node in walk(member.node):
            match node:
                case ast.Assign(targets=targets, value=value):
                    if any(_is_own(target, name) for target in targets):
                        yield _Assigned(value, None, member)
                case ast.AnnAssign(target=target, annotation=annotation, value=given) if _is_own(target, name):
                    yield _Assigned(given, annotation, member)


def _is_own(target: ast.expr, name: str) -> bool:
    match target:
        case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
            return attribute == name
    return False


def _is_foreign(resolver: ClassResolver, assigned: _Assigned) -> bool:
    """Whether the attribute is declared as, or made by, something of Transformers."""
    names = []
    if assigned.annotation is not None:
        names.append(dotted_name(assigned.annotation))
    if isinstance(assigned.value, ast.Call):
        names.append(dotted_name(assigned.value.func))
    return any(_is_of_transformers(resolver, assigned.owner.file, name) for name in names if name)


def _is_of_transformers(resolver: ClassResolver, file: str, name: str) -> bool:
    first = name.partition(".")[0]
    symbol = resolver.symbols(file).get(first)
    if symbol is None and first == TRANSFORMERS:
        return True
    return isinstance(symbol, ImportedName) and not symbol.level and symbol.module.partition(".")[0] == TRANSFORMERS


def _class_of(resolver: ClassResolver, assigned: _Assigned) -> ClassSource | None:
    """The class of what is assigned, where a call of it makes it."""
    if isinstance(assigned.value, ast.Call) and (name := dotted_name(assigned.value.func)):
        return resolver.find_class(assigned.owner.file, name)
    return None
