"""Reads a field of a configuration without tripping over what configurations do when they are asked."""

from __future__ import annotations

from typing import Any


def field(configuration: Any, name: str) -> Any:
    """The field under its own name, its alias or as a property; None where it is not set or cannot be told."""
    aliases: dict[str, str] = getattr(configuration, "attribute_map", None) or {}
    stored = vars(configuration).get(aliases.get(name, name))
    if stored is not None:
        return stored
    try:
        return getattr(configuration, name, None)
    except Exception:  # what differs by layer raises, with an error of its own
        return None
