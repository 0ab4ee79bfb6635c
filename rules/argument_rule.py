"""What the rules about one argument of attention share: who hands it over, and who takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.attention_arguments import AttentionArgument
    from rules.rule import Subject

LAYER_TYPES = "layer_types"
REMEDY = "Teach the backend's attention this."


class ArgumentRule(Rule):
    """Judges what becomes of one argument that the model hands to the attention interface."""

    capability = Capability.ACCURACY
    keyword: ClassVar[str]
    """The argument of the interface."""
    engine_keyword: ClassVar[str]
    """The argument of the engine's own attention layers that stands for it."""
    what: ClassVar[str]
    """The feature in words that follow "applies"."""
    field: ClassVar[str | None] = None
    """The configuration field from which the backend applies it by itself, whether or not attention reads it."""

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Asks `judge` about each argument handed over; where there is none, what the others apply by themselves."""
        model = subject.model
        if model is None:
            return
        handed = [a for module in model.attention for a in module.arguments if a.name == self.keyword]
        seen: set[str] = set()
        for argument in handed:
            for finding in self.judge(subject, argument):
                if finding.message not in seen:
                    seen.add(finding.message)
                    yield finding
        if not handed and not any(self.keyword in mask.kind for mask in model.masks):
            yield from self._only_the_backend(subject)
            yield from self._only_the_bespoke_side(subject)

    def judge(self, subject: Subject, argument: AttentionArgument) -> Iterator[Finding]:
        """Loses accuracy where the backend neither knows the argument nor reads the fields behind it."""
        attention = subject.backend.attention
        read = attention.fields - {LAYER_TYPES}
        if not argument.value.fields and not argument.value.computed and not argument.value.number:
            return  # An attribute that is always None.
        if self.keyword in attention.arguments or any(field in read for field in argument.value.fields):
            return
        fields = f" ({', '.join(argument.value.fields)})" if argument.value.fields else ""
        message = f"attention applies {self.what}, {self.keyword}={argument.value.source}{fields}, which this backend"
        yield self.finding(Level.LOSES, f"{message} does not take ({attention.location})", argument.location, REMEDY)

    def _only_the_backend(self, subject: Subject) -> Iterator[Finding]:
        model, field, attention = subject.model, self.field, subject.backend.attention
        if model is None or field is None or field not in attention.fields or not model.attention:
            return
        if field in model.fields.known and field not in model.words:
            level = Level.NOTE if model.fields.neutral(field) else Level.LOSES
            message = f"this backend applies {self.what} from {field}, which the Hugging Face attention never reads"
            yield self.finding(level, message, attention.location, REMEDY)

    def _only_the_bespoke_side(self, subject: Subject) -> Iterator[Finding]:
        for call in subject.bespoke.engine_calls if subject.bespoke is not None else ():
            value = call.argument(self.engine_keyword)
            if value is not None and value.fields and self.field not in value.fields:
                message = f"the modeling file's attention applies {self.what}, {self.engine_keyword}={value.source}"
                message = f"{message} ({', '.join(value.fields)}), and the Hugging Face attention hands nothing over"
                yield self.finding(Level.NOTE, message, call.location, "Compare log-probabilities on a checkpoint.")
                return
