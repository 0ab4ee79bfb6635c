"""The rule `dependents`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from analyzer.engine_tree import MODELS_FOLDER
from analyzer.references import ReferenceKind
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.references import Reference

_MOST_LISTED = 4
_ELSEWHERE = frozenset({ReferenceKind.TYPE_CHECKING_IMPORT, ReferenceKind.ARCHITECTURE_STRING})


class Dependents(Rule):
    """Who else in the engine's package needs the modeling file, or builds the model by its architecture's name.

    **What it does.** Looks through the files of the package `vllm` for imports of the module, for strings that
    hold its path, and for the architecture's name in other modeling files.

    **Why.** Of 314 modeling files of vLLM 0.33.0, 125 are imported by another (`deepseek_v2` by 33). By imports
    alone `phi3` looks free, but `phi4siglip` builds `Phi3ForCausalLM` by name: retiring it swaps the backbone of
    another model in silence. Plugins import modeling files too, which no search of the tree can tell.

    **How to mend.** Move what the others need to a place of their own before the file goes; `retire-model retire`
    refuses to delete a module that is still imported. Judge a model that is built by name together with this one.
    """

    code = "dependents"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(dependent='toy = "a toy"\n'),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(dependent="from .toy import ToyForCausalLM\n"),
        Snippet(dependent='language_model = build(architectures=["ToyForCausalLM"])\n'),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """One note for all imports, one for all places that name the architecture."""
        if subject.bespoke is None or subject.model is None:
            return
        references = [r for r in subject.references() if r.location.file != subject.bespoke.location.file]
        yield from self._told("need the module", [r for r in references if r.kind not in _ELSEWHERE])
        named = [r for r in references if r.subject == subject.architecture]
        building = [r for r in named if r.location.file.startswith((f"{MODELS_FOLDER}/", "vllm/models/"))]
        yield from self._told(f"build or ask for {subject.architecture} by name", building)

    def _told(self, what: str, references: list[Reference]) -> Iterator[Finding]:
        files = list(dict.fromkeys(reference.location.file for reference in references))
        if files:
            names = ", ".join(files[:_MOST_LISTED])
            more = f" and {len(files) - _MOST_LISTED} more" if len(files) > _MOST_LISTED else ""
            message = f"other files {what}: {names}{more}"
            yield self.finding(Level.NOTE, message, references[0].location, "Make them independent of it first.")
