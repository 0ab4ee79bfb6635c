"""The checkpoints of one architecture, as a process with torch and Transformers made them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.errors import EnvironmentProblem
from retire_model.smoke.outcomes import Broke, CutOff, Ran

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retire_model.smoke.keeper import Keeper
    from retire_model.smoke.settings import Settings

SECONDS = 900
"""A real checkpoint is run by Transformers, token by token."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A checkpoint, and where Transformers' own log-probabilities of it are."""

    name: str
    folder: Path
    reference: Path | None
    """None where the weights are made up by the engine."""
    settings: tuple[tuple[str, Any], ...] = ()
    """What was set besides sizes."""

    @property
    def told(self) -> str:
        """The settings, in words."""
        return ", ".join(f"{name}={value}" for name, value in self.settings)


@dataclass(frozen=True, slots=True)
class Adapter:
    """A LoRA adapter of the first variant."""

    folder: Path
    reference: Path
    """What Transformers gives with the merged weights."""
    effect: float
    """The largest change of a log-probability that it makes."""
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """All of one architecture."""

    first: Variant
    marked: Variant | None = None
    """With values that show in place of neutral defaults."""
    adapter: Adapter | None = None


@dataclass(frozen=True, slots=True)
class CheckpointMaker:
    """Has checkpoints made below a folder."""

    keeper: Keeper
    settings: Settings
    folder: Path

    def make(self, architecture: str, *, adapter: bool) -> Checkpoints:
        """Those of an architecture. Raises `EnvironmentProblem` where the first of them cannot be made."""
        told = self._told(architecture, {"adapter": adapter}, "checkpoint")
        variants = {name: _variant(name, given) for name, given in told["variants"].items()}
        first, *others = variants.values()
        found = told.get("adapter")
        made = None
        if found is not None and found["targets"]:
            targets = tuple(found["targets"])
            made = Adapter(Path(found["folder"]), Path(found["reference"]), found["effect"], targets)
        return Checkpoints(first, others[0] if others else None, made)

    def alone(self, architecture: str, settings: Mapping[str, Any]) -> list[Variant]:
        """A variant for each of the settings alone; none where they cannot be made."""
        try:
            told = self._told(architecture, {"settings": dict(settings)}, "checkpoints of single values")
        except EnvironmentProblem:
            return []
        return [_variant(name, given) for name, given in told["variants"].items()]

    def _told(self, architecture: str, more: dict[str, Any], name: str) -> dict[str, Any]:
        job = {
            "kind": "checkpoint",
            "architecture": architecture,
            "folder": str(self.folder / architecture),
            "size": self.settings.size,
            "checkpoint": str(self.settings.checkpoint) if self.settings.checkpoint else None,
            "dtype": self.settings.dtype,
            "device": self.settings.device,
            "environment": {},
            **more,
        }
        outcome = self.keeper.run(job, f"{architecture}-{name}", SECONDS)
        match outcome:
            case Ran(told=told):
                return told
            case Broke(told={"variants": _} as told):
                # What came before the failure is there.
                return told
            case Broke(error=reason) | CutOff(reason=reason):
                problem = f"no checkpoint of {architecture} can be made: {reason}"
                remedy = "A real one can be named: --checkpoint."
                if self.settings.checkpoint is not None:
                    problem, remedy = f"Transformers cannot run {self.settings.checkpoint}: {reason}", ""
                raise EnvironmentProblem(problem, f"Its log is {outcome.log}. {remedy}".rstrip())


def _variant(name: str, given: dict[str, Any]) -> Variant:
    reference = given.get("reference")
    settings = tuple(given["settings"].items())
    return Variant(name, Path(given["folder"]), Path(reference) if reference is not None else None, settings)
