"""`--probe`: every Hugging Face class of a report is built and run, and compared with what was read of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.release.hugging_face_model import read_hugging_face_model
from retire_model.probe.comparison import compare, compare_stages
from retire_model.probe.reading import NotBuilt, ProbeReading, parse
from rules.findings import Capability

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from analyzer.release.hugging_face import HuggingFaceSource
    from retire_model.probe.comparison import Disagreement
    from retire_model.probe.process import Probe
    from rules.assessment import Assessment


@dataclass(frozen=True, slots=True)
class Probed:
    """One architecture in one Transformers release."""

    architecture: str
    release: str
    outcome: ProbeReading | NotBuilt
    disagreements: tuple[Disagreement, ...]


def probe_models(
    probe: Probe,
    sources: Sequence[HuggingFaceSource],
    assessments: Sequence[Assessment],
    tell: Callable[[str], None],
) -> tuple[Probed, ...]:
    """Probe what `assessments` judged, release by release; an architecture that a release lacks is left out.

    Raises `EnvironmentProblem` where the probe cannot be run at all.
    """
    return tuple(
        p for index, source in enumerate(sources) for p in _of_release(probe, source, index, assessments, tell)
    )


def _of_release(
    probe: Probe,
    source: HuggingFaceSource,
    index: int,
    assessments: Sequence[Assessment],
    tell: Callable[[str], None],
) -> Iterator[Probed]:
    judged = {name: a.judgements[index] for a in assessments for name in a.architectures}
    models = {name: m for name in judged if (m := read_hugging_face_model(source, name)) is not None}
    if not models:
        return
    tell(f"building {', '.join(models)} with Transformers {source.label}")
    for answer in probe.run(source.files.root, list(models)):
        outcome = parse(answer)
        model = models[outcome.architecture]
        found: tuple[Disagreement, ...] = ()
        if isinstance(outcome, ProbeReading):
            in_stages = judged[outcome.architecture].capabilities[Capability.PIPELINE_PARALLEL].backend
            found = (*compare(model, outcome), *compare_stages(in_stages, outcome))
        yield Probed(outcome.architecture, source.label, outcome, found)
