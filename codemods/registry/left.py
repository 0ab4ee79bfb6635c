"""Refuses to delete a module that the registry would still name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE, read_registry
from analyzer.errors import Refused
from analyzer.source.source_tree import parse_python
from analyzer.uses.registry_mentions import registry_mentions
from codemods.code.dead_expressions import is_below
from codemods.edits import Deletion

if TYPE_CHECKING:
    import ast

    from analyzer.source.source_tree import SourceTree
    from analyzer.uses.registry_mentions import RegistryMention
    from codemods.edits import ChangeSet
    from codemods.plan import RetirementPlan


def refuse_named_in_registry(plan: RetirementPlan, changes: ChangeSet, tree: SourceTree) -> None:
    """Raise `Refused` with every place where the registry, as `changes` leave it, names a module whose files go."""
    edited = {e.file: e.after for e in changes.edits if not isinstance(e, Deletion)}.get(REGISTRY_FILE)
    left = registry_left(plan, tree.parse(REGISTRY_FILE) if edited is None else parse_python(edited, REGISTRY_FILE))
    if left:
        lines = "".join(f"\n  {place.location}  {place.module}" for place in left)
        inside = _served_from_inside(plan, tree)
        named = f"Name {' '.join(inside)} as well, which the package itself serves. " if inside else ""
        raise Refused(
            f"the registry would still name {', '.join(sorted({place.module for place in left}))}:{lines}",
            f"{named}Its lines are counted as they would be after the edit. Make an entry that is added there one of "
            "its own in the dictionary it belongs to, take out what else needs the name, and run again.",
        )


def _served_from_inside(plan: RetirementPlan, tree: SourceTree) -> tuple[str, ...]:
    """The architectures that stay and are served by a module inside a package whose files go."""
    gone = frozenset(module.name for module in plan.modules if module.files)
    named = {architecture.name for architecture in plan.architectures}
    entries = read_registry(tree).live_entries()
    found = (e.architecture for e in entries if e.module is not None and is_below(e.module, gone))
    return tuple(sorted(set(found) - named))


def registry_left(plan: RetirementPlan, registry: ast.Module) -> tuple[RegistryMention, ...]:
    """The places of the registry that name a module whose files go."""
    return tuple(sorted(registry_mentions(registry, [module.name for module in plan.modules if module.files])))
