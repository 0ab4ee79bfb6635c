"""Transformers' own log-probabilities of a checkpoint, written beside it and read again by the engine's runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE, ROWS = "reference.json", "reference.safetensors"
FOLDER = "reference"
"""Below a checkpoint: the engine loads every file of weights that lies beside its configuration."""
STEPS = 6
"""Tokens that are decoded."""


@dataclass(frozen=True)
class Prompt:
    """A prompt, and what Transformers makes of it."""

    name: str
    batched: bool
    """Served together with the others that are, not alone."""
    tokens: tuple[int, ...]
    continuation: tuple[int, ...]
    gaps: tuple[float, ...]
    """By how much the first choice leads over the second, for each decoded token."""
    rows: Any
    """Log-probabilities of what follows each position of prompt and continuation."""

    def row(self, index: int, token: int) -> float | None:
        """The log-probability of `token` after position `index`; None for one beyond the vocabulary."""
        return self.rows[index, token].item() if 0 <= token < self.rows.shape[1] else None


@dataclass(frozen=True)
class Reference:
    """All prompts of one checkpoint."""

    prompts: tuple[Prompt, ...]

    def groups(self) -> Iterator[tuple[Prompt, ...]]:
        """What is served at one time."""
        for prompt in self.prompts:
            if not prompt.batched:
                yield (prompt,)
        together = tuple(prompt for prompt in self.prompts if prompt.batched)
        if together:
            yield together

    def write(self, folder: Path) -> None:
        """Write it to a folder. Raises `OSError`."""
        from safetensors.torch import save_file

        folder.mkdir(parents=True, exist_ok=True)
        told = [{k: v for k, v in vars(prompt).items() if k != "rows"} for prompt in self.prompts]
        (folder / FILE).write_text(json.dumps(told))
        save_file({prompt.name: prompt.rows.contiguous() for prompt in self.prompts}, folder / ROWS)

    @classmethod
    def read(cls, folder: Path) -> Reference:
        """Read it from a folder."""
        from safetensors.torch import load_file

        rows = load_file(folder / ROWS)
        told = json.loads((folder / FILE).read_text())
        return cls(tuple(_prompt(row, rows[row["name"]]) for row in told))


def _prompt(told: dict[str, Any], rows: Any) -> Prompt:
    tokens, continuation, gaps = (tuple(told[name]) for name in ("tokens", "continuation", "gaps"))
    return Prompt(told["name"], told["batched"], tokens, continuation, gaps, rows)


def refer(model: Any, prompts: list[tuple[str, bool, list[int]]], device: str) -> Reference:
    """What `model` makes of prompts, each given by name, whether it is batched, and tokens."""
    return Reference(tuple(_one(model, name, batched, tokens, device) for name, batched, tokens in prompts))


def _one(model: Any, name: str, batched: bool, tokens: list[int], device: str) -> Prompt:
    import torch

    whole, gaps = list(tokens), []
    for _ in range(STEPS):
        rows = log_probabilities(model, whole, device)
        highest = torch.topk(rows[-1], 2)
        gaps.append((highest.values[0] - highest.values[1]).item())
        whole.append(int(highest.indices[0]))
    return Prompt(name, batched, tuple(tokens), tuple(whole[len(tokens) :]), tuple(gaps), rows)


def log_probabilities(model: Any, tokens: list[int], device: str) -> Any:
    """The log-probabilities after each token, in float32 on the CPU."""
    import inspect

    import torch

    accepted = inspect.signature(model.forward).parameters
    options = {"use_cache": False} if "use_cache" in accepted else {}
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([tokens], device=device), **options)
    return torch.log_softmax((logits.logits if hasattr(logits, "logits") else logits[0])[0].float(), -1).cpu()
