"""Tells a command that was mistyped, or stands behind its options, from the name of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, RetireModelError, WrongUse
from analyzer.near_names import near_names

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


def refuse_command_word(words: Sequence[str], commands: Collection[str]) -> None:
    """Raise `WrongUse` where a command stands among the models."""
    for word in words:
        if word in commands:
            raise WrongUse(
                f"{word!r} is a command, and the command comes first",
                f"Write `retire-model {word} …`, and the options behind it.",
            )


def hint_at_command(error: RetireModelError, word: str, commands: Collection[str]) -> None:
    """Make the command that `word` is nearly the remedy of an `error` which says that something is not there."""
    near = near_names(word, commands, most=1)
    if near and isinstance(error, WrongUse | EnvironmentProblem):
        otherwise = "" if error.remedy.startswith("Did you mean") else f" {error.remedy}"
        error.remedy = f"Did you mean the command `retire-model {near[0]} …`?{otherwise}"
