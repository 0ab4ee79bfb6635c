"""A Python with torch and Transformers, for the tests that are marked `torch`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FIND = (
    "import importlib.util as util; print(util.find_spec('torch').origin); print(util.find_spec('transformers').origin)"
)


@pytest.fixture(scope="session")
def probe_python() -> tuple[str, Path]:
    """That Python, and the folder that holds its Transformers: the one that runs the tests, or PROBE_PYTHON."""
    python = os.environ.get("PROBE_PYTHON") or sys.executable
    found = subprocess.run([python, "-c", FIND], capture_output=True, text=True)
    if found.returncode:
        pytest.skip(f"{python} has no torch or no Transformers (pip install 'retire-model[smoke]', or PROBE_PYTHON)")
    return python, Path(found.stdout.split()[-1]).parents[1]
