"""`--write --smoke`: what was written stays only if the engine still runs the models."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.errors import EnvironmentProblem, Refused, WrongUse
from codemods.edits import Creation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from analyzer.engine.engine_tree import EngineTree
    from codemods.edits import ChangeSet
    from codemods.plan import RetirementPlan
    from retire_model.smoke.engine_python import EnginePython
    from retire_model.smoke.report import SmokeReport
    from retire_model.smoke.request import Request
    from retire_model.smoke.subjects import Subject


@dataclass(frozen=True, slots=True)
class Proof:
    """A smoke run between writing and keeping."""

    python: EnginePython
    request: Request
    keep: bool
    """Whatever the checks say."""

    def run(self, before: EngineTree, root: Path, plan: RetirementPlan, changes: ChangeSet) -> None:
        """Run the models of `plan` in the tree at `root`, which has `changes` and was `before`; print the reports.

        Raises `Refused` where a check failed and `EnvironmentProblem` where nothing could be told, unless all is kept.
        """
        from retire_model.smoke.output import show
        from retire_model.smoke.report import exit_status
        from retire_model.smoke.smoke import smoke

        try:
            reports = smoke(self._subjects(before, root, plan, changes), self.request, self.python)
        except (EnvironmentProblem, WrongUse):
            if not self.keep:
                raise
            return
        show(reports, "text")
        if not self.keep:
            _refuse(exit_status(reports), reports)

    def _subjects(self, before: EngineTree, root: Path, plan: RetirementPlan, changes: ChangeSet) -> Sequence[Subject]:
        from retire_model.smoke.subjects import written_subjects

        earlier = {edit.file: None if isinstance(edit, Creation) else edit.before for edit in changes.edits}
        names = [architecture.name for architecture in plan.architectures]
        return written_subjects(names, before, open_engine_tree(root), earlier, self.python)


def chosen_proof(*, smoke: bool, keep: bool, engine_python: str | None, served: bool) -> Proof | None:
    """What the three options ask for; `served` is whether something is written that the backend is to serve.

    Raises `WrongUse` for options that do not go together, `EnvironmentProblem` where there is no engine to run.
    """
    if not smoke:
        if keep or engine_python is not None:
            raise WrongUse("--keep and --engine-python go with --smoke", "Add --smoke, or leave them out.")
        return None
    if not served:
        raise WrongUse("--smoke goes with --write, and not with --remove or --plugin", "There is nothing to run.")
    from retire_model.smoke.engine_python import ask
    from retire_model.smoke.request import Request

    request = Request(engine_python or sys.executable, runner="vllm")
    python = ask(request.engine_python)
    request.chosen_runner(python)
    return Proof(python, request, keep)


def _refuse(status: int, reports: Sequence[SmokeReport]) -> None:
    from retire_model.smoke.report_text import summary

    told = " ".join(summary(report) for report in reports)
    remedy = "All files are as they were. --keep keeps what is written all the same."
    if status == 1:
        raise Refused(f"the smoke run failed: {told}", remedy)
    if status:
        raise EnvironmentProblem(f"the smoke run cannot tell: {told}", remedy)
