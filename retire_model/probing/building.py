"""Builds the classes of an architecture from a shrunk configuration: on the meta device first, then small and real."""

from __future__ import annotations

import inspect
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch
import transformers

from .marked_values import marked
from .shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .sizes import Settings

TOKENS = (3, 17, 250, 99, 42, 7, 181, 64)
MOST_PARAMETERS = 120_000_000
"""A model that is still larger has not been shrunk."""


class NoModelError(Exception):
    """The release has no such class, or its configuration cannot be had."""


@dataclass(frozen=True)
class Built:
    """The classes of an architecture and a small configuration that both can be built from."""

    head_class: Any
    base_class: Any
    """What `AutoModel` builds, which is what the engine's backend runs; the head itself where there is no entry."""
    default: Any
    configuration: Any
    settings: Settings


def find(architecture: str) -> Built:
    """Find the classes and shrink their configuration.

    Raises `NoModelError` where the release has no such model, `CannotShrinkError` where no small one is built.
    """
    head_class = getattr(transformers, architecture, None)
    if head_class is None:
        raise NoModelError(f"Transformers {transformers.__version__} has no class {architecture}")
    configuration_class = getattr(head_class, "config_class", None)
    if configuration_class is None:
        raise NoModelError(f"{architecture} names no configuration class")
    base_class = _base(configuration_class) or head_class

    def build(configuration: Any) -> None:
        on_meta(head_class, configuration)
        run(small(base_class, configuration))

    configuration, settings = shrink(configuration_class, build)
    return Built(head_class, base_class, configuration_class(), configuration, settings)


def with_multipliers(built: Built) -> Built:
    """The same with multipliers that are not neutral, or what is done once too often would not show."""
    settings = {**built.settings, **marked(built.configuration, "multipliers")}
    with suppress(Exception):
        configuration = type(built.configuration)(**deepcopy(settings))
        on_meta(built.head_class, configuration)
        run(small(built.base_class, configuration))
        return replace(built, configuration=configuration, settings=settings)
    return built


def _base(configuration_class: Any) -> Any:
    found = transformers.AutoModel._model_mapping.get(configuration_class, None)
    return found[0] if isinstance(found, tuple) else found


def on_meta(model_class: Any, configuration: Any) -> Any:
    """The model without storage. Raises `ValueError` where it is still large."""
    with torch.device("meta"):
        model = model_class(configuration)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    if parameters > MOST_PARAMETERS:
        raise ValueError(f"the shrunk model still has {parameters / 1e6:.0f} million parameters")
    return model


def small(model_class: Any, configuration: Any) -> Any:
    """The model with seeded random weights; vectors are moved off their neutral start, or nothing would show."""
    on_meta(model_class, configuration)
    torch.manual_seed(0)
    model = model_class(configuration).float().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if not torch.isfinite(parameter).all():
                parameter.normal_(std=0.02)
            elif parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    return model


def run(model: Any, inputs_embeds: Any = None, tokens: Sequence[int] = TOKENS) -> Any:
    """The hidden states that a forward over a few tokens ends with."""
    accepted = inspect.signature(model.forward).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in accepted.values())
    arguments: dict[str, Any] = {"use_cache": False} if takes_all or "use_cache" in accepted else {}
    codebooks = getattr(model.config, "num_codebooks", None) or 1
    given = torch.tensor([list(tokens)] * codebooks, device=next(model.parameters()).device)
    encodes = "decoder_input_ids" in accepted
    if encodes and "input_ids" not in accepted:
        # What it encodes is no text: the encoder's output is given instead.
        arguments["encoder_outputs"] = (torch.zeros(1, len(tokens), model.config.hidden_size),)
    elif inputs_embeds is None or encodes:
        arguments["input_ids"] = given
    if inputs_embeds is not None:
        arguments["decoder_inputs_embeds" if encodes else "inputs_embeds"] = inputs_embeds
    elif encodes:
        arguments["decoder_input_ids"] = given
    with torch.no_grad():
        output = model(**arguments)
    return output[0]
