"""Makes the tiny checkpoints of one architecture, and Transformers' own log-probabilities of each."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers

from retire_model.probing.building import Built, find, small
from retire_model.probing.marked_values import GROUPS, marked

from . import adapter
from .prompts import prompts
from .reference import FOLDER, log_probabilities, refer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Settings = dict[str, Any]
FACTORS = (4.0, 2.0, 1.0)
"""Matrices are multiplied by the first with which the model's numbers stay sound: then what is wrong shows."""
SOUND = 40.0
"""The largest log-probability that still is sound: beyond it, rounding is most of a difference."""


def work(job: Settings, tell: Callable[[Settings], None]) -> None:
    """Write the variants that the job asks for below its folder; each is told as it is done."""
    transformers.logging.set_verbosity(transformers.logging.ERROR)
    folder = Path(job["folder"])
    if job.get("checkpoint"):
        tell({"variants": {"checkpoint": _given(Path(job["checkpoint"]), folder, job)}})
        return
    if job["size"] == "full":
        tell({"variants": {"full": _full(job["architecture"], folder / "full")}})
        return
    built = find(job["architecture"])
    told = {}
    for name, settings in _variants(built, job.get("settings")):
        told[name] = _variant(built, {**built.settings, **settings}, folder / name, job) | {"settings": settings}
        tell({"variants": told})
    if job.get("adapter"):
        tell({"adapter": adapter.make(folder / "default", folder, job["dtype"])})


def _variants(built: Built, given: Settings | None) -> Iterator[tuple[str, Settings]]:
    """The one with default values, and the one with values that show; or only the settings asked for, one by one."""
    if given is not None:
        yield from ((f"{name}={value}", {name: value}) for name, value in given.items())
        return
    yield "default", {}
    together: Settings = {}
    for group in GROUPS:
        more = {**together, **marked(built.configuration, group)}
        if more != together and _can_be_built(built, {**built.settings, **more}):
            together = more
    if together:
        yield "marked", together


def _can_be_built(built: Built, settings: Settings) -> bool:
    try:
        model = small(built.head_class, _configuration(built, settings))
        log_probabilities(model, [5, 6, 7], "cpu")
    except Exception:
        return False
    return True


def _configuration(built: Built, settings: Settings) -> Any:
    return type(built.configuration)(**deepcopy(settings))


def _variant(built: Built, settings: Settings, folder: Path, job: Settings) -> Settings:
    configuration = _configuration(built, settings)
    asked = prompts(configuration.get_text_config(decoder=True).vocab_size)
    model = _scaled(lambda: small(built.head_class, configuration), asked)
    model.to(getattr(torch, job["dtype"])).save_pretrained(folder)
    device = job["device"]
    refer(load(folder, job["dtype"], device), asked, device).write(folder / FOLDER)
    count = sum(parameter.numel() for parameter in model.parameters())
    return {"folder": str(folder), "reference": str(folder / FOLDER), "parameters": count}


def _scaled(make: Callable[[], Any], asked: list[tuple[str, bool, list[int]]]) -> Any:
    """The model with its matrices multiplied by a factor that sets its choices apart."""
    for factor in FACTORS:
        model = make()
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.dim() > 1:
                    parameter.mul_(factor)
        found = [log_probabilities(model, tokens, "cpu") for _, _, tokens in asked]
        if all(torch.isfinite(rows).all() and rows.abs().max() < SOUND for rows in found):
            return model
    return model


def load(folder: Path, dtype: str, device: str) -> Any:
    """The model of a checkpoint, with plain attention where its class has that."""
    # A pickle can run code when it is loaded.
    options: Settings = {"dtype": getattr(torch, dtype), "local_files_only": True, "use_safetensors": True}
    head_class = getattr(transformers, _own_configuration(folder).architectures[0])
    try:
        model = head_class.from_pretrained(folder, attn_implementation="eager", **options)
    except ValueError:
        model = head_class.from_pretrained(folder, **options)
    return model.to(device).eval()


def _given(checkpoint: Path, folder: Path, job: Settings) -> Settings:
    """A real checkpoint is not written to: its reference goes to `folder`."""
    configuration = _own_configuration(checkpoint)
    asked = prompts(configuration.get_text_config(decoder=True).vocab_size)
    refer(load(checkpoint, job["dtype"], job["device"]), asked, job["device"]).write(folder)
    return {"folder": str(checkpoint), "reference": str(folder), "settings": {}}


def _own_configuration(checkpoint: Path) -> Any:
    """By the class of Transformers: no code of a checkpoint is run."""
    return transformers.AutoConfig.from_pretrained(checkpoint, trust_remote_code=False)


def _full(architecture: str, folder: Path) -> Settings:
    """The real dimensions, as the configuration class has them by default; the engine makes the weights up."""
    head_class = getattr(transformers, architecture)
    configuration = head_class.config_class()
    configuration.architectures = [architecture]
    configuration.save_pretrained(folder)
    with torch.device("meta"):
        parameters = sum(p.numel() for p in head_class(configuration).parameters())
    return {"folder": str(folder), "parameters": parameters, "settings": {}}
