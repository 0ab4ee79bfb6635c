"""Nothing is left of a group: no process, no shared memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from retire_model.smoke.inside.process_group import end_group, members, shared_memory

pytestmark = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs Linux")

FAMILY = """
import os, signal, subprocess, sys, time
from multiprocessing.shared_memory import SharedMemory
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if len(sys.argv) < 2:
    subprocess.Popen([sys.executable, __file__, "child"])
memory = SharedMemory(create=True, size=4096)
print(memory.name, flush=True)
time.sleep(600)
"""


def family(folder: Path) -> tuple[subprocess.Popen[str], list[Path]]:
    """A process and its child that do not listen to reason, each with shared memory."""
    script = folder / "family.py"
    script.write_text(FAMILY)
    process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    return process, [Path("/dev/shm") / process.stdout.readline().strip() for _ in range(2)]


def test_all_of_it_goes(tmp_path: Path) -> None:
    process, memory = family(tmp_path)
    assert all(file.exists() for file in memory)
    assert {str(file) for file in memory} <= shared_memory(process.pid)
    end_group(process.pid)
    process.wait()
    assert members(process.pid) == []
    assert not any(file.exists() for file in memory)


def test_memory_of_a_process_that_is_gone_already(tmp_path: Path) -> None:
    process, memory = family(tmp_path)
    left = Path("/dev/shm") / f"retire-model-test-{os.getpid()}"
    left.write_text("")
    end_group(process.pid, frozenset({str(left)}))
    process.wait()
    assert not any(file.exists() for file in (*memory, left))


def test_a_group_that_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)
    process.wait()
    end_group(process.pid)
