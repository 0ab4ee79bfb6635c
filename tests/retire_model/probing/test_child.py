"""The child forks for each class and tells what became of a fork. No torch is needed: the reading is replaced."""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from retire_model.probing import child, release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def in_fork(monkeypatch: pytest.MonkeyPatch, read: Callable[[str], Any], seconds: int = 60) -> dict[str, Any]:
    module = ModuleType("retire_model.probing.reading")
    module.read = read  # type: ignore[attr-defined]
    module.reason = repr  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return child._in_fork("A", seconds)


def test_an_answer_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    long = {"architecture": "A", "text": "x" * 1_000_000}
    assert in_fork(monkeypatch, lambda _: long) == long


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("os._exit(3)", "ended with status 3 and said nothing"),
        ("os.kill(os.getpid(), 9)", "ended by SIGKILL"),
        ("raise ValueError('no')", "ValueError('no')"),
        ("raise SystemExit(1)", "SystemExit(1)"),
        ("raise MemoryError", "MemoryError()"),
        ("time.sleep(60)", "took more than 1 seconds"),
    ],
)
def test_forks_that_fail(monkeypatch: pytest.MonkeyPatch, body: str, reason: str) -> None:
    def read(_: str) -> None:
        exec(f"import os, time\n{body}")

    found = in_fork(monkeypatch, read, seconds=1)
    assert found["architecture"] == "A"
    assert reason in found["not_built"]


def test_a_request_without_torch_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    source, sink = os.pipe()
    assert child.main(json.dumps({"pipe": sink, "root": str(tmp_path)})) == 1
    os.close(sink)
    with os.fdopen(source) as answer:
        assert json.load(answer)["missing"] == "torch"


def test_the_limits_hold() -> None:
    process = os.fork()
    if process == 0:
        release.limit(1 << 26)
        try:
            bytearray(1 << 28)
        except MemoryError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 7


def test_only_the_package_comes_from_the_judged_release(tmp_path: Path) -> None:
    (tmp_path / "transformers").mkdir()
    (tmp_path / "transformers/__init__.py").write_text("")
    (tmp_path / "json.py").write_text("")
    finder = release.JudgedRelease(tmp_path)
    found = finder.find_spec("transformers")
    assert found is not None
    assert found.origin == str(tmp_path / "transformers/__init__.py")
    assert finder.find_spec("json") is None


@pytest.mark.parametrize("installed", [True, False])
def test_the_installed_release_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installed: bool
) -> None:
    (tmp_path / "transformers").mkdir()
    (tmp_path / "transformers/__init__.py").write_text("")
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path] if installed else sys.path)
    release.prefer(tmp_path)
    assert isinstance(sys.meta_path[0], release.JudgedRelease) is not installed
