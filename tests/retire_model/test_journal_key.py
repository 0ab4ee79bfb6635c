"""The key is the user's own, secret, and outside of every tree; what comes with a tree is not trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem
from retire_model.command import run
from retire_model.journal_key import journal_key, known_journal_key
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_made_once_for_this_user_alone(cache: Path, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    assert known_journal_key(root) is None
    assert not cache.exists()
    key = journal_key(root)
    assert len(key) == 32
    assert journal_key(root) == key == known_journal_key(root)
    (file,) = cache.glob("*.key")
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    assert known_journal_key(root) is None
    with pytest.raises(EnvironmentProblem, match="you alone"):
        journal_key(root)


def test_never_in_the_tree(cache: Path, tmp_path: Path) -> None:
    journal_key(tmp_path / "tree")
    (tmp_path / "link").symlink_to(tmp_path)
    for root in (tmp_path, tmp_path / "link", cache):
        assert known_journal_key(root) is None
        with pytest.raises(EnvironmentProblem, match="lies in the tree"):
            journal_key(root)


@pytest.mark.usefixtures("cache")
def test_check_goes_on_and_write_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine, release = write_engine(tmp_path), write_release(tmp_path)
    journal = engine / ".retire-model-journal/open.json"
    journal.parent.mkdir()
    journal.write_text("[" * 100_000)
    where = ["--engine", str(engine), "--transformers", str(release)]
    assert run(["check", "toy", *where]) == 0
    assert capsys.readouterr().err.count("is not a journal that your runs") == 1
    assert run(["toy", "--write", *where]) == 1
    assert "is not a journal that your runs" in capsys.readouterr().err
    assert journal.exists()
