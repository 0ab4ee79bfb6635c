"""What a run of the engine is for, and what it asks of the engine."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Any

from retire_model.smoke.settings import Device, Settings, Size

LENGTH, SEQUENCES = 128, 8
BLOCKS = 512
"""Of the cache where memory is measured: more than those prompts need."""


class Purpose(StrEnum):
    """The words of the report."""

    PLAIN = "plain"
    TENSOR = "tensor parallel"
    PIPELINE = "pipeline parallel"
    LORA = "LoRA"
    QUANTIZED = "quantized"
    COMPILED = "compiled"
    MEASURED = "measured"


def engine_arguments(purpose: Purpose, settings: Settings, implementation: str) -> dict[str, Any]:
    """The keywords of the engine's `LLM`."""
    arguments: dict[str, Any] = {
        "model_impl": implementation,
        "dtype": settings.dtype,
        # A pickle can run code when it is loaded.
        "load_format": "dummy" if settings.load_format == "dummy" else "safetensors",
        "max_model_len": LENGTH,
        "max_num_seqs": SEQUENCES,
        "enforce_eager": not _as_users_do(purpose, settings),
        "seed": 0,
    }
    if settings.device is Device.CUDA:
        arguments["gpu_memory_utilization"] = 0.9 if settings.size is Size.FULL else 0.3
    match purpose:
        case Purpose.TENSOR:
            arguments |= {"tensor_parallel_size": settings.tensor_parallel, "distributed_executor_backend": "mp"}
        case Purpose.PIPELINE:
            arguments |= {"pipeline_parallel_size": settings.pipeline_parallel, "distributed_executor_backend": "mp"}
        case Purpose.LORA:
            arguments |= {"enable_lora": True, "max_lora_rank": 8, "max_loras": 1}
        case Purpose.QUANTIZED:
            arguments |= {"quantization": "fp8", "dtype": "bfloat16"}
        case Purpose.MEASURED if settings.device is Device.CUDA:
            # Else the cache fills what memory there is, and both sides take the same.
            arguments |= {"num_gpu_blocks_override": BLOCKS}
    return arguments


def _as_users_do(purpose: Purpose, settings: Settings) -> bool:
    """Compiled and with CUDA graphs: what is measured on a GPU is what users will see."""
    return purpose is Purpose.COMPILED or (purpose is Purpose.MEASURED and settings.device is Device.CUDA)


def workers(purpose: Purpose, settings: Settings) -> int:
    """How many processes share the model."""
    match purpose:
        case Purpose.TENSOR:
            return settings.tensor_parallel
        case Purpose.PIPELINE:
            return settings.pipeline_parallel
        case _:
            return 1


def environment(purpose: Purpose, settings: Settings) -> dict[str, str]:
    """The variables of one run beside those that all have."""
    count = workers(purpose, settings)
    if count == 1 or settings.device is not Device.CPU:
        return {}
    # On one NUMA node the engine cannot share the cores out by itself.
    cores = sorted(os.sched_getaffinity(0))
    return {"VLLM_CPU_OMP_THREADS_BIND": "|".join(str(cores[rank % len(cores)]) for rank in range(count))}
