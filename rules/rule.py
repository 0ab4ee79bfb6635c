"""What every rule is made of."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from analyzer.engine.backend import Backend, BackendClass
    from analyzer.engine.bespoke import BespokeClass
    from analyzer.engine.engine_configurations import NamedConfiguration
    from analyzer.locations import Location
    from analyzer.release.configuration_fields import ConfigurationFields
    from analyzer.release.hugging_face_model import HuggingFaceModel
    from analyzer.uses.reference import Reference
    from analyzer.uses.sub_model_needs import SubModelNeeds


@dataclass(frozen=True, slots=True)
class Subject:
    """The facts about one architecture that rules judge."""

    architecture: str
    release: str
    """The Transformers release it is judged against."""
    backend: Backend
    backend_class_name: str
    backend_class: BackendClass | None
    """None where the backend has no class of that name."""
    model: HuggingFaceModel | None
    """None where the release has no such model."""
    entry: Location | None
    """Where the registry names the engine's own module for it; None where it has none (any more)."""
    bespoke: BespokeClass | None
    """The class that the registry names in that module; None where there is none, or none that can be read."""
    engine_configuration: NamedConfiguration | None
    """What the engine's registry of configurations names for the model type; None where it names nothing."""
    engine_fields: ConfigurationFields | None
    """What the engine's own configuration class for the model type knows; None where it has none."""
    references: Callable[[], tuple[Reference, ...]]
    """Looks for what else in the engine's package needs the module."""
    sub_models: Callable[[], tuple[SubModelNeeds, ...]]
    """Looks for the models that build the architecture by its name, and what the backend's class has of their needs."""

    @property
    def generates(self) -> bool:
        """Whether the backend would put a language model head on it."""
        return self.backend.task_of(self.architecture) == "none"


@dataclass(frozen=True, slots=True)
class Snippet:
    """An example of a rule: parts of a small made-up model, whatever is left out taken from `rules.snippets`."""

    modeling: str = ""
    configuration: str = ""
    bespoke: str = ""
    backend: str = ""
    """`raises` or `infers` without plans, `latent` with the engine's layer for latents; empty for the first."""
    dependent: str = ""
    """The text of another modeling file of the engine; none without one."""


class Rule(ABC):
    """One judgement. The docstring of a subclass is its page: what, why, how to mend, what maintainers did."""

    code: ClassVar[str]
    capability: ClassVar[Capability]
    VALID: ClassVar[tuple[Snippet, ...]]
    INVALID: ClassVar[tuple[Snippet, ...]]

    @abstractmethod
    def check(self, subject: Subject) -> Iterator[Finding]:
        """Judge the facts of one architecture."""

    def finding(self, level: Level, message: str, location: Location | None, remedy: str) -> Finding:
        """A finding of this rule about its capability; `remedy` is what would mend it, if anything would."""
        return Finding(self.code, self.capability, level, message, location, remedy)

    @staticmethod
    def smoke(model: HuggingFaceModel, options: str = "") -> str:
        """The remedy for what reading alone cannot settle."""
        return f"`retire-model smoke {model.architecture}{options}` settles it."

    @classmethod
    def page(cls) -> str:
        """The rule's page in markdown."""
        return inspect.cleandoc(cls.__doc__ or "")
