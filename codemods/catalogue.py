"""The codemods, in the order in which they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemods.chat_templates import drop_chat_templates
from codemods.ci_packages import drop_ci_packages
from codemods.ci_paths import drop_ci_paths
from codemods.code.forget_code import forget_code
from codemods.code.inline_shared import inline_shared_code
from codemods.code.unserved_classes import drop_unserved_classes
from codemods.delete_module import delete_modules
from codemods.docs.mentions import forget_in_docs
from codemods.docs.table import move_docs_rows
from codemods.edits import ChangeSet, Draft
from codemods.example_files import drop_examples
from codemods.own_configurations import drop_own_configurations
from codemods.registry.entries import move_registry_entries
from codemods.support_files import drop_support_files
from codemods.test_files.add_backend_test import add_backend_tests
from codemods.test_files.capability_tests import drop_capability_tests
from codemods.test_files.data_files import drop_data_entries
from codemods.test_files.fixtures import drop_fixtures
from codemods.test_files.tested_entries import mend_tested_entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from analyzer.engine.engine_tree import EngineTree
    from codemods.plan import RetirementPlan

CODEMODS: tuple[Callable[[RetirementPlan, Draft], None], ...] = (
    move_registry_entries,
    move_docs_rows,
    drop_capability_tests,
    mend_tested_entries,
    inline_shared_code,
    delete_modules,
    forget_code,
    drop_unserved_classes,
    forget_in_docs,
    drop_data_entries,
    drop_chat_templates,
    drop_examples,
    drop_support_files,
    drop_own_configurations,
    add_backend_tests,
)
AFTER_DELETIONS: tuple[Callable[[Draft], None], ...] = (drop_fixtures, drop_ci_paths, drop_ci_packages)
"""What mends a draft by what is deleted in it, whatever the plan was."""


def draft_retirement(plan: RetirementPlan, engine: EngineTree) -> ChangeSet:
    """The edits that carry out `plan`. Raises the errors of the codemods; nothing is written."""
    draft = Draft(engine.files)
    carry_out(plan, draft)
    return draft.change_set()


def carry_out(plan: RetirementPlan, draft: Draft) -> None:
    """Put the edits of `plan` into `draft`, which may hold edits already. Raises the errors of the codemods."""
    for codemod in CODEMODS:
        codemod(plan, draft)
    for mend in AFTER_DELETIONS:
        mend(draft)
