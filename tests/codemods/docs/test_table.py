"""Docs rows move to the table that fits, and nothing else does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.engine.docs_tables import SUPPORTED_MODELS_PAGE, tables_of
from analyzer.engine.registry import REGISTRY_FILE
from analyzer.errors import BrokenEdit, EnvironmentProblem
from codemods.docs.table import move_docs_rows
from codemods.edits import Draft
from codemods.plan import Plugin, Remove
from tests.codemods.small_tree import drafted, plan_of, retired, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.plan import RetiredArchitecture

TICK = "✅︎"
PAGE = f"""\
# Models

### Plugins

| Architecture | Models | Plugin Repository |
| ------------ | ------ | ----------------- |
| `DateModel` | Date | [date-plugin](https://example.org/date-plugin) |

## Text

Our models run everywhere.

| Architecture | Models | Example HF Models | [LoRA](../lora.md) | [PP](../pp.md) |
| ------------ | ------ | ----------------- | ------------------ | -------------- |
| `AppleForCausalLM` | Apple | `org/apple` | {TICK} | {TICK} |
| `PearForCausalLM`<sup>^</sup> | Pear \\| Nashi | `org/pear\\|7b` | | {TICK} |
| `PlumForCausalLM`, `RedPlumForCausalLM` | Plum, red plum | `org/plum`, etc. | | |

Some models are supported only via the [Transformers modeling backend](#transformers). It is named below.

| Architecture | Models | Example HF Models | [LoRA](../lora.md) | [PP](../pp.md) |
| ------------ | ------ | ----------------- | ------------------ | -------------- |
| `BananaForCausalLM` | Banana | `org/banana` | {TICK} | {TICK} |
| `Pear2ForCausalLM` | Pear 2 | `org/pear2` | {TICK} | {TICK} |

!!! note
    `PearForCausalLM` is a pear.

    | `PearForCausalLM` | is | in | a | note |

## Speech

| Architecture | Models | Example HF Models | [LoRA](../lora.md) | [PP](../pp.md) |
| ------------ | ------ | ----------------- | ------------------ | -------------- |
| `PearForCausalLM` | Pear | `org/pear` | | |
"""
POOLING = """\
# Pooling

| Architecture                 | Models |
|------------------------------|--------|
| `PearForCausalLM`<sup>C</sup>, `AppleForCausalLM`, etc. | Pears |

| Setting | Value |
|---------|-------|
| `PearForCausalLM` | on |
"""
POOLING_PAGE = "docs/models/pooling.md"


def moved(
    folder: Path, *architectures: RetiredArchitecture, page: str | bytes = PAGE, skip_docs: bool = False
) -> Draft:
    draft = Draft(write_tree(folder, {SUPPORTED_MODELS_PAGE: page, POOLING_PAGE: POOLING}))
    move_docs_rows(plan_of(*architectures, skip_docs=skip_docs), draft)
    return draft


def difference(draft: Draft, before: str = PAGE) -> tuple[list[str], list[str]]:
    after = drafted(draft, SUPPORTED_MODELS_PAGE).splitlines()
    old = before.splitlines()
    return [line for line in old if line not in after], [line for line in after if line not in old]


def test_a_row_moves_as_it_stands_with_cells_by_the_verdict(tmp_path: Path) -> None:
    draft = moved(tmp_path, retired("PearForCausalLM", lora=True, pipeline_parallel=False))
    row = "| `PearForCausalLM`<sup>^</sup> | Pear \\| Nashi | `org/pear\\|7b` |"
    assert difference(draft) == ([f"{row} | {TICK} |"], [f"{row} {TICK} | |"])
    text = drafted(draft, SUPPORTED_MODELS_PAGE)
    assert f"`org/banana` | {TICK} | {TICK} |\n{row} {TICK} | |\n| `Pear2ForCausalLM`" in text
    assert len(draft.change_set().edits) == 1


def test_the_first_row_of_the_table(tmp_path: Path) -> None:
    draft = moved(tmp_path, retired("AppleForCausalLM", lora=True, pipeline_parallel=True))
    assert difference(draft) == ([], [])
    row = f"| `AppleForCausalLM` | Apple | `org/apple` | {TICK} | {TICK} |\n"
    assert f"-------------- |\n{row}| `BananaForCausalLM`" in drafted(draft, SUPPORTED_MODELS_PAGE)


def test_a_row_about_two_architectures_is_shared_out(tmp_path: Path) -> None:
    assert difference(moved(tmp_path, retired("RedPlumForCausalLM", lora=True))) == (
        ["| `PlumForCausalLM`, `RedPlumForCausalLM` | Plum, red plum | `org/plum`, etc. | | |"],
        [
            "| `PlumForCausalLM` | Plum, red plum | `org/plum`, etc. | | |",
            f"| `RedPlumForCausalLM` | Plum, red plum | `org/plum`, etc. | {TICK} | |",
        ],
    )


def test_a_row_about_two_architectures_moves_whole(tmp_path: Path) -> None:
    draft = moved(tmp_path, retired("RedPlumForCausalLM"), retired("PlumForCausalLM"))
    assert difference(draft) == ([], [])
    row = "| `PlumForCausalLM`, `RedPlumForCausalLM` | Plum, red plum | `org/plum`, etc. | | |\n"
    assert f"`org/pear2` | {TICK} | {TICK} |\n{row}" in drafted(draft, SUPPORTED_MODELS_PAGE)


def test_two_rows_arrive_at_one_place_in_order(tmp_path: Path) -> None:
    draft = moved(tmp_path, retired("PlumForCausalLM"), retired("RedPlumForCausalLM", lora=True))
    tables = tables_of(drafted(draft, SUPPORTED_MODELS_PAGE))
    assert [row.architectures for row in tables[2].rows][-2:] == [("PlumForCausalLM",), ("RedPlumForCausalLM",)]


def test_a_removed_architecture_leaves_every_page(tmp_path: Path) -> None:
    draft = moved(tmp_path, retired("PearForCausalLM", Remove("1")))
    assert [len(table.rows) for table in tables_of(drafted(draft, SUPPORTED_MODELS_PAGE))] == [1, 2, 2, 0]
    assert "is a pear" in drafted(draft, SUPPORTED_MODELS_PAGE)
    assert drafted(draft, POOLING_PAGE) == POOLING.replace("`PearForCausalLM`<sup>C</sup>, ", "")


def test_a_plugin_gets_its_row(tmp_path: Path) -> None:
    draft = moved(tmp_path, retired("PearForCausalLM", Plugin("https://example.org/pear-plugin/")))
    (first, *_, speech) = tables_of(drafted(draft, SUPPORTED_MODELS_PAGE))
    assert [row.text for row in first.rows] == [
        "| `DateModel` | Date | [date-plugin](https://example.org/date-plugin) |",
        "| `PearForCausalLM`<sup>^</sup> | Pear \\| Nashi | [pear-plugin](https://example.org/pear-plugin/) |",
    ]
    assert speech.rows == ()


def test_a_plugin_that_is_named_already(tmp_path: Path) -> None:
    page = PAGE.replace("| `DateModel` |", "| `PearForCausalLM` |")
    draft = moved(tmp_path, retired("PearForCausalLM", Plugin("https://example.org/other")), page=page)
    assert [len(table.rows) for table in tables_of(drafted(draft, SUPPORTED_MODELS_PAGE))] == [1, 2, 2, 0]


def test_a_plugin_with_an_address_that_breaks_the_table(tmp_path: Path) -> None:
    with pytest.raises(BrokenEdit, match="other rows"):
        moved(tmp_path, retired("AppleForCausalLM", Plugin("https://example.org/a\n\nb")))


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    architectures = [
        retired("PearForCausalLM", lora=True),
        retired("AppleForCausalLM", Plugin("https://example.org/a")),
    ]
    once = moved(tmp_path, *architectures)
    files = {file: once.read(file) for file in (SUPPORTED_MODELS_PAGE, POOLING_PAGE)}
    again = Draft(write_tree(tmp_path, dict(files)))
    move_docs_rows(plan_of(*architectures), again)
    assert again.change_set().edits == ()


@pytest.mark.parametrize(
    ("architecture", "page", "message"),
    [
        (retired("PearForCausalLM"), "# Models\n", "no table of models served by the backend"),
        (retired("PearForCausalLM", Plugin("x")), PAGE.replace("Plugin Rep", "Rep"), "no table of plugins"),
    ],
)
def test_a_missing_table(tmp_path: Path, architecture: RetiredArchitecture, page: str, message: str) -> None:
    with pytest.raises(EnvironmentProblem, match=message) as caught:
        moved(tmp_path, architecture, page=page)
    assert "--allow-missing docs" in caught.value.remedy
    moved(tmp_path, architecture, page=page, skip_docs=True)


def test_a_missing_page(tmp_path: Path) -> None:
    draft = Draft(write_tree(tmp_path, {POOLING_PAGE: POOLING}))
    with pytest.raises(EnvironmentProblem, match=r"supported_models\.md is missing"):
        move_docs_rows(plan_of(retired("PearForCausalLM")), draft)
    move_docs_rows(plan_of(retired("PearForCausalLM", Remove("1")), skip_docs=True), draft)
    assert "PearForCausalLM`<sup>" not in drafted(draft, POOLING_PAGE)


def test_no_docs_at_all(tmp_path: Path) -> None:
    draft = Draft(write_tree(tmp_path, {"a.py": ""}))
    move_docs_rows(plan_of(retired("PearForCausalLM"), skip_docs=True), draft)
    assert draft.change_set().edits == ()


@pytest.mark.parametrize(
    ("models", "example"), [("`a|b`", "x"), ("Apple", "x | y"), ("Apple", "`x | y`"), ("`a|b` | x", "y")]
)
def test_a_row_with_other_cells_than_its_table(tmp_path: Path, models: str, example: str) -> None:
    page = PAGE.replace("| Apple | `org/apple` |", f"| {models} | {example} |")
    with pytest.raises(
        EnvironmentProblem, match=r"supported_models\.md:15: the docs row of AppleForCausalLM has other"
    ):
        moved(tmp_path, retired("AppleForCausalLM", lora=True), page=page)
    moved(tmp_path, retired("AppleForCausalLM", Remove("1")), page=page)
    moved(tmp_path, retired("PearForCausalLM"), page=page)


def test_a_code_span_cut_in_two_in_a_row_with_a_cell_too_few(tmp_path: Path) -> None:
    row = f"| `AppleForCausalLM` | Apple | `org/apple` | {TICK} | {TICK} |"
    page = PAGE.replace(row, f"| `AppleForCausalLM` | Apple | `org|apple` | {TICK} |")
    with pytest.raises(EnvironmentProblem, match="other cells than its table"):
        moved(tmp_path, retired("AppleForCausalLM"), page=page)


def test_tables_with_different_columns(tmp_path: Path) -> None:
    head, tail = PAGE.split("Some models")
    page = f"{head}Some models{tail.replace('Example HF Models', 'Weights', 1)}"
    with pytest.raises(
        EnvironmentProblem, match=r"lines 13 and 21 of docs/models/supported_models\.md have different columns"
    ):
        moved(tmp_path, retired("PearForCausalLM"), page=page)


def test_a_page_without_any_tick(tmp_path: Path) -> None:
    draft = moved(tmp_path, retired("PearForCausalLM", lora=True), page=PAGE.replace(TICK, ""))
    assert f"| `org/pear\\|7b` | {TICK} |" in drafted(draft, SUPPORTED_MODELS_PAGE)


def test_the_pages_own_tick(tmp_path: Path) -> None:
    draft = moved(tmp_path, retired("PearForCausalLM", lora=True), page=PAGE.replace(TICK, "yes"))
    assert "| `org/pear\\|7b` | yes |" in drafted(draft, SUPPORTED_MODELS_PAGE)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_marks_and_stray_bytes_stay(tmp_path: Path, newline: str) -> None:
    data = b"\xef\xbb\xbf\xff" + PAGE.rstrip().replace("\n", newline).encode() + b" \xe9"
    draft = moved(tmp_path, retired("PearForCausalLM", Remove("1")), page=data)
    edited = draft.read(SUPPORTED_MODELS_PAGE)
    assert edited.startswith(b"\xef\xbb\xbf\xff# Models")
    assert edited.count(newline.encode()) == data.count(newline.encode()) - 2
    assert edited.endswith(b" |")
    assert (b"\r" in edited) is (newline == "\r\n")


NAME = st.from_regex(r"[A-Z][a-z0-9]{0,5}ForCausalLM", fullmatch=True)
CELL = st.sampled_from(["", "x", TICK, "a \\| b", "`c\\|d`", "<br>é", "**b**", "`` ` ``", "日本", "\\*"])
OTHER = st.sampled_from(
    ["", "\n", "text | with pipe\n\n", "```\n| `PearForCausalLM` | a |\n| - | - |\n```\n", "<div>\n</div>\n\n"]
)


@st.composite
def rows(draw: st.DrawFn, names: list[str]) -> str:
    pad = st.sampled_from([" ", "  ", ""])
    lines = [
        "|"
        + "|".join(f"{draw(pad)}{cell}{draw(pad)}" for cell in (f"`{name}`", *(draw(CELL) for _ in range(4))))
        + "|\n"
        for name in names
    ]
    return "".join(lines)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), newline=st.sampled_from(["\n", "\r\n"]), lora=st.booleans(), pipeline_parallel=st.booleans())
def test_any_page_keeps_everything_else(
    tmp_path: Path, data: st.DataObject, newline: str, lora: bool, pipeline_parallel: bool
) -> None:
    names = data.draw(st.lists(NAME, min_size=2, max_size=7, unique=True))
    split = data.draw(st.integers(1, len(names) - 1))
    target = data.draw(st.sampled_from(names[:split]))
    served = sorted(names[split:], key=str.casefold)
    head = "| Architecture | Models | Example | LoRA | PP |\n|---|---|---|---|---|\n"
    introduction = "Only via the Transformers modeling backend.\n\n"
    bespoke = data.draw(rows(names[:split]))
    text = (
        f"# T\n\n{data.draw(OTHER)}\n{head}{bespoke}\n{data.draw(OTHER)}\n"
        f"{introduction.replace('Only', 'only')}{head}{data.draw(rows(served))}\n{data.draw(OTHER)}"
    )
    draft = moved(
        tmp_path, retired(target, lora=lora, pipeline_parallel=pipeline_parallel), page=text.replace("\n", newline)
    )
    result = drafted(draft, SUPPORTED_MODELS_PAGE)
    assert result.count("\n") == result.count(newline) == text.count("\n")
    (row,) = [line for line in text.split("\n") if line.strip(" |").startswith(f"`{target}`")]
    (new,) = [line for line in result.split(newline) if line.strip(" |").startswith(f"`{target}`")]
    assert [line for line in result.split(newline) if line != new] == [line for line in text.split("\n") if line != row]
    table = next(table for table in tables_of(result) if table.is_served_by_backend)
    (arrived,) = [row for row in table.rows if row.architectures == (target,)]
    old_cells = next(r.cells for t in tables_of(text) for r in t.rows if r.architectures == (target,))
    assert arrived.cells[:3] == old_cells[:3]
    assert len({table.titles for table in tables_of(result)}) == 1


@pytest.mark.parametrize(("other", "goes"), [("Fig", True), ("Pear", False)])
def test_a_row_under_the_name_of_the_class_that_goes(tmp_path: Path, other: str, goes: bool) -> None:
    registry = f"""\
_EMBEDDING_MODELS = {{
    "PearForRanking": ("pear", "PearModel"),
    "OtherForRanking": ("other", "{other}Model"),
}}
_VLLM_MODELS = {{**_EMBEDDING_MODELS}}
_PREVIOUSLY_SUPPORTED_MODELS = {{}}
"""
    page = PAGE.replace("`AppleForCausalLM`", "`PearModel`")
    tree = write_tree(tmp_path, {REGISTRY_FILE: registry, SUPPORTED_MODELS_PAGE: page})
    draft = Draft(tree)
    move_docs_rows(plan_of(retired("PearForRanking", Remove("1.0"), tree=tree)), draft)
    assert ("`PearModel`" not in drafted(draft, SUPPORTED_MODELS_PAGE)) is goes
