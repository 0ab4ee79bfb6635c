"""Moves what one other module uses of a module that goes into that other module."""

from __future__ import annotations

import ast
from itertools import groupby
from typing import TYPE_CHECKING

from analyzer.errors import BrokenEdit, Refused
from analyzer.uses.module_index import absolute
from analyzer.uses.reference import ReferenceKind
from analyzer.uses.references import find_references
from codemods.code.cuts import first_line, without
from codemods.code.dead_code import bound_names
from codemods.code.dead_expressions import StatementCut
from codemods.code.python_text import PythonText
from codemods.code.shared_code import BY_HAND, NeededImport, needed_imports, shared_code
from codemods.registry.entry import WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analyzer.uses.reference import Reference
    from codemods.code.shared_code import SharedCode
    from codemods.edits import Draft
    from codemods.plan import RetiredModule, RetirementPlan

ENGINE = "vllm"
PLAIN = frozenset({ReferenceKind.IMPORT, ReferenceKind.RELATIVE_IMPORT})


def inline_shared_code(plan: RetirementPlan, draft: Draft) -> None:
    """Move the code, with `--inline-shared`. A module that several others use stays needed, and is refused later on.

    Raises `Refused` where one module alone uses it and the code cannot be moved safely.
    """
    for module in plan.modules if plan.inline_shared else ():
        users = _users(plan, module, draft)
        files = {reference.location.file for reference in users}
        if len(files) == 1:
            _move(module, files.pop(), users, draft)


def _users(plan: RetirementPlan, module: RetiredModule, draft: Draft) -> tuple[Reference, ...]:
    going = {file for other in plan.modules for file in other.files}
    found = find_references(draft.tree, [module.name], below=ENGINE) if module.files else ()
    return tuple(reference for reference in found if reference.location.file not in going)


def _move(module: RetiredModule, user: str, references: Sequence[Reference], draft: Draft) -> None:
    if len(module.files) > 1 or not all(reference.kind in PLAIN and reference.symbols for reference in references):
        raise Refused(f"{user} needs {module.name} by more than the names it imports from one file", BY_HAND)
    (file,) = module.files
    source = PythonText.of(draft.tree.read(file), file)
    before = target = PythonText.of(draft.read(user), user)
    lines = {reference.location.line for reference in references}
    imported = [s for s in target.module.body if isinstance(s, ast.ImportFrom) and s.lineno in lines]
    symbols = frozenset(alias.name for statement in imported for alias in statement.names)
    renamed = any(alias.asname is not None or alias.name == "*" for s in imported for alias in s.names)
    if len(imported) != len(lines) or renamed or _future(source.module) - _future(target.module):
        raise Refused(f"{user} imports {module.name} in a way that cannot be replaced", BY_HAND)
    code = shared_code(source.module, file, symbols)
    for statement in reversed(imported):
        target = without(target, StatementCut(statement)) or target
    target = _with_code(source, target, code)
    _check(before, target, symbols, code)
    names = ", ".join(sorted(symbols))
    draft.rewrite(user, target.encode(), f"{names} of {module.name}, which only it uses")


def _future(module: ast.Module) -> set[str]:
    return {
        alias.name
        for statement in module.body
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        for alias in statement.names
    }


def _with_code(source: PythonText, target: PythonText, code: SharedCode) -> PythonText:
    """The target with the imports that it lacks and the definitions below its own imports. Raises `Refused`."""
    known = {(found.bound, _absolute(found, target.file).path) for found in needed_imports(target.module)}
    bound = {name: s for s in target.module.body for name in bound_names(s)}
    imports = [found for found in code.imports if (found.bound, _absolute(found, source.file).path) not in known]
    definitions = [
        statement
        for statement in code.definitions
        if _text(source, statement) != _text(target, bound.get(bound_names(statement)[0]))
    ]
    names = [*(found.bound for found in imports), *(bound_names(statement)[0] for statement in definitions)]
    own = absolute(".", target.file) + "." + target.file.rpartition("/")[2].removesuffix(".py")
    if taken := sorted(bound.keys() & set(names)):
        raise Refused(f"{target.file} has a {taken[0]} of its own, other than that of {source.file}", BY_HAND)
    if any(_absolute(found, source.file).module == own for found in imports):
        raise Refused(f"{source.file} is itself built on {target.file}", BY_HAND)
    new = "".join(_lines([_in(found, source.file, target.file) for found in imports]))
    parts = [_text(source, statement) for statement in definitions]
    last = next((s for s in reversed(target.module.body) if isinstance(s, ast.Import | ast.ImportFrom)), None)
    early = target.module.body[: target.module.body.index(last)] if last is not None else []
    if any(isinstance(node, ast.Name) and node.id in names for s in early for node in ast.walk(s)):
        raise Refused(f"{target.file} uses what it imports of {source.file} between its imports", BY_HAND)
    place = target.start_of((last.end_lineno or last.lineno) + 1) if last is not None else len(target.text)
    text = new + "".join(f"\n\n{part}\n" for part in parts)
    if parts and not target.text[place:].startswith(target.newline * 2):
        text += "\n"
    return target.spliced(place, place, text.replace("\n", target.newline))


def _text(source: PythonText, statement: ast.stmt | None) -> str:
    """A definition with its decorators and the comments right above it, lines ending in plain newlines."""
    if statement is None:
        return ""
    first = first_line(statement)
    while first > 1 and source.line(first - 1).startswith("#"):
        first -= 1
    lines = (source.line(n) for n in range(first, (statement.end_lineno or statement.lineno) + 1))
    return "".join(line.rstrip("\r\n") + "\n" for line in lines).rstrip("\n")


def _absolute(found: NeededImport, file: str) -> NeededImport:
    return NeededImport(absolute(found.module, file), found.name, found.bound)


def _in(found: NeededImport, source: str, target: str) -> NeededImport:
    """The import as it is to be written in `target`: relative as before where both are in one folder."""
    beside = source.rpartition("/")[0] == target.rpartition("/")[0]
    return found if beside else _absolute(found, source)


def _lines(imports: Sequence[NeededImport]) -> Iterator[str]:
    """Import statements, the names of one module together."""
    for module, group in groupby(imports, lambda found: found.module if found.name else ""):
        targets = [found.target for found in group]
        if not module:
            yield from (f"import {target}\n" for target in targets)
        elif len(line := f"from {module} import {', '.join(targets)}") <= WIDTH:
            yield f"{line}\n"
        else:
            yield "".join([f"from {module} import (\n", *(f"    {target},\n" for target in targets), ")\n"])


def _check(before: PythonText, after: PythonText, symbols: frozenset[str], code: SharedCode) -> None:
    """Raise `BrokenEdit` unless all that was there still is, in its order, and every name of the code has a meaning."""
    bound = {name for statement in after.module.body for name in bound_names(statement)}
    needed = symbols | {found.bound for found in code.imports} | {n for s in code.definitions for n in bound_names(s)}
    statements = [ast.dump(s) for s in after.module.body]
    kept = [
        ast.dump(s) for s in before.module.body if not (isinstance(s, ast.ImportFrom) and symbols & set(bound_names(s)))
    ]
    rest = iter(statements)
    if not needed <= bound or not all(any(found == wanted for found in rest) for wanted in kept):
        raise BrokenEdit(f"moving code into {after.file} would change it", "Nothing is written; please report it.")
