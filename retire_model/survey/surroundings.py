"""Reads what a tree says of its models besides their modeling files: who needs them, and what falls with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.engine_tree import MODELS_FOLDER
from analyzer.engine.test_registry import tested_architectures
from analyzer.uses.reference import ReferenceKind, dotted_module
from retire_model.survey.rows import Surroundings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.uses.sub_models import SubModels
    from retire_model.survey.judging import References
    from rules.assessment import Assessment


def helper_modules(engine: EngineTree) -> tuple[str, ...]:
    """The modules of the models folder that no registry entry points at; those of packages are left out."""
    entries = {entry.module for entry in engine.registry.bespoke_entries()}
    folder = engine.files.locate(MODELS_FOLDER)
    names = sorted(path.stem for path in folder.glob("*.py") if not path.name.startswith("_"))
    return tuple(name for name in names if name not in entries)


class Tree:
    """One tree that is surveyed."""

    def __init__(
        self,
        engine: EngineTree,
        sub_models: SubModels,
        references: References,
        helpers: Sequence[str],
    ) -> None:
        self._engine = engine
        self._sub_models = sub_models
        self._references = references
        self._helpers = helpers
        self._tested = _tested(engine)

    def around(self, assessment: Assessment) -> Surroundings:
        """What the tree says of one model. Raises `UnreadableSource`."""
        files = assessment.module.files if assessment.module is not None else ()
        falls = tuple(f"{MODELS_FOLDER}/{h}.py" for h in self._helpers if self._only_for(h, frozenset(files)))
        naming = (f for a in assessment.architectures for f in self._sub_models.files_naming(a))
        return Surroundings(
            falls=falls,
            falling_lines=sum(self._engine.files.read(file).count(b"\n") for file in falls),
            dependents=tuple(file for file in self._users(assessment.name) if file not in files),
            builders=tuple(dict.fromkeys(file for file in naming if file not in files)),
            tested=not self._tested.isdisjoint(assessment.architectures),
        )

    def _only_for(self, helper: str, files: frozenset[str]) -> bool:
        users = self._users(helper)
        return bool(users) and files.issuperset(users)

    def _users(self, module: str) -> tuple[str, ...]:
        own = f"{dotted_module(module).replace('.', '/')}.py"
        found = (r for r in self._references[module] if r.kind is not ReferenceKind.TYPE_CHECKING_IMPORT)
        return tuple(dict.fromkeys(r.location.file for r in found if r.location.file != own))


def _tested(engine: EngineTree) -> frozenset[str]:
    return frozenset(entry.architecture for entry in tested_architectures(engine.files))
