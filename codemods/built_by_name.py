"""Judges the models of the tree that build a retired one by the name of its architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import Refused
from analyzer.source_scan import words_of
from codemods.kept_mentions import KeptKind
from codemods.plan import Migrate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analyzer.source_tree import SourceTree
    from codemods.kept_mentions import KeptMention
    from codemods.plan import RetirementPlan

ENGINE = "vllm/"
BACKEND_FOLDER = "vllm/model_executor/models/transformers"


def refuse_built_by_name(plan: RetirementPlan, kept: Sequence[KeptMention]) -> None:
    """Raise `Refused` where a model that stays builds one that the engine gives up."""
    given_up = {a.name for a in plan.architectures if not isinstance(a.outcome, Migrate)}
    built = [m for m in kept if m.kind is KeptKind.BUILT_BY_NAME and m.name in given_up]
    needed = [mention for mention in built if mention.location.file.startswith(ENGINE)]
    if needed:
        lines = "".join(f"\n  {mention.location}  builds {mention.name} by its name" for mention in needed)
        names = ", ".join(sorted({mention.name for mention in needed}))
        raise Refused(f"other models are built on {names}:{lines}", "Retire these first, or together with it.")


def missing_in_backend(mention: KeptMention, tree: SourceTree) -> tuple[str, ...]:
    """What `mention` asks of the model and no file of the backend has a word for."""
    files = tree.walk(BACKEND_FOLDER, frozenset({".py"})) if tree.locate(BACKEND_FOLDER).is_dir() else ()
    words = set[bytes]().union(*(words_of(tree.read(file)) for file in files))
    return tuple(use for use in mention.uses if any(part.encode() not in words for part in use.split(".")))
