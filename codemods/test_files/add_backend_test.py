"""Adds a test of a migrated architecture to the engine's own tests of the backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft
    from codemods.plan import RetirementPlan
    from codemods.test_files.backend_test import BackendTest

FOLDER = "tests/models/transformers"
FOLDER_SIGN = f"{FOLDER}/test_backend.py"
SINGLE_FILE = "tests/models/test_transformers.py"
"""Where the tests of the backend were before they had a folder."""


def add_backend_tests(plan: RetirementPlan, draft: Draft) -> None:
    """Create a test file for each test of the plan; one that is there already and the same stays.

    Raises `EnvironmentProblem` where the tree has no tests of the backend, `Refused` where another file is in the way.
    """
    for test in plan.backend_tests:
        file, levels = _place(test, draft)
        text = _text(test, "." * levels).encode()
        if draft.exists(file) and draft.read(file) != text:
            raise Refused(f"{file} exists already", "Leave --with-tests out, or move that file away.")
        draft.rewrite(file, text, f"test of {test.architecture} on the backend")


def _place(test: BackendTest, draft: Draft) -> tuple[str, int]:
    """The file, and how many packages above it `tests` is."""
    if draft.exists(FOLDER_SIGN):
        return f"{FOLDER}/test_{test.model_type}.py", 3
    if draft.exists(SINGLE_FILE):
        return f"{SINGLE_FILE.removesuffix('.py')}_{test.model_type}.py", 2
    raise EnvironmentProblem(
        f"the tree has neither {FOLDER_SIGN} nor {SINGLE_FILE}", "Leave --with-tests out: there is no place for a test."
    )


def _text(test: BackendTest, above: str) -> str:
    parallel = tuple(_parallel(test))
    return TEST.format(
        architecture=test.architecture,
        model_type=test.model_type,
        settings="".join(f"    {field}={value},\n" for field, value in test.settings),
        imports=f"from {above}utils import multi_gpu_test\n\n" if parallel else "",
        parallel="".join(PARALLEL.format(kind=kind, size=f"{kind}_size") for kind in parallel),
    )


def _parallel(test: BackendTest) -> Iterator[str]:
    if test.tensor_parallel:
        yield "tensor_parallel"
    if test.pipeline_parallel:
        yield "pipeline_parallel"


TEST = '''\
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the vLLM project
"""Test {architecture} on the Transformers modeling backend.

The checkpoint is tiny, random and made on the spot: nothing is downloaded.
"""

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from vllm import SamplingParams

{imports}CONFIG = dict(
{settings})
PROMPTS = [[3, 17, 250, 99, 42, 7, 181, 64], [5, 8, 13, 21, 34]]
MAX_TOKENS = 4
NUM_LOGPROBS = 5


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory) -> str:
    """A checkpoint with random weights and no tokenizer."""
    torch.manual_seed(0)
    config = AutoConfig.for_model("{model_type}", **CONFIG)
    path = tmp_path_factory.mktemp("tiny_{model_type}")
    AutoModelForCausalLM.from_config(config).save_pretrained(path)
    return str(path)


def hf_logprobs(model: str, tokens: list[int]) -> torch.Tensor:
    """What Transformers makes of the logprobs behind each token."""
    hf_model = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32).eval()
    with torch.no_grad():
        return hf_model(torch.tensor([tokens])).logits[0].log_softmax(dim=-1)


def check_logprobs(vllm_runner, model: str, **kwargs) -> None:
    """Check each logprob of each generated token against Transformers."""
    params = SamplingParams(
        temperature=0,
        max_tokens=MAX_TOKENS,
        logprobs=NUM_LOGPROBS,
        ignore_eos=True,
        detokenize=False,
    )
    with vllm_runner(
        model,
        dtype="float32",
        max_model_len=64,
        enforce_eager=True,
        gpu_memory_utilization=0.3,
        skip_tokenizer_init=True,
        **kwargs,
    ) as vllm_model:
        assert vllm_model.llm.llm_engine.model_config.using_transformers_backend()
        prompts = [{{"prompt_token_ids": tokens}} for tokens in PROMPTS]
        outputs = vllm_model.llm.generate(prompts, params)

    for prompt, output in zip(PROMPTS, outputs, strict=True):
        completion = output.outputs[0]
        expected = hf_logprobs(model, [*prompt, *completion.token_ids])
        assert len(completion.logprobs) == MAX_TOKENS
        for i, logprobs in enumerate(completion.logprobs, len(prompt) - 1):
            for token, logprob in logprobs.items():
                reference = expected[i, token].item()
                assert logprob.logprob == pytest.approx(reference, abs=1e-2)


def test_logprobs(vllm_runner, tiny_model: str) -> None:
    check_logprobs(vllm_runner, tiny_model)
{parallel}'''
"""The file for `str.format`."""

PARALLEL = """

@multi_gpu_test(num_gpus=2)
def test_{kind}(vllm_runner, tiny_model: str) -> None:
    check_logprobs(vllm_runner, tiny_model, {size}=2)
"""
