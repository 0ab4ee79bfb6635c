"""Registry entries move, and nothing else does."""

from __future__ import annotations

import ast
import difflib
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.engine.registry import REGISTRY_FILE, registry_of
from analyzer.errors import EnvironmentProblem, Refused, UnreadableSource
from codemods.edits import Draft
from codemods.plan import Migrate, Plugin, Remove
from codemods.registry.entries import move_registry_entries
from tests.codemods.small_tree import MULTIMODAL, REGISTRY, TEXT, drafted, plan_of, registry_tree, retired

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.plan import Outcome


def moved(folder: Path, *names: str, outcome: Outcome = TEXT, registry: str | bytes = REGISTRY) -> Draft:
    tree = registry_tree(folder, registry)
    draft = Draft(tree)
    move_registry_entries(plan_of(*(retired(name, outcome, tree=tree) for name in names)), draft)
    return draft


def difference(draft: Draft, before: str = REGISTRY) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), drafted(draft, REGISTRY_FILE).splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def test_an_entry_moves_with_its_own_comments(tmp_path: Path) -> None:
    assert difference(moved(tmp_path, "PearForCausalLM")) == [
        "-    # pear 7b, upper case",
        '-    "PearForCausalLM": ("pear", "PearForCausalLM"),  # PearChat',
        '-    "PearForCausalLM": ("pear", "PearForCausalLM"),',
        '+    "PearForCausalLM": ("transformers", "TransformersForCausalLM"),',
    ]


def test_a_heading_stays_and_the_order_is_by_family(tmp_path: Path) -> None:
    draft = moved(tmp_path, "AppleForCausalLM")
    assert difference(draft) == [
        '-    "AppleForCausalLM": ("apple", "AppleForCausalLM"),',
        '+    "AppleForCausalLM": ("transformers", "TransformersForCausalLM"),',
    ]
    assert '    # Text generation models\n    "AppleForCausalLM"' in drafted(draft, REGISTRY_FILE)


def test_an_entry_over_several_lines_at_the_end_of_its_section(tmp_path: Path) -> None:
    draft = moved(tmp_path, "PlumForCausalLM")
    assert difference(draft)[:5] == [
        '-    "PlumForCausalLM": (',
        '-        "plum",  # sour',
        '-        "PlumForCausalLM",',
        "-    ),  # noqa: E501",
        '+    "PlumForCausalLM": ("transformers", "TransformersForCausalLM"),',
    ]
    assert '"PlumForCausalLM": ("transformers", "TransformersForCausalLM"),\n    # Multimodal' in drafted(
        draft, REGISTRY_FILE
    )


def test_a_long_value_takes_several_lines(tmp_path: Path) -> None:
    draft = moved(tmp_path, "PlumForCausalLM", outcome=MULTIMODAL)
    assert drafted(draft, REGISTRY_FILE).count('    ("transformers", "TransformersMultiModalForCausalLM"),') == 0
    assert '    ),\n    "PlumForCausalLM": ("transformers", "TransformersMultiModalForCausalLM"),\n}\n' in drafted(
        draft, REGISTRY_FILE
    )
    registry = REGISTRY.replace("PlumForCausalLM", "PlumTreeForConditionalGeneration")
    other = moved(tmp_path, "PlumTreeForConditionalGeneration", outcome=MULTIMODAL, registry=registry)
    assert (
        '    "PlumTreeForConditionalGeneration": (\n        "transformers",\n'
        '        "TransformersMultiModalForCausalLM",\n    ),\n}\n' in drafted(other, REGISTRY_FILE)
    )


def test_a_missing_section_is_made_in_the_registrys_order(tmp_path: Path) -> None:
    embedding = moved(tmp_path, "PearForCausalLM", outcome=Migrate("TransformersEmbeddingModel"))
    assert (
        '    ),\n    # Embedding models\n    "PearForCausalLM": ("transformers", "TransformersEmbeddingModel"),\n}\n'
        in drafted(embedding, REGISTRY_FILE)
    )
    start = REGISTRY.index("    # Text generation models")
    end = REGISTRY.index("    # Multimodal models")
    without_text = REGISTRY[:start] + REGISTRY[end:]
    text = moved(tmp_path, "PearForCausalLM", registry=without_text)
    assert (
        '    # Text generation models\n    "PearForCausalLM": ("transformers", "TransformersForCausalLM"),\n'
        "    # Multimodal models\n" in drafted(text, REGISTRY_FILE)
    )


