"""The engine that is made up."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.retire_model.smoke.fake_engine import FakeEngine, make

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeEngine]:
    """Whatever a test leaves of it is killed."""
    made = make(tmp_path)
    yield made
    for process in made.living():
        os.kill(process, signal.SIGKILL)
