"""Shrinks the configuration of any model, by the names of its fields and by trying.

The configuration class's own defaults are kept, save for sizes, lists with one value a layer (cut so that every
kind that occurs still occurs), lists that add up to a size, and token ids. Where a model cannot be built from that,
one change after the other is tried that has made others fit: see `repairs`.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from copy import deepcopy
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .fields import field
from .repairs import repaired
from .sizes import HEAD_DIM, HIDDEN, LAYERS, VOCABULARY, Settings, size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TRIES = 80


class CannotShrinkError(Exception):
    """No small configuration was found; the text is what the first one failed with."""


def shrink(configuration_class: Any, build: Callable[[Any], None]) -> tuple[Any, Settings]:
    """A small configuration that `build` does not fail on, and what was set in it.

    Raises `CannotShrinkError` where none of the tries is built, and whatever the class raises for its own defaults.
    """
    default = configuration_class()
    start = small_settings(default)
    for settings in attending(start, default):
        with suppress(Exception):
            return _build(configuration_class, settings, build), settings
    waiting = deque([(start, "")])
    first = ""
    tried: list[Settings] = []
    while waiting and len(tried) < TRIES:
        settings, before = waiting.popleft()
        if settings in tried:
            continue
        tried.append(settings)
        try:
            return _build(configuration_class, settings, build), settings
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            first = first or reason
            others = [(other, reason) for other in repaired(settings, default, reason)]
            # What fails otherwise than before has come further: go on from there first.
            if reason == before:
                waiting.extend(others)
            else:
                waiting.extendleft(reversed(others))
    raise CannotShrinkError(first)


def _build(configuration_class: Any, settings: Settings, build: Callable[[Any], None]) -> Any:
    # A copy: some classes take out of the parts what they have read.
    configuration = configuration_class(**deepcopy(settings))
    build(configuration)
    return configuration


def attending(settings: Settings, default: Any) -> Iterator[Settings]:
    """The settings with a layer that attends, where by default none does though the class knows such layers."""
    for name, value in {**vars(default), **settings}.items():
        if value is None and name.endswith("layer_indices"):
            yield {**settings, name: [1]}
        elif name == "layer_types" and value and set(value) == {"linear_attention"}:
            yield {**settings, name: [value[0], "full_attention", *value[2:LAYERS]]}


def small_settings(default: Any) -> Settings:
    """What to set of a configuration whose defaults are `default`, its parts included."""
    return dict(_changes(default))


def _changes(default: Any) -> Iterator[tuple[str, Any]]:
    names = {real: known for known, real in (getattr(default, "attribute_map", None) or {}).items()}
    layers, hidden = (field(default, name) for name in ("num_hidden_layers", "hidden_size"))
    for name, value in vars(default).items():
        if name == "is_decoder" and value is False and not default.is_encoder_decoder:
            yield name, True
        if name.startswith(("_", "base_model_")) or name in ("id2label", "label2id"):
            continue
        small = _small(names.get(name, name), value, layers, hidden, default)
        if small != value:
            yield name, small


def _small(name: str, value: Any, layers: int | None, hidden: int | None, owner: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if hasattr(value, "to_dict") and hasattr(value, "model_type"):
        part = small_settings(value)
        return {"model_type": value.model_type, **part} if part else value
    if name.endswith(("token_id", "token_index")):
        return _token(name, value)
    if isinstance(value, int):
        return size_of(name, value)
    if isinstance(value, dict):
        return {key: _sections(key, inner, owner) for key, inner in value.items()}
    if isinstance(value, list | tuple) and value:
        return type(value)(_small_list(name, list(value), layers, hidden))
    return value


def _token(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [2]
    outside = isinstance(value, int) and not 0 <= value < VOCABULARY
    return {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}.get(name, 3) if outside else value


def _sections(key: str, value: Any, owner: Any) -> Any:
    """Sections that share out the rotary dimensions among several axes, scaled with the size of a head."""
    if isinstance(value, dict):
        return {k: _sections(k, inner, owner) for k, inner in value.items()}
    whole = vars(owner).get("head_dim")
    if key.endswith("_section") and isinstance(value, list) and isinstance(whole, int):
        return proportional(value, max(sum(value) * HEAD_DIM // whole, len(value)))
    return value


def _small_list(name: str, values: list[Any], layers: int | None, hidden: int | None) -> list[Any]:
    numbers = all(isinstance(v, int) and not isinstance(v, bool) for v in values)
    if numbers and sum(values) == hidden:
        return proportional(values, HIDDEN)
    if not isinstance(layers, int) or layers <= LAYERS:
        return values
    if numbers and _are_layers(name, values, layers):
        return [v for v in values if v < LAYERS] or [1, LAYERS - 1]
    if len(values) == layers:
        short = cut(values)
        return [size_of(name, v) for v in short] if numbers else short
    return [_fewer_times(v, layers) for v in values]


def _are_layers(name: str, values: list[int], layers: int) -> bool:
    """Whether the numbers say which layers are meant."""
    ascending = all(a < b for a, b in pairwise(values))
    return ascending and values[0] >= 0 and values[-1] < layers and ("layer" in name or "idx" in name)


def _fewer_times(value: Any, layers: int) -> Any:
    """A block of kinds that is written down with the number of times it is repeated."""
    match value:
        case [list(kinds), int(times)] if len(kinds) * times == layers:
            return [kinds, max(LAYERS // len(kinds), 1)]
        case _:
            return value


def cut(values: list[Any]) -> list[Any]:
    """The values of the first layers, some replaced so that every kind of the whole list occurs, twice if it did."""
    short = list(values[:LAYERS])
    kinds: list[Any] = []
    for value in values:
        if value not in kinds:
            kinds.append(value)
    share = max(LAYERS // len(kinds), 1)
    for kind in kinds[:LAYERS]:
        while short.count(kind) < min(share, values.count(kind)):
            surplus = [i for i, v in enumerate(short) if short.count(v) > share]
            if not surplus:
                break
            short[surplus[-1]] = kind
    return short


def proportional(values: list[int], total: int) -> list[int]:
    """Whole numbers in the proportions of `values` that add up to `total`."""
    scaled = [value * total // sum(values) for value in values]
    scaled[0] += total - sum(scaled)
    return scaled
