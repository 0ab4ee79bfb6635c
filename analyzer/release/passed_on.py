"""Reads whether keywords that a model does not know reach its attention: whether each forward hands them on."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.release.attention import dispatches
from analyzer.release.model_modules import constructors
from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.locations import Location
    from analyzer.release.attention import AttentionModule
    from analyzer.release.model_modules import ModelModules
    from analyzer.source.classes import ClassResolver, ClassSource, Method


@dataclass(frozen=True, slots=True)
class ForwardOnTheWay:
    """A forward between the base model and the attention interface, both ends included."""

    class_name: str
    parameters: frozenset[str]
    takes_any: bool
    """It has a `**kwargs`."""
    hands_on: frozenset[str]
    """The keywords that it hands on by name."""
    hands_on_any: bool
    """It hands its `**kwargs` on, in attention to the interface itself."""
    location: Location

    def loses(self, keyword: str) -> bool:
        """Whether `keyword` does not get past it."""
        if keyword in self.parameters:
            return keyword not in self.hands_on
        return not (self.takes_any and self.hands_on_any)


def read_forwards_on_the_way(
    resolver: ClassResolver, modules: ModelModules, attention: Iterable[AttentionModule]
) -> tuple[ForwardOnTheWay, ...]:
    """The forwards of the classes that hold a module which dispatches, and of those modules."""
    dispatching = {(module.location.file, module.name) for module in attention if module.dispatches}
    ends = [modules.path_of.get(key, "") for key in dispatching]
    return tuple(_forwards(resolver, modules, dispatching, ends))


def _forwards(
    resolver: ClassResolver, modules: ModelModules, dispatching: set[tuple[str, str]], ends: list[str]
) -> Iterator[ForwardOnTheWay]:
    paths = [modules.path_of.get((c.file, c.name), "") for c in modules.classes]
    for source in modules.classes if dispatching else ():
        key = (source.file, source.name)
        path = modules.path_of.get(key, "")
        holds = source is modules.classes[0] or (
            bool(path)
            and paths.count(path) == 1
            and any(end.startswith(f"{path}.") for end in ends)
            and _builds(resolver, source, {name for _, name in dispatching})
        )
        forward = resolver.method(source, "forward")
        if forward is not None and (holds or key in dispatching):
            yield _read(source, forward, tuple(dispatches(forward)) if key in dispatching else _calls(forward))


def _builds(resolver: ClassResolver, source: ClassSource, names: set[str]) -> bool:
    """Whether it builds one of them itself; where several kinds of layer stand under one name, none is asked."""
    return any(
        isinstance(node, ast.Name) and node.id in names
        for method in constructors(resolver, source)
        for node in walk(method.node)
    )


def _calls(forward: Method) -> tuple[ast.Call, ...]:
    return tuple(node for node in walk(forward.node) if isinstance(node, ast.Call))


def _read(source: ClassSource, forward: Method, calls: tuple[ast.Call, ...]) -> ForwardOnTheWay:
    arguments = forward.node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    rest = arguments.kwarg.arg if arguments.kwarg is not None else None
    spread = [keyword.value for call in calls for keyword in call.keywords if keyword.arg is None]
    return ForwardOnTheWay(
        source.name,
        frozenset(names),
        rest is not None,
        frozenset(keyword.arg for call in calls for keyword in call.keywords if keyword.arg),
        any(isinstance(node, ast.Name) and node.id == rest for value in spread for node in walk(value)),
        forward.location,
    )
