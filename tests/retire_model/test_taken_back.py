"""Real retirements: a second run finds nothing to do, and the difference in reverse gives every byte back."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from retire_model.command import run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Release

IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false", "-c", "core.safecrlf=false")
SERVED = "it is already served by the Transformers modeling backend"
RETIREMENTS = {
    "migrated": ("0.24.0", "5.5.3", ["gpt_bigcode", "starcoder2", "--accept", "all"], SERVED),
    "migrated with tests": ("0.33.0", "5.19.0", ["gemma", "stablelm", "--accept", "all", "--with-tests"], SERVED),
    "removed": (
        "0.24.0",
        "5.5.3",
        ["aya_vision", "musicflamingo", "MantisForConditionalGeneration", "--remove"],
        "it was removed",
    ),
    "given to a plugin": (
        "0.33.0",
        "5.19.0",
        ["stablelm", "--plugin", "https://example.org/stablelm"],
        "it is served by the plugin",
    ),
}


@pytest.mark.release
@pytest.mark.parametrize("case", RETIREMENTS)
def test_there_and_back(
    case: str,
    engine_release: Release,
    transformers_release: Release,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    version, transformers, arguments, already = RETIREMENTS[case]
    released, copy = engine_release(version), tmp_path / "copy"
    shutil.copytree(released, copy, symlinks=True)
    git(copy, "init", "-q")
    git(copy, "add", "-A", "-f")
    git(copy, "commit", "-q", "-m", "released")
    command = [*arguments, "--write", "--engine", str(copy), "--transformers", str(transformers_release(transformers))]

    assert run(command) == 0
    git(copy, "add", "-A", "-f")
    git(copy, "commit", "-q", "-m", "retired")
    capsys.readouterr()
    assert run(command) == 1
    assert already in capsys.readouterr().err
    assert git(copy, "status", "--porcelain", "--ignored") == b""

    difference = git(copy, "diff", "--binary", "HEAD~1", "HEAD")
    subprocess.run(["git", "-C", str(copy), *IDENTITY, "apply", "-R", "--index"], input=difference, check=True)
    assert contents(copy) == contents(released)


def git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(root), *IDENTITY, *arguments], check=True, capture_output=True).stdout


def contents(root: Path) -> dict[str, tuple[bytes, int]]:
    """The bytes of each file outside git's own folder, and whether it may be executed."""
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o100)
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }
