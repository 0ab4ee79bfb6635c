"""The address of a plugin, as it will stand in the registry and in the docs."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from analyzer.errors import WrongUse

SAFE = re.compile(r"[A-Za-z0-9./:_~?&=%#+@-]+")
"""What neither ends a Markdown link or table cell nor a Python string."""


def plugin_address(text: str) -> str:
    """`text`, an `https` address that is safe to write. Raises `WrongUse` for any other."""
    remedy = "Give the plugin's page, as in --plugin https://github.com/vllm-project/bart-plugin."
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError as error:
        raise WrongUse(f"--plugin {text!r}: not an address ({error})", remedy) from error
    if parts.scheme != "https" or not host or "." not in host:
        raise WrongUse(f"--plugin {text!r}: not an https address", remedy)
    if parts.username is not None or SAFE.fullmatch(text) is None:
        raise WrongUse(f"--plugin {text!r}: holds what cannot stand in a docs table", remedy)
    return text
