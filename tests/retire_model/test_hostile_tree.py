"""Every command on a tree whose files would leave a mark if they ran, and whose names lead out of it.

The commands run in a process of their own that writes down what it opens to write, renames, removes, runs and starts.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import retire_model
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(retire_model.__file__).parents[1]
WATCHED = """
import json, os, sys

log = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
           "os.chown", "shutil.rmtree", "shutil.move", "shutil.copytree"}

def note(*what):
    parts = [part if isinstance(part, (str, list)) else os.fsdecode(part) for part in what]
    os.write(log, json.dumps(parts).encode() + b"\\n")

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        writes = (flags or 0) & WRITING if not isinstance(mode, str) else set(mode) & set("wax+")
        if writes and isinstance(path, (str, bytes)):
            note("write", path)
    elif event in CHANGES:
        given = [f"/proc/self/fd/{part}" for part in arguments if isinstance(part, int) and part >= 0]
        below = next((os.readlink(place) for place in given if os.path.isdir(place)), "")
        for part in arguments:
            if isinstance(part, (str, bytes, os.PathLike)):
                note("write", os.path.join(below, os.fsdecode(part)))
    elif event == "exec":
        note("run", getattr(arguments[0], "co_filename", "") or "")
    elif event in ("subprocess.Popen", "os.posix_spawn"):
        note("start", [os.fsdecode(part) for part in arguments[1]])
    elif event in ("os.system", "os.exec"):
        note("start", [str(part) for part in arguments])

sys.addaudithook(watch)
from retire_model.command import main
main()
"""
MARK = "\nimport pathlib as _pathlib\n_pathlib.Path({!r}).touch()\n"
SHADOWS = (
    "ast.py", "json.py", "click.py", "rich/__init__.py", "libcst.py", "tokenize.py", "sitecustomize.py",
    "usercustomize.py", "setup.py", "conftest.py", "tests/conftest.py", "retire_model/__init__.py",
    "retire_model/command.py", "analyzer/__init__.py", "rules/__init__.py", "torch.py", "transformers/__init__.py",
)  # fmt: skip
ODD_NAMES = (
    "docs/::set-output name=x::y.md", "docs/\x1b[31mred\x1b[0m.md", "docs/new\nline.md", "docs/\u202egnp.md",
    "tests/-rf.py", "tests/--upload-pack=x.py", "tests/models/\x1b]0;title\x07.py",
)  # fmt: skip
REGISTRY = "vllm/model_executor/models/registry.py"


class Place:
    """A hostile tree in a repository of its own, with what lies around it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = folder / "ran"
        self.engine = write_engine(folder)
        self.release = write_release(folder)
        self.outside = folder / "outside"
        self.outside.mkdir()
        (self.outside / "secret.py").write_text("ToyForCausalLM = 1\n")
        (self.outside / "secret.md").write_text("| `ToyForCausalLM` | secret |\n")
        self.script = folder / "watched.py"
        self.script.write_text(WATCHED)
        self._write()
        self.before = self.around()

    def _write(self) -> None:
        (self.engine / "PKG-INFO").write_text("Version: 9.0.0\n")
        for file in SHADOWS:
            (self.engine / file).parent.mkdir(parents=True, exist_ok=True)
            (self.engine / file).touch()
        for root in (self.engine, self.release):
            for path in root.rglob("*.py"):
                path.write_text(path.read_text() + MARK.format(str(self.mark)))
        for name in ODD_NAMES:
            (self.engine / name).write_text(
                "See `ToyForCausalLM` and org/toy-1b.\n" if name.endswith("md") else "x = 1\n"
            )
        (self.engine / "docs/out").symlink_to(self.outside)
        (self.engine / "docs/secret.md").symlink_to(self.outside / "secret.md")
        (self.engine / "tests/models/secret.py").symlink_to(self.outside / "secret.py")
        (self.engine / ".buildkite").mkdir()
        (self.engine / ".buildkite/ci.yaml").write_text(
            "paths: [../outside/secret.py, /etc/passwd, vllm/../../outside]\n"
        )
        registry = self.engine / REGISTRY
        odd = (
            '_TEXT_GENERATION_MODELS = {\n    "UpForCausalLM": ("../../../../outside/secret", "ToyForCausalLM"),\n'
            '    "RootForCausalLM": ("/etc/passwd", "Root"),\n    "EscForCausalLM": ("\\x1b[31m", "\\x1b[2J"),\n'
        )
        registry.write_text(registry.read_text().replace("_TEXT_GENERATION_MODELS = {\n", odd, 1))
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "before")
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\ntouch {self.mark}\ncat\n")
        program.chmod(0o755)
        hooks = self.engine / ".git/hooks"
        for hook in ("post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman", "reference-transaction"):
            (hooks / hook).write_bytes(program.read_bytes())
            (hooks / hook).chmod(0o755)
        for setting in ("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "filter.odd.clean",
                        "filter.odd.process", "diff.odd.command", "diff.odd.textconv", "diff.external"):  # fmt: skip
            self.git("config", setting, str(program))
        (self.engine / ".git/info/attributes").write_text("* filter=odd diff=odd\n")
        self.mark.unlink(missing_ok=True)

    def git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=self.engine, check=True, capture_output=True)

    def around(self) -> dict[str, bytes]:
        """What lies outside the tree: it is nobody's to change."""
        found = [p for root in (self.outside, self.release) for p in root.rglob("*") if p.is_file()]
        return {str(path): path.read_bytes() for path in found}

    def run(self, *arguments: str) -> tuple[int, str, list[list[Any]]]:
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        environment = os.environ | {
            "PYTHONPATH": str(PROJECT),
            "RETIRE_MODEL_CACHE": str(self.folder / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(self.folder / "tmp"),
        }
        (self.folder / "tmp").mkdir(exist_ok=True)
        done = subprocess.run(
            [sys.executable, str(self.script), str(log), *arguments],
            cwd=self.engine, env=environment, capture_output=True, check=False, timeout=300,
        )  # fmt: skip
        notes = [json.loads(line) for line in log.read_bytes().splitlines()]
        return done.returncode, (done.stdout + done.stderr).decode(), notes


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("hostile"))


