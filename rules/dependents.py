"""The rule `dependents`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from analyzer.uses.reference import ReferenceKind
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_LISTED = 4


class Dependents(Rule):
    """Which other files of the engine's package need the modeling file.

    **What it does.** Looks through the files of the package `vllm` for imports of the module and for strings that
    hold its path. Models that build the architecture by its name are the affair of `built-by-name`.

    **Why.** Of 314 modeling files of vLLM 0.33.0, 125 are imported by another (`deepseek_v2` by 33, `llama` by 22):
    they break with it, and `retire-model retire` refuses to delete a module that is still needed. Plugins import
    modeling files too, which no search of the tree can tell: vLLM 0.25.0 broke one that imported `baichuan`.

    **How to mend.** Move what the others need to a place of their own before the file goes.
    """

    code = "dependents"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(dependent='toy = "a toy"\n'),
        Snippet(dependent="if TYPE_CHECKING:\n    from .toy import ToyForCausalLM\n"),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(dependent="from .toy import ToyForCausalLM\n"),
        Snippet(dependent='module = import_module("vllm.model_executor.models.toy")\n'),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """One note with all of them."""
        if subject.bespoke is None or subject.model is None:
            return
        needing = [r for r in subject.references() if r.kind is not ReferenceKind.TYPE_CHECKING_IMPORT]
        files = list(dict.fromkeys(reference.location.file for reference in needing))
        if files:
            names = ", ".join(files[:_MOST_LISTED])
            more = f" and {len(files) - _MOST_LISTED} more" if len(files) > _MOST_LISTED else ""
            message = f"other files need the module: {names}{more}"
            yield self.finding(Level.NOTE, message, needing[0].location, "Make them independent of it first.")
