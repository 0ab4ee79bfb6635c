"""Dictionary, list and tuple displays of a Python file: takes items out and puts items in, whole lines where it can.

Everything else keeps its place, byte for byte: what a syntax tree's printer would move (comments, blank lines,
trailing commas) is never printed again.
"""

from __future__ import annotations

import ast
import tokenize
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.code.python_text import PythonText

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
Brackets = ast.Dict | ast.List | ast.Set | ast.Tuple | ast.Call | ast.ImportFrom
BLANK = frozenset({tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})


@dataclass(frozen=True, slots=True)
class Item:
    """One element of a display, with its key if it has one."""

    key: ast.expr | None
    value: ast.expr | ast.alias
    start: int
    end: int
    """Behind the comma, or behind the value where there is no comma."""
    has_comma: bool

    @property
    def name(self) -> str | None:
        """The text of a literal key or, in a list, of a literal element."""
        node = self.value if self.key is None else self.key
        return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment inside a display."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Display:
    """A top-level `NAME = {…}` (or list, or tuple) and what stands in it, by offsets into the text."""

    source: PythonText
    name: str
    opened: int
    """Behind the opening bracket."""
    closed: int
    """Before the closing bracket."""
    items: tuple[Item, ...]
    comments: tuple[Comment, ...]

    def first_line(self, item: Item) -> int:
        """The line on which `item` begins."""
        return self.source.line_of(item.start)

    def last_line(self, item: Item) -> int:
        """The line on which `item` ends."""
        return self.source.line_of(item.end)

    def has_own_lines(self, item: Item) -> bool:
        """Whether nothing but `item` and comments stand on its lines."""
        return self.begins_line(item) and self.ends_line(item.end)

    def begins_line(self, item: Item) -> bool:
        """Whether nothing stands before `item` on its line."""
        return not self.source.text[self.source.start_of(self.first_line(item)) : item.start].strip()

    def ends_line(self, offset: int) -> bool:
        """Whether nothing but a comment stands behind `offset` on its line."""
        rest = self.source.text[offset : self.source.start_of(self.source.line_of(offset) + 1)].strip()
        return not rest or rest.startswith("#")

    def comments_above(self, item: Item) -> tuple[Comment, ...]:
        """The comments on lines of their own right above `item`, without a blank line between."""
        by_line = {self.source.line_of(c.start): c for c in self.comments if self.stands_alone(c)}
        line, found = self.first_line(item) - 1, list[Comment]()
        while self.begins_line(item) and line in by_line:
            found.insert(0, by_line[line])
            line -= 1
        return tuple(found)

    def comments_of(self, item: Item) -> tuple[Comment, ...]:
        """The comments that go with `item` because they stand on its lines."""
        end = self.source.start_of(self.last_line(item) + 1) if self.has_own_lines(item) else item.end
        return tuple(comment for comment in self.comments if item.start < comment.start < end)

    def stands_alone(self, comment: Comment) -> bool:
        """Whether nothing stands before `comment` on its line."""
        return not self.source.text[self.source.start_of(self.source.line_of(comment.start)) : comment.start].strip()

    def without(self, index: int, comments: tuple[Comment, ...] = ()) -> PythonText:
        """The text without the item `index` and without `comments`, the last of those right above it."""
        item = self.items[index]
        if self.has_own_lines(item):
            start = self.source.line_of(comments[0].start) if comments else self.first_line(item)
            return self.source.spliced(self.source.start_of(start), self.source.start_of(self.last_line(item) + 1), "")
        following = self.items[index + 1] if index + 1 < len(self.items) else None
        if following is not None and self.first_line(following) == self.last_line(item):
            return self.source.spliced(item.start, following.start, "")
        before = self.items[index - 1].end if index else self.opened
        if not item.has_comma and index:
            before -= self.items[index - 1].has_comma
        if any(before <= comment.start < item.start for comment in self.comments):
            before = item.start
        return self.source.spliced(before, item.end, "")

    def inserted(self, after: Item | Comment | None, item: str) -> PythonText:
        """The text with `item` (no comma; further lines indented from nought) behind `after`, or as the first."""
        if isinstance(after, Item):
            return self._behind_item(after, item)
        if isinstance(after, Comment):
            return self._on_new_lines(after.end, item)
        if self.ends_line(self.opened):
            return self._on_new_lines(self.opened, item)
        if self.items:
            return self.source.spliced(self.opened, self.opened, f"{item}, ")
        newline = self.source.newline
        return self.source.spliced(self.opened, self.closed, newline + self._indented(item) + "," + newline)

    def _behind_item(self, before: Item, item: str) -> PythonText:
        if self.ends_line(before.end):
            comma = "" if before.has_comma else ","
            grown = self.source.spliced(before.end, before.end, comma)
            end = before.end + len(comma)
            place = grown.start_of(grown.line_of(end) + 1)
            return grown.spliced(place, place, self._indented(item) + "," + self.source.newline)
        new = f" {item}," if before.has_comma else f", {item}"
        return self.source.spliced(before.end, before.end, new)

    def _on_new_lines(self, offset: int, item: str) -> PythonText:
        place = self.source.start_of(self.source.line_of(offset) + 1)
        return self.source.spliced(place, place, self._indented(item) + "," + self.source.newline)

    def _indented(self, item: str) -> str:
        return self.source.newline.join(self.indentation + line for line in item.split("\n"))

    @property
    def indentation(self) -> str:
        """The blanks before items that begin a line; four where there are none to learn from."""
        for item in self.items:
            if self.begins_line(item):
                return self.source.text[self.source.start_of(self.first_line(item)) : item.start]
        return "    "