RELEASE = "--transformers", "../release"
READING = (
    ("toy", *RELEASE),
    ("toy", "--remove", *RELEASE),
    ("toy", "--downstream", "tests", *RELEASE),
    ("RootForCausalLM", *RELEASE),
    ("EscForCausalLM", "UpForCausalLM", "--remove", *RELEASE),
    ("check", "toy", *RELEASE),
    ("check", "toy", "twin", "--format", "json", *RELEASE),
    ("lint",),
    ("lint", "--format", "github"),
    ("survey", *RELEASE),
    ("survey", "--html", "../tmp/page.html", *RELEASE),
    ("review", "--base", "HEAD"),
    ("new-model",),
    ("undo",),
    ("smoke", "toy", "--engine-python", "/no/such/python"),
)
WRITING = (
    ("toy", "--remove", "--write", "--stage", *RELEASE),
    ("undo", "--stage"),
    ("twin", "--remove", "--write", *RELEASE),
)


PROGRAMS = ("git", Path(sys.executable).name, "ldconfig")
"""Python to ask or to run an engine; `ldconfig -p` is how the standard library finds a shared library."""


def told(notes: list[list[Any]], what: str) -> Iterator[Any]:
    return (note[1] for note in notes if note[0] == what)


def is_inside(path: str, *folders: Path) -> bool:
    whole = os.path.realpath(path)
    return any(whole == str(folder) or whole.startswith(f"{folder}{os.sep}") for folder in folders)


def check(place: Place, arguments: tuple[str, ...], *, writes: bool) -> int:
    status, text, notes = place.run(*arguments)
    assert status in (0, 1, 2), text
    assert not place.mark.exists(), "something of the tree ran"
    ran = (os.path.join(place.engine, file) for file in told(notes, "run") if not file.startswith("<"))  # noqa: PTH118
    run = [file for file in ran if is_inside(file, place.engine, place.release)]
    assert run == [], "something of a tree was executed"
    allowed = [place.folder / "cache", place.folder / "tmp", place.folder / "log", *([place.engine] if writes else [])]
    journals = place.engine / ".git/retire-model-journal"
    outside = [
        path for path in told(notes, "write")
        if path != os.devnull and not is_inside(os.path.join(place.engine, path), *allowed, journals)  # noqa: PTH118
    ]  # fmt: skip
    assert outside == []
    for command in told(notes, "start"):
        assert Path(command[0]).name in PROGRAMS, command
        before, _, _ = "\0".join(command).partition("\0--\0")
        assert not re.search(r"rf\.py|upload-pack|secret|set-output|\x1b", before), command
    assert place.around() == place.before
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\x9b\u202a-\u202e\u2066-\u2069]", text), repr(text)
    return status


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_reading(place: Place, arguments: tuple[str, ...]) -> None:
    before = {str(p): p.lstat().st_mtime_ns for p in place.engine.rglob("*") if ".git" not in p.parts}
    check(place, arguments, writes=False)
    assert {str(p): p.lstat().st_mtime_ns for p in place.engine.rglob("*") if ".git" not in p.parts} == before


def test_writing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for arguments in WRITING:
        check(place, arguments, writes=True)


def test_the_watch_sees_what_it_is_for(place: Place, tmp_path: Path) -> None:
    """A script in place of the command that does all that is forbidden: the notes must hold it."""
    script = tmp_path / "bad.py"
    bad = f"open({str(tmp_path / 'x')!r}, 'w'); exec(compile('1', 'ast.py', 'exec')); import subprocess\n"
    bad += "subprocess.run(['git', '--version'], capture_output=True)\n"
    script.write_text(WATCHED.replace("from retire_model.command import main\nmain()\n", bad))
    log = tmp_path / "log"
    subprocess.run([sys.executable, str(script), str(log)], check=True, cwd=place.engine)
    notes = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert str(tmp_path / "x") in told(notes, "write")
    assert "ast.py" in told(notes, "run")
    assert ["git", "--version"] in told(notes, "start")
