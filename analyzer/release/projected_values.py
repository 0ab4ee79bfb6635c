"""Follows the values of expressions: which linear reads what, and where attention takes it.

Not a run of anything: each expression stands for the set of places that its value last came from, a linear, the
attention interface, a parameter of the forward.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from analyzer.locations import location_of
from analyzer.release.head_counts import Width, width_of
from analyzer.release.projection_facts import (
    ATTENTION,
    LINEAR,
    MODULE,
    NOWHERE,
    PARAMETER,
    THROUGH,
    AttentionCall,
    Cut,
    FullWidth,
    LinearCall,
    Origins,
    Reshape,
)
from analyzer.source.classes import dotted_name, is_own_attribute
from analyzer.source.syntax import every

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from analyzer.source.classes import Method

_CACHES = frozenset({"cache", "past_key_values", "past_key_value", "layer_past", "cache_params"})
_RESHAPES = frozenset({"view", "reshape", "unflatten"})
_REARRANGES = "rearrange"
_CUTS = frozenset({"split", "chunk"})
_FUNCTION_MODULES = frozenset({"torch", "F", "nn.functional", "torch.nn.functional"})
DEEPEST_METHOD = 4


@dataclass(slots=True)
class ValueReader:
    """What is known at one place of a forward, and what was met on the way there."""

    forward: Method
    methods: Mapping[str, Method]
    linears: frozenset[str]
    opaque: frozenset[str]
    widths: Mapping[str, Width]
    fields: Mapping[str, Width]
    switches: Mapping[str, bool]
    wide: Mapping[str, bool]
    function: Callable[[str, str], Method | None]
    names: dict[str, Origins] = field(default_factory=dict)
    sizes: dict[str, list[ast.expr]] = field(default_factory=dict)
    interfaces: set[str] = field(default_factory=set)
    linear_calls: list[LinearCall] = field(default_factory=list)
    reshapes: list[Reshape] = field(default_factory=list)
    full_widths: list[FullWidth] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    attention_calls: list[AttentionCall] = field(default_factory=list)
    returned: Origins = NOWHERE
    traced: bool = True
    file: str = ""
    depth: int = 0

    @abstractmethod
    def block(self, body: Iterable[ast.stmt]) -> None:
        """Follow the statements of a method or a function that an expression calls."""

    def value(self, node: ast.expr) -> Origins:
        """Where the value of an expression came from."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name, NOWHERE)
            case ast.Call():
                return self.call(node)
            case ast.Attribute(attr="shape" | "size" | "dtype" | "device"):
                return NOWHERE
            case ast.Attribute(value=value):
                return self.value(value)
            case ast.Subscript(value=value, slice=index):
                self.value(index)
                return self.value(value)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                decided = self.decided(test)
                if decided is not None:
                    return self.value(body if decided else orelse)
                return self.value(body) | self.value(orelse)
            case ast.Compare(left=left, comparators=others):
                for part in (left, *others):
                    self.value(part)
                return NOWHERE
            case ast.BinOp(left=left, right=right):
                both = self.value(left) | self.value(right)
                for side in (left, right):
                    self.meet(_attribute_within(side), both, node)
                return both
            case ast.Lambda() | ast.Constant() | ast.JoinedStr():
                return NOWHERE
            case _:
                found: Origins = NOWHERE
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        found |= self.value(child)
                    elif isinstance(child, ast.comprehension):
                        self.bind(child.target, self.value(child.iter))
                return found

    def call(self, node: ast.Call) -> Origins:
        """Where the value of a call came from."""
        name = dotted_name(node.func) or ""
        if name in self.interfaces:
            return self.attention(node)
        owner, _, attribute = name.rpartition(".")
        if owner == "self" and attribute in self.linears:
            return self.linear(node, attribute)
        if owner == "self" and attribute in self.methods and self.depth < DEEPEST_METHOD:
            return self.inline(node, self.methods[attribute])
        arguments = self.arguments(node)
        if owner == "self" and attribute in self.opaque:
            return frozenset({f"{MODULE}{attribute}"})
        if owner == "self":
            self.meet(attribute, arguments, node)
            return arguments | {f"{THROUGH}{attribute}"}
        if isinstance(node.func, ast.Attribute):
            if node.func.attr == "size":
                return NOWHERE
            module_function = owner in _FUNCTION_MODULES
            receiver = arguments if module_function else self.value(node.func.value)
            if node.func.attr in _RESHAPES:
                self.reshape(node, receiver)
                return receiver
            if node.func.attr in _CUTS:
                self.cut(node, receiver)
                return receiver
            if node.func.attr == _REARRANGES:
                self.rearrange(node, arguments)
            return receiver | arguments
        if name == _REARRANGES:
            self.rearrange(node, arguments)
        elif arguments and self.depth < DEEPEST_METHOD and (called := self.function(self.file, name)) is not None:
            cuts = len(self.cuts)
            self.inline(node, called, skipped=0)
            del self.cuts[cuts:]
        return arguments

    def arguments(self, node: ast.Call) -> Origins:
        """Where the values of all arguments came from."""
        found: Origins = NOWHERE
        for argument in node.args:
            found |= self.value(argument.value if isinstance(argument, ast.Starred) else argument)
        for keyword in node.keywords:
            found |= self.value(keyword.value)
        return found

    def linear(self, node: ast.Call, name: str) -> Origins:
        """Take note of a call of one of the module's own linears."""
        origins = self.arguments(node)
        parameter = None
        match node.args:
            case [ast.Name(id=argument)] if origins == {f"{PARAMETER}{argument}"}:
                parameter = argument
        self.linear_calls.append(LinearCall(name, origins, parameter, self.traced, location_of(node, self.file)))
        return frozenset({f"{LINEAR}{name}"})

    def attention(self, node: ast.Call) -> Origins:
        """Take note of a call of the attention interface."""
        parts = [self.value(argument) for argument in node.args if not isinstance(argument, ast.Starred)]
        named = {k.arg: self.value(k.value) for k in node.keywords}
        query, key, value = (
            parts[1 + i] if len(parts) > 1 + i else named.get(word, NOWHERE)
            for i, word in enumerate(("query", "key", "value"))
        )
        self.attention_calls.append(AttentionCall(query, key, value, location_of(node, self.file)))
        return frozenset({ATTENTION})

    def inline(self, node: ast.Call, method: Method, skipped: int = 1) -> Origins:
        """The value of a call of the module's own method, or of a function: its body with the arguments bound."""
        saved = (self.names, self.sizes, self.returned, self.file, self.traced)
        bound: dict[str, Origins] = {}
        sizes: dict[str, list[ast.expr]] = {}
        parameters = [a.arg for a in method.node.args.args][skipped:]
        given = [*zip(parameters, node.args, strict=False), *((k.arg, k.value) for k in node.keywords if k.arg)]
        for parameter, argument in given:
            value = argument.value if isinstance(argument, ast.Starred) else argument
            bound[parameter] = self.value(value)
            sizes[parameter] = self.known_sizes(value)
        self.names, self.sizes, self.returned, self.file = bound, sizes, NOWHERE, method.owner.file
        self.depth += 1
        self.block(method.node.body)
        self.depth -= 1
        result = self.returned
        self.names, self.sizes, self.returned, self.file, self.traced = saved
        return result

    def meet(self, attribute: str, origins: Origins, node: ast.expr) -> None:
        """Take note where a value meets what is as wide as all heads."""
        if attribute in self.wide and origins:
            place = location_of(node, self.file)
            self.full_widths.append(FullWidth(origins, self.wide[attribute], ast.unparse(node), place))

    def rearrange(self, node: ast.Call, origins: Origins) -> None:
        """Take note of a `rearrange` of einops, whose sizes are keywords."""
        self.reshape(node, origins, [keyword.value for keyword in node.keywords])

    def reshape(self, node: ast.Call, origins: Origins, given: list[ast.expr] | None = None) -> None:
        """Take note of a change of shape."""
        sizes = [
            width
            for part in self._sizes(node.args if given is None else given)
            if (width := self._width(part)) is not None
        ]
        counts = any(width.counts_heads for width in sizes)
        self.reshapes.append(Reshape(origins, counts, ast.unparse(node), location_of(node, self.file)))

    def cut(self, node: ast.Call, origins: Origins) -> None:
        """Take note of a `split` or a `chunk`."""
        assert isinstance(node.func, ast.Attribute)  # noqa: S101 - the caller matched it
        sizes = node.args[0] if node.args else None
        three = isinstance(sizes, ast.Tuple | ast.List) and len(sizes.elts) == 3
        calls = (n.func for n in every(node.func.value, ast.Call))
        direct = three and any(is_own_attribute(called) and called.attr in self.linears for called in calls)
        self.cuts.append(Cut(origins, direct, ast.unparse(node), location_of(node, self.file)))

    def known_sizes(self, value: ast.expr) -> list[ast.expr]:
        """The sizes in `value`, without names: one that is not known by now may stand for something else later."""
        return [part for part in self._sizes([value]) if not isinstance(part, ast.Name)]

    def _sizes(self, parts: Iterable[ast.expr]) -> Iterable[ast.expr]:
        for part in parts:
            inner = part.value if isinstance(part, ast.Starred) else part
            if isinstance(inner, ast.Name) and inner.id in self.sizes:
                yield from self._sizes(self.sizes[inner.id])
            elif isinstance(inner, ast.Tuple | ast.List):
                yield from self._sizes(inner.elts)
            elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add):
                yield from self._sizes([inner.left, inner.right])
            else:
                yield inner

    def _width(self, node: ast.expr) -> Width | None:
        return width_of(node, self.fields, self.widths, {})

    def decided(self, test: ast.expr) -> bool | None:
        """What a test is known to give: no cache is handed over, and some switches have a default."""
        if _asks_for_cache(test):
            return False
        match test:
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self.switches.get(name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.decided(operand)
                return None if inner is None else not inner
            case _:
                return None

    def bind(self, target: ast.expr, origins: Origins) -> None:
        """Let what is assigned to stand for these origins."""
        match target:
            case ast.Name(id=name):
                self.names[name] = origins
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self.bind(part, origins)
            case ast.Starred(value=value):
                self.bind(value, origins)


def _attribute_within(node: ast.expr) -> str:
    """`gate` of `self.gate`, and of `self.gate.view(1, -1, 1)`, `torch.sigmoid(self.gate)` and `self.gate[None]`."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
            return attribute
        case ast.Call(func=ast.Attribute(value=ast.Name()), args=[inner, *_]) | ast.Call(args=[inner]):
            return _attribute_within(inner) or _attribute_within(node.func)
        case ast.Call(func=inner) | ast.Attribute(value=inner) | ast.Subscript(value=inner):
            return _attribute_within(inner)
        case _:
            return ""


def _asks_for_cache(test: ast.expr) -> bool:
    """Whether the test holds only with a cache, which the engine never hands over."""
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return name in _CACHES
        case ast.Name(id=name):
            return name in _CACHES
        case ast.BoolOp(op=ast.And(), values=values):
            return any(_asks_for_cache(value) for value in values)
        case _:
            return False
