"""The order in which registries and docs tables list architectures."""

from __future__ import annotations

import re

TASK = re.compile(r"For(?=[A-Z])")


def family_order(architecture: str) -> tuple[str, str]:
    """A sort key: by family, the name before `For…`, without regard to case.

    `OlmoForCausalLM` comes before `Olmo2ForCausalLM`, which plain sorting would turn round.
    """
    family = architecture
    for found in TASK.finditer(architecture):
        family = architecture[: found.start()]
    return family.casefold(), architecture.casefold()


def plain_name(name: str) -> str:
    """A model's name as module, architecture and model type have in common: without case, `_` and `-`."""
    return name.rpartition(".")[2].replace("_", "").replace("-", "").lower()
