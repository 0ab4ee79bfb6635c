"""Suggests what a mistyped name may have been meant to be."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST = 0.7
"""How like a name must be: one wrong letter of four is."""
BEHIND = 0.12
"""How much less like than the nearest a name may be to be told beside it."""


def near_names(name: str, known: Iterable[str], most: int = 4) -> list[str]:
    """Those of `known` that are nearest to `name` without regard to case, the nearest first."""
    wanted = name.lower()
    ratios = {k: SequenceMatcher(None, k.lower(), wanted).ratio() for k in sorted(set(known)) if _may_be_near(k, name)}
    best = max(ratios.values(), default=0.0)
    near = [k for k, ratio in ratios.items() if ratio >= max(LEAST, best - BEHIND)]
    return sorted(near, key=lambda k: -ratios[k])[:most]


def _may_be_near(known: str, name: str) -> bool:
    """Whether the lengths alone let the two be near: comparing hundreds of names takes its time."""
    return 2 * min(len(known), len(name)) >= LEAST * (len(known) + len(name))


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """A sentence that names what is near, or `otherwise`."""
    near = near_names(name, known)
    return f"Did you mean {', '.join(near)}?" if near else otherwise
