"""How fast one side is and what it takes: one round, after one that is thrown away."""

from __future__ import annotations

import resource
import time
from random import Random
from typing import Any

PROMPT, DECODED = 64, 32


def measure(llm: Any, wanted: dict[str, Any], engine: dict[str, Any]) -> dict[str, float]:
    """Seconds to the first token, decoded tokens in a second, and peak memory in bytes."""
    from vllm import SamplingParams

    random = Random(1)  # noqa: S311 - no secret
    length = min(PROMPT, engine["max_model_len"] - DECODED - 1)

    def seconds(tokens: int) -> float:
        # A prompt of its own each time: the engine keeps those it has seen.
        prompt = {"prompt_token_ids": [random.randrange(4, wanted["vocabulary"]) for _ in range(length)]}
        parameters = SamplingParams(temperature=0, max_tokens=tokens, ignore_eos=True, detokenize=False)
        begin = time.perf_counter()
        llm.generate([prompt], parameters, use_tqdm=False)
        return time.perf_counter() - begin

    seconds(DECODED)
    first = min(seconds(1) for _ in range(3))
    whole = min(seconds(DECODED) for _ in range(3))
    return {
        "first_token_seconds": first,
        "tokens_per_second": (DECODED - 1) / max(whole - first, 1e-9),
        "peak_bytes": _peak_bytes(),
    }


def _peak_bytes() -> float:
    """On a GPU what torch has allocated there at most, elsewhere the largest resident size of this process."""
    import torch

    if torch.cuda.is_available():
        return float(torch.cuda.max_memory_allocated())
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0
