"""A program of this package is started by path with a Python that need not have it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from retire_model import by_path

SCRIPT = Path(by_path.__file__)


def test_only_the_package_is_importable(tmp_path: Path) -> None:
    """The folder beside is no place to look for modules, and neither is the package's own."""
    code = f"""
import runpy, sys
sys.path[:] = [p for p in sys.path if not p.endswith(({str(SCRIPT.parent)!r}, {str(SCRIPT.parents[1])!r}))]
sys.path.insert(0, {str(SCRIPT.parent)!r})
runpy.run_path({str(SCRIPT)!r}, run_name="by_path")["load"]()
import retire_model.probing.sizes
import importlib.util
print([bool(importlib.util.find_spec(name)) for name in ("rules", "probe", "retire_model.probe.process")])
"""
    run = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.stdout == "[False, False, True]\n", run.stderr