@pytest.mark.parametrize(
    ("display", "expected"),
    [
        (
            "{}",
            '{\n    # Text generation models\n    "PearForCausalLM": ("transformers", "TransformersForCausalLM"),\n}',
        ),
        (
            "{\n}",
            '{\n    # Text generation models\n    "PearForCausalLM": ("transformers", "TransformersForCausalLM"),\n}',
        ),
        (
            "{'Z': ('a', 'b')}",
            "{'PearForCausalLM': ('transformers', 'TransformersForCausalLM'), 'Z': ('a', 'b')}",
        ),
        (
            "{'A': ('a', 'b')}",
            "{'A': ('a', 'b'), 'PearForCausalLM': ('transformers', 'TransformersForCausalLM')}",
        ),
        (
            "{'A': ('a', 'b'), }",
            "{'A': ('a', 'b'), 'PearForCausalLM': ('transformers', 'TransformersForCausalLM'), }",
        ),
    ],
)
def test_destinations_of_every_shape(tmp_path: Path, display: str, expected: str) -> None:
    start = REGISTRY.index("_TRANSFORMERS_SUPPORTED_MODELS = {")
    end = REGISTRY.index("_TRANSFORMERS_BACKEND_MODELS")
    registry = f"{REGISTRY[:start]}_TRANSFORMERS_SUPPORTED_MODELS = {display}\n\n{REGISTRY[end:]}"
    assert f"_TRANSFORMERS_SUPPORTED_MODELS = {expected}\n" in drafted(
        moved(tmp_path, "PearForCausalLM", registry=registry), REGISTRY_FILE
    )


def test_a_backend_without_headings(tmp_path: Path) -> None:
    registry = REGISTRY.replace("    # Text generation models\n", "").replace("    # Multimodal models\n", "")
    registry = registry.replace("    # Embedding models\n", "")
    assert (
        '    "FigForConditionalGeneration": (\n        "transformers",\n        "TransformersMultiModalForCausalLM",\n'
        "    ),\n}\n" in drafted(moved(tmp_path, "AppleForCausalLM", registry=registry), REGISTRY_FILE)
    )


def test_a_removed_architecture_goes_to_the_end(tmp_path: Path) -> None:
    assert difference(moved(tmp_path, "AppleForCausalLM", "QuinceForCausalLM", outcome=Remove("0.3.0"))) == [
        '-    "AppleForCausalLM": ("apple", "AppleForCausalLM"),',
        '-    "QuinceForCausalLM": ("quince", "QuinceForCausalLM"),',
        '+    "AppleForCausalLM": "0.3.0",',
        '+    "QuinceForCausalLM": "0.3.0",',
    ]


def test_a_plugin(tmp_path: Path) -> None:
    draft = moved(tmp_path, "AppleForCausalLM", outcome=Plugin("https://example.org/a'p\"ple"))
    assert difference(draft)[-1] == "+    \"AppleForCausalLM\": 'https://example.org/a\\'p\"ple',"


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    tree = registry_tree(tmp_path)
    plan = plan_of(retired("PearForCausalLM", tree=tree), retired("AppleForCausalLM", Remove("0.3.0"), tree=tree))
    draft = Draft(tree)
    move_registry_entries(plan, draft)
    once = draft.read(REGISTRY_FILE)
    move_registry_entries(plan, draft)
    assert draft.read(REGISTRY_FILE) == once
    again = Draft(registry_tree(tmp_path, once))
    move_registry_entries(plan, again)
    assert again.change_set().edits == ()