def display_names(source: PythonText) -> tuple[str, ...]:
    """The names of all top-level dictionaries and lists, in order. Raises `UnreadableSource`."""
    return tuple(dict.fromkeys(name for name, _, _ in _assigned(source)))


def find_display(source: PythonText, name: str) -> Display | None:
    """The display called `name`; the last one, as in Python. Raises `UnreadableSource`."""
    wanted = [(line, value) for known, line, value in _assigned(source) if known == name]
    return display_at(source, name, *wanted[-1]) if wanted else None


def display_at(source: PythonText, name: str, first_line: int, value: Brackets) -> Display:
    """The items between the brackets of `value`, which belongs to a statement that begins in `first_line`.

    Raises `UnreadableSource` where its items cannot be told apart, as those of a tuple without brackets.
    """
    if isinstance(value, ast.ImportFrom):
        # What is left of the name behind `import` is of no interest; the bracket, where there is one, is the first.
        start = source.text.find("(", source.offset_of_node(value.lineno, value.col_offset))
    elif isinstance(value, ast.Call):
        end = source.offset_of_node(value.func.end_lineno or value.lineno, value.func.end_col_offset or 0)
        start = source.text.find("(", end)
    else:
        start = source.offset_of_node(value.lineno, value.col_offset)
    if start < 0 or source.text[start] not in OPENING:
        raise UnreadableSource(f"{source.file}:{value.lineno}: {name} has no brackets", "Edit it by hand.")
    return _display(source, name, first_line, value, start)


def _assigned(source: PythonText) -> Iterator[tuple[str, int, ast.Dict | ast.List]]:
    for statement in source.module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() | ast.List() as value):
                yield name, statement.lineno, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() | ast.List() as value):
                yield name, statement.lineno, value


def _pairs(value: Brackets) -> list[tuple[ast.expr | None, ast.expr | ast.alias]]:
    if isinstance(value, ast.Dict):
        return list(zip(value.keys, value.values, strict=True))
    if isinstance(value, ast.Call):
        return [(None, part) for part in (*value.args, *(keyword.value for keyword in value.keywords))]
    elements: list[ast.expr] | list[ast.alias] = value.names if isinstance(value, ast.ImportFrom) else value.elts
    return [(None, element) for element in elements]


def _display(source: PythonText, name: str, first_line: int, value: Brackets, begin: int) -> Display:
    pairs = _pairs(value)
    ends = [source.offset_of_node(v.end_lineno or v.lineno, v.end_col_offset or 0) for _, v in pairs]
    comments: list[Comment] = []
    items: list[Item] = []
    depth, opened, start, end = 0, -1, -1, -1
    for token_start, token_end, token in source.tokens(first_line, value.end_lineno or value.lineno):
        if token_start < begin or token.type in BLANK:
            continue
        if token.type == tokenize.COMMENT:
            comments.append(Comment(token.string, token_start, token_end))
            continue
        depth -= token.type == tokenize.OP and token.string in CLOSING
        if depth == 0 and opened >= 0:
            if start >= 0 and len(items) < len(pairs):
                items.append(Item(*pairs[len(items)], start, end, has_comma=False))
            if len(items) != len(pairs):
                break
            return Display(source, name, opened, token_start, tuple(items), tuple(comments))
        start = token_start if start < 0 and opened >= 0 else start
        depth += token.type == tokenize.OP and token.string in OPENING
        opened = token_end if opened < 0 else opened
        end = token_end
        # A comma further in, as between the arguments of a lambda, comes before the end of the value.
        if depth == 1 and token.string == "," and len(items) < len(pairs) and token_start >= ends[len(items)]:
            items.append(Item(*pairs[len(items)], start, end, has_comma=True))
            start = -1
    raise UnreadableSource(
        f"{source.file}:{value.lineno}: the items of {name} cannot be told apart", "Edit it by hand."
    )
