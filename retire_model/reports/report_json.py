"""The report for machines, version 1. Its schema is `docs/report.schema.json`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from codemods.answered_mentions import Answer, kept
from codemods.edits import ChangeSet, Creation, Deletion, Edit
from retire_model.reports.differences import unified_diff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.uses.downstream import DownstreamReference
    from codemods.answered_mentions import AnsweredMention
    from retire_model.probe.probed import Probed
    from retire_model.since import Eligibility
    from rules.assessment import Assessment
    from rules.findings import Finding
    from rules.verdict import Judgement

REPORT_VERSION = 1


def report(
    engine: EngineTree,
    assessments: Sequence[Assessment],
    change_set: ChangeSet | None = None,
    mentions: tuple[AnsweredMention, ...] = (),
    downstream: Sequence[DownstreamReference] | None = None,
    probed: Sequence[Probed] | None = None,
    since: Sequence[Eligibility] | None = None,
    survey: dict[str, Any] | None = None,
) -> str:
    """The assessments as JSON, and what was asked for besides: the plan, what plugins need, the probe, the walk."""
    content: dict[str, Any] = {
        "version": REPORT_VERSION,
        "engine": {
            "name": "vllm",
            "version": str(engine.version) if engine.version else None,
            "path": engine.files.real_root,
        },
        "models": [_model(assessment) for assessment in assessments],
    }
    if change_set is not None:
        content["plan"] = {
            "edits": [_edit(edit) for edit in change_set.edits],
            "kept": [_mention(found) for found in kept(mentions)],
            "edited": [_mention(found) for found in mentions if found.answer is Answer.EDITED],
        }
    if downstream is not None:
        content["downstream"] = [_downstream(place) for place in downstream]
    if probed is not None:
        from retire_model.probe.report import probe_json

        content["probe"] = probe_json(probed)
    if since is not None:
        from retire_model.reports.since_report import since_json

        content["since"] = [since_json(eligibility) for eligibility in since]
    if survey is not None:
        content["survey"] = survey
    return json.dumps(content, indent=2)


def _model(assessment: Assessment) -> dict[str, Any]:
    module = assessment.module
    return {
        "module": module.name if module else None,
        "architectures": list(assessment.architectures),
        "files": list(module.files) if module else [],
        "lines": module.lines if module else 0,
        "judgements": [_judgement(judgement) for judgement in assessment.judgements],
    }


def _judgement(judgement: Judgement) -> dict[str, Any]:
    return {
        "transformers": judgement.release,
        "verdict": judgement.verdict.value,
        "capabilities": {
            capability.value: {
                "bespoke": found.bespoke,
                "backend": found.backend,
                "status": found.status.value,
            }
            for capability, found in judgement.capabilities.items()
        },
        "findings": [_finding(finding) for finding in judgement.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.location
    return {
        "rule": finding.rule,
        "capability": finding.capability.value,
        "level": finding.level.value,
        "message": finding.message,
        "location": {"file": place.file, "line": place.line, "column": place.column} if place else None,
        "remedy": finding.remedy,
        "architecture": finding.architecture or None,
    }


def _mention(found: AnsweredMention) -> dict[str, Any]:
    place = found.mention.location
    return {
        "name": found.mention.name,
        "kind": found.mention.kind.value,
        "reason": found.reason,
        "location": {"file": place.file, "line": place.line, "column": place.column},
    }


def _downstream(place: DownstreamReference) -> dict[str, Any]:
    where = place.reference.location
    return {
        "tree": str(place.root),
        "module": place.reference.subject,
        "symbols": list(place.reference.symbols),
        "kind": place.reference.kind.value,
        "location": {"file": where.file, "line": where.line, "column": where.column},
    }


def _edit(edit: Edit) -> dict[str, Any]:
    kind = "delete" if isinstance(edit, Deletion) else "create" if isinstance(edit, Creation) else "rewrite"
    return {"kind": kind, "file": edit.file, "reasons": list(edit.reasons), "diff": unified_diff(edit)}
