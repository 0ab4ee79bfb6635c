"""Tells that a model which is given up will be served all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from analyzer.engine.fallback import served_by_fallback
from codemods.plan import Plugin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.plan import RetiredArchitecture, RetirementPlan
    from retire_model.sources.trees import Trees


def fallback_notice(trees: Trees, plan: RetirementPlan) -> Text:
    """For each architecture what a user will see who asks for it afterwards."""
    return Text("\n").join(line for a in plan.architectures for line in _lines(trees, a))


def _lines(trees: Trees, architecture: RetiredArchitecture) -> Iterator[Text]:
    served = [s.label for s in trees.sources if served_by_fallback(trees.engine, s, architecture.name)]
    message = (
        f"names the plugin at {architecture.outcome.address}"
        if isinstance(architecture.outcome, Plugin)
        else "says which release was the last to have it"
    )
    if served:
        yield Text.assemble(
            (f"{architecture.name} will not be refused", "bold yellow"),
            f": with Transformers {', '.join(served)} the engine falls back to its Transformers modeling backend, "
            f"whether or not that can run it, with a warning in the log. The message that {message} is shown to "
            "nobody, save with --model-impl vllm.",
        )
    else:
        yield Text(f"Whoever asks for {architecture.name} gets an error that {message}.")
