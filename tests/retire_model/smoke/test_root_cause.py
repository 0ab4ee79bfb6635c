"""The error that the others follow from, in a log that several processes write."""

from __future__ import annotations

from retire_model.smoke.root_cause import root_cause

PREFIX = "(Worker_TP1 pid=7) ERROR 12-01 04:15:51 [multiproc_executor.py:1063] "
WORKER = "".join(
    PREFIX + line + "\n"
    for line in (
        "Traceback (most recent call last):",
        '  File "/tmp/x/engine-1/vllm/v1/worker.py", line 12, in run',
        "    forward()",
        '  File "/usr/lib/transformers/models/toy/modeling_toy.py", line 270, in forward',
        "    states.view(8, 4)",
        "    ^^^^^^^^^^^^^^^^^",
        "RuntimeError: shape is invalid",
        "",
    )
)
MAIN = """[rank0]: Traceback (most recent call last):
[rank0]:   File "/tmp/x/engine-1/vllm/executor.py", line 3, in get
[rank0]:     raise RuntimeError
[rank0]: RuntimeError: Worker failed with error 'shape is invalid', please check the stack trace above
"""


def test_the_worker_knows() -> None:
    told = "RuntimeError: shape is invalid (transformers/models/toy/modeling_toy.py:270)"
    assert root_cause(MAIN + WORKER) == told
    assert root_cause(WORKER + MAIN) == told


def test_processes_that_write_in_turns() -> None:
    turns = "\n".join(line for pair in zip(WORKER.splitlines(), MAIN.splitlines() * 2, strict=True) for line in pair)
    assert root_cause(turns) == "RuntimeError: shape is invalid (transformers/models/toy/modeling_toy.py:270)"


def test_an_error_without_words() -> None:
    frame = '  File "/a/vllm/v1/x.py", line 9, in f\n    assert y is not None\n'
    log = f"Traceback (most recent call last):\n{frame}AssertionError\n"
    assert root_cause(log) == "AssertionError: assert y is not None (vllm/v1/x.py:9)"


def test_what_pydantic_says() -> None:
    log = """Traceback (most recent call last):
  File "/a/vllm/config.py", line 9, in f
    validate()
pydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig
  Value error, float32 is not supported [type=value_error, input_value=x, input_type=y]
"""
    assert root_cause(log) == "ValueError: float32 is not supported (vllm/config.py:9)"


def test_a_log_without_an_error() -> None:
    quiet = 'Traceback (most recent call last):\n  File "x", line 1\nValueError: Tokenizer not available when\n'
    assert root_cause("INFO all is well\n" + quiet) is None
    assert root_cause("") is None
