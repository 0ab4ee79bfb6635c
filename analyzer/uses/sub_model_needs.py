"""What another model takes of a sub-model that it builds by name, and whether the backend's class has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.source.members import Answer, has_member

if TYPE_CHECKING:
    from analyzer.engine.backend import BackendClass
    from analyzer.source.classes import ClassResolver
    from analyzer.uses.sub_models import SubModel, Use


@dataclass(frozen=True, slots=True)
class SubModelNeeds:
    """One sub-model, and each use with what can be said of the backend's class."""

    sub_model: SubModel
    answers: tuple[tuple[Use, Answer], ...]

    def uses(self, answer: Answer) -> tuple[Use, ...]:
        """The uses of which that is said."""
        return tuple(use for use, given in self.answers if given is answer)


def read_sub_model_needs(
    resolver: ClassResolver, sub_models: tuple[SubModel, ...], backend_class: BackendClass
) -> tuple[SubModelNeeds, ...]:
    """Compare the uses of each sub-model with the backend's class. Raises `UnreadableSource`."""
    source = resolver.find_class(backend_class.location.file, backend_class.name)
    if source is None:
        return ()
    return tuple(
        SubModelNeeds(found, tuple((u, has_member(resolver, source, u.path, called=u.called)) for u in found.uses))
        for found in sub_models
    )
