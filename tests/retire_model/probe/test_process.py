"""The parent of the probe: whatever its child does, each architecture is answered and nothing is left behind."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

import retire_model.probe.process
from analyzer.errors import EnvironmentProblem
from retire_model.probe.process import Probe

HEAD = """
import json, os, signal, subprocess, sys, time
request = json.loads(sys.argv[-1])
def send(content):
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    os.write(request["pipe"], text + b"\\n")
"""


def run(folder: Path, body: str, *architectures: str, seconds: int = 60) -> list[dict[str, Any]]:
    child = folder / "child.py"
    child.write_text(HEAD + body)
    return list(Probe(child=child, seconds=seconds).run(folder, architectures))


ANSWER = "for name in request['architectures']: send({'architecture': name, 'x': 1})\n"


def test_each_architecture_is_answered(tmp_path: Path) -> None:
    found = run(tmp_path, ANSWER, "A", "B")
    assert found == [{"architecture": "A", "x": 1}, {"architecture": "B", "x": 1}]


def test_the_child_is_told_what_to_do(tmp_path: Path) -> None:
    body = "send({'architecture': 'A', 'got': {k: v for k, v in request.items() if k != 'pipe'}})"
    got = run(tmp_path, body, "A", seconds=7)[0]["got"]
    assert got == {"root": str(tmp_path), "architectures": ["A"], "seconds": 7, "memory": Probe().memory}


def test_where_the_child_runs(tmp_path: Path) -> None:
    body = """
open("left-behind", "w").close()
names = ("HF_HUB_OFFLINE", "CUDA_VISIBLE_DEVICES")
leads = os.getpgid(0) == os.getpid()
send({"architecture": "A", "folder": os.getcwd(), "set": [os.environ[n] for n in names], "leader": leads})
"""
    found = run(tmp_path, body, "A")[0]
    assert found["set"] == ["1", ""]
    assert found["leader"]
    assert not Path(found["folder"]).exists()


@pytest.mark.parametrize(
    "noise",
    [
        "print('noise', flush=True); print('noise', file=sys.stderr)",
        "send(b'not json')",
        "send(b'\\xff\\xfe')",
        "send(b'[' * 100000)",
        "send([1, 2])",
        "send({'architecture': 'B'})",
        "send({})",
    ],
)
def test_noise_is_passed_over(tmp_path: Path, noise: str) -> None:
    assert run(tmp_path, f"{noise}\n{ANSWER}", "A") == [{"architecture": "A", "x": 1}]


@pytest.mark.parametrize(
    "end",
    [
        "",
        "sys.exit(3)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.write(request['pipe'], b'{\"architecture\": \"B\"')",
        "raise SystemError",
    ],
)
def test_a_child_that_dies(tmp_path: Path, end: str) -> None:
    found = run(tmp_path, f"send({{'architecture': 'A'}})\n{end}", "A", "B", "C")
    assert [f["architecture"] for f in found] == ["A", "B", "C"]
    assert ["not_built" in f for f in found] == [False, True, True]


def test_a_child_that_hangs_is_ended_with_all_its_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retire_model.probe.process, "IMPORT_SECONDS", 1)
    body = f"""
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(tmp_path / "pids")!r}, "w").write(f"{{os.getpid()}} {{other.pid}}")
time.sleep(600)
"""
    assert "not_built" in run(tmp_path, body, "A", seconds=1)[0]
    for pid in (tmp_path / "pids").read_text().split():
        assert is_gone(int(pid))


def is_gone(pid: int) -> bool:
    """Whether the process ends within ten seconds; one that nobody has collected yet counts as gone."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.1)
    return False


def test_a_child_is_ended_when_nobody_waits_for_its_answers(tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text(f"{HEAD}\nsend({{'architecture': 'A', 'pid': os.getpid()}})\ntime.sleep(600)")
    answers = Probe(child=child).run(tmp_path, ["A", "B"])
    first = next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert is_gone(first["pid"])


def test_a_child_that_talks_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retire_model.probe.process, "MOST_BYTES", 1 << 20)
    found = run(tmp_path, "while True: send(b'x' * 65536)", "A")
    assert "not_built" in found[0]


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_a_python_without_torch(tmp_path: Path, missing: str) -> None:
    with pytest.raises(EnvironmentProblem, match=f"has no {missing}") as caught:
        run(tmp_path, f"send({{'cannot_import': 'ModuleNotFoundError: …', 'missing': {missing!r}}})", "A")
    assert "pip install 'retire-model[smoke]'" in caught.value.remedy


def test_a_release_that_cannot_be_imported(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=r"cannot import the Transformers at .*: ImportError: tokenizers"):
        run(tmp_path, "send({'cannot_import': 'ImportError: tokenizers', 'missing': None})", "A")


def test_no_such_python(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="no program /no/such/python"):
        list(Probe(python="/no/such/python").run(tmp_path, ["A"]))


def test_a_program_that_is_none(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    with pytest.raises(EnvironmentProblem, match="cannot start"):
        list(Probe(python=str(broken)).run(tmp_path, ["A"]))


def test_a_python_named_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to(sys.executable)
    (tmp_path / "child.py").write_text(HEAD + ANSWER)
    monkeypatch.chdir(tmp_path)
    found = Probe(python="bin/python", child=tmp_path / "child.py").run(tmp_path, ["A"])
    assert list(found) == [{"architecture": "A", "x": 1}]


def test_our_own_child_without_torch_says_so(tmp_path: Path) -> None:
    """The real child, with a Python of which the site packages are left out."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    with pytest.raises(EnvironmentProblem, match="has no torch"):
        list(Probe(python=str(python)).run(tmp_path, ["A"]))
