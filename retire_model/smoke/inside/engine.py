"""One run of the engine on one checkpoint: what it loads, which class serves it, and its log-probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import timing
from .filled import Filled
from .reference import Reference

if TYPE_CHECKING:
    from collections.abc import Callable

TOP = 5
Told = dict[str, Any]


def work(job: dict[str, Any], tell: Callable[[Told], None]) -> None:
    """Run the job; what it finds is told step by step, so that a later failure does not lose it."""
    from vllm import LLM

    filled = Filled()
    filled.watch()
    llm = LLM(model=job["checkpoint"], skip_tokenizer_init=True, disable_log_stats=True, **job["engine"])
    tell({"loaded": filled.found()})
    if job["one_process"]:
        tell({"served_by": llm.apply_model(lambda model: type(model).__name__)[0]})
    if job.get("measure"):
        tell({"measured": timing.measure(llm, job["measure"], job["engine"])})
    if job.get("reference"):
        reference = Reference.read(Path(job["reference"]))
        tell({"prompts": _prompts(llm, reference, _adapter(job.get("adapter")))})


def _adapter(folder: str | None) -> Any:
    if folder is None:
        return None
    from vllm.lora.request import LoRARequest

    return LoRARequest("tiny", 1, folder)


def _prompts(llm: Any, reference: Reference, adapter: Any) -> list[Told]:
    """The prompts alone where the reference says so, the others in one batch."""
    from vllm import SamplingParams

    found: dict[str, Told] = {}
    for group in reference.groups():
        parameters = SamplingParams(
            temperature=0,
            max_tokens=len(group[0].continuation),
            logprobs=TOP,
            # With an adapter of the head the engine of 0.32.0 fails on those of a batch of prompts.
            prompt_logprobs=None if adapter is not None else TOP,
            ignore_eos=True,
            detokenize=False,
        )
        prompts = [{"prompt_token_ids": list(prompt.tokens)} for prompt in group]
        outputs = llm.generate(prompts, parameters, use_tqdm=False, lora_request=adapter)
        for prompt, output in zip(group, outputs, strict=True):
            found[prompt.name] = _compared(prompt, output)
    return list(found.values())


def _compared(prompt: Any, output: Any) -> Told:
    """Position by position the engine's own log-probabilities, beside the reference's of the same tokens."""
    completion = output.outputs[0]
    positions = [_position(prompt, i, row) for i, row in enumerate((output.prompt_logprobs or ())[1:])]
    tokens = list(completion.token_ids)
    for step, row in enumerate(completion.logprobs):
        positions.append(_position(prompt, len(prompt.tokens) - 1 + step, row))
        if tokens[step] != prompt.continuation[step]:
            break
    return {
        "name": prompt.name,
        "positions": positions,
        "tokens": tokens,
        "expected": list(prompt.continuation),
        "gaps": list(prompt.gaps),
    }


def _position(prompt: Any, index: int, row: dict[int, Any]) -> list[list[float]]:
    """Token, the engine's value, the reference's value."""
    highest = sorted(row.items(), key=lambda item: -item[1].logprob)[:TOP]
    return [[token, given.logprob, prompt.row(index, token)] for token, given in highest]
