"""One Python file, freed of all that is about models that are gone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from codemods.code.cuts import without, without_all
from codemods.code.dead_code import bound_names, find_cuts
from codemods.code.dead_comments import without_commented_entries, without_remarks
from codemods.code.dead_expressions import StatementCut
from codemods.code.needed_code import may_go
from codemods.code.unresolved import unresolved_names
from codemods.code.unused_names import unused_cuts

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable, Iterator

    from codemods.code.dead_expressions import Cut, Dead
    from codemods.code.python_text import PythonText


def swept(
    source: PythonText, dead: Dead, used_elsewhere: Callable[[str], bool], needed: Callable[[str], bool]
) -> PythonText:
    """The text without what is dead, and without what only that used. Raises `BrokenEdit`, `UnreadableSource`.

    What other files need, as `needed` says of a name, stays. The text is as before where that would leave a name that
    nothing defines.
    """
    before = source
    while (step := _next(source, list(_possible(source.module, dead, needed)))) is not None:
        shorter, cuts = step
        dying = (_dying(source.module, shorter.module, cut) for cut in cuts)
        dead = replace(dead, names=dead.names.union(*dying))
        source = shorter
    if not _resolves(before, source):
        return before
    source = without_commented_entries(source, dead.texts)
    if dead.takes_functions:
        source = without_remarks(source, dead.texts)
    return tidied(before, source, used_elsewhere)


def _resolves(before: PythonText, after: PythonText) -> bool:
    """Whether every name of `after` is bound somewhere, save those that were not in `before`."""
    if after.text == before.text:
        return True
    try:
        return unresolved_names(after.text) <= unresolved_names(before.text)
    except SyntaxError:  # such as a `return` at the margin, which parses and does not compile
        return False


def _possible(module: ast.Module, dead: Dead, needed: Callable[[str], bool]) -> Iterator[Cut]:
    return (cut for cut in find_cuts(module, dead) if may_go(cut, module, dead, needed))


def tidied(before: PythonText, source: PythonText, used_elsewhere: Callable[[str], bool]) -> PythonText:
    """`source` without what only the text that it has lost since `before` used."""
    if source.text == before.text:
        return source
    while (step := _first_possible(source, unused_cuts(before.module, source.module, used_elsewhere))) is not None:
        source, _ = step
    return source


def _next(source: PythonText, cuts: list[Cut]) -> tuple[PythonText, list[Cut]] | None:
    """All whole statements of the top level at once, else the first cut that can be made."""
    top = {id(statement) for statement in source.module.body}
    statements = [cut for cut in cuts if isinstance(cut, StatementCut) and id(cut.statement) in top]
    if len(statements) > 1:
        shorter = without_all(source, [cut.statement for cut in statements])
        if shorter is not None:
            return shorter, [*statements]
    step = _first_possible(source, cuts)
    return (step[0], [step[1]]) if step is not None else None


def _first_possible(source: PythonText, cuts: Iterable[Cut]) -> tuple[PythonText, Cut] | None:
    for cut in cuts:
        shorter = without(source, cut)
        if shorter is not None:
            return shorter, cut
    return None


def _dying(before: ast.Module, after: ast.Module, cut: Cut) -> frozenset[str]:
    """The top-level names that go with `cut`, save those that another statement still binds."""
    if not isinstance(cut, StatementCut) or cut.statement not in before.body:
        return frozenset()
    return frozenset(bound_names(cut.statement)) - {name for s in after.body for name in bound_names(s)}
