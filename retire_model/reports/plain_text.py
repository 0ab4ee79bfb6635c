"""Text that holds names from a tree, made harmless for where it is shown."""

from __future__ import annotations

import re

CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
CONTROL |= {code: f"\\u{code:04x}" for code in (0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""Line ends, terminal commands, and signs that turn the direction of writing round."""
COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)")
"""What GitHub's runner takes for a command in the output of a step."""


PICTURES = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\n\t"} | {127: "\u2421"}
PICTURES |= dict.fromkeys((*range(128, 160), *(code for code in CONTROL if code > 0x2000)), "\ufffd")


def visible(text: str) -> str:
    """`text` with a picture for every sign that a terminal would obey; lines stay, and so does every place in them."""
    return text.translate(PICTURES)


def plain(text: str) -> str:
    """`text` on one line that is no terminal's and no runner's command, whatever the names in it hold."""
    return COMMAND.sub(lambda found: f"{found[0]}\u200b", text.translate(CONTROL))
