from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from packaging.specifiers import SpecifierSet

from analyzer.engine.requirements import read_declared_range
from analyzer.errors import EnvironmentProblem, UnreadableSource
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path


def read(text: str, folder: Path) -> tuple[str, int]:
    (folder / "requirements").mkdir()
    (folder / "requirements/common.txt").write_text(text)
    found = read_declared_range(SourceTree(folder), "transformers")
    return str(found.specifier), found.location.line


@pytest.mark.parametrize(
    ("line", "specifier"),
    [
        ("transformers >= 5.5.3", ">=5.5.3"),
        ("transformers >= 5.16.1, < 5.21.0", "<5.21.0,>=5.16.1"),
        ("transformers>=4.56.0,<5  # a comment, transformers==1", "<5,>=4.56.0"),
        ("Transformers[torch]>=5 ; python_version >= '3.8'", ">=5"),
        ("transformers", ""),
        ("transformers \\\n  >= 5", ">=5"),
        ("transformers==5.5.3 --hash=sha256:abc", "==5.5.3"),
        ("transformers>=5\ntransformers!=5.6.0", "!=5.6.0,>=5"),
        ("transformers>=5; python_version >= '3'\ntransformers==1; python_version < '3'", ">=5"),
    ],
)
def test_line(line: str, specifier: str, tmp_path: Path) -> None:
    noise = "# transformers==0\nregex # transformers==0\n-r other.txt\n--pre\ntransformers-stream==1\n"
    assert read(f"{noise}\n{line}\ntokenizers >= 1\n", tmp_path) == (str(SpecifierSet(specifier)), 7)


def test_last_line_may_be_open(tmp_path: Path) -> None:
    assert read("transformers>=5 \\", tmp_path) == (">=5", 1)


@pytest.mark.parametrize("text", ["", "regex\n", "transformers==1; python_version < '3'\n"])
def test_no_line_for_it(text: str, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="does not name transformers"):
        read(text, tmp_path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=r"has no requirements/common\.txt"):
        read_declared_range(SourceTree(tmp_path), "transformers")


def test_line_that_is_no_requirement(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"requirements/common\.txt:2 is not a requirement"):
        read("regex\ntransformers >> 5\n", tmp_path)


@pytest.mark.release
def test_real_ranges(engine_0_11: Path, engine_0_24: Path, engine_0_33: Path) -> None:
    ranges = [
        str(read_declared_range(SourceTree(root), "transformers").specifier)
        for root in (engine_0_11, engine_0_24, engine_0_33)
    ]
    assert ranges == ["<5,>=4.56.0", ">=5.5.3", "<5.21.0,>=5.16.1"]


def test_a_number_that_python_does_not_read(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"common\.txt:1 is not a requirement"):
        read(f"transformers>={'9' * 5000}", tmp_path)
