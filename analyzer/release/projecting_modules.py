"""The module classes of a language model that hold linears, with what their forwards do with them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeGuard

from analyzer.release.head_counts import attribute_widths, field_names, sized_attributes
from analyzer.release.projections import read_projections
from analyzer.source.classes import ClassSource, Method, dotted_name
from analyzer.source.syntax import every, kept_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from analyzer.locations import Location
    from analyzer.release.head_counts import Width
    from analyzer.release.model_modules import ModelModules
    from analyzer.release.projection_facts import Projections
    from analyzer.source.classes import ClassResolver

_NORM, _PARAMETER = "Norm", "Parameter"
_ROOT_MEAN_SQUARE = ("rsqrt", "rms_norm", "RMSNorm")
"""Words in the methods of a class, or in the name of one that is not of the models, which norms by that."""


@dataclass(frozen=True, slots=True)
class ProjectingModule:
    """One such class."""

    name: str
    path: str
    """The qualified name of one instance below the base model."""
    location: Location
    linears: tuple[str, ...]
    projections: Projections

    def qualified(self, linear: str) -> str:
        """The qualified name of one of its linears."""
        return f"{self.path}.{linear}" if self.path else linear


def read_projecting_modules(
    resolver: ClassResolver, modules: ModelModules, configuration: ClassSource | None
) -> tuple[ProjectingModule, ...]:
    """Every class of the model that builds linears or dispatches attention, in the order they are reached."""
    fields = field_names(_attribute_map(resolver, configuration) if configuration else {})
    return tuple(_read(resolver, modules, configuration, fields))


def _read(
    resolver: ClassResolver, modules: ModelModules, configuration: ClassSource | None, fields: Mapping[str, Width]
) -> Iterator[ProjectingModule]:
    opaque = [a for key, a in modules.attribute_of.items() if modules.linears_of.get(key)]
    for source in modules.classes:
        key = (source.file, source.name)
        linears = modules.linears_of.get(key, ())
        forward = resolver.method(source, "forward")
        if forward is None:
            continue
        own = {m.node.name: m for m in resolver.methods(source) if m.node.name not in ("forward", "__init__")}
        members = reversed(resolver.linearization(source))
        constructors = [Method(s, c) for c in members for s in c.node.body if _is_constructor(s)]
        widths = attribute_widths(constructors, fields)
        projections = read_projections(
            forward,
            own,
            linears,
            opaque,
            widths,
            fields,
            dict(_switches(resolver, constructors, configuration)),
            dict(_full_widths(resolver, sized_attributes(constructors, fields, widths))),
            partial(_function, resolver),
        )
        if linears or projections.attention_calls:
            path = modules.path_of.get(key, "")
            yield ProjectingModule(source.name, path, forward.location, linears, projections)


def _full_widths(resolver: ClassResolver, sized: Iterable[tuple[str, ast.Call, Method]]) -> Iterator[tuple[str, bool]]:
    """The norms and parameters among them, each with whether it norms by the root mean square."""
    for attribute, call, method in sized:
        kind = dotted_name(call.func) or ""
        if kind.endswith(_PARAMETER):
            yield attribute, False
        elif kind.endswith(_NORM):
            built = resolver.find_class(method.owner.file, kind)
            nodes = [m.node for m in resolver.methods(built)] if built is not None else []
            texts = [kept_with(n, "code", partial(ast.unparse, n)) for n in nodes] if built is not None else [kind]
            yield attribute, any(word in text for text in texts for word in _ROOT_MEAN_SQUARE)


def _function(resolver: ClassResolver, file: str, name: str) -> Method | None:
    """The function of the same file called `name`."""
    found = resolver.resolve(file, name)
    if found is None or found[0] != file or not isinstance(found[1], ast.FunctionDef):
        return None
    return Method(found[1], ClassSource(file, ast.ClassDef(name, [], [], [], [])))


def _is_constructor(statement: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return isinstance(statement, ast.FunctionDef) and statement.name == "__init__"


def _switches(
    resolver: ClassResolver, constructors: Iterable[Method], configuration: ClassSource | None
) -> Iterator[tuple[str, bool]]:
    """The attributes that a constructor sets to an argument or a configuration field which is boolean by default."""
    for method in constructors:
        arguments = method.node.args
        pairs = zip(reversed(arguments.args), reversed(arguments.defaults), strict=False)
        defaults = {a.arg: d.value for a, d in pairs if isinstance(d, ast.Constant) and isinstance(d.value, bool)}
        for node in every(method.node, ast.Assign):
            match node:
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Name(id=given)
                ):
                    if given in defaults:
                        yield name, defaults[given]
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                    value=ast.Attribute(value=ast.Name(id="config"), attr=field),
                ):
                    attribute = resolver.attribute(configuration, field) if configuration else None
                    match attribute and attribute.value:
                        case ast.Constant(value=bool() as flag):
                            yield name, flag


def _attribute_map(resolver: ClassResolver, configuration: ClassSource) -> dict[str, str]:
    attribute = resolver.attribute(configuration, "attribute_map")
    if attribute is None or not isinstance(attribute.value, ast.Dict):
        return {}
    return {
        key.value: value.value
        for key, value in zip(attribute.value.keys, attribute.value.values, strict=True)
        if isinstance(key, ast.Constant)
        and isinstance(key.value, str)
        and isinstance(value, ast.Constant)
        and isinstance(value.value, str)
    }
