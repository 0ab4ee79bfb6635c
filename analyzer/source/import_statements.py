"""Reads the import statements of a file from its bytes: twenty times as fast as a syntax tree of the whole file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROSE = re.compile(
    rb"#[^\n]*"
    rb"|'''(?:[^\\']++|\\.|'(?!''))*+'''"
    rb'|"""(?:[^\\"]++|\\.|"(?!""))*+"""'
    rb"|'(?:[^\\'\n]++|\\.)*+'"
    rb'|"(?:[^\\"\n]++|\\.)*+"',
    re.DOTALL,
)
_BLANK = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))
# Two patterns that begin with letters: those are looked for many times as fast as a place where a line begins.
_FROM = re.compile(rb"from\b(?P<module>[.\w \t]*?)\bimport\b[ \t]*+(?P<names>\([^)]*+\)|[^;\n]*+)")
_IMPORT = re.compile(rb"import[ \t]++(?P<names>[^;\n]*+)")
_STATEMENTS_BEGIN = re.compile(rb"(?:\A|[;:])[ \t]*\Z")
_NAME = re.compile(rb"(?P<name>\w[\w.]*|\*)(?:\s+as\s+(?P<bound>\w+))?")


@dataclass(frozen=True, slots=True)
class ImportedPath:
    """A name of an import statement, and where it stands in the bytes of the file."""

    name: str
    bound: str
    """The variable that it gets: what stands behind `as`, else its own first part."""
    offset: int


@dataclass(frozen=True, slots=True)
class ImportStatement:
    """`from module import names`, or `import names` where `module` is None."""

    module: str | None
    """As it is written: it may begin with dots."""
    names: tuple[ImportedPath, ...]
    offset: int
    """Where it stands in the bytes of the file."""


def code_of(data: bytes) -> bytes:
    """`data` with blanks for comments and strings: what is left is code, each byte where it was."""
    return _PROSE.sub(lambda found: found[0].translate(_BLANK), data)


def import_statements(code: bytes) -> Iterator[ImportStatement]:
    """The import statements of what `code_of` left of a Python file, wherever they stand."""
    # A statement that goes on behind a backslash is one line here, and everything stays where it was.
    code = code.replace(b"\\\r\n", b"   ").replace(b"\\\n", b"  ")
    for pattern in (_FROM, _IMPORT):
        for found in pattern.finditer(code):
            line = code[code.rfind(b"\n", 0, found.start()) + 1 : found.start()]
            if not line or line.isspace() or _STATEMENTS_BEGIN.search(line) is not None:
                module = b"".join(found["module"].split()).decode() if pattern is _FROM else None
                yield ImportStatement(module, tuple(_names(found)), found.start())


def _names(statement: re.Match[bytes]) -> Iterator[ImportedPath]:
    start = statement.start("names")
    for found in _NAME.finditer(statement["names"]):
        name = found["name"].decode()
        bound = found["bound"].decode() if found["bound"] is not None else name.partition(".")[0]
        yield ImportedPath(name, bound, start + found.start())


def column_of(data: bytes, offset: int) -> tuple[int, int]:
    """The line and the column, both from 1, of the byte at `offset`."""
    return data.count(b"\n", 0, offset) + 1, offset - data.rfind(b"\n", 0, offset)
