"""Follows which module classes a model builds, from `__init__` to `__init__`, without running any of it.

What a configuration switches on or off is not decided here: every class that some branch builds is listed.
"""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.classes import ClassResolver, ClassSource, Method, dotted_name, end_of_dotted_name
from analyzer.source.syntax import every, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CONV1D_FILE = "transformers/pytorch_utils.py"
CONV1D = "Conv1D"
LINEARS = frozenset({"nn.Linear", "torch.nn.Linear", "Linear"})
MODULE_LISTS = frozenset({"ModuleList", "ModuleDict", "Sequential"})


@dataclass(frozen=True, slots=True)
class BuiltLayer:
    """A layer of a library that some class builds: `nn.Linear`, `Conv1D` …"""

    layer: str
    attribute: str
    owner: str
    location: Location


@dataclass(frozen=True, slots=True)
class ImplementationLookup:
    """A class chosen from a dictionary by the attention implementation's name."""

    dictionary: str
    known: tuple[str, ...]
    location: Location


@dataclass(frozen=True, slots=True, eq=False)
class ModelModules:
    """All that building a model may build."""

    classes: tuple[ClassSource, ...]
    attribute_of: dict[tuple[str, str], str]
    """For the `(file, name)` of a class the first attribute that an instance was assigned to."""
    path_of: dict[tuple[str, str], str]
    """For the `(file, name)` of a class the qualified name of one instance below the model: `layers.0.self_attn`."""
    linears_of: dict[tuple[str, str], tuple[str, ...]]
    """For the `(file, name)` of a class the attributes that hold an `nn.Linear`."""
    conv1d: tuple[BuiltLayer, ...]
    lookups: tuple[ImplementationLookup, ...]


@dataclass(frozen=True, slots=True)
class LinearWithForward:
    """A class that is an `nn.Linear` and defines a forward of its own."""

    name: str
    location: Location


def linears_with_forward(modules: ModelModules) -> tuple[LinearWithForward, ...]:
    """Those among the classes that a model builds."""
    return tuple(
        LinearWithForward(source.name, source.location)
        for source in modules.classes
        if any(dotted_name(base) in LINEARS for base in source.node.bases)
        and any(isinstance(s, ast.FunctionDef) and s.name == "forward" for s in source.node.body)
    )


def read_model_modules(resolver: ClassResolver, base: ClassSource) -> ModelModules:
    """Follow everything that building `base` may build."""
    seen: dict[tuple[str, str], ClassSource] = {}
    attributes: dict[tuple[str, str], str] = {}
    paths = {(base.file, base.name): ""}
    linears: dict[tuple[str, str], dict[str, None]] = {}
    conv1d: dict[Location, BuiltLayer] = {}
    lookups: dict[Location, ImplementationLookup] = {}
    waiting = deque([base])
    while waiting:
        source = waiting.popleft()
        key = (source.file, source.name)
        if key in seen:
            continue
        seen[key] = source
        methods = tuple(constructors(resolver, source))
        given = dict(pair for method in methods for pair in _given_by(method))
        for method in methods:
            file = method.owner.file
            for attribute, call, listed in _calls(method, given):
                if attribute and not listed and (dotted_name(call.func) or "") in LINEARS:
                    linears.setdefault(key, {})[attribute] = None
                for name, place in class_names(resolver, method, call.func):
                    built = resolver.find_class(file, name)
                    if built is None:
                        continue
                    if built.name == CONV1D and built.file == CONV1D_FILE:
                        location = location_of(place, file)
                        conv1d[location] = BuiltLayer(CONV1D, attribute, source.name, location)
                    elif built.file.startswith("transformers/models/"):
                        attributes.setdefault((built.file, built.name), attribute)
                        parts = (paths[key], attribute, "0" if listed else "")
                        paths.setdefault((built.file, built.name), ".".join(filter(None, parts)))
                        waiting.append(built)
                if (lookup := _lookup(resolver, method, call.func)) is not None:
                    lookups[lookup.location] = lookup
    return ModelModules(
        tuple(seen.values()),
        attributes,
        paths,
        {key: tuple(found) for key, found in linears.items()},
        tuple(conv1d.values()),
        tuple(lookups.values()),
    )


def constructors(resolver: ClassResolver, source: ClassSource) -> Iterator[Method]:
    """Every `__init__` that runs, the first and those it reaches through `super()`, and what they call of the class."""
    called: dict[str, None] = {}
    for init in _inits(resolver, source):
        yield init
        called |= dict.fromkeys(_own_calls(init))
        yield from _functions(resolver, init)
    for name in called:
        method = resolver.method(source, name)
        if method is not None and method.owner.file.startswith("transformers/models/"):
            yield method


def _functions(resolver: ClassResolver, method: Method) -> Iterator[Method]:
    """The functions of the same file whose result becomes an attribute, as in `self.layers = build_layers(config)`."""
    for node in every(method.node, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Attribute()], value=ast.Call(func=ast.Name(id=name))):
                found = resolver.resolve(method.owner.file, name)
                if found is not None and found[0] == method.owner.file and isinstance(found[1], ast.FunctionDef):
                    yield Method(found[1], method.owner)


