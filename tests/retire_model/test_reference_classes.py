"""Each way in which something may depend on a model, one file each, and the answer that it gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from retire_model.command import run
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from pathlib import Path

MODELS = "vllm.model_executor.models"


@dataclass(frozen=True)
class Edited:
    """What is left of the file; nothing where it goes."""

    after: str | None


@dataclass(frozen=True)
class Kept:
    """What is told about the line."""

    told: str


@dataclass(frozen=True)
class Refused:
    """What is told about the line."""

    told: str


FIG = "def test_fig():\n    assert 1\n"
CASES: dict[str, tuple[str, str, Edited | Kept | Refused]] = {
    "absolute import": ("vllm/a.py", f"from {MODELS}.toy import ToyModel\n", Refused("import of toy: ToyModel")),
    "relative import": (
        "vllm/model_executor/models/other2.py",
        "from .toy import ToyModel\n",
        Refused("relative import of toy: ToyModel"),
    ),
    "importlib": (
        "vllm/a.py",
        f'import importlib\n\nm = importlib.import_module("{MODELS}.toy")\n',
        Refused("string with the module's path of toy"),
    ),
    "relative importlib": (
        "vllm/model_executor/models/other2.py",
        'import importlib\n\nm = importlib.import_module(".toy", __package__)\n',
        Refused("string with the module's path of toy"),
    ),
    "type checking": (
        "vllm/a.py",
        f"from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from {MODELS}.toy import ToyModel\n",
        Refused("import for type checking of toy: ToyModel"),
    ),
    "through its package": (
        "vllm/a.py",
        f"from {MODELS.rpartition('.')[0]} import models\n\nx = models.toy.ToyModel\n",
        Refused("use through its package of toy: ToyModel"),
    ),
    "architecture by name": (
        "vllm/model_executor/models/builder.py",
        'init(architectures=["ToyForCausalLM"])\n',
        Refused("vllm/model_executor/models/builder.py:1  builds ToyForCausalLM by its name"),
    ),
    "monkeypatch in a test": (
        "tests/models/test_more.py",
        f'def test_toy(monkeypatch):\n    monkeypatch.setattr("{MODELS}.toy.ToyModel", 1)\n\n\n{FIG}',
        Edited(FIG),
    ),
    "direct use in a test": (
        "tests/kernels/test_more.py",
        f"from {MODELS}.toy import ToyModel\n\n\ndef test_toy():\n    assert ToyModel()\n\n\n{FIG}",
        Edited(FIG),
    ),
    "test of nothing else": (
        "tests/kernels/test_more.py",
        f"from {MODELS}.toy import ToyModel\n\n\ndef test_toy():\n    assert ToyModel()\n",
        Edited(None),
    ),
    "one model of several in a test": (
        "tests/kernels/test_more.py",
        f'def test_all(name):\n    if name == "toy":\n        from {MODELS}.toy import ToyModel\n\n        ToyModel()\n'
        "    assert name\n",
        Refused("tests/kernels/test_more.py:3  import of toy: ToyModel"),
    ),
    "script that measures it": (
        "benchmarks/kernels/measure.py",
        f"from {MODELS}.toy import ToyModel\n\n\ndef main():\n    ToyModel()\n\n\n"
        'if __name__ == "__main__":\n    n = 3\n    main()\n',
        Edited(None),
    ),
    "test parameter": (
        "tests/models/test_more.py",
        f'import pytest\n\n\n@pytest.mark.parametrize("m", ["org/toy-2b", "org/fig"])\n{FIG}',
        Edited(f'import pytest\n\n\n@pytest.mark.parametrize("m", ["org/fig"])\n{FIG}'),
    ),
    "docs row": (
        "docs/features/more.md",
        "# More\n\n| Architecture | Models |\n| --- | --- |\n| `ToyForCausalLM` | Toy |\n| `FigForCausalLM` | Fig |\n",
        Edited("# More\n\n| Architecture | Models |\n| --- | --- |\n| `FigForCausalLM` | Fig |\n"),
    ),
    "docs prose": (
        "docs/features/more.md",
        "# More\n\nA model such as `ToyForCausalLM` has layers.\n",
        Kept("docs/features/more.md:3"),
    ),
    "path in a pipeline": (
        ".buildkite/more.yaml",
        "steps:\n  - vllm/model_executor/models/toy.py\n  - vllm/model_executor/models/other.py\n",
        Edited("steps:\n  - vllm/model_executor/models/other.py\n"),
    ),
    "label of pull requests": (
        ".github/mergify.yml",
        "or:\n  - files~=^vllm/model_executor/models/toy.*\\.py\n  - files=README.md\n",
        Edited("or:\n  - files=README.md\n"),
    ),
    "code owner": (
        ".github/CODEOWNERS",
        "/vllm/model_executor/models/toy.py @a\n/docs @b\n",
        Edited("/docs @b\n"),
    ),
    "comment": ("vllm/a.py", "x = 1  # as ToyForCausalLM does\n", Kept("vllm/a.py:1")),
}


@pytest.mark.parametrize("case", CASES)
def test_answer(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))
    engine = write_engine(tmp_path)
    (engine / "PKG-INFO").write_text("Version: 9.0.0\n")
    file, text, answer = CASES[case]
    place = engine / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    status = run(
        ["toy", "--remove", "--write", "--engine", str(engine), "--transformers", str(write_release(tmp_path))]
    )
    told = capsys.readouterr()
    match answer:
        case Edited(after):
            assert status == 0, told.err
            assert (place.read_text() if place.exists() else None) == after
        case Kept(line):
            assert status == 0, told.err
            assert place.read_text() == text
            assert line in told.out
        case Refused(line):
            assert status == 1
            assert place.read_text() == text
            assert line in told.err
            assert (engine / "vllm/model_executor/models/toy.py").exists()
