"""Runs a model as two ranks would that share the linears as the tensor parallel plan says: two threads, one device."""

from __future__ import annotations

import copy
import threading
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn.functional import linear

from .attention import Observer, observe
from .building import TOKENS, run
from .structure import style_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RANKS = 2
COLUMNS = ("colwise", "colwise_rep", "colwise_gather_output")
ROWS = ("rowwise", "rowwise_rep", "rowwise_split_input")
GATHERS = ("colwise_rep", "colwise_gather_output")
SPLITS = ("rowwise_rep", "rowwise_split_input")


class Meeting:
    """Where the ranks exchange tensors. A rank that fails breaks the barrier for the other."""

    def __init__(self) -> None:
        self.barrier = threading.Barrier(RANKS)
        self.tensors: list[Any] = [None] * RANKS

    def exchange(self, rank: int, tensor: Any) -> list[Any]:
        """Hand over `tensor` and get those of all ranks."""
        self.tensors[rank] = tensor
        self.barrier.wait()
        found = list(self.tensors)
        self.barrier.wait()
        return found


def run_sharded(
    model: Any, plan: dict[str, str], heads: dict[str, tuple[int, int]], tokens: Sequence[int] = TOKENS
) -> Any:
    """The hidden states of a forward on two ranks, `heads` being those of the whole model by module.

    Raises what the first rank that fails raises.
    """
    meeting = Meeting()
    outputs: list[Any] = [None] * RANKS
    failures: list[Exception] = []
    share = {name: (max(q // RANKS, 1), max(k // RANKS, 1)) for name, (q, k) in heads.items()}

    def work(rank: int) -> None:
        try:
            part = copy.deepcopy(model)
            shard(part, plan, rank, meeting)
            observe(Observer(part, share))
            outputs[rank] = run(part, tokens=tokens)
        except threading.BrokenBarrierError:
            pass
        except Exception as error:
            failures.append(error)
            meeting.barrier.abort()

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(RANKS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return outputs[0]


def shard(model: Any, plan: dict[str, str], rank: int, meeting: Meeting) -> None:
    """Leave `rank` its part of every linear that the plan splits. Styles for other modules are the engine's own."""
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            style = style_of(name, plan)
            if style in COLUMNS:
                module.forward = by_columns(module, rank, meeting, gather=style in GATHERS)
            elif style in ROWS:
                module.forward = by_rows(module, rank, meeting, split=style in SPLITS)


def by_columns(module: Any, rank: int, meeting: Meeting, *, gather: bool) -> Callable[[Any], Any]:
    """The forward of a linear that computes a part of the output."""
    weight = module.weight.chunk(RANKS)[rank]
    bias = None if module.bias is None else module.bias.chunk(RANKS)[rank]

    def forward(states: Any) -> Any:
        output = linear(states, weight, bias)
        return torch.cat(meeting.exchange(rank, output), dim=-1) if gather else output

    return forward


def by_rows(module: Any, rank: int, meeting: Meeting, *, split: bool) -> Callable[[Any], Any]:
    """The forward of a linear that takes a part of the input; the ranks' outputs are summed."""
    weight = module.weight.chunk(RANKS, dim=1)[rank]

    def forward(states: Any) -> Any:
        part = states.chunk(RANKS, dim=-1)[rank] if split else states
        first, *others = meeting.exchange(rank, linear(part, weight))
        output = sum(others, first)
        return output if module.bias is None else output + module.bias

    return forward
