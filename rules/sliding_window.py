"""The rule `sliding-window`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.argument_rule import LAYER_TYPES, REMEDY, ArgumentRule
from rules.findings import Finding, Level
from rules.rule import Snippet, Subject
from rules.snippets import CONFIGURATION, MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.attention_arguments import AttentionArgument

_WINDOW = "sliding_window"
_INIT = "        self.layer_idx = layer_idx\n"


def _windowed(expression: str) -> str:
    """The toy model with a window that its constructor sets to `expression`."""
    text = changed(MODELING, _INIT, f"{_INIT}        self.sliding_window = {expression}\n")
    return changed(text, "scaling=1.0, ", "scaling=1.0, sliding_window=self.sliding_window, ")


_BY_TYPE = 'config.sliding_window if config.layer_types[layer_idx] == "{}" else None'
_FIELDS = CONFIGURATION + "    sliding_window: int | None = 32\n    layer_types: list[str] | None = None\n"


class SlidingWindow(ArgumentRule):
    """Whether the windows of the model's attention reach the engine's attention layers.

    **What it does.** Reads the `sliding_window` that each attention module hands to the interface, through the
    constructor to the configuration: which field, and for which of `layer_types`. Compares with what the backend
    reads when it builds its attention layers, and with the windows that the modeling file sets.

    **Why.** The interface's argument is swallowed by `**kwargs`; the backend builds its windows from the
    configuration, from `sliding_window` for layers of type `sliding_attention`. A window under another name
    (Inkling's `sliding_window_size`) or for another type (Zaya's `hybrid_sliding`) is lost: outputs are right up
    to the window's length and wrong beyond. Up to vLLM 0.27 `layer_types` was looked for in the outer
    configuration, so that composite models lost theirs.

    **How to mend.** Teach the backend's `create_attention_instances` the field or the type, or accept the loss
    (`--accept accuracy`). Check with a prompt that is longer than the window.
    """

    code = "sliding-window"
    keyword = _WINDOW
    engine_keyword = "per_layer_sliding_window"
    what = "a sliding window"
    field = _WINDOW
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(modeling=_windowed(_BY_TYPE.format("sliding_attention")), configuration=_FIELDS),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=_windowed(_BY_TYPE.format("hybrid_sliding")), configuration=_FIELDS),
        Snippet(modeling=_windowed("config.window_size")),
        Snippet(modeling=_windowed("config.sliding_window"), configuration=_FIELDS),
        Snippet(configuration=_FIELDS),
    )

    def judge(self, subject: Subject, argument: AttentionArgument) -> Iterator[Finding]:
        """Loses accuracy for a window of another field, of another layer type, or of a part it does not look into."""
        attention, value = subject.backend.attention, argument.value
        wanted = set(value.compared)
        if attention.location is None or self.keyword in attention.arguments:
            return
        built = f"the backend's own windows ({attention.location})"
        if _WINDOW not in value.fields:
            yield from super().judge(subject, argument)
        elif wanted and not wanted & attention.layer_types:
            kinds = f"{', '.join(sorted(wanted))}, {built} on {', '.join(sorted(attention.layer_types))}"
            yield self.finding(Level.LOSES, f"{_WINDOW} is set on layers of type {kinds}", argument.location, REMEDY)
        elif subject.model is not None and LAYER_TYPES in subject.model.fields.known and not wanted:
            # A composite configuration may have the field for another part.
            if LAYER_TYPES not in value.fields and not subject.model.multimodal:
                message = f"{_WINDOW} is set on every layer, {built} only on layers of type "
                kinds = ", ".join(sorted(attention.layer_types))
                yield self.finding(Level.LOSES, f"{message}{kinds}", argument.location, REMEDY)
        elif subject.model is not None and subject.model.multimodal and attention.reads_outer_configuration:
            message = f"layer_types is in the language model's configuration, {built} are read from the outer one"
            yield self.finding(Level.LOSES, f"{message}: {_WINDOW} is lost", argument.location, REMEDY)
        elif value.computed:
            message = f"{_WINDOW} is calculated with before it is handed over, {built} take the field as it stands"
            yield self.finding(Level.NOTE, message, argument.location, "Compare beyond the window on a checkpoint.")
