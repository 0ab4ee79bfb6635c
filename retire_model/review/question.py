"""What every question to a change is made of."""

from __future__ import annotations

import inspect
from abc import ABC
from typing import ClassVar


class Question(ABC):
    """One question to a change. The docstring of a subclass is its page: what, why, how to mend."""

    code: ClassVar[str]

    @classmethod
    def page(cls) -> str:
        """The question's page in markdown."""
        return inspect.cleandoc(cls.__doc__ or "")
