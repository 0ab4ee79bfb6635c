"""The values of interpreted code. Numbers, strings and containers are Python's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from analyzer.interpreter.source_module import SourceModule

Value: TypeAlias = Any
"""A value of interpreted code: a Python scalar or container, or one of the classes below."""


class Unknown:
    """A value that could not be determined, and why."""

    __slots__ = ("reason",)

    def __init__(self, reason: str = "") -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Unknown({self.reason})"


@dataclass(frozen=True, slots=True)
class External:
    """A name outside the interpreted sources, by its dotted path: `torch.float32`."""

    name: str


@dataclass(frozen=True, slots=True)
class Native:
    """A function of ours that interpreted code may call: `call(interpreter, arguments, keywords)`."""

    name: str
    call: Callable[[Any, list[Value], dict[str, Value]], Value]


class Function:
    """A function or method of interpreted source."""

    __slots__ = ("decorators", "enclosing", "module", "node", "owner", "plan")

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        module: SourceModule,
        enclosing: Frame | None = None,
        owner: ClassValue | None = None,
        decorators: frozenset[str] = frozenset(),
    ) -> None:
        self.node = node
        self.module = module
        self.enclosing = enclosing
        self.owner = owner
        self.decorators = decorators
        self.plan: Any = None

    @property
    def name(self) -> str:
        """The name it was defined by."""
        return getattr(self.node, "name", "<lambda>")


@dataclass(slots=True)
class BoundMethod:
    """A function with its first argument."""

    function: Value
    receiver: Value


@dataclass(slots=True)
class Partial:
    """A callable with some of its arguments."""

    function: Value
    arguments: list[Value]
    keywords: dict[str, Value]


class ClassValue:
    """A class: of interpreted source, or one of ours (`native` methods, no syntax tree)."""

    __slots__ = ("bases", "body", "module", "mro", "name", "native", "node", "opaque")

    def __init__(
        self,
        name: str,
        bases: list[ClassValue],
        module: SourceModule | None = None,
        node: ast.ClassDef | None = None,
        native: dict[str, Any] | None = None,
        opaque: bool = False,
    ) -> None:
        self.name = name
        self.bases = bases
        self.module = module
        self.node = node
        self.native = native or {}
        self.opaque = opaque
        """Whether it has attributes that are not known here."""
        self.body: dict[str, Value] = {}
        self.mro: list[ClassValue] = linearize(self)

    def is_a(self, name: str) -> bool:
        """Whether a class of that name is among its ancestors, itself included."""
        return any(ancestor.name == name for ancestor in self.mro)

    @property
    def is_opaque(self) -> bool:
        """Whether an attribute may come from where nothing was read."""
        return any(ancestor.opaque for ancestor in self.mro)

    def __repr__(self) -> str:
        return f"<class {self.name}>"


def linearize(cls: ClassValue) -> list[ClassValue]:
    """The method resolution order; where Python's rule finds none, depth first."""
    queues = [list(base.mro) for base in cls.bases] + [list(cls.bases)]
    order = [cls]
    while queues := [queue for queue in queues if queue]:
        for queue in queues:
            head = queue[0]
            if not any(head in other[1:] for other in queues):
                break
        else:
            head = queues[0][0]
        order.append(head)
        for queue in queues:
            if head in queue:
                queue.remove(head)
    return order


class Instance:
    """An object of a `ClassValue`: a module, a configuration, an output."""

    __slots__ = ("attributes", "cls", "items", "layout", "path")

    def __init__(self, cls: ClassValue) -> None:
        self.cls = cls
        self.attributes: dict[str, Value] = {}
        self.items: list[Value] | dict[Value, Value] | None = None
        self.path = ""
        self.layout: Value = None
        """How the backend laid the module out over the ranks."""

    def __repr__(self) -> str:
        return f"<{self.cls.name} {self.path}>"


@dataclass(slots=True)
class Super:
    """`super()`: attribute lookup for `receiver` that starts behind `after`."""

    receiver: Value
    cls: ClassValue
    after: ClassValue


class Frame:
    """The local names of one running function."""

    __slots__ = ("branches", "enclosing", "function", "line", "locals", "module", "names_of_class", "receiver")

    def __init__(
        self,
        module: SourceModule,
        function: Function | None = None,
        enclosing: Frame | None = None,
    ) -> None:
        self.module = module
        self.function = function
        self.enclosing = enclosing
        self.locals: dict[str, Value] = {}
        self.receiver: Value = None
        self.branches: list[Value] = []
        """Values returned by branches that may or may not have been taken."""
        self.line = 0
        self.names_of_class: ClassValue | None = None


@dataclass(slots=True)
class Record:
    """An output object of the framework: named fields, indexed in the order of those that are set."""

    name: str
    fields: dict[str, Value] = field(default_factory=dict)

    def values(self) -> list[Value]:
        """The fields that are not `None`."""
        return [value for value in self.fields.values() if value is not None]
