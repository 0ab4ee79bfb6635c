"""What every check of a tree is made of."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.locations import Location
    from analyzer.uses.tree_facts import TreeFacts


@dataclass(frozen=True, slots=True)
class Fault:
    """A place where parts of a tree do not agree. The message names no line, so that it outlives edits elsewhere."""

    location: Location
    check: str
    message: str
    remedy: str


class Check(ABC):
    """One question to a tree. The docstring of a subclass is its page: what, why, how to mend."""

    code: ClassVar[str]

    @abstractmethod
    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """Every fault of the tree. Raises `UnreadableSource` where it cannot be read."""

    def fault(self, location: Location, message: str, remedy: str) -> Fault:
        """A fault that this check found."""
        return Fault(location, self.code, message, remedy)

    @classmethod
    def page(cls) -> str:
        """The check's page in markdown."""
        return inspect.cleandoc(cls.__doc__ or "")
