"""`--with-tests`: gives a plan a test on the backend for each architecture that the backend is to serve."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from analyzer.release.hugging_face_model import read_hugging_face_model
from codemods.plan import Migrate
from codemods.test_files.backend_test import BackendTest, backend_test_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from codemods.plan import RetirementPlan
    from retire_model.sources.trees import Trees
    from rules.assessment import Assessment


def with_backend_tests(plan: RetirementPlan, trees: Trees, assessments: Sequence[Assessment]) -> RetirementPlan:
    """The plan with its tests. Raises `Refused` for an architecture that none can be written for."""
    return replace(plan, backend_tests=tuple(_tests(plan, trees, assessments)))


def _tests(plan: RetirementPlan, trees: Trees, assessments: Sequence[Assessment]) -> Iterator[BackendTest]:
    served = {a.name for a in plan.architectures if isinstance(a.outcome, Migrate)}
    for assessment in assessments:
        for architecture, backend_class in assessment.backend_classes:
            model = read_hugging_face_model(trees.sources[0], architecture) if architecture in served else None
            if model is not None:
                generates = backend_class.endswith("ForCausalLM")
                yield backend_test_of(model, assessment.judgement, generates=generates)
