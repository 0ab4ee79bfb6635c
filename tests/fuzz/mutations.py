"""Damages a source file as strangers, merges and half-done edits do, so that most of it still parses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

_TOKEN = re.compile(rb"\w+|[^\w\s]")
_ODD = (
    b"*", b"**", b"None", b"()", b"{}", b"[]", b"''", b"0", b"-1", b"1e999", b"...", b"lambda: 0", b"a.b", b"\\", b"|",
    b"`", b"#", b"\x00", b"\xff", b"\r", b"\r\n", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\x0c", b"\x1b[31m", b"../x",
    b"/etc/passwd", b"'%s'", b"f'{x}'", b"1 if x else 2", b"(yield)", b"await x", b"x := 1", b"9" * 5000,
)  # fmt: skip


def mutated(data: bytes, random: Random) -> bytes:
    """`data` with one to four damages."""
    for _ in range(random.randint(1, 4)):
        data = random.choice(_DAMAGES)(data, random)
    return data


def _lines(change: Callable[[list[bytes], Random], None]) -> Callable[[bytes, Random], bytes]:
    def damage(data: bytes, random: Random) -> bytes:
        lines = data.splitlines(keepends=True)
        if lines:
            change(lines, random)
        return b"".join(lines)

    return damage


def _drop_lines(lines: list[bytes], random: Random) -> None:
    start = random.randrange(len(lines))
    del lines[start : start + random.randint(1, 5)]


def _move_lines(lines: list[bytes], random: Random) -> None:
    start = random.randrange(len(lines))
    block = lines[start : start + random.randint(1, 8)]
    del lines[start : start + random.randint(0, 1) * len(block)]
    place = random.randint(0, len(lines))
    lines[place:place] = block


def _shift_line(lines: list[bytes], random: Random) -> None:
    at = random.randrange(len(lines))
    lines[at] = b"    " + lines[at] if random.random() < 0.5 else lines[at].removeprefix(b"    ")


def _end_lines(lines: list[bytes], random: Random) -> None:
    end = random.choice([b"\r\n", b"\r", b"\n", b"\x0c\n", b"", b" \\\n"])
    for at in range(len(lines)) if random.random() < 0.3 else [random.randrange(len(lines))]:
        lines[at] = lines[at].rstrip(b"\r\n") + end


def _change_token(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    found = _TOKEN.search(data, start)
    if found is None:
        return data
    other = _TOKEN.search(data, random.randrange(len(data)))
    new = random.choice([b"", found[0] * 2, other[0] if other is not None else b"x", random.choice(_ODD)])
    return data[: found.start()] + new + data[found.end() :]


def _insert_odd(data: bytes, random: Random) -> bytes:
    at = random.randint(0, len(data))
    return data[:at] + random.choice(_ODD) + data[at:]


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randint(0, len(data))]


def _nest(data: bytes, random: Random) -> bytes:
    found = _TOKEN.search(data, random.randrange(len(data) + 1))
    if found is None:
        return data
    opened, closed = random.choice([(b"(", b")"), (b"[", b"]"), (b"-", b""), (b"", b".a"), (b"", b"(1)"), (b"1+", b"")])
    deep = random.choice([2, 50, 300, 2000])
    return data[: found.start()] + opened * deep + found[0] + closed * deep + data[found.end() :]


_DAMAGES = (
    _lines(_drop_lines),
    _lines(_move_lines),
    _lines(_shift_line),
    _lines(_end_lines),
    _change_token,
    _change_token,
    _change_token,
    _insert_odd,
    _cut,
    _nest,
)
