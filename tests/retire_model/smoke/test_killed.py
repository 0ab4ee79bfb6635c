"""Whoever is killed, and wherever: nothing is left running, nothing is left lying about, and the next run works."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.retire_model.smoke.fake_engine import finish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.retire_model.smoke.fake_engine import FakeEngine

pytestmark = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs Linux")

POINTS = ("import", "checkpoint", "engine")
EACH = (("import", signal.SIGINT), ("checkpoint", signal.SIGHUP), ("engine", signal.SIGTERM), ("engine", signal.SIGINT))
"""The signals that end it in order, and where."""


def assert_clean(fake: FakeEngine) -> None:
    assert fake.settle() == []
    assert fake.folders() == []


def assert_next_works(fake: FakeEngine) -> None:
    status, out, err = finish(fake.smoke())
    assert status == 0, out + err
    assert_clean(fake)


def assert_no_memory(at: dict[str, Any]) -> None:
    assert [name for name in at.get("memory", []) if Path(name).exists()] == []


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    assert holds()


def stopped_at(fake: FakeEngine, point: str, command: subprocess.Popen[str]) -> dict[str, Any]:
    """Who is there; the runs after that do not wait."""
    at = fake.wait()
    fake.switch(point, on=False)
    assert command.poll() is None
    return at


def test_a_run(fake: FakeEngine) -> None:
    assert_next_works(fake)


@pytest.mark.parametrize(("point", "number"), EACH)
def test_a_signal_ends_it_in_order(fake: FakeEngine, point: str, number: signal.Signals) -> None:
    fake.switch(point)
    command = fake.smoke()
    at = stopped_at(fake, point, command)
    command.send_signal(number)
    # An impatient user's second one breaks nothing off.
    command.send_signal(number)
    status, _, err = finish(command)
    assert (status, err.strip()) == (130, "retire-model: interrupted\n  Nothing was written.")
    assert_clean(fake)
    assert_no_memory(at)
    assert_next_works(fake)


def test_what_nohup_ignores_stays_ignored(fake: FakeEngine) -> None:
    fake.switch("engine")
    command = fake.smoke(before="trap '' HUP")
    at = stopped_at(fake, "engine", command)
    command.send_signal(signal.SIGHUP)
    # The run first: a run that lives would say itself that its worker is gone.
    os.kill(at["job"], signal.SIGKILL)
    os.kill(at["worker"], signal.SIGKILL)
    status, out, _ = finish(command)
    assert status == 2, out
    assert "its process was killed" in out


@pytest.mark.parametrize("victims", [("parent",), ("parent", "keeper"), ("keeper", "parent", "job", "worker")])
@pytest.mark.parametrize("point", POINTS)
def test_the_command_is_killed(fake: FakeEngine, point: str, victims: tuple[str, ...]) -> None:
    fake.switch(point)
    command = fake.smoke()
    at = stopped_at(fake, point, command) | {"parent": command.pid}
    if point == "import":
        at["keeper"] = at["job"]
    for victim in victims:
        if victim in at:
            with suppress(ProcessLookupError):
                os.kill(at[victim], signal.SIGKILL)
    assert finish(command)[0] == -signal.SIGKILL
    if "keeper" not in victims:
        # It ends what it has started, and itself; a stray of its runs goes with the next command.
        until(lambda: not any(alive(at[name]) for name in ("keeper", "job", "worker") if name in at))
    assert_next_works(fake)
    assert_no_memory(at)


@pytest.mark.parametrize("victim", ["keeper", "job", "worker"])
def test_one_of_a_run_is_killed(fake: FakeEngine, victim: str) -> None:
    """That run says nothing about the model, and the runs after it work."""
    fake.switch("engine")
    command = fake.smoke()
    at = stopped_at(fake, "engine", command)
    os.kill(at[victim], signal.SIGKILL)
    status, out, err = finish(command)
    assert status == 2, out + err
    assert "not run" in out
    assert "was killed" in out
    assert "passed" in out
    assert_clean(fake)
    assert_no_memory(at)
    assert_next_works(fake)


def test_a_run_over_its_time(fake: FakeEngine) -> None:
    fake.switch("engine")
    command = fake.smoke("--seconds", "2")
    at = stopped_at(fake, "engine", command)
    status, out, err = finish(command)
    # Before comes after it, and is in time.
    assert status == 1, out + err
    assert "no answer within 2 seconds" in out
    assert_clean(fake)
    assert_no_memory(at)


def test_an_engine_that_never_stops_to_print(fake: FakeEngine) -> None:
    fake.switch("loud")
    status, out, err = finish(fake.smoke())
    assert status == 2, out + err
    assert "it wrote more than 64 MiB to its log" in out
    assert_clean(fake)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no small disk can be mounted here: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_no_room_for_a_checkpoint(fake: FakeEngine, disk: Path) -> None:
    earlier, fake.environment["TMPDIR"] = fake.environment["TMPDIR"], str(disk)
    fake.switch("large")
    status, out, err = finish(fake.smoke())
    assert (status, out) == (2, "")
    assert "no checkpoint of ToyForCausalLM can be made: No space left on device" in err
    assert len(err.splitlines()) == 2
    assert_clean(fake)
    fake.environment["TMPDIR"] = earlier
    fake.switch("large", on=False)
    assert_next_works(fake)


def test_no_room_for_logs(fake: FakeEngine, disk: Path) -> None:
    earlier, fake.environment["RETIRE_MODEL_CACHE"] = fake.environment["RETIRE_MODEL_CACHE"], str(disk)
    fake.switch("wordy")
    status, out, err = finish(fake.smoke())
    assert status == 2, out + err
    assert "No space left on device" in out
    assert_clean(fake)
    fake.environment["RETIRE_MODEL_CACHE"] = earlier
    fake.switch("wordy", on=False)
    assert_next_works(fake)


def test_no_room_at_all(fake: FakeEngine, disk: Path) -> None:
    """`TMPDIR` is one of several places that are tried."""
    fake.environment["RETIRE_MODEL_CACHE"] = str(disk / "file")
    (disk / "file").touch()
    status, out, err = finish(fake.smoke())
    assert (status, out) == (2, "")
    assert "cannot keep logs in" in err
    assert "Set RETIRE_MODEL_CACHE." in err


def test_two_at_once(fake: FakeEngine) -> None:
    """Neither takes the other's folder for one that was left."""
    fake.switch("engine")
    first = fake.smoke()
    at = stopped_at(fake, "engine", first)
    assert finish(fake.smoke())[0] == 0
    assert first.poll() is None
    assert alive(at["worker"])
    first.send_signal(signal.SIGTERM)
    assert finish(first)[0] == 130
    assert_clean(fake)


