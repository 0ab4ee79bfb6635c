"""The rule `config-drift`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analyzer.locations import Location
    from analyzer.release.configuration_fields import ConfigurationFields
    from analyzer.release.hugging_face_model import HuggingFaceModel

_SMOKE = "Compare log-probabilities on a checkpoint whose config.json sets them."
_NOT_THE_MODELS = ("token_id", "token_index", "config", "config_key")
"""Endings of what is read for prompts, or is no setting."""
_READ_BY_ALL = frozenset(
    {
        "architectures",
        "dtype",
        "initializer_range",
        "max_position_embeddings",
        "model_type",
        "num_labels",
        "rope_parameters",
        "rope_scaling",
        "tie_word_embeddings",
        "torch_dtype",
    }
)
"""Fields that both sides read outside their modeling files."""
_MOST_LISTED = 6
_FIELD = "    toy_scale: float = 2.0\n"
_BESPOKE = """
class ToyForCausalLM(nn.Module, SupportsPP, SupportsLoRA, SupportsQuant, SupportsEagle, SupportsEagle3):
    def __init__(self, config):
        self.scale = {}
"""


class ConfigurationDrift(Rule):
    """Whether both sides read the same configuration fields, with the same defaults.

    **What it does.** Lists the configuration fields that the modeling file itself reads, and takes away those that
    the Hugging Face configuration knows (fields, parameters, properties, `attribute_map`) and its modeling files
    read. Where the engine keeps a configuration class of its own for the model type, compares the defaults.

    **Why.** A field without which the modeling file cannot be built, and which Transformers does not have, shows
    that it was written for other checkpoints (remote code). One that Transformers declares and never reads was
    honoured by the modeling file alone. The engine's own configuration stands before that of Transformers, and
    is removed with the modeling file: a checkpoint that leaves a field out then gets another default. The default
    of a `getattr` does not count where the configuration has the field.

    **How to mend.** Look for the fields in the `config.json` of the checkpoints that are in use. Keep the engine's
    configuration class where only the defaults differ.
    """

    code = "config-drift"
    capability = Capability.ACCURACY
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(bespoke=_BESPOKE.format('getattr(config, "toy_scale", 1.0)')),
        Snippet(bespoke=_BESPOKE.format("config.hidden_size")),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(bespoke=_BESPOKE.format("config.toy_scale")),
        Snippet(bespoke=_BESPOKE.format('getattr(config, "toy_scale", 1.0)'), configuration=CONFIGURATION + _FIELD),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Notes, each kind told once with all its fields."""
        model, bespoke = subject.model, subject.bespoke
        if model is None or bespoke is None:
            return
        known = model.fields.known
        unread = [
            read
            for read in bespoke.configuration_reads
            if read.field not in _READ_BY_ALL and not read.field.endswith(_NOT_THE_MODELS)
            if not model.fields.names_of(read.field) & (model.words | model.fields.used)
        ]
        unknown = [read for read in unread if read.field not in known and read.required]
        if unknown:
            names = _listed([read.field for read in unknown])
            message = (
                f"the modeling file reads {names} without a default; {model.configuration_class} has no such field"
            )
            yield self.finding(Level.NOTE, message, unknown[0].location, _SMOKE)
        # What a composite model's towers read stands in files that are not looked at.
        ignored = [read for read in unread if read.field in known and not model.multimodal]
        if ignored:
            names = _listed([read.field for read in ignored])
            message = (
                f"the modeling file reads {names}, which the Hugging Face model has in its configuration and ignores"
            )
            yield self.finding(Level.NOTE, message, ignored[0].location, _SMOKE)
        if subject.engine_fields is not None and not model.multimodal:
            yield from self._defaults(model, subject.engine_fields, bespoke.location)

    def _defaults(self, model: HuggingFaceModel, ours: ConfigurationFields, place: Location) -> Iterator[Finding]:
        theirs = dict(model.fields.defaults)
        differing = [
            f"{field} ({default!r}, in Transformers {theirs[field]!r})"
            for field, default in ours.defaults
            if field in theirs and theirs[field] != default and isinstance(default, int | float | str | bool | None)
            if field not in _READ_BY_ALL and not field.endswith(_NOT_THE_MODELS)
        ]
        if differing:
            message = f"the engine's own configuration class has other defaults: {_listed(differing)}"
            yield self.finding(Level.NOTE, message, place, _SMOKE)


def _listed(texts: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = f" and {len(texts) - _MOST_LISTED} more" if len(texts) > _MOST_LISTED else ""
    return ", ".join(texts[:_MOST_LISTED]) + more
