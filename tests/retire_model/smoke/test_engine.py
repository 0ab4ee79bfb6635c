"""Gemma in the real engine, before and after. Needs what `make engine` makes, or ENGINE_PYTHON."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from retire_model.command import run
from retire_model.smoke.inside.process_group import members, shared_memory
from retire_model.smoke.run_folder import clear_abandoned

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs/smoke.schema.json").read_text())
PYTHON = Path(os.environ.get("ENGINE_PYTHON") or ROOT / ".venv-engine/bin/python")
SHORT = ["--tensor-parallel", "1", "--pipeline-parallel", "1", "--rounds", "1"]

pytestmark = [
    pytest.mark.engine,
    pytest.mark.release,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"{PYTHON} is not there (`make engine`, or ENGINE_PYTHON)"),
]


def test_gemma(engine_0_32: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The rewritten files themselves are run, and the hand-written class beside them."""
    copy = tmp_path / "vllm"
    assert run(["gemma", "--engine", "vllm==0.32.0", "--write", "--accept", "all", "--copy-to", str(copy)]) == 0
    capfd.readouterr()
    trees = ["--before", str(engine_0_32), "--after", str(copy)]
    status = run(["smoke", "gemma", *trees, "--engine-python", str(PYTHON), *SHORT, "--json"])
    out, err = capfd.readouterr()
    assert status == 0, out + err
    report = json.loads(out)
    jsonschema.validate(report, SCHEMA)
    (model,) = report["models"]
    outcomes = {check["name"].partition(":")[0]: check["outcome"] for check in model["checks"]}
    assert outcomes == {
        "loads": "passed",
        "served by the class expected": "passed",
        "log-probabilities against Transformers": "passed",
        "log-probabilities against before": "passed",
        "values that show": "passed",
        "LoRA adapter, against merged weights": "passed",
        "quantized load (fp8)": "inconclusive",
    }
    assert len(model["measurements"]) == 3


def parents(process: int) -> Iterator[int]:
    """From the process itself upwards."""
    while process > 1:
        yield process
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def worker_of(command: int) -> list[int] | None:
    """A worker, the run that it belongs to, and so on up to the command; None while there is none."""
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and b"Worker" in (process / "cmdline").read_bytes():
                found = list(parents(int(process.name)))
                if command in found:
                    return found[: found.index(command)]
        except OSError:
            continue
    return None


def test_nothing_is_left_when_all_who_could_clear_away_are_killed(engine_0_32: Path) -> None:
    """The next run does it: processes, shared memory and files."""
    temporary = Path(tempfile.mkdtemp(prefix="rm-"))
    arguments = ["smoke", "gemma", "--before", str(engine_0_32), "--engine-python", str(PYTHON), "--rounds", "0"]
    command = subprocess.Popen(
        [sys.executable, "-c", "from retire_model.command import main; main()", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 300
        while (found := worker_of(command.pid)) is None and time.monotonic() < until:
            time.sleep(0.1)
        assert found is not None
        *_, run_itself, keeper = found
        # Until the workers have met, in memory that they share.
        while len(shared_memory(run_itself)) < 2 and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(1)
        memory = shared_memory(run_itself)
        assert memory
        for process in (command.pid, keeper, run_itself):
            os.kill(process, signal.SIGKILL)
        command.wait()
    finally:
        command.kill()
        clear_abandoned(temporary)
    assert members(run_itself) == []
    assert not any(Path(name).exists() for name in memory)
    assert list(temporary.iterdir()) == []
    temporary.rmdir()
