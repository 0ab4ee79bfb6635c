"""The hooks, run by the real pre-commit in a real git repository, from this checkout of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rules.lint.sound_tree import DOCS, MODELS, REGISTRY, TESTED, SoundTree

PROJECT = Path(__file__).parents[2]
TOY = f"{MODELS}/toy.py"

pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif(not (PROJECT / ".git").exists(), reason="pre-commit takes hooks from a git repository"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """pre-commit's own folder: the hooks' environment is built once."""
    return tmp_path_factory.mktemp("pre-commit")


class GitTree(SoundTree):
    """The small engine tree in a repository, with its first commit made."""

    def __init__(self, folder: Path, home: Path) -> None:
        super().__init__(folder)
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self._environment |= {"PRE_COMMIT_HOME": str(home), "RETIRE_MODEL_CACHE": str(folder / "no-cache")}
        for name in ("AUTHOR", "COMMITTER"):
            self._environment |= {f"GIT_{name}_NAME": "A", f"GIT_{name}_EMAIL": "a@example.org"}
        for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "The tree"]):
            self.git(*arguments).check_returncode()

    def git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self._run("git", *arguments)

    def pre_commit(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self._run(sys.executable, "-m", "pre_commit", *arguments)

    def install(self, *hooks: str) -> None:
        revision = subprocess.run(
            ["git", "-C", PROJECT, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
        ).stdout.strip()
        listed = "".join(f"      - id: {hook}\n" for hook in hooks)
        config = f"repos:\n  - repo: {PROJECT}\n    rev: {revision}\n    hooks:\n{listed}"
        self.write(".pre-commit-config.yaml", config)
        self.git("add", ".pre-commit-config.yaml")
        self.pre_commit("install").check_returncode()

    def commit(self) -> subprocess.CompletedProcess[str]:
        self.git("add", "-A")
        return self.git("commit", "-m", "A change")

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.root,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.fixture
def tree(tmp_path: Path, home: Path) -> GitTree:
    return GitTree(tmp_path, home)


def test_try_repo(tree: GitTree) -> None:
    done = tree.pre_commit("try-repo", str(PROJECT), "retire-model-lint", "--all-files")
    assert done.returncode == 0, done.stdout
    assert "Passed" in done.stdout


def test_commits(tree: GitTree) -> None:
    tree.install("retire-model-lint", "retire-model-new-model")

    tree.change(DOCS, "# Supported Models\n", "# Supported Models\n\nA line more.\n")
    done = tree.commit()
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("Passed") == 2

    (tree.root / TOY).unlink()
    done = tree.commit()
    assert done.returncode == 1, "a commit of nothing but a deletion is looked at as well"
    assert "ToyForCausalLM is served by toy, which does not exist [registry-target]" in done.stdout
    tree.git("reset", "-q", "--hard")

    tree.write(f"{MODELS}/seen.py", (tree.root / TOY).read_text())
    tree.change(REGISTRY, '    "SeenForConditionalGeneration": (', '    "Unseen": (')
    tree.change(
        REGISTRY, '    "ToyForCausalLM"', '    "SeenForConditionalGeneration": ("seen", "X"),\n    "ToyForCausalLM"'
    )
    done = tree.commit()
    assert done.returncode == 1
    assert "SeenForConditionalGeneration gets the module seen [needless-module]" in done.stdout
    assert "it was in _TRANSFORMERS_SUPPORTED_MODELS" in done.stdout


def test_run_over_a_range(tree: GitTree) -> None:
    tree.install("retire-model-lint")
    tree.commit()
    tree.change(TESTED, '"ToyForCausalLM"', '"LostForCausalLM"')
    tree.git("add", "-A")
    tree.git("commit", "-qm", "A change", "--no-verify")
    done = tree.pre_commit("run", "--from-ref", "HEAD~1", "--to-ref", "HEAD")
    assert done.returncode == 1
    assert "LostForCausalLM in _TEXT_GENERATION_EXAMPLE_MODELS is not in the registry [dead-test-entry]" in done.stdout
