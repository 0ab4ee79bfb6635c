"""Follows values through the forward of a module class: which linear reads what, and where attention takes it.

Not a run of anything: each expression stands for the set of places that its value last came from, a linear, the
attention interface, a parameter of the forward. All branches count, but for those that a cache would take.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

from analyzer.locations import Location, location_of
from analyzer.release.attention import INTERFACE
from analyzer.release.head_counts import Width, width_of
from analyzer.source.classes import dotted_name
from analyzer.source.syntax import every

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from analyzer.source.classes import Method

ATTENTION = "attention"
"""What came out of the attention interface."""
LINEAR, MODULE, PARAMETER, THROUGH = "linear ", "module ", "parameter ", "through "
"""What an origin begins with; a name follows. `through` is a child without linears that the value passed."""

Origins = frozenset[str]
NOWHERE: Origins = frozenset()
_CACHES = frozenset({"cache", "past_key_values", "past_key_value", "layer_past", "cache_params"})
_RESHAPES = frozenset({"view", "reshape", "unflatten"})
_REARRANGES = "rearrange"
_CUTS = frozenset({"split", "chunk"})
_FUNCTION_MODULES = frozenset({"torch", "F", "nn.functional", "torch.nn.functional"})
DEEPEST_METHOD = 4


@dataclass(frozen=True, slots=True)
class LinearCall:
    """A call of one of the module's own linears."""

    linear: str
    origins: Origins
    parameter: str | None
    """The parameter of the forward that it reads as it is, None where something was done to it before."""
    traced: bool
    """Whether a symbolic trace of the forward gets as far as this call."""
    location: Location


@dataclass(frozen=True, slots=True)
class Reshape:
    """A `view` or `reshape` of a value that came from a linear."""

    origins: Origins
    counts_heads: bool
    """One of the sizes counts heads."""
    source: str
    location: Location


@dataclass(frozen=True, slots=True)
class FullWidth:
    """A norm or a parameter as wide as all heads that meets a value."""

    origins: Origins
    gathers: bool
    """It is a norm by the root mean square, which some backends replace by one that gathers all ranks' parts."""
    source: str
    location: Location


@dataclass(frozen=True, slots=True)
class Cut:
    """A `split` or `chunk` of a linear's output."""

    origins: Origins
    direct: bool
    """It is called on the linear's call itself, with three sizes written out."""
    source: str
    location: Location


@dataclass(frozen=True, slots=True)
class AttentionCall:
    """The call of the attention interface."""

    query: Origins
    key: Origins
    value: Origins
    location: Location


@dataclass(frozen=True, slots=True)
class GatedUnit:
    """`activation(gate(x)) * up(x)`, written as one expression."""

    gate: str
    up: str
    activation: str


@dataclass(frozen=True, slots=True)
class Projections:
    """The values of one module class."""

    linear_calls: tuple[LinearCall, ...]
    reshapes: tuple[Reshape, ...]
    full_widths: tuple[FullWidth, ...]
    cuts: tuple[Cut, ...]
    attention_calls: tuple[AttentionCall, ...]
    gated: GatedUnit | None
    returned: Origins
    """Where the (first) value that the forward returns came from."""
    returned_traced: bool
    """Whether a symbolic trace gets to the end."""


def read_projections(
    forward: Method,
    methods: Mapping[str, Method],
    linears: Iterable[str],
    opaque: Iterable[str],
    widths: Mapping[str, Width],
    fields: Mapping[str, Width],
    switches: Mapping[str, bool],
    full_widths: Mapping[str, bool],
    function: Callable[[str, str], Method | None],
) -> Projections:
    """Follow `forward`. Children in `opaque` are modules with linears of their own: what they return is new.

    `switches` are attributes that are true or false by default; of a branch on one, that side alone is followed.
    `full_widths` are norms and parameters as wide as all heads, with whether each norms by the root mean square;
    `function` finds a function of a file, which is followed for what it reshapes.
    """
    reader = _Reader(
        forward, methods, frozenset(linears), frozenset(opaque), widths, fields, switches, full_widths, function
    )
    reader.run()
    return Projections(
        tuple(reader.linear_calls),
        tuple(reader.reshapes),
        tuple(reader.full_widths),
        tuple(reader.cuts),
        tuple(reader.attention_calls),
        _gated_unit(forward, reader.linears),
        reader.returned,
        reader.traced,
    )


