"""The report for machines, version 1. Its schema is `docs/smoke.schema.json`."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from retire_model.smoke.outcomes import CheckResult, Inconclusive
from retire_model.smoke.report import exit_status
from retire_model.smoke.report_text import WORDS, said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.smoke.measuring import Measurement
    from retire_model.smoke.report import SmokeReport

VERSION = 1


def json_report(reports: Sequence[SmokeReport]) -> str:
    """All reports."""
    content = {
        "version": VERSION,
        "exit_status": exit_status(reports),
        "models": [_model(report) for report in reports],
    }
    return json.dumps(content, indent=1)


def _model(report: SmokeReport) -> dict[str, Any]:
    settings = report.settings
    return {
        "architecture": report.architecture,
        "runner": report.runner.value,
        "emulation": report.is_emulation,
        "versions": dict(report.versions),
        "device": {"kind": settings.device.value, "name": settings.device_name},
        "dtype": settings.dtype,
        "tolerance": report.tolerance,
        "before": report.before,
        "after": report.after,
        "not_laid_over": list(report.not_laid_over),
        "checks": [_check(result) for result in report.results],
        "measurements": [_measurement(measurement) for measurement in report.measurements],
        "logs": str(report.logs),
        "seconds": round(report.seconds, 1),
    }


def _check(result: CheckResult) -> dict[str, Any]:
    outcome = result.outcome
    difference = None if isinstance(outcome, Inconclusive) else outcome.difference
    return {
        "name": result.name,
        "outcome": WORDS[type(outcome)][0],
        "said": said(outcome),
        # JSON knows no infinity: a result that is not a number.
        "difference": difference if difference is not None and math.isfinite(difference) else None,
        "explanations": list(result.explanations),
        "logs": [str(log) for log in result.logs],
    }


def _measurement(measurement: Measurement) -> dict[str, Any]:
    return {
        "quantity": measurement.quantity,
        "before": list(measurement.before),
        "after": list(measurement.after),
        "ratio": measurement.ratio,
        "noise": measurement.noise,
        "is_noise": measurement.is_noise,
    }
