"""What is to be done to a tree: facts and decisions, no edits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.engine.registry import RegistryEntry
    from codemods.test_files.backend_test import BackendTest
    from rules.findings import Capability


@dataclass(frozen=True, slots=True)
class Migrate:
    """The Transformers modeling backend serves the architecture from now on."""

    backend_class: str
    """For example `TransformersForCausalLM`, which the backend's package exports."""


@dataclass(frozen=True, slots=True)
class Remove:
    """The architecture is given up."""

    last_version: str
    """The last engine release that had it."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin outside the tree serves the architecture from now on."""

    address: str


Outcome = Migrate | Remove | Plugin


@dataclass(frozen=True, slots=True)
class RetiredArchitecture:
    """One architecture that leaves its bespoke module."""

    name: str
    entries: tuple[RegistryEntry, ...]
    """Its bespoke entries; an architecture may stand in several dictionaries."""
    outcome: Outcome
    checkpoints: tuple[str, ...] = ()
    """Checkpoint ids that the tree's own test registry and docs give it."""
    supports_lora: bool = False
    """After the retirement, by the verdict."""
    supports_pipeline_parallel: bool = False
    """After the retirement, by the verdict."""
    losses: tuple[Capability, ...] = ()
    """What the backend does not give it, by the verdict."""


@dataclass(frozen=True, slots=True)
class RetiredModule:
    """A bespoke module and those of its architectures that leave it."""

    name: str
    """As the registry writes it."""
    files: tuple[str, ...]
    """The files that fall with it; none where other architectures still need the module."""
    architectures: tuple[RetiredArchitecture, ...]


@dataclass(frozen=True, slots=True)
class RetirementPlan:
    """All that one change set is to do."""

    modules: tuple[RetiredModule, ...]
    skip_docs: bool = False
    """The user allowed the docs page or table to be missing (`--allow-missing docs`)."""
    provided_model_types: frozenset[str] = frozenset()
    """The model types for which every Transformers release that was asked has a configuration of its own."""
    provides_processors: bool = False
    """Whether every Transformers release that was asked has a processor of its own for each of the architectures."""
    model_types: frozenset[str] = frozenset()
    """The model types of the retired architectures themselves, as the Transformers releases have them."""
    inline_shared: bool = False
    """What one other module alone uses of a retired one is to be moved there (`--inline-shared`)."""
    backend_tests: tuple[BackendTest, ...] = ()
    """The tests to be added (`--with-tests`)."""

    @property
    def architectures(self) -> tuple[RetiredArchitecture, ...]:
        """The retired architectures of all modules."""
        return tuple(a for module in self.modules for a in module.architectures)
