"""The action, the example workflows and the hooks keep to their published schemas, and zizmor finds nothing in them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from ruamel.yaml import YAML

if TYPE_CHECKING:
    from tests.retire_model.review.conftest import Reviewed

PROJECT = Path(__file__).parents[3]
WORKFLOWS = sorted((PROJECT / "docs/github").glob("*.yml"))


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("schema", "files"), [("github-actions", [PROJECT / "action.yml"]), ("github-workflows", WORKFLOWS)]
)
def test_schemas(schema: str, files: list[Path]) -> None:
    assert files
    names = [str(file) for file in files]
    run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *names)


def test_hooks() -> None:
    run(sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml")


def test_zizmor() -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    names = [str(file) for file in (PROJECT / "action.yml", *WORKFLOWS)]
    run(str(zizmor), "--offline", "--persona", "pedantic", "--no-progress", *names)


def test_the_steps_of_the_action(small: Reviewed, tmp_path: Path) -> None:
    (small.repository.root / "vllm/model_executor/models/toy.py").unlink()
    head = small.repository.commit("Pipeline parallel is lost")
    installed = tmp_path / "runner/retire-model/bin"
    installed.mkdir(parents=True)
    start = f"import sys; sys.path.insert(0, {str(PROJECT)!r}); from retire_model.command import main; main()"
    (installed / "retire-model").write_text(f'#!/bin/sh\nexec {sys.executable} -c "{start}" "$@"\n')
    (installed / "retire-model").chmod(0o755)
    (step,) = [step for step in YAML(typ="safe").load(PROJECT / "action.yml")["runs"]["steps"] if "id" in step]
    given = {
        "ENGINE_PATH": str(small.repository.root),
        "BASE": "base",
        "HEAD": head,
        "TRANSFORMERS": str(small.release),
        "FORMATS": "github sarif github-review",
        "OUTPUT_FOLDER": str(tmp_path / "out"),
        "TITLE": "$(touch run) `touch run`",
        "BODY": "::set-output name=x::y",
        "RUNNER_TEMP": str(tmp_path / "runner"),
        "GITHUB_OUTPUT": str(tmp_path / "outputs"),
    }
    assert given.keys() - {"RUNNER_TEMP", "GITHUB_OUTPUT"} == step["env"].keys() - {"FAIL_LEVEL"}
    for level, status in (("never", 0), ("error", 1)):
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=tmp_path,
            env=os.environ | given | {"FAIL_LEVEL": level},
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done.stderr
        assert done.stdout.count("::error file=") == 1
    assert {file.name for file in (tmp_path / "out").iterdir()} == {"sarif", "github-review"}
    assert not (tmp_path / "run").exists()


def test_no_workflow_runs_for_strangers_with_rights() -> None:
    for file in WORKFLOWS:
        code = [line.partition("#")[0] for line in file.read_text().splitlines()]
        assert not any("pull_request_target" in line or "workflow_run" in line for line in code)