def _given_by(method: Method) -> Iterator[tuple[str, str]]:
    """`(function or method, attribute)` for each that gives an attribute its value."""
    for node in every(method.node, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=attribute)], value=ast.Call(func=ast.Name(id=name))):
                yield name, attribute
            case ast.Assign(
                targets=[ast.Attribute(attr=attribute)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)),
            ):
                yield name, attribute


def _inits(resolver: ClassResolver, source: ClassSource) -> Iterator[Method]:
    for member in resolver.linearization(source):
        for statement in member.node.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                yield Method(statement, member)
                if not _calls_super(statement):
                    return


def _own_calls(method: Method) -> Iterator[str]:
    """The methods that it calls on `self`, as in `self.layers = self.get_layers()`."""
    for node in every(method.node, ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                yield name


def _calls_super(function: ast.FunctionDef) -> bool:
    for node in every(function, ast.Call):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=arguments), attr="__init__")
            ):
                # `super(Parent, self)` jumps over the parent, which is how generated code skips one.
                if not arguments:
                    return True
    return False


def _calls(method: Method, given: Mapping[str, str]) -> Iterator[tuple[str, ast.Call, bool]]:
    """The calls of a constructor, the attribute of `self` that they end in, whether within a list."""
    collected = _collected(method, given)
    for node in walk(method.node):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return) and node.value is not None:
            attribute, listed = _destination(node, collected)
            if isinstance(node, ast.Return):
                attribute = given.get(method.node.name, "")
            outer = node.value if isinstance(node.value, ast.Call) else None
            in_list = listed or (outer is not None and _makes_list(outer))
            for inner in every(node.value, ast.Call):
                yield attribute, inner, in_list and (listed or inner is not outer)


def _collected(method: Method, given: Mapping[str, str]) -> dict[str, str]:
    """The local lists that become a list of modules, with its attribute."""
    found: dict[str, str] = {}
    for node in walk(method.node):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=attribute)], value=ast.Call(args=[ast.Name(id=name)]) as call):
                found |= {name: attribute} if _makes_list(call) else {}
            case ast.Return(value=ast.Call(args=[ast.Name(id=name)]) as call) if method.node.name in given:
                found |= {name: given[method.node.name]} if _makes_list(call) else {}
    return found


def _makes_list(call: ast.Call) -> bool:
    return end_of_dotted_name(call.func) in MODULE_LISTS


def _destination(node: ast.stmt, collected: Mapping[str, str]) -> tuple[str, bool]:
    """The attribute that a statement adds to or assigns; whether to a list of modules."""
    match node:
        case ast.Assign(targets=[*_, ast.Attribute(attr=attribute)]):
            return attribute, False
        case ast.Assign(targets=[ast.Name(id=name)]) if name in collected:
            return collected[name], True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=added, attr="append" | "extend" | "insert"))):
            match added:
                case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
                    return attribute, True
                case ast.Name(id=name) if name in collected:
                    return collected[name], True
    return "", False


def class_names(resolver: ClassResolver, method: Method, called: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names of the classes that `called` may stand for: all branches, all values of a dictionary."""
    match called:
        case ast.Name(id=name):
            values = _local_values(method, name)
            if not values:
                yield name, called
            for value in values:
                yield from class_names(resolver, method, value)
        case ast.IfExp(body=body, orelse=orelse):
            yield from class_names(resolver, method, body)
            yield from class_names(resolver, method, orelse)
        case ast.Attribute(value=ast.Name(id=name), attr="_from_config"):
            yield name, called
        case ast.Subscript(value=ast.Name(id=dictionary)):
            display = _dictionary(resolver, method, dictionary)
            for value in display.values if display else ():
                if isinstance(value, ast.Name):
                    yield value.id, called


def _local_values(method: Method, name: str) -> list[ast.expr]:
    """What a constructor assigns to a local name, as in `kind = A if config.x else B`."""
    return [
        node.value
        for node in every(method.node, ast.Assign)
        if any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        and not any(part.id == name for part in every(node.value, ast.Name))
    ]


def _lookup(resolver: ClassResolver, method: Method, called: ast.expr) -> ImplementationLookup | None:
    match called:
        case ast.Subscript(value=ast.Name(id=dictionary), slice=key):
            given = _local_values(method, key.id) if isinstance(key, ast.Name) else [key]
            if any(_names_implementation(part) for value in given for part in walk(value)):
                display = _dictionary(resolver, method, dictionary)
                keys = display.keys if display else []
                known = tuple(k.value for k in keys if isinstance(k, ast.Constant) and isinstance(k.value, str))
                return ImplementationLookup(dictionary, known, location_of(called, method.owner.file))
    return None


def _names_implementation(part: ast.AST) -> bool:
    return isinstance(part, ast.Attribute) and part.attr == "_attn_implementation"


def _dictionary(resolver: ClassResolver, method: Method, name: str) -> ast.Dict | None:
    """A dictionary that the constructor itself writes down, else one of its file."""
    local = next((value for value in _local_values(method, name) if isinstance(value, ast.Dict)), None)
    if local is not None:
        return local
    found = resolver.resolve(method.owner.file, name)
    return found[1] if found is not None and isinstance(found[1], ast.Dict) else None
