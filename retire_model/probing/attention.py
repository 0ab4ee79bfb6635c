"""An attention implementation of our own that counts who calls it, registered the way the engine registers its own."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import torch
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

NAME = "retire_model_probe"


class WrongHeadsError(Exception):
    """A rank's attention was handed other heads than its own."""


class Observer:
    """What the attention implementation sees of one model, by the qualified name of the calling module."""

    def __init__(self, model: Any, share: dict[str, tuple[int, int]] | None = None) -> None:
        self.names = {id(module): name for name, module in model.named_modules()}
        self.calls: Counter[str] = Counter()
        self.heads: dict[str, tuple[int, int]] = {}
        """Of queries and of keys."""
        self.share = share or {}
        """The heads that each module has to hand over; empty where anything goes."""

    def see(self, module: Any, query: Any, key: Any) -> None:
        """Count a call. Raises `WrongHeadsError` for heads that are not this rank's."""
        name = self.names.get(id(module), type(module).__name__)
        self.calls[name] += 1
        found = (query.shape[1], key.shape[1])
        self.heads[name] = found
        wanted = self.share.get(name, found)
        if found != wanted:
            raise WrongHeadsError(
                f"{name} hands {found[0]} heads of queries and {found[1]} of keys to attention, "
                f"which serves {wanted[0]} and {wanted[1]} on each rank"
            )


_current = threading.local()


def observe(observer: Observer) -> None:
    """Let the calls of this thread be seen by `observer` from now on."""
    _current.observer = observer


def register() -> None:
    """Make the implementation known under its name, with the masks that eager attention gets."""
    ALL_ATTENTION_FUNCTIONS.register(NAME, attend)
    try:
        from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, eager_mask
    except ImportError:  # releases before the masks had an interface
        return
    ALL_MASK_ATTENTION_FUNCTIONS.register(NAME, eager_mask)


def attend(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any = None,
    scaling: Any = None,
    softcap: Any = None,
    **_: Any,
) -> tuple[Any, None]:
    """Plain attention over `(batch, heads, tokens, size)`; what else is handed over is not needed to compare runs."""
    _current.observer.see(module, query, key)
    repeats = query.shape[1] // key.shape[1]
    if repeats > 1:
        key, value = (states.repeat_interleave(repeats, dim=1) for states in (key, value))
    scores = query @ key.transpose(-1, -2) * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    if softcap is not None:
        scores = (scores / softcap).tanh() * softcap
    rows, columns = scores.shape[-2:]
    if isinstance(attention_mask, torch.Tensor) and attention_mask.dim() == 4 and attention_mask.shape[-1] == columns:
        masked = attention_mask.dtype == torch.bool
        scores = scores.masked_fill(~attention_mask, -1e9) if masked else scores + attention_mask
    elif rows == columns:
        scores = scores.masked_fill(torch.ones(rows, columns, device=scores.device).triu(1).bool(), -1e9)
    return (scores.softmax(-1, dtype=torch.float32).to(value.dtype) @ value).transpose(1, 2).contiguous(), None