@dataclass(slots=True)
class _Reader:
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

    def run(self) -> None:
        self.file = self.forward.owner.file
        arguments = self.forward.node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)[1:]:
            self.names[argument.arg] = frozenset({f"{PARAMETER}{argument.arg}"})
        self.block(self.forward.node.body)

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                self.assign(targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign([target], value)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                self.names[name] = self.value(ast.BinOp(target, op, value))
            case ast.Expr(value=value):
                self.value(value)
            case ast.Return(value=ast.expr() as value):
                first = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
                self.returned |= self.value(first)
                for other in value.elts[1:] if isinstance(value, ast.Tuple) else ():
                    self.value(other)
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(test, body, orelse)
            case ast.For(target=target, iter=over, body=body):
                self.bind(target, self.value(over))
                self.block(body)
            case ast.With(body=body) | ast.Try(body=body):
                self.block(body)

    def branch(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        """Both branches, one after the other; none that only a cache takes."""
        decided = self._decided(test)
        if decided is not None:
            self.block(body if decided else orelse)
            return
        self.value(test)
        if self.depth == 0 and self._asks_for_values(test):
            self.traced = False
        before = dict(self.names)
        self.block(body)
        after = self.names
        self.names = before
        self.block(orelse)
        for name, origins in after.items():
            self.names[name] = self.names.get(name, NOWHERE) | origins

    def _decided(self, test: ast.expr) -> bool | None:
        """What a test is known to give: no cache is handed over, and some switches have a default."""
        if _asks_for_cache(test):
            return False
        match test:
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self.switches.get(name)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self._decided(operand)
                return None if inner is None else not inner
            case _:
                return None

    def _asks_for_values(self, test: ast.expr) -> bool:
        """Whether the branch depends on what a tensor holds, where a symbolic trace ends."""
        match test:
            case ast.Compare(ops=ops, left=left, comparators=others):
                if all(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in ops):
                    return False
                return any(self.value(side) for side in (left, *others) if not isinstance(side, ast.Constant))
            case ast.BoolOp(values=values):
                return any(self._asks_for_values(value) for value in values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._asks_for_values(operand)
            case ast.Name(id=name):
                return any(not o.startswith(PARAMETER) for o in self.names.get(name, NOWHERE))
            case _:
                return False

    def assign(self, targets: list[ast.expr], value: ast.expr) -> None:
        for target in targets:
            if isinstance(target, ast.Name) and _is_interface(value):
                self.interfaces.add(target.id)
                return
        if isinstance(value, ast.Tuple) and len(targets) == 1 and isinstance(targets[0], ast.Tuple):
            found = [self.value(part) for part in value.elts]
            for target, origins in zip(targets[0].elts, found, strict=False):
                self.bind(target, origins)
            return
        origins = self.value(value)
        for target in targets:
            self.bind(target, origins)
            if isinstance(target, ast.Name) and isinstance(value, ast.Tuple | ast.List | ast.BinOp):
                self.sizes[target.id] = self._known_sizes(value)

    def bind(self, target: ast.expr, origins: Origins) -> None:
        match target:
            case ast.Name(id=name):
                self.names[name] = origins
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self.bind(part, origins)
            case ast.Starred(value=value):
                self.bind(value, origins)

    def value(self, node: ast.expr) -> Origins:
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
                decided = self._decided(test)
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

    def meet(self, attribute: str, origins: Origins, node: ast.expr) -> None:
        if attribute in self.wide and origins:
            place = location_of(node, self.file)
            self.full_widths.append(FullWidth(origins, self.wide[attribute], ast.unparse(node), place))

    def rearrange(self, node: ast.Call, origins: Origins) -> None:
        self.reshape(node, origins, [keyword.value for keyword in node.keywords])

    def arguments(self, node: ast.Call) -> Origins:
        found: Origins = NOWHERE
        for argument in node.args:
            found |= self.value(argument.value if isinstance(argument, ast.Starred) else argument)
        for keyword in node.keywords:
            found |= self.value(keyword.value)
        return found

    def linear(self, node: ast.Call, name: str) -> Origins:
        origins = self.arguments(node)
        parameter = None
        match node.args:
            case [ast.Name(id=argument)] if origins == {f"{PARAMETER}{argument}"}:
                parameter = argument
        self.linear_calls.append(LinearCall(name, origins, parameter, self.traced, location_of(node, self.file)))
        return frozenset({f"{LINEAR}{name}"})

    def attention(self, node: ast.Call) -> Origins:
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
            sizes[parameter] = self._known_sizes(value)
        self.names, self.sizes, self.returned, self.file = bound, sizes, NOWHERE, method.owner.file
        self.depth += 1
        self.block(method.node.body)
        self.depth -= 1
        result = self.returned
        self.names, self.sizes, self.returned, self.file, self.traced = saved
        return result

    def reshape(self, node: ast.Call, origins: Origins, given: list[ast.expr] | None = None) -> None:
        sizes = [
            width
            for part in self._sizes(node.args if given is None else given)
            if (width := self._width(part)) is not None
        ]
        counts = any(width.counts_heads for width in sizes)
        self.reshapes.append(Reshape(origins, counts, ast.unparse(node), location_of(node, self.file)))

    def _known_sizes(self, value: ast.expr) -> list[ast.expr]:
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

    def cut(self, node: ast.Call, origins: Origins) -> None:
        assert isinstance(node.func, ast.Attribute)  # noqa: S101 - the caller matched it
        sizes = node.args[0] if node.args else None
        three = isinstance(sizes, ast.Tuple | ast.List) and len(sizes.elts) == 3
        calls = (n.func for n in every(node.func.value, ast.Call))
        direct = three and any(_is_own(called) and called.attr in self.linears for called in calls)
        self.cuts.append(Cut(origins, direct, ast.unparse(node), location_of(node, self.file)))


def _gated_unit(forward: Method, linears: frozenset[str]) -> GatedUnit | None:
    for node in every(forward.node, ast.BinOp):
        match node:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                for activated, up in ((left, right), (right, left)):
                    match activated, up:
                        case (
                            ast.Call(func=ast.Attribute() as act, args=[ast.Call(func=ast.Attribute() as gate)]),
                            ast.Call(func=ast.Attribute() as other),
                        ):
                            own = _is_own(act) and _is_own(gate) and _is_own(other)
                            if own and act.attr not in linears and {gate.attr, other.attr} <= linears:
                                return GatedUnit(gate.attr, other.attr, act.attr)
    return None


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


def _is_own(node: ast.expr) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


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


def _is_interface(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    match called:
        case ast.Attribute(value=ast.Name(id=name)) | ast.Subscript(value=ast.Name(id=name)):
            return name == INTERFACE
        case _:
            return False
