"""Cases on a real Ray cluster of this machine, with a stand-in for the smoke run."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem
from retire_model.command import run
from retire_model.prove import on_ray
from retire_model.prove.on_ray import RayWorkers
from tests.retire_model.prove import fake
from tests.retire_model.prove.fake import calls, is_alive, process_of, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.retire_model.prove.conftest import Place

ROOT = Path(__file__).parents[3]
ONE = ("--tensor-parallel", "1", "--pipeline-parallel", "1")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster with two CPUs, which is gone at the end."""
    pytest.importorskip("ray", reason="no Ray here: pip install 'retire-model[ray]'")
    # The folder of a cluster holds sockets, whose paths have to be short.
    folder = tempfile.mkdtemp(prefix="ray-")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = f"--head --block --num-cpus 2 --num-gpus 0 --port {port} --node-ip-address 127.0.0.1 --temp-dir {folder}"
    started = subprocess.Popen(
        [Path(sys.executable).with_name("ray"), "start", *options.split(), "--include-dashboard=false"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: _answers(port))
        yield f"127.0.0.1:{port}"
    finally:
        started.terminate()
        started.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@pytest.fixture
def stand_in(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr(on_ray, "attempt_there", fake.attempt_there)
    return place


def on(cluster: str, words: list[str]) -> list[str]:
    return [*words[: words.index("--jobs")], "--ray", cluster]


def test_cases_are_tasks(stand_in: Place, cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = stand_in.command("toy", "--tensor-parallel", "1", "--tensor-parallel", "2")
    assert run(on(cluster, words)) == 0
    assert "2 cases: 2 passed." in capsys.readouterr().out
    # What a cluster found, this machine need not.
    assert run(words) == 0
    assert len(calls(stand_in.folder)) == 2


def test_a_killed_worker(stand_in: Place, cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in.behave("ToyForCausalLM", "hangs", "passed")
    killed: list[int] = []

    def kill() -> None:
        killed.append(process_of(stand_in.folder, "ToyForCausalLM"))
        worker = Path(f"/proc/{killed[0]}/stat").read_text().rpartition(")")[2].split()[1]
        os.kill(int(worker), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    assert run(on(cluster, stand_in.command("toy", *ONE))) == 0
    thread.join()
    assert "passed (0 s, 2 attempts)" in capsys.readouterr().err
    wait_for(lambda: not is_alive(killed[0]))


def test_too_long(stand_in: Place, cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in.behave("ToyForCausalLM", "hangs")
    assert run(on(cluster, stand_in.command("toy", *ONE, "--case-seconds", "1"))) == 2
    assert "not done within 1 seconds" in capsys.readouterr().out
    assert not is_alive(process_of(stand_in.folder, "ToyForCausalLM"))


def test_too_large(stand_in: Place, cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(on(cluster, stand_in.command("toy", "--tensor-parallel", "64"))) == 2
    assert "asks for 64 CPUs, and no machine of the cluster has so many" in capsys.readouterr().err


def test_machines_without_the_package(
    place: Place, cluster: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lost(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'retire_model'")

    monkeypatch.setattr(on_ray, "attempt_there", lost)
    assert run(on(cluster, place.command("toy", *ONE))) == 2
    assert "pip install 'retire-model[ray]' on the machines of the cluster" in capsys.readouterr().out


def test_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="no Ray here: pip install 'retire-model[ray]'")
    with pytest.raises(EnvironmentProblem, match="no Ray cluster at nonsense: "):
        RayWorkers("nonsense", Path(), 1, [], for_gpus=False)
    monkeypatch.setattr(on_ray, "CONNECT_SECONDS", 3)
    with pytest.raises(EnvironmentProblem, match=r"no Ray cluster answers at 127\.0\.0\.1:1 within 3 s"):
        RayWorkers("127.0.0.1:1", Path(), 1, [], for_gpus=False)


def test_no_ray(place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert run(on("auto", place.command("toy"))) == 2
    assert "retire-model: --ray: there is no Ray here\n  pip install 'retire-model[ray]'\n" in capsys.readouterr().err
