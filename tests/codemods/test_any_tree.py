"""On any tree each codemod keeps everything else byte for byte, finds nothing to do twice, and can be taken back."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.engine.docs_tables import SUPPORTED_MODELS_PAGE
from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.registry import REGISTRY_FILE
from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from codemods.catalogue import draft_retirement
from codemods.edits import Creation, Deletion
from codemods.plan import Plugin, Remove
from codemods.test_files.backend_test import BackendTest
from tests.codemods.small_tree import TEXT, plan_of, retired, write_tree
from tests.codemods.test_files.test_capability_tests import PIPELINE_PARALLEL, PIPELINE_PARALLEL_TESTS

MODELS = "vllm/model_executor/models"
CONFIGS = "vllm/transformers_utils/configs"
PROCESSORS = "vllm/transformers_utils/processors"
NAMED = re.compile(rb"pear", re.IGNORECASE)
TICK = "✅︎"
JSON = '{\n    "org/apple": {\n        "a": "é"\n    },\n    "org/pear": {\n        "pear": 1\n    }\n}\n'
CONFIG = '_CONFIG_REGISTRY = LazyConfigDict(\n    apple="A",\n    pear="PearConfig",\n)\n'

LOST = (PIPELINE_PARALLEL,)
NOISE = st.text(alphabet="ab 1'\"#éß日\\|`*<>_✅", max_size=12).map(str.rstrip)
QUOTE = st.sampled_from(["'", '"'])


@st.composite
def remarks(draw: st.DrawFn, indentation: str = "    ") -> str:
    """Comment lines, or none."""
    lines = draw(st.lists(NOISE, max_size=2))
    return "".join(f"{indentation}# {line}".rstrip() + "\n" for line in lines)


@st.composite
def rows(draw: st.DrawFn, *items: tuple[str, str]) -> str:
    """Lines of a dictionary or list: each of `items` (with {q} for a quote) and others, with comments among them."""
    lines = []
    for name, item in draw(st.permutations(items)):
        quote = draw(QUOTE)
        end = "" if "Pear" in name or "pear" in name else f"  # {draw(NOISE)}".rstrip().removesuffix("  #")
        lines.append(draw(remarks()) + f"    {item.replace('{q}', quote)},{end}\n")
    return "".join(lines) + draw(remarks())


@st.composite
def registries(draw: st.DrawFn) -> str:
    def entry(name: str) -> tuple[str, str]:
        return name, f"{{q}}{name}ForCausalLM{{q}}: ({{q}}{name.lower()}{{q}}, {{q}}{name}ForCausalLM{{q}})"

    text = draw(rows(entry("Apple"), entry("Pear"), entry("Plum")))
    embedding = draw(rows(entry("Pear"), entry("Apple")))
    shadow = "    **{k: (m, a) for k, (m, a) in _TEXT_GENERATION_MODELS.items() if a == 'x'},\n"
    return (
        f"_TEXT_GENERATION_MODELS = {{\n{text}}}\n\n_EMBEDDING_MODELS = {{\n{embedding}{shadow}}}\n"
        "_TRANSFORMERS_SUPPORTED_MODELS = {\n    # Text\n    'Fig': ('transformers', 'TransformersForCausalLM'),\n}\n"
        "_TRANSFORMERS_BACKEND_MODELS = {\n    # Text\n"
        "    'TransformersForCausalLM': ('transformers', 'TransformersForCausalLM'),\n}\n"
        "_VLLM_MODELS = {\n    **_TEXT_GENERATION_MODELS,\n    **_EMBEDDING_MODELS,\n"
        "    **_TRANSFORMERS_SUPPORTED_MODELS,\n    **_TRANSFORMERS_BACKEND_MODELS,\n}\n"
        f"_PREVIOUSLY_SUPPORTED_MODELS = {{\n{draw(remarks())}}}\n_OOT_SUPPORTED_MODELS = {{\n    'Date': 'https://a.b',\n}}\n"
    )


@st.composite
def pages(draw: st.DrawFn) -> str:
    head = "| Architecture | Models | Example | [LoRA](a.md) | [PP](b.md) |\n| --- | --- | --- | --- | --- |\n"
    cell = st.text(alphabet="ab é<b>*", max_size=6).map(str.strip)
    other = [
        f"| `{name}ForCausalLM` | {draw(cell)} \\| x | `org/{name.lower()}` | {TICK} | |\n"
        for name in ("Apple", "Plum")
    ]
    table = head + "".join(
        draw(st.permutations([*other, f"| `PearForCausalLM` | Pear \\| x | `org/pear` | | {TICK} |\n"]))
    )
    notes = draw(st.sampled_from(["", "!!! note\n    Of `org/apple`.\n\n", "<b>html</b>\n\n", "```\n| `a` |\n```\n\n"]))
    backend = "Some models are supported only via the [Transformers modeling backend](#t).\n\n"
    plugins = "| Architecture | Models | Plugin |\n| --- | --- | --- |\n| `Date` | Date | [d](https://a.b) |\n\n"
    served = f"{backend}{head}| `Fig` | Fig | `org/fig` | | |\n\n"
    return f"# Models\n\n### Plugins\n\n{plugins}## Text\n\n{notes}{table}\n{served}{notes}end"


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str | bytes]:
    """A tree with a model `pear` in every place that a codemod looks at."""
    tested = draw(rows(("Apple", "{q}AppleForCausalLM{q}: _HfExamplesInfo({q}org/apple{q})"), _tested("Pear")))
    staged = draw(rows(("apple", "{q}org/apple{q}: fast()"), ("pear", "{q}org/pear{q}: fast()")))
    listed = draw(rows(("apple", "{q}org/apple{q}"), ("pear", "{q}org/pear{q}"), ("plum", "({q}org/plum{q}, 1)")))
    classes = draw(
        rows(
            ("apple", "{q}AppleConfig{q}: {q}x{q}"),
            ("pear", "{q}PearConfig{q}: {q}" + CONFIGS.replace("/", ".") + ".pear{q}"),
        )
    )
    processors = draw(rows(("apple", "{q}AppleProcessor{q}"), ("pear", "{q}PearProcessor{q}")))
    data = "".join(draw(st.permutations(["org/apple, main\n", "org/pear, main\n", f"{draw(NOISE)}\n", "#x\n"])))
    code = "".join(
        draw(st.permutations(["  - tests/models\n", f"  - {MODELS}/pear.py\n", f"  - {MODELS}/apple.py  # é\n"]))
    )
    comment = draw(remarks(""))
    files: dict[str, str | bytes] = {
        REGISTRY_FILE: draw(registries()),
        SUPPORTED_MODELS_PAGE: draw(pages()),
        TEST_REGISTRY_FILE: f"A = {{\n{tested}}}\n",
        PIPELINE_PARALLEL_TESTS: f"B = {{\n{staged}}}\n",
        "tests/lists.py": f"{comment}C = [\n{listed}]\n\n\ndef test_other():\n    run('org/apple')\n",
        "tests/models/test_pear.py": "def test_pear():\n    run('org/pear')\n",
        "tests/data.txt": data,
        "tests/data.json": JSON,
        ".buildkite/a.yaml": f"steps:\n{code}{comment}",
        ".github/CODEOWNERS": f"/tests @a\n/{MODELS}/pear.py @b\n{comment}",
        f"{MODELS}/pear.py": f"from {_dotted(PROCESSORS)} import PearConfig, PearProcessor\n",
        f"{MODELS}/apple.py": comment + f"from {_dotted(PROCESSORS)} import AppleProcessor\n",
        f"{CONFIGS}/__init__.py": f"_CLASS_TO_MODULE = {{\n{classes}}}\n",
        f"{CONFIGS}/pear.py": 'class PearConfig:\n    model_type = "pear"\n',
        f"{PROCESSORS}/__init__.py": f"__all__ = [\n{processors}]\n",
        f"{PROCESSORS}/pear.py": "class PearProcessor:\n    pass\n",
        "vllm/transformers_utils/config.py": CONFIG,
        "examples/template_pear.jinja": "x",
        "examples/client.py": '"""Pear.\n\nvllm serve org/pear\n"""\n',
        "requirements/common.txt": "transformers >= 5.0\n",
    }
    return {file: _encoded(text, draw(st.booleans())) for file, text in files.items()}


def _tested(name: str) -> tuple[str, str]:
    return name, f"{{q}}{name}ForCausalLM{{q}}: _HfExamplesInfo({{q}}org/{name.lower()}{{q}}, trust_remote_code=True)"


def _dotted(folder: str) -> str:
    return folder.replace("/", ".")


def _encoded(text: str | bytes, windows: bool) -> bytes:
    assert isinstance(text, str)
    return text.replace("\n", "\r\n" if windows else "\n").encode()


def others(data: bytes) -> list[bytes]:
    """The lines that are not about the model, each with its end; a list's last line has one more or less in between."""
    return [line for line in data.splitlines(keepends=True) if line.strip() and not NAMED.search(line)]


