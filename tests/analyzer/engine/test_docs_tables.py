"""Tables of a Markdown page, where the parser sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.docs_tables import SUPPORTED_MODELS_PAGE, code_spans, read_docs_tables, tables_of
from analyzer.errors import UnreadableSource
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """\
# Models

## Text

### Generation ###

Some models are supported only via the [Transformers modeling backend](#x).
Second line.

| Architecture | Models | [LoRA](../lora.md) |
|--------------|:------:|-------------------:|
| `AppleForCausalLM`<sup>^</sup> | a \\| b | ✅︎ |
| `A\\|B`, `*Model`, \\`C\\` | | | too many |
short

## Other

- item

| Setting | Value |
| ------- | ----- |

```
| Architecture | Models |
|---|---|
```

    | Architecture | Models |
    |---|---|
"""


def test_tables_with_their_headings() -> None:
    first, second = tables_of(PAGE)
    assert first.headings == ("Models", "Text", "Generation")
    assert first.introduction.startswith("Some models are supported only via")
    assert first.is_served_by_backend
    assert not first.is_served_by_plugins
    assert (first.header, first.titles) == (
        ("Architecture", "Models", "[LoRA](../lora.md)"),
        ("Architecture", "Models", "LoRA"),
    )
    assert (first.column("LoRA"), first.column("PP"), first.line) == (2, None, 10)
    assert (second.headings, second.introduction, second.rows) == (("Models", "Other"), "", ())
    assert not second.lists_architectures


def test_rows() -> None:
    (apple, other, short), _ = (table.rows for table in tables_of(PAGE))
    assert (apple.line, apple.text) == (12, "| `AppleForCausalLM`<sup>^</sup> | a \\| b | ✅︎ |")
    assert apple.cells == ("`AppleForCausalLM`<sup>^</sup>", "a | b", "✅︎")
    assert apple.architectures == ("AppleForCausalLM",)
    assert other.architectures == ("A|B", "*Model")
    assert (other.cells, short.cells) == (("`A|B`, `*Model`, \\`C\\`", "", ""), ("short", "", ""))
    assert short.architectures == ()


def test_plugins() -> None:
    (table,) = tables_of("| Architecture | Models | Plugin Repository |\n|-|-|-|\n")
    assert table.is_served_by_plugins
    assert not table.is_served_by_backend


def test_code_spans() -> None:
    assert code_spans("`` a`b `` and `c` `") == ("a`b", "c")
    assert code_spans("") == ()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends(tmp_path: Path, newline: str) -> None:
    (tmp_path / "page.md").write_bytes(b"\xef\xbb\xbf" + PAGE.replace("\n", newline).encode() + b"\xff")
    tables = read_docs_tables(SourceTree(tmp_path), "page.md")
    assert [table.line for table in tables] == [10, 20]
    assert tables[0].rows == tables_of(PAGE)[0].rows


def test_a_missing_page(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource):
        read_docs_tables(SourceTree(tmp_path), SUPPORTED_MODELS_PAGE)


@given(st.text(alphabet="|-`\\ \n\ta#:\x85\u2028é<>", max_size=80))
def test_any_text(text: str) -> None:
    lines = text.split("\n")
    for table in tables_of(text):
        assert all(lines[row.line - 1] == row.text and len(row.cells) == len(table.header) for row in table.rows)


@pytest.mark.release
def test_the_real_pages(engine_0_24: Path, engine_0_33: Path) -> None:
    for root, counts in ((engine_0_24, [2, 123, 1, 99, 1, 12, 2]), (engine_0_33, [3, 106, 20, 105, 3, 12, 2])):
        tables = read_docs_tables(SourceTree(root), SUPPORTED_MODELS_PAGE)
        assert [len(table.rows) for table in tables] == counts
        assert [table.is_served_by_backend for table in tables] == [False, False, True, False, True, False, False]
        assert [table.is_served_by_plugins for table in tables] == [True] + [False] * 6
        assert all(row.architectures for table in tables for row in table.rows)
