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
