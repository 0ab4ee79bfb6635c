"""A Python file as text to be spliced: the parser's and the tokenizer's positions become offsets, the rest stays."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource
from analyzer.source.source_tree import parse_python

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

NEWLINE = re.compile(r"\r\n|\r|\n")
NO_TEXT = "Save the file as UTF-8 first."
_LAYOUT = frozenset(
    {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}
)


@dataclass(frozen=True)
class PythonText:
    """The text of a Python file and its encoding, which knows of a byte order mark."""

    file: str
    text: str
    encoding: str

    @classmethod
    def of(cls, data: bytes, file: str) -> PythonText:
        """Decode `data` by Python's own rules. Raises `UnreadableSource` where it is not valid Python."""
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            source = cls(file, data.decode(encoding), encoding)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise UnreadableSource(f"{file}:{line} is not {error.encoding}: {error.reason}", NO_TEXT) from error
        except (SyntaxError, LookupError, UnicodeError) as error:
            raise UnreadableSource(f"{file} is not what its encoding says: {error}", NO_TEXT) from error
        source.module  # noqa: B018 - whoever asks for the text wants the syntax tree next
        return source

    def encode(self) -> bytes:
        """The bytes of the file. Raises `UnreadableSource` where its encoding has no way to write the text."""
        try:
            return self.text.encode(self.encoding)
        except UnicodeEncodeError as error:
            what = self.text[error.start : error.end]
            raise UnreadableSource(f"{self.file} is {self.encoding}, which cannot write {what!a}", NO_TEXT) from error

    def spliced(self, start: int, end: int, new: str) -> PythonText:
        """A copy in which `new` stands in the place of the characters from `start` to `end`."""
        return PythonText(self.file, self.text[:start] + new + self.text[end:], self.encoding)

    @cached_property
    def module(self) -> ast.Module:
        """The syntax tree. Raises `UnreadableSource`."""
        return parse_python(NEWLINE.sub("\n", self.text), self.file)

    @cached_property
    def newline(self) -> str:
        """The line end that the file uses first."""
        found = NEWLINE.search(self.text)
        return found[0] if found else "\n"

    def offset_of_node(self, line: int, column: int) -> int:
        """The offset of a parser's position: lines from 1, columns in UTF-8 bytes from 0."""
        return self._starts[line - 1] + len(self.line(line).encode()[:column].decode())

    def line_of(self, offset: int) -> int:
        """The number of the line, from 1, in which `offset` lies."""
        return bisect_right(self._starts, offset, hi=len(self._starts) - 1)

    @property
    def line_count(self) -> int:
        """The number of lines."""
        return len(self._starts) - 1

    def line(self, number: int) -> str:
        """The line `number`, from 1, with its end."""
        return self.text[self.start_of(number) : self.start_of(number + 1)]

    def start_of(self, number: int) -> int:
        """The offset at which the line `number`, from 1, begins."""
        return self._starts[number - 1]

    def tokens(self, first: int, last: int) -> Iterator[tuple[int, int, tokenize.TokenInfo]]:
        """The tokens of the lines from `first` to `last`, each with the offsets of its start and end.

        The lines begin with a statement. Raises `UnreadableSource` where they cannot be told apart.
        """
        source = io.StringIO(NEWLINE.sub("\n", self.text[self.start_of(first) : self.start_of(last + 1)]))
        try:
            for token in tokenize.generate_tokens(source.readline):
                start, end = (self.start_of(first - 1 + row) + column for row, column in (token.start, token.end))
                yield start, end, token
        except (tokenize.TokenError, SyntaxError) as error:
            raise UnreadableSource(f"{self.file}:{first} has no clear tokens: {error}", "Edit it by hand.") from error

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The tokens that count, in order: no layout, no comments, and no commas, one of which may have to be added."""
        if not self.text.strip():
            return ()
        tokens = (token for _, _, token in self.tokens(1, self.line_count))
        return tuple(token.string for token in tokens if token.type not in _LAYOUT and token.string != ",")

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return (0, *(found.end() for found in NEWLINE.finditer(self.text)), len(self.text))
