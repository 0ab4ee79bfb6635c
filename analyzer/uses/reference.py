"""What needs a bespoke module or an architecture: a place, how, and what of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from analyzer.engine.registry import MODELS_PACKAGE

if TYPE_CHECKING:
    from analyzer.locations import Location


class ReferenceKind(StrEnum):
    """How a file needs a module or an architecture."""

    IMPORT = "import"
    RELATIVE_IMPORT = "relative import"
    TYPE_CHECKING_IMPORT = "import for type checking"
    ATTRIBUTE = "use through its package"
    """As in `models.llama.LlamaModel`, where `models` was imported."""
    MODULE_STRING = "string with the module's path"
    """As for `importlib.import_module` or a patch in a test."""
    ARCHITECTURE_STRING = "string with the architecture's name"


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """One place that needs a module or an architecture."""

    location: Location
    kind: ReferenceKind
    subject: str
    """The module as the registry writes it, or the architecture."""
    symbols: tuple[str, ...] = ()
    """What of the module is used, where the place says so."""


def dotted_module(module: str) -> str:
    """The full name of a registry's module: `llama` is below the models package, `vllm.…` stands for itself."""
    return module if module.startswith("vllm.") else f"{MODELS_PACKAGE}.{module}"
