"""How far log-probabilities may lie apart."""

from __future__ import annotations

TOLERANCES = {"float32": 1e-3, "float16": 5e-2, "bfloat16": 4e-1}
"""Nats, by dtype, against Transformers in the same dtype. Rounding of these tiny models was seen to be up to 5e-5 in
float32, 2e-2 in float16 and 1.3e-1 in bfloat16; the least fault that they are made to show was above one."""
BOTH = 2.0
"""Two engines may each lie as far from Transformers, in opposite directions."""


def tolerance(dtype: str) -> float:
    """That of one engine against Transformers."""
    return TOLERANCES[dtype]
