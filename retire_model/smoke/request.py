"""What the command line asks for, before it is known what there is."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, WrongUse
from retire_model.smoke.given_checkpoint import refuse_unsafe, those_of
from retire_model.smoke.report import RunnerKind
from retire_model.smoke.settings import Device, Settings, Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.smoke.engine_python import EnginePython

DTYPES = {Device.CPU: "float32", Device.CUDA: "bfloat16"}
"""What each device is good at."""
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Request:
    """The options that say how to run, as they were given; None or `auto` where they were not."""

    engine_python: str
    runner: str = AUTO
    device: str = AUTO
    dtype: str = AUTO
    tensor_parallel: int = 2
    pipeline_parallel: int = 2
    rounds: int = 3
    seconds: int = 300
    size: Size = Size.TINY
    load_format: str = AUTO
    checkpoint: Path | None = None
    logs: Path | None = None

    def check(self) -> None:
        """Raise `WrongUse` for options that do not go together."""
        if self.size is Size.FULL and self.load_format != "dummy":
            raise WrongUse("--size full needs --load-format dummy", "There are no weights of that size to load.")
        if self.checkpoint is not None:
            if self.size is Size.FULL or self.load_format == "dummy":
                raise WrongUse("--checkpoint has its own size and weights", "Leave --size and --load-format out.")
            refuse_unsafe(self.checkpoint)

    def those_given(self, architectures: Sequence[str]) -> tuple[str, ...]:
        """Those that there is a checkpoint of, where one is named. Raises `WrongUse` where it is of none of them."""
        return tuple(architectures) if self.checkpoint is None else those_of(self.checkpoint, architectures)

    def chosen_runner(self, python: EnginePython) -> RunnerKind:
        """What to run. Raises `EnvironmentProblem` where the engine is asked for and not there."""
        if self.runner == AUTO:
            return RunnerKind.TRANSFORMERS if python.engine is None else RunnerKind.VLLM
        if self.runner == RunnerKind.VLLM and python.engine is None:
            raise EnvironmentProblem(
                f"{python.program} has no vllm", "Name one that has: --engine-python PATH (`make engine`)."
            )
        return RunnerKind(self.runner)

    def settings(self, gpus: list[str], python: EnginePython, runner: RunnerKind) -> Settings:
        """The settings on a machine with those GPUs. Raises `EnvironmentProblem` where there is nothing to run on."""
        device = self._device(gpus, python, runner)
        name = gpus[0] if device is Device.CUDA else f"CPU, {_processor()}"
        return Settings(
            device=device,
            device_name=name,
            dtype=DTYPES[device] if self.dtype == AUTO else self.dtype,
            tensor_parallel=self.tensor_parallel,
            pipeline_parallel=self.pipeline_parallel,
            rounds=self.rounds,
            seconds=self.seconds,
            size=self.size,
            load_format=self.load_format,
            checkpoint=self.checkpoint.resolve() if self.checkpoint is not None else None,
        )

    def _device(self, gpus: list[str], python: EnginePython, runner: RunnerKind) -> Device:
        built_for_cpu = runner is RunnerKind.VLLM and python.engine is not None and python.engine.is_for_cpu
        usable = bool(gpus) and not built_for_cpu
        if self.device == Device.CUDA and not usable:
            why = "the engine is built for CPUs" if gpus else "torch finds no GPU"
            raise EnvironmentProblem(f"--device cuda: {why}", "Use --device cpu, or an engine and a torch for GPUs.")
        device = Device(self.device) if self.device != AUTO else Device.CUDA if usable else Device.CPU
        if device is Device.CPU and runner is RunnerKind.VLLM and not built_for_cpu:
            why = "" if gpus else ", and torch finds no GPU"
            raise EnvironmentProblem(
                f"the engine is not built for CPUs{why}",
                "Name one that is: --engine-python PATH (`make engine`). --runner transformers needs no engine.",
            )
        return device


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
