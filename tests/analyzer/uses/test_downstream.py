"""What plugins take of modules of the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.errors import UnreadableSource, WrongUse
from analyzer.uses.downstream import downstream_references

PLUGIN = """from vllm.model_executor.models.toy import ToyForCausalLM, ToyModel
from vllm.model_executor.models.toy_other import Thing


def patch():
    import vllm.model_executor.models.toy as toy

    return register("ToyForCausalLM", "vllm.model_executor.models.toy:ToyForCausalLM")
"""


def test_places_and_names(tmp_path: Path) -> None:
    plugin, other = tmp_path / "plugin", tmp_path / "other"
    (plugin / "src").mkdir(parents=True)
    other.mkdir()
    (plugin / "src/models.py").write_text(PLUGIN)
    (other / "a.py").write_text("from vllm.model_executor.models import toy\n")
    found = downstream_references((plugin, other), ["toy", "gone"])
    assert [(Path(d.place).relative_to(tmp_path).as_posix(), d.reference.symbols) for d in found] == [
        ("plugin/src/models.py:1", ("ToyForCausalLM", "ToyModel")),
        ("plugin/src/models.py:6", ()),
        ("plugin/src/models.py:8", ()),
        ("other/a.py:1", ()),
    ]


def test_nothing(tmp_path: Path) -> None:
    assert downstream_references((), ["toy"]) == ()
    assert downstream_references((tmp_path,), ["toy"]) == ()


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="there is no such folder"):
        downstream_references((tmp_path / "gone",), ["toy"])


def test_file_that_does_not_parse(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import vllm.model_executor.models.toy\nprint 1\n")
    (found,) = downstream_references((tmp_path,), ["toy"])
    assert str(found.reference.location) == "a.py:1"
    (tmp_path / "a.py").write_text('patch("vllm.model_executor.models.toy")\nprint 1\n')
    with pytest.raises(UnreadableSource, match=r"a\.py:2 is not valid Python"):
        downstream_references((tmp_path,), ["toy"])
