"""Writes a registry entry in the engine's own style."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codemods.code.display import Display

WIDTH = 88
"""The engine's line length, beyond which its formatter gives each part of a tuple a line."""


def rendered_entry(display: Display, architecture: str, value: tuple[str, ...] | str) -> str:
    """`"key": value` as it stands in `display`, without the comma behind it and the indentation before it."""
    quote = _quote(display)
    key = _literal(architecture, quote)
    if isinstance(value, str):
        return f"{key}: {_literal(value, quote)}"
    parts = [_literal(part, quote) for part in value]
    line = f"{key}: ({', '.join(parts)})"
    if len(display.indentation) + len(line) + 1 <= WIDTH:
        return line
    return "\n".join([f"{key}: (", *(f"    {part}," for part in parts), ")"])


def _quote(display: Display) -> str:
    """The quotes of the display's first key."""
    first = display.source.text[display.items[0].start] if display.items else '"'
    return first if first in "\"'" else '"'


def _literal(text: str, quote: str) -> str:
    plain = text.isprintable() and "\\" not in text and quote not in text
    return f"{quote}{text}{quote}" if plain else repr(text)
