"""Runs four models in the engine, and compares what the checks say with what is known of this release on a CPU.

python -m tests.smoke_all ENGINE_PYTHON
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from retire_model.command import run
from retire_model.smoke.engine_python import ask
from retire_model.smoke.outcomes import Failed, Inconclusive, Passed
from retire_model.smoke.output import show
from retire_model.smoke.request import Request
from retire_model.smoke.smoke import smoke
from retire_model.smoke.subjects import find_subjects

RELEASE = "vllm==0.32.0"
WRITTEN = ("gemma", "stablelm")
"""Retired on a copy: the files that the codemods write are what runs."""
ANY_OTHER = ""
KNOWN: dict[str, dict[str, type[Passed | Failed | Inconclusive]]] = {
    "gemma": {"pipeline": Inconclusive, "quantized": Inconclusive, ANY_OTHER: Passed},
    "stablelm": {"tensor": Failed, "pipeline": Inconclusive, "quantized": Inconclusive, ANY_OTHER: Passed},
    # On the backend since 0.25.0, so that there is no before. The adapter of its packed `c_attn` is left out: the log
    # of the engine warns that no LoRA layer can wrap that projection.
    "GPTBigCodeForCausalLM": {
        "pipeline": Inconclusive,
        "quantized": Inconclusive,
        "LoRA": Failed,
        ANY_OTHER: Passed,
    },
    "gpt2": {"loads": Failed, ANY_OTHER: Inconclusive},
}
"""How each check ends, by how its name begins."""


def main(program: str) -> int:
    """0 where all is as it is known, 1 otherwise."""
    python = ask(program)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "vllm"
        transformers = str(python.transformers.folder.parent)
        options = ["--engine", RELEASE, "--transformers", transformers, "--write", "--accept", "all"]
        status = run([*WRITTEN, *options, "--copy-to", str(copy)])
        if status:
            return status
        request = Request(program, runner="vllm", rounds=1)
        written = find_subjects(WRITTEN, RELEASE, str(copy), python)
        others = find_subjects([name for name in KNOWN if name not in WRITTEN], RELEASE, None, python)
        reports = smoke((*written, *others), request, python)
    show(reports, "text")
    wrong = [
        f"{report.architecture}: {result.name} is {type(result.outcome).__name__}, not {expected.__name__}"
        for (known, report) in zip(KNOWN.values(), reports, strict=True)
        for result in report.results
        if not isinstance(result.outcome, expected := _expected(known, result.name))
    ]
    print("\n".join(wrong) or "\nAs it is known.")
    return 1 if wrong else 0


def _expected(
    known: dict[str, type[Passed | Failed | Inconclusive]], check: str
) -> type[Passed | Failed | Inconclusive]:
    return next(outcome for start, outcome in known.items() if check.startswith(start))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