@pytest.mark.parametrize(
    ("entries", "removed", "left"),
    [
        ('{"A": ("a", "A"), "B": ("b", "B"), "C": ("c", "C")}', "A", '{"B": ("b", "B"), "C": ("c", "C")}'),
        ('{"A": ("a", "A"), "B": ("b", "B"), "C": ("c", "C")}', "B", '{"A": ("a", "A"), "C": ("c", "C")}'),
        ('{"A": ("a", "A"), "B": ("b", "B"), "C": ("c", "C")}', "C", '{"A": ("a", "A"), "B": ("b", "B")}'),
        ('{"A": ("a", "A"), "B": ("b", "B"),  # both\n}', "B", '{"A": ("a", "A"),  # both\n}'),
        ('{"A": ("a", "A"), "B": (\n  "b",\n  "B"),\n}', "B", '{"A": ("a", "A"),\n}'),
        ('{"A": (\n  "a",\n  "A"), "B": ("b", "B"),\n}', "A", '{"B": ("b", "B"),\n}'),
        ('{"A": ("a", "A"),  # a\n  "B": ("b", "B")}', "B", '{"A": ("a", "A"),  # a\n  }'),
        ('{"A": ("a", "A"),\n  "B": ("b", "B")}', "B", '{"A": ("a", "A")}'),
        ('{\n  "A": ("a", "A"),\n  "B": ("b", "B")\n}', "B", '{\n  "A": ("a", "A"),\n}'),
        ('{"A": ("a", "A")}', "A", "{}"),
        ('{\n    ("A"): (("a", "A")),\n    "B": ("b", "B"),\n}', "A", '{\n    "B": ("b", "B"),\n}'),
        ('{\n\n    "A": ("a", "A"),\n\n    # left\n}', "A", "{\n\n\n    # left\n}"),
        ('{**{}, "A": ("a", "A"), **{}}', "A", "{**{}, **{}}"),
        ('{  # type: ignore\n    "A": ("a", "A"),\n    # A\n}', "A", "{  # type: ignore\n    # A\n}"),
    ],
)
def test_entries_of_every_shape(tmp_path: Path, entries: str, removed: str, left: str) -> None:
    registry = f"_D: dict = {entries}\n\n_VLLM_MODELS = {{**_D}}\n_PREVIOUSLY_SUPPORTED_MODELS = {{\n}}\n"
    draft = moved(tmp_path, removed, outcome=Remove("1"), registry=registry)
    assert drafted(draft, REGISTRY_FILE) == (
        f'_D: dict = {left}\n\n_VLLM_MODELS = {{**_D}}\n_PREVIOUSLY_SUPPORTED_MODELS = {{\n    "{removed}": "1",\n}}\n'
    )


COMMENTED = """\
_D = {
    # [Pears]
    # pear and Red-Pear
    "PearForCausalLM": ("pear", "PearForCausalLM"),
    "RedPearForCausalLM": ("red_pear", "RedPearForCausalLM"),
    # "OldPearForCausalLM": ("pear", "OldPearForCausalLM"),
    "NewPearForCausalLM": ("vllm.models.pear", "PearForCausalLM"),
    # two lines
    # on the Green Pear
    "GreenPearForCausalLM": ("green_pear", "GreenPearForCausalLM"),
    # pears are fruit
    "PearTreeModel": ("pear", "PearTreeModel"),
}
_VLLM_MODELS = {**_D}
_PREVIOUSLY_SUPPORTED_MODELS = {
}
"""


@pytest.mark.parametrize(
    ("names", "gone"),
    [
        (["PearForCausalLM"], []),
        (["RedPearForCausalLM"], []),
        (["PearForCausalLM", "RedPearForCausalLM"], ["# pear and Red-Pear"]),
        (["RedPearForCausalLM", "PearForCausalLM"], ["# pear and Red-Pear"]),
        (["NewPearForCausalLM"], []),
        (["GreenPearForCausalLM"], ["# two lines", "# on the Green Pear"]),
        (["PearTreeModel"], []),
    ],
)
def test_which_comments_go(tmp_path: Path, names: list[str], gone: list[str]) -> None:
    draft = moved(tmp_path, *names, outcome=Remove("1"), registry=COMMENTED)
    lines = [line.removeprefix("-").strip() for line in difference(draft, COMMENTED) if line.startswith("-")]
    assert [line for line in lines if line.startswith("#")] == gone


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_byte_order_marks_stay(tmp_path: Path, newline: str, mark: bytes) -> None:
    data = mark + REGISTRY.replace("\n", newline).encode()
    draft = moved(tmp_path, "PearForCausalLM", registry=data)
    plain = moved(tmp_path, "PearForCausalLM")
    assert draft.read(REGISTRY_FILE) == mark + drafted(plain, REGISTRY_FILE).replace("\n", newline).encode()


def test_other_encodings_and_no_final_newline_stay(tmp_path: Path) -> None:
    data = ("# coding: latin-1\n# caf\xe9\n" + REGISTRY.rstrip("\n")).encode("latin-1")
    draft = moved(tmp_path, "AppleForCausalLM", registry=data)
    edited = draft.read(REGISTRY_FILE)
    assert edited.startswith(b"# coding: latin-1\n# caf\xe9\n# A registry")
    assert edited.endswith(b'plugin",\n}')


def test_unicode_before_an_entry_on_its_line(tmp_path: Path) -> None:
    display = '_D = {"日本": ("é", "ü"), "A": ("a", "A"), "😀": ("b", "B")}\n'
    registry = f"{display}_VLLM_MODELS = {{**_D}}\n_PREVIOUSLY_SUPPORTED_MODELS = {{}}\n"
    draft = moved(tmp_path, "A", outcome=Remove("1"), registry=registry)
    assert drafted(draft, REGISTRY_FILE).startswith('_D = {"日本": ("é", "ü"), "😀": ("b", "B")}\n')


