"""Works out what a configuration class holds by default, without running it.

A small reader of our own for the plain code of which configurations are made: fields with defaults, and a
`__post_init__` (or `__init__`) that fills what was left open. What it does not understand stays unknown.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any, Final

from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from analyzer.source.classes import ClassResolver, ClassSource

LONGEST_LIST = 4096
MOST_BITS = 256
MOST_STEPS = 20_000


class _Unknown:
    """The value of what cannot be told. Compares equal to nothing."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()
Value = Any

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "int": int,
    "bool": bool,
    "len": len,
    "list": list,
    "tuple": tuple,
    "set": set,
    "min": min,
    "max": max,
    "sum": sum,
    "all": all,
    "any": any,
    "abs": abs,
    "enumerate": lambda values: list(enumerate(values)),
}


class ConfigurationDefaults:
    """The fields of one configuration class, by default."""

    def __init__(self, resolver: ClassResolver, configuration: ClassSource) -> None:
        self._resolver = resolver
        self._configuration = configuration
        self._fields: dict[str, Value] = {}
        self._steps = 0
        self._aliases = self._attribute_map()
        for member in reversed(resolver.linearization(configuration)):
            if member.file.startswith("transformers/models/"):
                self._class_body(member.node.body)
        for name in ("__init__", "__post_init__"):
            method = resolver.method(configuration, name)
            if method is not None and method.owner.file.startswith("transformers/models/"):
                self._call(method.node)

    def get(self, name: str) -> Value:
        """The default of the field or property `name`; `UNKNOWN` where there is none or it cannot be told."""
        own = self._aliases.get(name, name)
        if own in self._fields:
            return self._fields[own]
        method = self._resolver.method(self._configuration, own)
        if method is None or not any(
            isinstance(d, ast.Name) and d.id == "property" for d in method.node.decorator_list
        ):
            return UNKNOWN
        return self._body(method.node.body, {})

    def _attribute_map(self) -> dict[str, str]:
        attribute = self._resolver.attribute(self._configuration, "attribute_map")
        value = _evaluated(self, attribute.value, {}) if attribute is not None and attribute.value else {}
        return value if isinstance(value, dict) else {}

    def _class_body(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self._fields[name] = _evaluated(self, value, {})
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._fields[name] = _evaluated(self, value, {})

    def _call(self, function: ast.FunctionDef) -> None:
        arguments = function.args
        names: dict[str, Value] = {}
        pairs = zip(reversed(arguments.args), reversed(arguments.defaults), strict=False)
        for argument, default in (*pairs, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)):
            names[argument.arg] = UNKNOWN if default is None else _evaluated(self, default, {})
        if arguments.kwarg is not None:
            names[arguments.kwarg.arg] = {}
        self._body(function.body, names)

    def _body(self, body: Iterable[ast.stmt], names: dict[str, Value]) -> Value:
        """Go through statements; the value of the `return` that is reached, `UNKNOWN` where none is."""
        for statement in body:
            self._steps += 1
            if self._steps > MOST_STEPS:
                return UNKNOWN
            match statement:
                case ast.Return(value=value):
                    return None if value is None else _evaluated(self, value, names)
                case ast.Assign(targets=[target], value=value):
                    self._assign(target, _evaluated(self, value, names), names)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._assign(target, _evaluated(self, value, names), names)
                case ast.If(test=test, body=inner, orelse=other):
                    decided = _evaluated(self, test, names)
                    if decided is UNKNOWN:
                        self._forget(statement, names)
                    else:
                        result = self._body(inner if decided else other, names)
                        if result is not UNKNOWN:
                            return result
                case ast.For(target=target, iter=over, body=inner):
                    values = _evaluated(self, over, names)
                    if not isinstance(values, list | tuple | range):
                        self._forget(statement, names)
                        continue
                    for value in list(values)[:LONGEST_LIST]:
                        self._assign(target, value, names)
                        self._body(inner, names)
        return UNKNOWN

    def _assign(self, target: ast.expr, value: Value, names: dict[str, Value]) -> None:
        match target:
            case ast.Name(id=name):
                names[name] = value
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                self._fields[self._aliases.get(attr, attr)] = value
            case ast.Subscript(value=owner, slice=index):
                container, key = _evaluated(self, owner, names), _evaluated(self, index, names)
                if isinstance(container, list | dict) and key is not UNKNOWN:
                    try:
                        container[key] = value
                    except (IndexError, TypeError, KeyError):
                        return
            case ast.Tuple(elts=parts):
                known = (
                    value if isinstance(value, list | tuple) and len(value) == len(parts) else [UNKNOWN] * len(parts)
                )
                for part, inner in zip(parts, known, strict=True):
                    self._assign(part, inner, names)

    def _forget(self, statement: ast.stmt, names: dict[str, Value]) -> None:
        """What a branch that cannot be decided may assign is unknown from there on."""
        for node in walk(statement):
            for target in node.targets if isinstance(node, ast.Assign) else ():
                self._assign(target, UNKNOWN, names)

    def read(self, attr: str) -> Value:
        """`self.attr`."""
        return self.get(attr)


