"""One case: a model, a Transformers release, a number of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Case:
    """A smoke run that can be told from all others."""

    architecture: str
    transformers: str
    """The release."""
    tensor_parallel: int
    arguments: tuple[str, ...]
    """The words of the command that runs it: `smoke …`."""
    workers: int
    """The most processes that share the model: so many CPUs or GPUs it asks for."""
    key: str
    """Made of all that its outcome depends on."""

    @property
    def told(self) -> str:
        """In a few words."""
        return f"{self.architecture}, Transformers {self.transformers}, tensor parallel {self.tensor_parallel}"


@dataclass(frozen=True, slots=True)
class CaseOptions:
    """The options of the smoke run that all cases share, as they were given."""

    before: str | None
    after: str | None
    pipeline_parallel: int
    dtype: str
    device: str
    runner: str
    seconds: int

    def words(self) -> tuple[str, ...]:
        """For the command line, without the trees. Speed and memory are left out: neighbours would disturb them."""
        given = {
            "--pipeline-parallel": self.pipeline_parallel,
            "--dtype": self.dtype,
            "--device": self.device,
            "--runner": self.runner,
            "--seconds": self.seconds,
            "--rounds": 0,
        }
        return tuple(word for name, value in given.items() for word in (name, str(value)))


def arguments_of(
    architecture: str, program: Path, tensor_parallel: int, trees: dict[str, str], options: CaseOptions
) -> tuple[str, ...]:
    """The words of `smoke`; `trees` are the values of `--before` and `--after`."""
    words = ["smoke", architecture, "--engine-python", str(program), "--tensor-parallel", str(tensor_parallel)]
    return (*words, *(word for pair in trees.items() for word in pair), *options.words())
