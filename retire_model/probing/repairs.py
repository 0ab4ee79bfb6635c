"""Changes to a shrunk configuration that may make a model fit together: what the failure tells, then by trying."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

from .fields import field
from .sizes import CORE, HEAD_DIM, HEADS, HIDDEN, LAYERS, Settings, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_MISSING_FIELD = re.compile(r"'\w+' object has no attribute '(\w+)'")
_MISSING_KEY = re.compile(r"^KeyError: '(\w+)'")
_ROPE: dict[str, Any] = {"rope_theta": 10000.0, "rope_type": "default"}
_USUAL: dict[str, Any] = {**_ROPE, "mrope_section": [6, 6, 4], "clip_qkv": 8.0}
"""What most models have under names that some configuration classes leave out of their defaults."""
LARGE = 1 << 30


def repaired(settings: Settings, default: Any, reason: str) -> Iterator[Settings]:
    """Other settings to try after `settings` have failed for `reason`, the likeliest first."""
    yield from _given_missing(settings, default, reason)
    yield from _with_sections(settings, default)
    yield from _switched_on(settings, default)
    told = [name for name in settings if name in reason]
    for name in told:
        if isinstance(settings[name], int) and name not in CORE:
            yield {**settings, name: 1}
    yield from _equal_heads(settings)
    yield from _in_proportion(settings, default)
    for name in (*told, *(name for name in reversed(settings) if name not in told)):
        if name not in CORE:
            yield {key: value for key, value in settings.items() if key != name}


def _given_missing(settings: Settings, default: Any, reason: str) -> Iterator[Settings]:
    """What the failure says is not there, wherever it may belong."""
    field, key = _MISSING_FIELD.search(reason), _MISSING_KEY.search(reason)
    if field is not None:
        name = field[1]
        value = _USUAL.get(name, size_of(name, LARGE))
        if value != LARGE:
            yield from _added_to_parts({**settings, name: value}, {name: value})
    elif key is not None:
        rope = settings.get("rope_parameters", vars(default).get("rope_parameters"))
        kinds = settings.get("layer_types", vars(default).get("layer_types")) or ()
        if isinstance(rope, dict) and key[1] in kinds:
            yield {**settings, "rope_parameters": {kind: {**_ROPE, **copy.deepcopy(rope)} for kind in kinds}}
        elif isinstance(rope, dict) and key[1] in _USUAL:
            yield {**settings, "rope_parameters": _with_key(rope, key[1], _USUAL[key[1]])}


def _added_to_parts(settings: Settings, added: Settings) -> Iterator[Settings]:
    """The settings as they are, and with `added` in each of their parts instead."""
    for name, part in settings.items():
        if name.endswith("_config") and isinstance(part, dict):
            yield {**{k: v for k, v in settings.items() if k not in added}, name: {**part, **added}}
    yield settings


def _with_key(rope: Settings, key: str, value: Any) -> Settings:
    if any(isinstance(inner, dict) for inner in rope.values()):
        return {k: {**inner, key: value} if isinstance(inner, dict) else inner for k, inner in rope.items()}
    return {**rope, key: value}


def _with_sections(settings: Settings, default: Any) -> Iterator[Settings]:
    """With sections of the rotary dimensions, where the class knows them and leaves them out by default."""
    rope = settings.get("rope_parameters")
    known = getattr(default, "ignore_keys_at_rope_validation", None) or ()
    if isinstance(rope, dict) and "mrope_section" in known and "mrope_section" not in str(rope):
        yield {**settings, "rope_parameters": _with_key(rope, "mrope_section", _USUAL["mrope_section"])}


def _switched_on(settings: Settings, default: Any) -> Iterator[Settings]:
    """With every field that is none by default and whose name says what to give it, in the parts as well."""
    found = dict(_unset_fields(settings, default))
    for name, part in vars(default).items():
        if hasattr(part, "model_type") and isinstance(settings.get(name), dict):
            inner = dict(_unset_fields(settings[name], part))
            if inner:
                found[name] = {**settings[name], **inner}
    if found:
        yield {**settings, **found}


def _unset_fields(settings: Settings, default: Any) -> Iterator[tuple[str, Any]]:
    parts = getattr(default, "sub_configs", None) or {}
    for name, value in vars(default).items():
        if value is not None or name in settings or name.startswith("_"):
            continue
        choices = f"{name.removeprefix('default_')}s" if name.startswith("default_") else ""
        if size_of(name, LARGE) != LARGE:
            yield name, size_of(name, LARGE)
        elif name in _USUAL:
            yield name, _USUAL[name]
        elif name == "layer_types":
            yield name, ["full_attention"] * LAYERS
        elif choices and field(default, choices):
            yield name, field(default, choices)[0]
        elif hasattr(parts.get(name), "model_type"):
            yield name, {"model_type": parts[name].model_type}


def _equal_heads(settings: Settings) -> Iterator[Settings]:
    """With as many heads of keys and values as of queries."""
    changed = {n: HEADS for n in settings if n.endswith(("key_value_heads", "kv_heads")) and settings[n] != HEADS}
    if changed:
        yield {**settings, **changed}


def _in_proportion(settings: Settings, default: Any) -> Iterator[Settings]:
    """With widths that are a multiple of the hidden size by default kept so, heads taken together as well."""
    hidden, heads = (field(default, name) for name in ("hidden_size", "num_attention_heads"))
    heads = heads or field(default, "num_heads")
    if not isinstance(hidden, int) or not isinstance(heads, int):
        return
    changed: Settings = {}
    for name, value in settings.items():
        given = vars(default).get(name)
        if not isinstance(given, int) or isinstance(value, bool):
            continue
        if value == HIDDEN and given % hidden == 0:
            changed[name] = HIDDEN * (given // hidden)
        elif value == HEAD_DIM and name.endswith("head_dim") and (given * heads) % hidden == 0:
            changed[name] = HIDDEN * (given * heads // hidden) // HEADS
    if any(settings[name] != value for name, value in changed.items()):
        yield {**settings, **changed}
