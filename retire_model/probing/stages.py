"""Runs a model in two stages, as the engine's backend splits it under pipeline parallel.

By the pipeline parallel plan, or without one by the one `nn.ModuleList` among the children in order of declaration.
"""

from __future__ import annotations

import copy
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from torch import nn

from .attention import Observer, observe
from .building import TOKENS, run

if TYPE_CHECKING:
    from collections.abc import Sequence


class NoSplitError(Exception):
    """The model cannot be split; the text says why."""


def run_in_stages(model: Any, plan: list[str], tokens: Sequence[int] = TOKENS) -> Any:
    """The hidden states after both stages; `plan` holds the names in order, none where there is no plan.

    Raises `NoSplitError`, and what a stage raises.
    """
    names = plan or _children_with_weights(model)
    layers = _the_list(model, names)
    first, last = copy.deepcopy(model), copy.deepcopy(model)
    position = names.index(layers)
    tied = getattr(model.config.get_text_config(decoder=True), "tie_word_embeddings", False)
    for name in names[position + 1 :]:
        _drop(first, name)
    for name in () if tied else names[:position]:
        _drop(last, name)
    count = len(attrgetter(layers)(model))
    for index in range(count):
        _drop(last if index < count // 2 else first, f"{layers}.{index}")
    observe(Observer(first))
    hidden = run(first, tokens=tokens)
    observe(Observer(last))
    return run(last, inputs_embeds=hidden, tokens=tokens)


def _children_with_weights(model: Any) -> list[str]:
    """The children of the decoder, as the engine infers the order without a plan."""
    decoder = model.get_decoder() if hasattr(model, "get_decoder") else model
    prefix = next((f"{name}." for name, module in model.named_modules() if module is decoder and name), "")
    return [f"{prefix}{n}" for n, child in decoder.named_children() if next(child.parameters(), None) is not None]


def _the_list(model: Any, names: list[str]) -> str:
    missing = [name for name in names if _get(model, name) is None]
    if missing:
        raise NoSplitError(f"the plan names {', '.join(missing)}, which {type(model).__name__} does not have")
    lists = [name for name in names if isinstance(_get(model, name), nn.ModuleList)]
    if len(lists) != 1:
        raise NoSplitError(f"{len(lists)} lists of modules to split, where it takes one")
    return lists[0]


def _get(model: Any, name: str) -> Any:
    try:
        return attrgetter(name)(model)
    except AttributeError:
        return None


def _drop(model: Any, name: str) -> None:
    """Put in the place of a module one that hands on its first argument."""
    missing = nn.Identity()
    missing.forward = lambda *args, **kwargs: args[0] if args else next(iter(kwargs.values()))
    owner, _, attribute = name.rpartition(".")
    setattr(attrgetter(owner)(model) if owner else model, attribute, missing)