PROVED = ("--write", "--smoke")


def test_a_retirement_that_is_proved(fake: FakeEngine) -> None:
    status, out, err = finish(fake.retire(*PROVED))
    assert status == 0, out + err
    assert not (fake.tree / "vllm/model_executor/models/toy.py").exists()
    assert_clean(fake)


def test_a_retirement_that_fails_its_proof_is_rolled_back(fake: FakeEngine) -> None:
    before = fake.content()
    fake.switch("wrong")
    status, _, err = finish(fake.retire(*PROVED))
    assert status == 1, err
    assert "the smoke run failed" in err
    assert fake.content() == before
    assert_clean(fake)


@pytest.mark.parametrize(("point", "number"), [*EACH, *((point, signal.SIGKILL) for point in POINTS)])
def test_a_retirement_is_ended_during_its_proof(fake: FakeEngine, point: str, number: signal.Signals) -> None:
    """It is rolled back, or where nobody is left to do so, the next command on the tree does it."""
    before = fake.content()
    fake.switch(point)
    command = fake.retire(*PROVED)
    stopped_at(fake, point, command)
    assert fake.content() != before
    command.send_signal(number)
    status, _, err = finish(command)
    if number is signal.SIGKILL:
        assert status == -number
        fake.switch("wrong")
        status, out, err = finish(fake.retire(*PROVED))
        assert "an earlier run was cut off" in out + err
        assert status == 1
    else:
        assert (status, err.strip()) == (130, "retire-model: interrupted\n  Nothing was written.")
    assert fake.content() == before
    assert_clean(fake)


def test_a_smoke_run_of_a_tree_whose_retirement_was_killed(fake: FakeEngine) -> None:
    """What is compared is not what was half done."""
    before = fake.content()
    fake.switch("checkpoint")
    command = fake.retire(*PROVED)
    stopped_at(fake, "checkpoint", command)
    command.kill()
    finish(command)
    status, out, err = finish(fake.smoke())
    assert status == 0, out + err
    assert "an earlier run was cut off" in err
    assert fake.content() == before
    assert_clean(fake)


@pytest.mark.parametrize("victim", ["keeper", "job", "worker"])
def test_a_retirement_whose_proof_is_killed(fake: FakeEngine, victim: str) -> None:
    before = fake.content()
    fake.switch("engine")
    command = fake.retire(*PROVED)
    os.kill(stopped_at(fake, "engine", command)[victim], signal.SIGKILL)
    status, _, err = finish(command)
    assert status == 2, err
    assert "the smoke run cannot tell" in err
    assert fake.content() == before
    assert_clean(fake)
