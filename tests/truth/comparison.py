"""Compares verdicts with what the real engine did, as `truth/backend.json` and `fixtures/truth-0.32.0.json` hold it."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.model_names import BespokeModel, find_model
from analyzer.release.hugging_face import HuggingFaceSource
from rules.assessment import Assessor
from rules.findings import Capability, Level

if TYPE_CHECKING:
    from collections.abc import Iterator

KNOWN = Path(__file__).parents[2] / "fixtures/truth-known.toml"
MEASURED = {"load": Capability.LOAD, "tensor_parallel_2": Capability.TENSOR_PARALLEL}
LOUDEST = (Level.BLOCKS, Level.LOSES, Level.UNPROVEN)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One measurement and the verdict about it."""

    architecture: str
    measured: str
    """`load` or `tensor_parallel_2`."""
    runs: bool
    error: str
    cpu_only: bool
    verdict: bool | None
    """Whether the backend can do it, by the rules; None where reading cannot tell."""
    reasons: tuple[str, ...]

    @property
    def called_eligible_and_failed(self) -> bool:
        """The worst: a user would ship it."""
        return self.verdict is True and not self.runs and not self.cpu_only

    @property
    def refused_and_ran(self) -> bool:
        """A retirement missed."""
        return self.verdict is False and self.runs

    @property
    def wrong(self) -> bool:
        """Whether the verdict and the engine disagree."""
        return self.called_eligible_and_failed or self.refused_and_ran


def known_reasons() -> dict[tuple[str, str], str]:
    """The disagreements that are kept, by architecture and measurement, each with its reason."""
    content = tomllib.loads(KNOWN.read_text())
    return {(name, what): reason for name, reasons in content.items() for what, reason in reasons.items()}


def compare(truth: Path, engine_root: Path, release_root: Path) -> Iterator[Comparison]:
    """One comparison for each measurement of the file `truth`."""
    content: dict[str, Any] = json.loads(truth.read_text())
    engine = open_engine_tree(engine_root)
    sources = (HuggingFaceSource(release_root, content["transformers"]),)
    assessor = Assessor(engine, sources)
    for architecture, results in content["architectures"].items():
        model = find_model(engine, sources, architecture)
        if isinstance(model, BespokeModel):
            model = BespokeModel(model.module, (architecture,), whole=False)
        judgement = assessor.assess(model).judgement
        for measured, capability in MEASURED.items():
            if measured in results:
                found = results[measured]
                told = [f for f in judgement.findings if f.level in LOUDEST and f.capability is capability]
                yield Comparison(
                    architecture,
                    measured,
                    found["result"] == "runs",
                    found.get("error", ""),
                    found.get("cpu_only", False),
                    judgement.capabilities[capability].backend,
                    tuple(f"{f.rule}: {f.message}" for f in told),
                )