def test_a_destination_that_says_something_else(tmp_path: Path) -> None:
    registry = REGISTRY.replace("CherryForCausalLM", "AppleForCausalLM")
    with pytest.raises(Refused, match=r"already stands in _PREVIOUSLY_SUPPORTED_MODELS with another value"):
        moved(tmp_path, "AppleForCausalLM", outcome=Remove("9"), registry=registry)
    with pytest.raises(Refused, match=r"already stands in _PREVIOUSLY_SUPPORTED_MODELS and is still served"):
        moved(tmp_path, "AppleForCausalLM", outcome=Remove("0.1.0"), registry=registry)


def test_a_registry_that_changed_since_the_plan(tmp_path: Path) -> None:
    tree = registry_tree(tmp_path)
    plan = plan_of(retired("AppleForCausalLM", tree=tree))
    other = registry_tree(tmp_path, REGISTRY.replace('    "AppleForCausalLM": ("apple", "AppleForCausalLM"),\n', ""))
    with pytest.raises(Refused, match="has no AppleForCausalLM"):
        move_registry_entries(plan, Draft(other))


def test_missing_dictionaries_and_classes(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="no dictionary _OOT_SUPPORTED_MODELS"):
        moved(tmp_path, "PearForCausalLM", outcome=Plugin("x"), registry=REGISTRY.replace("_OOT_", "_OTHER_"))
    with pytest.raises(EnvironmentProblem, match="this tree has no TransformersForNothing"):
        moved(tmp_path, "PearForCausalLM", outcome=Migrate("TransformersForNothing"))


def test_a_registry_that_does_not_parse(tmp_path: Path) -> None:
    tree = registry_tree(tmp_path)
    plan = plan_of(retired("AppleForCausalLM", tree=tree))
    with pytest.raises(UnreadableSource, match="not valid Python"):
        move_registry_entries(plan, Draft(registry_tree(tmp_path, REGISTRY + "\n)")))


IDENTIFIER = st.from_regex(r"[A-Z][a-z0-9]{0,4}", fullmatch=True)
QUOTE = st.sampled_from(["'", '"'])
COMMENT = st.sampled_from(["", "  # noqa: E501", "  # “odd” é 日本", "  # it's"])
ABOVE = st.sampled_from(["", "    # [Heading]\n", "    # 1 + 1\n", "\n", "    # 'X': ('x', 'X'),\n"])
SPACE = st.sampled_from(["", " ", "  ", "\n        "])


@st.composite
def entry_lines(draw: st.DrawFn, name: str) -> str:
    quote, space = draw(QUOTE), draw(SPACE)
    pair = f"({space}{quote}mod{quote},{space}{quote}Cls{quote}{draw(st.sampled_from(['', ',']))}{space})"
    value = draw(st.sampled_from([pair, f"({pair})"]))
    return f"{draw(ABOVE)}    {quote}{name}{quote}:{draw(SPACE)}{value},{draw(COMMENT)}\n"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), newline=st.sampled_from(["\n", "\r\n"]), mark=st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_any_registry_keeps_everything_else(tmp_path: Path, data: st.DataObject, newline: str, mark: bytes) -> None:
    names = data.draw(st.lists(IDENTIFIER, min_size=1, max_size=6, unique=True))
    target = data.draw(st.sampled_from(names))
    lines = {name: data.draw(entry_lines(name)) for name in names}
    tail = "}\n_VLLM_MODELS = {**_D}\n_PREVIOUSLY_SUPPORTED_MODELS = {\n}\n# é\n"
    text = "_D = {\n" + "".join(lines.values()) + tail
    raw = mark + text.replace("\n", newline).encode()
    draft = moved(tmp_path, target, outcome=Remove("1"), registry=raw)
    edited = draft.read(REGISTRY_FILE)
    assert edited.startswith(mark)
    result = edited.removeprefix(mark).decode().replace(newline, "\n")
    assert "\r" not in result
    above = "".join(line for line in lines[target].splitlines(keepends=True) if not line.strip() or line[4] == "#")
    kept = above if lines[target].startswith(above) else ""
    expected = "_D = {\n" + "".join(kept if name == target else lines[name] for name in names)
    expected += tail.replace("MODELS = {\n}", f'MODELS = {{\n    "{target}": "1",\n}}')
    assert result == expected
    assert [e.value for e in registry_of(ast.parse(result)).entries(target)] == ["1"]
