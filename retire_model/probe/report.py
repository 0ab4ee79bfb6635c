"""What the probe found, for people and for machines."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.text import Text

from retire_model.probe.reading import NotBuilt
from retire_model.reports.findings_text import INDENT
from retire_model.reports.layout import hanging

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retire_model.probe.comparison import Disagreement
    from retire_model.probe.probed import Probed
    from retire_model.probe.reading import ProbeReading

HEADING = "static and dynamic reading disagree"
MOST_NAMES = 6


def probe_report(found: Sequence[Probed]) -> Text:
    """What each model is when it is built, and where that is not what was read."""
    return Text("\n").join(line for probed in found for line in _model(probed))


def _model(probed: Probed) -> Iterator[Text]:
    yield Text()
    outcome = probed.outcome
    if isinstance(outcome, NotBuilt):
        yield Text.assemble((probed.architecture, "bold"), f" was not built with Transformers {probed.release}")
        yield from hanging(Text.assemble(" " * INDENT, (outcome.reason, "magenta")), INDENT)
        return
    versions = f"Transformers {outcome.transformers}, torch {outcome.torch}"
    yield Text.assemble((probed.architecture, "bold"), f" built and run small: {versions}")
    yield from hanging(Text(", ".join(f"{name}={value}" for name, value in outcome.settings.items()), style="dim"), 2)
    for what, told in _told(outcome):
        yield from hanging(Text.assemble((f"{what:<20}", "dim"), told), 20)
    if probed.disagreements:
        yield Text(HEADING, style="bold red")
        for disagreement in probed.disagreements:
            yield from _disagreement(disagreement)
        yield Text("That is a fault of ours: please report it.", style="italic")


def _told(reading: ProbeReading) -> Iterator[tuple[str, str]]:
    reached = [linear for linear in reading.linears if linear.style is not None]
    rest = [linear.name for linear in reading.linears if linear.style is None]
    linears = f"the plan reaches {sum(r.count for r in reached)} of {sum(r.count for r in reading.linears)}"
    yield "linears", f"{linears}{', not ' if rest else ''}{_some(rest)}"
    if reading.transposed_linears:
        yield "Conv1D", _some(f"{owner}.{name}" for owner, name in sorted(reading.transposed_linears))
    yield "attention", reading.attention_error or _attention(reading)
    yield "two ranks", reading.sharded.told if reading.sharded is not None else "no plan to share the linears by"
    if reading.staged is not None:
        yield "two stages", reading.staged.told


def _attention(reading: ProbeReading) -> str:
    if not reading.attention:
        return "no module calls the attention interface"
    classes = sorted({d.class_name for d in reading.attention})
    calls = sum(d.calls for d in reading.attention)
    layers = len({d.layer for d in reading.attention if d.layer is not None})
    return f"{', '.join(classes)}: {calls} calls of the attention interface by {layers} layers"


def _some(names: Iterable[str]) -> str:
    all_names = list(names)
    return ", ".join(all_names[:MOST_NAMES]) + (" …" if len(all_names) > MOST_NAMES else "")


def _disagreement(disagreement: Disagreement) -> Iterator[Text]:
    yield from hanging(Text.assemble((f"{disagreement.about:<24}", "red"), f"read: {disagreement.static}"), 30)
    yield from hanging(Text(f"{'':<24}is:   {disagreement.dynamic}"), 30)


def probe_json(found: Sequence[Probed]) -> list[dict[str, Any]]:
    """The same as data."""
    return [
        {
            "architecture": probed.architecture,
            "transformers": probed.release,
            "not_built": probed.outcome.reason if isinstance(probed.outcome, NotBuilt) else None,
            "built": None if isinstance(probed.outcome, NotBuilt) else _built(probed.outcome),
            "disagreements": [asdict(disagreement) for disagreement in probed.disagreements],
        }
        for probed in found
    ]


def _built(reading: ProbeReading) -> dict[str, Any]:
    return {
        "torch": reading.torch,
        "settings": dict(reading.settings),
        "tensor_parallel_plan": dict(reading.tensor_parallel_plan),
        "pipeline_parallel_plan": list(reading.pipeline_parallel_plan),
        "linears": [asdict(linear) for linear in reading.linears],
        "conv1d": [f"{owner}.{name}" for owner, name in sorted(reading.transposed_linears)],
        "attention": [asdict(dispatcher) for dispatcher in reading.attention],
        "attention_error": reading.attention_error,
        "two_ranks": asdict(reading.sharded) if reading.sharded is not None else None,
        "two_stages": asdict(reading.staged) if reading.staged is not None else None,
    }
