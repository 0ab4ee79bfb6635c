"""How far log-probabilities may lie apart."""

from __future__ import annotations

TOLERANCES = {"float32": 1e-3, "float16": 3e-2, "bfloat16": 2.5e-1}
"""Nats, by dtype, against Transformers in the same dtype. Rounding of these tiny models was seen to be about 1e-5 in
float32; the least of the faults that they are made to show was above one."""
BOTH = 2.0
"""Two engines may each lie as far from Transformers, in opposite directions."""


def tolerance(dtype: str) -> float:
    """That of one engine against Transformers."""
    return TOLERANCES[dtype]