@settings(max_examples=60)
@given(files=trees(), outcome=st.sampled_from([Remove("1.0"), TEXT, Plugin("https://example.org/pear")]))
def test_everything_else_stays(files: dict[str, str | bytes], outcome: Remove | Plugin) -> None:
    with TemporaryDirectory() as folder:
        tree = write_tree(Path(folder), files)
        pear = retired("PearForCausalLM", outcome, tree=tree, lora=True, checkpoints=("org/pear",), losses=LOST)
        plan = replace(
            plan_of(pear, files=(f"{MODELS}/pear.py",)),
            provided_model_types=frozenset({"pear"}),
            provides_processors=True,
            model_types=frozenset({"pear"}),
        )
        changes = draft_retirement(plan, open_engine_tree(Path(folder)))
        gone = set()
        for edit in changes.edits:
            assert not isinstance(edit, Creation)
            assert edit.before == files[edit.file], "what was there can be put back"
            if isinstance(edit, Deletion):
                assert NAMED.search(edit.file.encode()) or edit.file == "examples/client.py"
                gone.add(edit.file)
                (Path(folder) / edit.file).unlink()
            else:
                before, after = others(edit.before), others(edit.after)
                assert after == before or edit.file.endswith(".json")
                (Path(folder) / edit.file).write_bytes(edit.after)
        assert {f"{MODELS}/pear.py", f"{CONFIGS}/pear.py", f"{PROCESSORS}/pear.py"} <= gone
        again = draft_retirement(plan, open_engine_tree(Path(folder)))
        assert again.edits == ()


