"""Runs, settings and reports for tests without an engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from retire_model.smoke.measuring import Measurement
from retire_model.smoke.outcomes import CheckResult, Failed, Inconclusive, Outcome, Passed, Ran
from retire_model.smoke.report import RunnerKind, SmokeReport
from retire_model.smoke.settings import Device, Settings, Size

if TYPE_CHECKING:
    from rules.assessment import Assessment

LOG = Path("run.log")
LOADED = {"unfilled": [], "weights": 3, "elements": 100, "parameters": 100}


def settings(**changed: Any) -> Settings:
    given: dict[str, Any] = {
        "device": Device.CPU,
        "device_name": "CPU, made up",
        "dtype": "float32",
        "tensor_parallel": 2,
        "pipeline_parallel": 2,
        "rounds": 0,
        "seconds": 60,
        "size": Size.TINY,
        "load_format": "auto",
        "checkpoint": None,
    }
    return Settings(**given | changed)


def ran(value: float = -1.0, served_by: str = "TransformersForCausalLM", **told: Any) -> Ran:
    """A run whose log-probabilities are `value` where Transformers' are -1."""
    prompt = {"name": "p", "positions": [[[7, value, -1.0]]], "tokens": [7], "expected": [7], "gaps": [5.0]}
    return Ran({"loaded": LOADED, "served_by": served_by, "prompts": [prompt], **told}, 1.0, LOG)


def report(*outcomes: Outcome, assessment: Assessment | None = None, **changed: Any) -> SmokeReport:
    given: dict[str, Any] = {
        "architecture": "ToyForCausalLM",
        "runner": RunnerKind.VLLM,
        "settings": settings(),
        "tolerance": 1e-3,
        "versions": (("vLLM", "9.0.0"), ("torch", "2.0")),
        "before": "/tree by ToyForCausalLM",
        "after": "/tree by any class of the backend",
        "not_laid_over": ("platforms/__init__.py",),
        "results": tuple(CheckResult(f"check {i}", outcome, (LOG,)) for i, outcome in enumerate(outcomes)),
        "measurements": (Measurement("decoded tokens per second", (10.0, 12.0, 11.0), (22.0, 23.0, 21.0)),),
        "logs": Path("/logs"),
        "seconds": 12.0,
        "assessment": assessment,
    }
    return SmokeReport(**given | changed)


EACH = (Passed("all | filled", 1e-6), Failed("shape is invalid", float("inf")), Inconclusive("before and after: no"))