def _evaluated(owner: ConfigurationDefaults, node: ast.expr, names: dict[str, Value]) -> Value:
    try:
        return _evaluate(owner, node, names)
    except (TypeError, ValueError, ArithmeticError, LookupError, RecursionError):
        return UNKNOWN


def _evaluate(owner: ConfigurationDefaults, node: ast.expr, names: dict[str, Value]) -> Value:
    def value(inner: ast.expr) -> Value:
        found = _evaluate(owner, inner, names)
        if found is UNKNOWN:
            raise LookupError
        return found

    match node:
        case ast.Constant(value=constant):
            return constant
        case ast.Name(id=name):
            return names.get(name, UNKNOWN)
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            return owner.read(attr)
        case ast.List(elts=parts):
            return [value(part) for part in parts]
        case ast.Tuple(elts=parts):
            return tuple(value(part) for part in parts)
        case ast.Dict(keys=keys, values=values):
            return {value(k): value(v) for k, v in zip(keys, values, strict=True) if k is not None}
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not value(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _bounded(_BINARY[type(op)], value(left), value(right))
        case ast.BoolOp(op=op, values=values):
            last: Value = None
            for part in values:
                last = value(part)
                if bool(last) is isinstance(op, ast.Or):
                    return last
            return last
        case ast.Compare(left=left, ops=ops, comparators=others):
            items = [value(left), *(value(o) for o in others)]
            return all(_COMPARE[type(op)](items[i], items[i + 1]) for i, op in enumerate(ops))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return value(body) if value(test) else value(orelse)
        case ast.Subscript(value=container, slice=ast.Slice(lower=lower, upper=upper, step=step)):
            return value(container)[slice(*(None if part is None else value(part) for part in (lower, upper, step)))]
        case ast.Subscript(value=container, slice=index):
            return value(container)[value(index)]
        case ast.ListComp(elt=elt, generators=[ast.comprehension(target=target, iter=over, ifs=tests)]):
            return _comprehension(owner, elt, target, value(over), tests, names)
        case ast.Call():
            return _call(owner, node, names, value)
        case _:
            return UNKNOWN


def _bounded(function: Callable[[Any, Any], Any], left: Value, right: Value) -> Value:
    """Arithmetic, but no list, text or number of any size: small ones may double with each line."""
    if isinstance(left, str) and function is operator.mod:  # fills a template up to any width that it says
        raise ValueError
    for one, other in ((left, right), (right, left)):
        if isinstance(one, list | tuple | str):
            size = len(one) * other if isinstance(other, int) else len(one) + len(other)
            if size > LONGEST_LIST:
                raise ValueError
        if isinstance(one, int) and one.bit_length() > MOST_BITS:
            raise ValueError
    return function(left, right)


def _comprehension(
    owner: ConfigurationDefaults,
    elt: ast.expr,
    target: ast.expr,
    over: Value,
    tests: list[ast.expr],
    names: dict[str, Value],
) -> list[Value]:
    found: list[Value] = []
    for item in list(over)[:LONGEST_LIST]:
        inner = dict(names)
        owner._assign(target, item, inner)
        kept = [_evaluated(owner, test, inner) for test in tests]
        if UNKNOWN in kept:
            raise LookupError
        if all(kept):
            result = _evaluated(owner, elt, inner)
            if result is UNKNOWN:
                raise LookupError
            found.append(result)
    return found


def _call(
    owner: ConfigurationDefaults, node: ast.Call, names: dict[str, Value], value: Callable[[ast.expr], Value]
) -> Value:
    match node.func:
        case ast.Name(id="range"):
            bounds = [value(argument) for argument in node.args]
            if any(not isinstance(b, int) or abs(b) > LONGEST_LIST for b in bounds):
                raise ValueError
            return list(range(*bounds))
        case ast.Name(id="getattr"):
            match node.args:
                case [ast.Name(id="self"), ast.Constant(value=str() as attr), *default]:
                    found = owner.read(attr)
                    return value(default[0]) if found is UNKNOWN and default else found
            return UNKNOWN
        case ast.Name(id=name) if name in _FUNCTIONS and not node.keywords:
            return _FUNCTIONS[name](*(value(argument) for argument in node.args))
        case ast.Name(id=name) if name.startswith("remap_") and node.args:
            # Spells older names of layer types as today's; the kinds stay the same.
            return value(node.args[0])
        case ast.Attribute(value=mapping, attr="get" | "pop") if isinstance(names.get(_name(mapping)), dict):
            return names[_name(mapping)].get(value(node.args[0]), value(node.args[1]) if len(node.args) > 1 else None)
        case _:
            return UNKNOWN


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
