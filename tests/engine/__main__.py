"""Prints what a wheel of the engine requires, less what is installed before it or not needed for text.

python -m tests.engine WHEEL
"""

from __future__ import annotations

import email
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterator

LEFT_OUT = frozenset({"torch", "torchvision", "torchaudio", "torchcodec", "transformers"})


def requirements(wheel: Path) -> Iterator[str]:
    """The requirements of a wheel that are neither an extra's nor left out."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    for line in metadata.get_all("Requires-Dist", []):
        requirement = Requirement(line)
        extra = requirement.marker is not None and "extra" in str(requirement.marker)
        if not extra and canonicalize_name(requirement.name) not in LEFT_OUT:
            yield line


if __name__ == "__main__":
    for requirement in requirements(Path(sys.argv[1])):
        print(requirement)
