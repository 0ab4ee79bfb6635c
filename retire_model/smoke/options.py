"""From the options of the command line to a smoke run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from retire_model.smoke.request import Request
from retire_model.smoke.settings import Size
from retire_model.smoke.smoke import smoke_models

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def smoke_command(
    models: Sequence[str],
    before: str | None,
    after: str | None,
    engine_python: str | None,
    tensor_parallel: int,
    pipeline_parallel: int,
    dtype: str,
    device: str,
    runner: str,
    rounds: int,
    seconds: int,
    size: str,
    load_format: str,
    checkpoint: Path | None,
    logs: Path | None,
    output_format: str | None,
) -> int:
    """`retire-model smoke`. Raises as `smoke_models`."""
    request = Request(
        engine_python=engine_python or sys.executable,
        runner=runner,
        device=device,
        dtype=dtype,
        tensor_parallel=tensor_parallel,
        pipeline_parallel=pipeline_parallel,
        rounds=rounds,
        seconds=seconds,
        size=Size(size),
        load_format=load_format,
        checkpoint=checkpoint,
        logs=logs,
    )
    return smoke_models(models, before, after, request, output_format or "text")
