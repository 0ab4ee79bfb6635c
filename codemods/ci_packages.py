"""Takes packages out of CI that only the tests of a retired model imported."""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from analyzer.source.source_tree import parse_python
from codemods.ci_paths import ci_files
from codemods.docs.lines import DocsLines, LineEdits
from codemods.edits import Creation, Deletion
from codemods.mentions import mentioning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft

INSTALL = re.compile(r"\bpip install (?P<packages>[^&|;'\"]+)")
ALONE = re.compile(r"\s*- (?:uv )?pip install \S+\s*")


def drop_ci_packages(draft: Draft) -> None:
    """Drop what CI installs from a repository for an import that no file of the draft has any more.

    The only package of a command that does more stays, for a person to look at.
    """
    files = [file for file in ci_files(draft.tree) if b"pip install" in draft.read(file)]
    # Most imports are of packages that CI installs in another way: only for those named here is the tree searched.
    installed = {name for file in files for name in _installed(DocsLines.of(draft.read(file)))}
    lost = installed & _lost_imports(draft) if installed else set()
    lost = {name for name in lost if not any(True for _ in _importing(name, draft))}
    for file in files if lost else ():
        after = _without(DocsLines.of(draft.read(file)), lost)
        draft.rewrite(file, after.encode(), "packages that nothing imports any more")


def _installed(lines: DocsLines) -> Iterator[str]:
    """The names of the packages that are installed from a repository."""
    for line in lines.lines:
        found = INSTALL.search(line)
        yield from filter(None, map(_repository, found["packages"].split() if found is not None else ()))


def _lost_imports(draft: Draft) -> set[str]:
    """The packages that edited files outside the engine imported, and import no more."""
    lost: set[str] = set()
    for edit in draft.change_set().edits:
        if edit.file.endswith(".py") and not edit.file.startswith("vllm/") and not isinstance(edit, Creation):
            after = set() if isinstance(edit, Deletion) else set(_imports(edit.after, edit.file))
            lost |= set(_imports(edit.before, edit.file)) - after
    return lost - sys.stdlib_module_names


def _imports(data: bytes, file: str) -> Iterator[str]:
    for node in ast.walk(parse_python(data, file)):
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name.partition(".")[0] for alias in aliases)
            case ast.ImportFrom(module=str() as module, level=0):
                yield module.partition(".")[0]


def _importing(name: str, draft: Draft) -> Iterator[str]:
    return (file for file in mentioning(name, draft) if name in _imports(draft.read(file), file))


def _without(lines: DocsLines, names: set[str]) -> DocsLines:
    edits = LineEdits()
    for number, line in enumerate(lines.lines, 1):
        found = INSTALL.search(line)
        packages = found["packages"].split() if found is not None else []
        gone = [package for package in packages if _repository(package) in names]
        if not gone:
            continue
        if ALONE.fullmatch(line):
            edits.removed.add(number)
        elif any(package not in gone and not package.startswith("-") for package in packages):
            shorter = line
            for package in gone:
                shorter = shorter.replace(f" {package}", "", 1)
            edits.replaced[number] = shorter
    return lines.edited(edits)


def _repository(package: str) -> str:
    """The name of a package that is installed from its repository, which is what the import is called, or nothing."""
    found = re.match(r"git\+\S*/(?P<name>[\w-]+?)(?:\.git)?(?:@\S*)?$", package)
    return found["name"].lower().replace("-", "_") if found is not None else ""
