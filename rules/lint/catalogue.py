"""The checks of `retire-model lint`, in the order in which they are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.lint.dangling_ci_path import DanglingCiPath
from rules.lint.dangling_import import DanglingImport
from rules.lint.dead_docs_row import DeadDocsRow
from rules.lint.dead_test_entry import DeadTestEntry
from rules.lint.misplaced_docs_row import MisplacedDocsRow
from rules.lint.registry_duplicate import RegistryDuplicate
from rules.lint.registry_revived import RegistryRevived
from rules.lint.registry_target import RegistryTarget
from rules.lint.undocumented_architecture import UndocumentedArchitecture
from rules.lint.untested_architecture import UntestedArchitecture

if TYPE_CHECKING:
    from analyzer.engine.suppressions import Suppressions
    from analyzer.uses.tree_facts import TreeFacts
    from rules.lint.check import Check, Fault

CHECKS: tuple[Check, ...] = (
    RegistryTarget(),
    RegistryDuplicate(),
    RegistryRevived(),
    UntestedArchitecture(),
    DeadTestEntry(),
    UndocumentedArchitecture(),
    DeadDocsRow(),
    MisplacedDocsRow(),
    DanglingImport(),
    DanglingCiPath(),
)


def find_faults(facts: TreeFacts, suppressions: Suppressions) -> tuple[Fault, ...]:
    """What all checks find, by file and line, save what the tree's comments silence.

    Raises `WrongUse` for such a comment without a reason, `UnreadableSource` for a file that cannot be read.
    """
    found = (fault for check in CHECKS for fault in check.check(facts))
    heard = (fault for fault in found if not suppressions.silences(fault.check, fault.location))
    return tuple(sorted(heard, key=lambda fault: (fault.location, fault.check, fault.message)))
