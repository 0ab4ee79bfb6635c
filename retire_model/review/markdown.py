"""Markdown in which nothing that comes from a tree is more than text: no markup, HTML, mention, link or reference."""

from __future__ import annotations

import re

from retire_model.reports.plain_text import plain

MARKUP = re.compile(r"[\\`*_{}\[\]<>()|~!$&^+=]")
LINKING = re.compile(r"[@#](?=\w)|(?<=\w):(?=//)|(?i:\bwww(?=\.)|\bgh(?=-\d))")
"""Where GitHub makes a mention, a reference or a link of plain text: whatever was escaped before."""
NOTHING = "\u200b"


def escaped(text: str) -> str:
    """`text` as a piece of a paragraph."""
    return MARKUP.sub(lambda found: f"\\{found[0]}", LINKING.sub(lambda found: f"{found[0]}{NOTHING}", plain(text)))


def code(text: str) -> str:
    """`text` as a code span."""
    text = plain(text)
    ticks = "`" * (_longest_run(text) + 1)
    blank = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"


def fenced(text: str, info: str) -> str:
    """`text` as a code block, with the line end that it may lack."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{info}\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{ticks}\n"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
