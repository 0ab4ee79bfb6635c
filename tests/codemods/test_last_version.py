"""The release that a removal names, and the address of a plugin."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.errors import EnvironmentProblem, WrongUse
from codemods.last_version import given_version, last_version, refuse_later_version
from codemods.plugin_address import plugin_address
from tests.toy import write_engine

if TYPE_CHECKING:
    from pathlib import Path


def version_of(folder: Path, version: str | None) -> str:
    root = write_engine(folder)
    (root / "PKG-INFO").unlink(missing_ok=True)
    if version is not None:
        (root / "PKG-INFO").write_text(f"Name: vllm\nVersion: {version}\n")
    return last_version(open_engine_tree(root))


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.24.0", "0.24.0"),
        ("0.24.0+cu129", "0.24.0"),
        ("0.24.0.post1", "0.24.0.post1"),
        ("0.24.1.dev5", "0.24.0"),
        ("0.24.2rc1.dev3+g1234567", "0.24.1"),
    ],
)
def test_of_the_tree(tmp_path: Path, version: str, expected: str) -> None:
    assert version_of(tmp_path, version) == expected


@pytest.mark.parametrize("version", [None, "0.25.0.dev3"])
def test_nothing_tells(tmp_path: Path, version: str | None) -> None:
    with pytest.raises(EnvironmentProblem, match="no git tag names an earlier release") as caught:
        version_of(tmp_path, version)
    assert "--last-version VERSION" in caught.value.remedy


@pytest.mark.parametrize(("version", "expected"), [(None, "0.26.0"), ("0.25.0.dev3", "0.24.1")])
def test_git_tags_tell(tmp_path: Path, version: str | None, expected: str) -> None:
    root = write_engine(tmp_path)
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    (root / "PKG-INFO").unlink(missing_ok=True)
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *arguments], check=True)
    for tag in ("v0.24.0", "v0.24.1", "v0.25.0rc1", "v0.26.0", "vision"):
        subprocess.run([*git, "tag", tag], check=True)
    if version is not None:
        (root / "PKG-INFO").write_text(f"Version: {version}\n")
    assert last_version(open_engine_tree(root)) == expected


def test_a_given_version() -> None:
    assert given_version("0.24.0") == "0.24.0"
    with pytest.raises(WrongUse, match="--last-version latest: not a version"):
        given_version("latest")
    with pytest.raises(WrongUse, match="not a version"):
        given_version("9" * 5000)


def test_a_plugin_address() -> None:
    address = "https://github.com/vllm-project/bart-plugin"
    assert plugin_address(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/plugin",
        "example.org/plugin",
        "https://",
        "https://localhost",
        "https://example.org/a b",
        "https://example.org/a|b",
        "https://example.org/(a)",
        "https://example.org/`a`",
        'https://example.org/"a',
        "https://example.org/a\n| x |",
        "https://user@example.org/a",
        "https://[example.org/a",
        "javascript:alert(1)",
    ],
)
def test_no_plugin_address(address: str) -> None:
    with pytest.raises(WrongUse, match="--plugin"):
        plugin_address(address)


def refuse_later(folder: Path, own: str, given: str) -> None:
    root = write_engine(folder)
    (root / "PKG-INFO").write_text(f"Version: {own}\n")
    refuse_later_version(open_engine_tree(root), given)


@pytest.mark.parametrize(
    ("own", "given"),
    [("0.24.0", "0.24.1"), ("0.24.0", "99"), ("0.24.1.dev5", "0.26.0"), ("0.24.1.dev5", "2.0"), ("0.24.1rc1", "1.1")],
)
def test_no_tree_lies_before_its_last_release(tmp_path: Path, own: str, given: str) -> None:
    with pytest.raises(WrongUse, match="later than the tree's own version"):
        refuse_later(tmp_path, own, given)


@pytest.mark.parametrize(
    ("own", "given"),
    [
        ("0.24.0", "0.24.0"),
        ("0.24.0", "0.9.0"),
        ("0.24.1.dev5", "0.24.1"),
        ("0.24.1.dev5", "0.25.0"),
        ("0.9.1rc1", "1.0"),
    ],
)
def test_a_branch_may_be_cut_before_the_tree_counts_on(tmp_path: Path, own: str, given: str) -> None:
    refuse_later(tmp_path, own, given)