SHARED = """\
import os{comment}
{noise}SIZE = 4


def {name}(x):
    {noise_inside}return x + SIZE + os.getpid()
"""
FIG = """\
{noise}from .pear import {name}


class Fig:{comment}
    {noise_inside}def run(self):
        return {name}(1)
"""


@st.composite
def sharing(draw: st.DrawFn) -> tuple[dict[str, str | bytes], bytes]:
    """A tree in which one other module alone uses a function of the model's; that function's own lines as well."""
    files = draw(trees())
    for file in (f"{CONFIGS}/pear.py", f"{PROCESSORS}/pear.py"):
        files[file] = b"# nobody's\n"
    name = draw(st.sampled_from(["helper", "_mix"]))
    words = {
        "name": name,
        "comment": draw(st.sampled_from(["", "  # noqa: F401", "  # \u00e9"])),
        "noise": draw(remarks("")),
        "noise_inside": "".join(f"# {line}".rstrip() + "\n    " for line in draw(st.lists(NOISE, max_size=2))),
    }
    files[f"{MODELS}/pear.py"] = _encoded(SHARED.format(**words), draw(st.booleans()))
    files[f"{MODELS}/fig.py"] = _encoded(FIG.format(**words), draw(st.booleans()))
    files["tests/models/test_transformers.py"] = b"# the backend\n"
    return files, f"def {name}(x):".encode()


@settings(max_examples=60)
@given(found=sharing())
def test_shared_code_moves_and_a_test_comes_and_everything_else_stays(
    found: tuple[dict[str, str | bytes], bytes],
) -> None:
    files, function = found
    with TemporaryDirectory() as folder:
        root = Path(folder)
        tree = write_tree(root, files)
        pear = retired("PearForCausalLM", TEXT, tree=tree, lora=True, checkpoints=("org/pear",), losses=LOST)
        plan = replace(
            plan_of(pear, files=(f"{MODELS}/pear.py",)),
            inline_shared=True,
            backend_tests=(BackendTest("PearForCausalLM", "pear", (("hidden_size", 8),), True, False),),
        )
        changes = draft_retirement(plan, open_engine_tree(root))
        contents = changes.contents
        fig, before = contents[f"{MODELS}/fig.py"], files[f"{MODELS}/fig.py"]
        assert isinstance(fig, bytes)
        assert isinstance(before, bytes)
        assert fig.count(function) == 1
        assert b"from .pear" not in fig
        ast.parse(fig)
        kept = [line for line in before.splitlines() if b"from .pear" not in line and line.strip()]
        moved = iter(fig.splitlines())
        assert all(line in moved for line in kept), "what was there stands in the order in which it stood"
        test = contents["tests/models/test_transformers_pear.py"]
        assert isinstance(test, bytes)
        ast.parse(test)
        assert contents[f"{MODELS}/pear.py"] is None
        for edit in changes.edits:
            assert isinstance(edit, Creation) or edit.before == files[edit.file], "what was there can be put back"
            path = root / edit.file
            if isinstance(edit, Deletion):
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(edit.after)
        assert draft_retirement(plan, open_engine_tree(root)).edits == ()
