"""The runs of one architecture, each done once, when a check asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from analyzer.errors import EnvironmentProblem
from retire_model.smoke.purposes import Purpose, engine_arguments, environment, workers
from retire_model.smoke.sides import CONTROL, Side, Sides, sides_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from retire_model.smoke.checkpoints import CheckpointMaker, Checkpoints, Variant
    from retire_model.smoke.keeper import Keeper
    from retire_model.smoke.outcomes import RunOutcome
    from retire_model.smoke.settings import Settings

CONTROL_ARCHITECTURE = "LlamaForCausalLM"
"""Served by a class of its own in every release: where it fails too, the engine or the machine is at fault."""


@dataclass
class Runs:
    """What the checks of one architecture look at."""

    architecture: str
    settings: Settings
    sides: Sides
    checkpoints: Checkpoints
    maker: CheckpointMaker
    keeper_of: Callable[[Side], Keeper]
    tell: Callable[[str], None]
    """Told what is run."""
    _done: dict[tuple[str, Purpose, str], RunOutcome] = field(default_factory=dict, init=False)
    _control: Runs | None = field(default=None, init=False)

    def after(self, purpose: Purpose, variant: Variant | None = None) -> RunOutcome:
        """The run of after; of the first variant unless another is named."""
        return self._run(self.sides.after, purpose, variant)

    def before(self, purpose: Purpose, variant: Variant | None = None) -> RunOutcome | None:
        """The run of before; None where there is no such side."""
        side = self.sides.before
        return None if side is None else self._run(side, purpose, variant)

    def control(self, purpose: Purpose) -> RunOutcome | None:
        """The run of a model that is served by a class of its own; None where the tree has none."""
        if self._control is None:
            self._control = self._make_control()
        return None if self._control is None else self._control.after(purpose)

    def again(self, side: Side, purpose: Purpose, round_number: int) -> RunOutcome:
        """One more run, which is not the one before."""
        return self._new_run(side, purpose, self.checkpoints.first, f"round {round_number}")

    def _make_control(self) -> Runs | None:
        """The runs of another model, whose after is its hand-written class."""
        try:
            before = sides_of(CONTROL_ARCHITECTURE, self.sides.after.tree, None).before
            if before is None:
                return None
            made = self.maker.make(CONTROL_ARCHITECTURE, adapter=self.checkpoints.adapter is not None)
        except EnvironmentProblem:
            return None
        side = replace(before, name=CONTROL, changes=self.sides.after.changes)
        return replace(self, architecture=CONTROL_ARCHITECTURE, sides=Sides(None, side), checkpoints=made)

    def _run(self, side: Side, purpose: Purpose, variant: Variant | None) -> RunOutcome:
        variant = variant or self.checkpoints.first
        key = (side.name, purpose, variant.name)
        if key not in self._done:
            self._done[key] = self._new_run(side, purpose, variant)
        return self._done[key]

    def _new_run(self, side: Side, purpose: Purpose, variant: Variant, name: str = "") -> RunOutcome:
        told = " ".join(filter(None, (side.name, purpose, variant.name, name)))
        self.tell(f"{self.architecture}: {told}")
        job = self._job(side, purpose, variant)
        return self.keeper_of(side).run(job, f"{self.architecture}-{told}", self.settings.seconds)

    def _job(self, side: Side, purpose: Purpose, variant: Variant) -> dict[str, Any]:
        adapter = self.checkpoints.adapter if purpose is Purpose.LORA else None
        reference = adapter.reference if adapter is not None else variant.reference
        compared = self.settings.compares_numbers and purpose is not Purpose.MEASURED
        return {
            "kind": "engine",
            "checkpoint": str(variant.folder),
            "reference": str(reference) if compared and reference is not None else None,
            "adapter": str(adapter.folder) if adapter is not None else None,
            "engine": engine_arguments(purpose, self.settings, side.implementation),
            "measure": {"vocabulary": 256} if purpose is Purpose.MEASURED else None,
            "one_process": workers(purpose, self.settings) == 1,
            "environment": environment(purpose, self.settings),
        }
