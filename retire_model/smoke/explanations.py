"""What reading the sources says about a check that fails: the findings of the rules on its capability."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retire_model.smoke.checks import LOADS
from retire_model.smoke.outcomes import Failed
from rules.findings import Capability, Level

if TYPE_CHECKING:
    from retire_model.smoke.outcomes import CheckResult
    from retire_model.smoke.subjects import Subject
    from rules.assessment import Assessment
    from rules.findings import Finding

CAPABILITIES = {
    LOADS: Capability.LOAD,
    "tensor parallel": Capability.TENSOR_PARALLEL,
    "pipeline parallel": Capability.PIPELINE_PARALLEL,
    "LoRA": Capability.LORA,
    "quantized": Capability.QUANTIZATION,
    "torch.compile": Capability.COMPILE,
}
"""By how the names of checks begin; the others are about accuracy."""
MOST = 3


def explained(result: CheckResult, subject: Subject) -> CheckResult:
    """A check that failed, with what reading says about it: at most a few findings, the gravest first."""
    if not isinstance(result.outcome, Failed) or subject.assessment is None:
        return result
    return replace(result, explanations=_findings(subject.assessment, subject.architecture, result.name))


def _findings(assessment: Assessment, architecture: str, check: str) -> tuple[str, ...]:
    capability = next((c for start, c in CAPABILITIES.items() if check.startswith(start)), Capability.ACCURACY)
    grave = [Level.BLOCKS, Level.LOSES, Level.UNPROVEN, Level.NOTE]
    found = [
        finding
        for finding in assessment.judgement.findings
        if finding.level in grave and finding.capability is capability and finding.architecture in ("", architecture)
    ]
    return tuple(dict.fromkeys(map(_told, sorted(found, key=lambda f: grave.index(f.level)))))[:MOST]


def _told(finding: Finding) -> str:
    place = f" ({finding.location})" if finding.location is not None else ""
    return f"{finding.message}{place} [{finding.rule}]"
