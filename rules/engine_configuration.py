"""The rule `engine-configuration`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION

if TYPE_CHECKING:
    from collections.abc import Iterator


class EngineConfiguration(Rule):
    """Whether the engine reads the checkpoint with the configuration class that the model is known by.

    **What it does.** Compares the class that the engine's registry of configurations names for the model type with
    the configuration class of the Hugging Face model.

    **Why.** Transformers chooses the model by the name of its configuration's class. Where the engine reads the
    checkpoint with another model's class, it is that model which is built, and the checkpoint's weights have no
    place in it: "There is no module or parameter named 'model.layers.0.self_attn.indexer'" (DeepSeek-V3.2 on vLLM
    0.32.0, which reads it as DeepSeek-V3). The hand-written class does not ask Transformers for a model.

    **How to mend.** Take the model type out of the engine's registry of configurations.
    """

    code = "engine-configuration"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(configuration=CONFIGURATION.replace('"toy"', '"own"')),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (Snippet(configuration=CONFIGURATION.replace('"toy"', '"borrowed"')),)

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks for a class of another name."""
        named, model = subject.engine_configuration, subject.model
        if model is not None and named is not None and named.name != model.configuration_class:
            yield self.finding(
                Level.BLOCKS,
                f"the engine reads {model.model_types[0]} with {named.name}, for which Transformers builds another "
                f"model than for {model.configuration_class}",
                named.location,
                "Take the model type out of the engine's registry of configurations.",
            )
