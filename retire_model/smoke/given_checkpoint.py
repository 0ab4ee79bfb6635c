"""A checkpoint that the user names: what it says it is, and whether its weights can be loaded without running code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from analyzer.errors import WrongUse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME_ITS_FOLDER = "Name the checkpoint's folder."


def refuse_unsafe(folder: Path) -> None:
    """Raise `WrongUse` for what is no checkpoint, or has its weights in pickles alone."""
    if not (folder / "config.json").is_file():
        raise WrongUse(f"--checkpoint {folder} has no config.json", NAME_ITS_FOLDER)
    if not any(folder.glob("*.safetensors")):
        raise WrongUse(
            f"--checkpoint {folder} has no *.safetensors",
            "A pickle can run code when it is loaded, so none is: convert the weights first.",
        )


def those_of(folder: Path, architectures: Sequence[str]) -> tuple[str, ...]:
    """Those of the architectures that the checkpoint is of. Raises `WrongUse` where it is of none of them."""
    try:
        told = json.loads((folder / "config.json").read_bytes())
        says = told.get("architectures")
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise WrongUse(f"{folder}/config.json cannot be read: {error}", NAME_ITS_FOLDER) from error
    known = [name for name in says if isinstance(name, str)] if isinstance(says, list) else []
    found = tuple(name for name in architectures if name in known)
    if not found:
        raise WrongUse(
            f"--checkpoint {folder} is of {', '.join(known) or 'no architecture'}, not of {', '.join(architectures)}",
            "Name the model that it is of.",
        )
    return found
