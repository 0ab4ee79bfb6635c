"""`make fuzz`: one reader under atheris, from files of real releases, which stay in the cache.

    python -m tests.fuzz registry 600 [libFuzzer's own options]

Exit status 0 where nothing was found; else the input lies in the folder `fuzz-found`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import atheris
from packaging.version import Version

with atheris.instrument_imports(include=["analyzer", "rules", "codemods"]):
    from tests.fuzz.readers import READERS

from analyzer.engine.docs_tables import SUPPORTED_MODELS_PAGE
from analyzer.engine.registry import REGISTRY_FILE
from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.releases import ReleaseCache
from tests.fuzz.mutations import mutated

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINES = ("0.24.0", "0.33.0")
TRANSFORMERS = "5.19.0"
FOUND = "fuzz-found"
LARGEST = 300_000


def seeds(reader: str) -> Iterator[bytes]:
    """Real files of the kind that `reader` reads."""
    cache = ReleaseCache(cache_folder())
    if reader == "modeling":
        models = cache.transformers(Version(TRANSFORMERS)) / "transformers/models"
        for file in sorted(models.glob("*/modeling_*.py")):
            if (data := _as_toy(file.read_bytes(), file.parent.name)) is not None:
                yield data
        return
    for version in ENGINES:
        root = cache.engine(Version(version))
        match reader:
            case "registry":
                yield (root / REGISTRY_FILE).read_bytes()
            case "docs":
                yield from (file.read_bytes() for file in sorted((root / SUPPORTED_MODELS_PAGE).parent.glob("*.md")))
            case _:
                yield from (file.read_bytes() for file in sorted((root / "vllm").rglob("*.py")) if _names(file))


def _as_toy(data: bytes, folder: str) -> bytes | None:
    """The file with its first causal language model renamed to the one of the small release."""
    before, found, _ = data.partition(b"ForCausalLM(")
    if not found:
        return None
    name = before.rpartition(b"class ")[2]
    return data.replace(name, b"Toy").replace(f"configuration_{folder}".encode(), b"configuration_toy")


def _names(file: Path) -> bool:
    data = file.read_bytes()
    return b"llama" in data.lower() or b"GPT2LMHeadModel" in data


def main(reader: str, seconds: str, *options: str) -> None:
    """Fuzz until the time is up or something is found; libFuzzer ends the process."""
    with tempfile.TemporaryDirectory() as folder:
        corpus, place = Path(folder, "corpus"), Path(folder, "place")
        corpus.mkdir()
        place.mkdir()
        for number, data in enumerate(seeds(reader)):
            if len(data) <= LARGEST:
                (corpus / str(number)).write_bytes(data)
        Path(FOUND).mkdir(exist_ok=True)
        arguments = [f"-max_total_time={seconds}", f"-max_len={LARGEST}", "-timeout=60", "-rss_limit_mb=4096"]
        atheris.Setup(
            ["fuzz", str(corpus), *arguments, f"-artifact_prefix={FOUND}/{reader}-", *options],
            lambda data: READERS[reader](place, data),
            custom_mutator=lambda data, most, seed: mutated(bytes(data), Random(seed))[:most],
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
