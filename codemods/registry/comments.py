"""Which comments go with a registry entry.

Comments on the entry's own lines go with it. Of the comments right above it those go that *name* the entry (its
architecture, family, class or module, as whole words) and do not name the entry that moves up under them: they
explain this entry alone. A heading (`# [Decoder-only]`, `# Text generation models`) names no entry, and an entry that
is commented out is not a comment on its neighbour, so both stay, with all that stands above them. So does a remark
that names nobody: it may hold for the rest of the list, and whoever reads the diff sees it.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from codemods.order import family_order

if TYPE_CHECKING:
    from codemods.code.display import Comment, Display, Item

BREAK = re.compile(r"#\s*(\[.*\]\s*$|#|[\"'])")
"""A heading in brackets, or an entry that is commented out."""


def comments_of_entry(display: Display, index: int) -> tuple[Comment, ...]:
    """The comments above the entry `index` that go with it: the last ones, or none."""
    above = display.comments_above(display.items[index])
    breaks = [position for position, comment in enumerate(above) if BREAK.match(comment.text)]
    return _explaining(display, index, above[breaks[-1] + 1 :] if breaks else above)


def _explaining(display: Display, index: int, comments: tuple[Comment, ...]) -> tuple[Comment, ...]:
    text = " ".join(comment.text for comment in comments)
    item = display.items[index]
    following = display.items[index + 1] if index + 1 < len(display.items) else None
    if not _names(text, item):
        return ()
    if following is not None and not display.comments_above(following) and _names(text, following):
        return ()
    return comments


def _names(text: str, item: Item) -> bool:
    return any(_mentions(text, name) for name in _names_of(item))


def _names_of(item: Item) -> set[str]:
    strings = {n.value for n in ast.walk(item.value) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    names = {name.rpartition(".")[2] for name in strings} | ({item.name} if item.name else set())
    return names | {family_order(name)[0] for name in names}


def _mentions(text: str, name: str) -> bool:
    letters = [re.escape(letter) for letter in name if letter.isalnum()]
    pattern = r"(?<![^\W_])" + r"[\W_]*".join(letters) + r"(?![^\W_])"
    return bool(letters) and re.search(pattern, text, re.IGNORECASE) is not None
