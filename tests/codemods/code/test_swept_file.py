"""What goes out of a Python file with a model, and that nothing else does."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemods.code.dead_expressions import Dead
from codemods.code.python_text import PythonText
from codemods.code.swept_file import swept

TEXTS = frozenset({"org/gone", "GoneForCausalLM"})
MODULES = frozenset({"vllm.model_executor.models.gone"})


def sweep(text: str, *, functions: bool = True, constants: bool = True, used: frozenset[str] = frozenset()) -> str:
    named = Dead(TEXTS, frozenset(), frozenset(), "tests.models", takes_functions=functions, about_models=constants)
    imported = replace(named, texts=frozenset(), modules=MODULES if functions else frozenset(), about_models=True)
    source = PythonText.of(text.encode(), "tests/x.py")
    for dead in (imported, named):
        source = swept(source, dead, lambda name: name in used, lambda _: False)
    return source.text


CASES = {
    "a list item": ('A = [\n    "org/kept",\n    "org/gone",  # gone\n]\n', 'A = [\n    "org/kept",\n]\n'),
    "items on one line": ('A = ["org/gone", "org/kept"]\n', 'A = ["org/kept"]\n'),
    "the last on a line": ('A = ["org/kept", "org/gone"]\n', 'A = ["org/kept"]\n'),
    "a key": ('A = {\n    "org/gone": fast(),\n    "org/kept": fast(),\n}\n', 'A = {\n    "org/kept": fast(),\n}\n'),
    "what is built of it": (
        'A = {\n    "g": Info(\n        models=["org/gone"],\n    ),\n    "k": Info(models=["org/kept"]),\n}\n',
        'A = {\n    "k": Info(models=["org/kept"]),\n}\n',
    ),
    "one model among the arguments": (
        'A = {"k": Info(models=["org/kept", "org/gone"])}\n',
        'A = {"k": Info(models=["org/kept"])}\n',
    ),
    "a record": ('A = [("org/gone", 1), ("org/kept", 2)]\n', 'A = [("org/kept", 2)]\n'),
    "a tuple of choices": ('def f(x):\n    return x in ("A", "org/gone")\n', 'def f(x):\n    return x in ("A",)\n'),
    "the first of two": ('A = x in ("org/gone", "A")\n', 'A = x in ("A",)\n'),
    "the first of two choices": ('A = x in ("org/gone", "A",)\n', 'A = x in ("A",)\n'),
    "a keyword of a dict": (
        'A = dict(\n    g="org/gone",\n    k="org/kept",\n)\n',
        'A = dict(\n    k="org/kept",\n)\n',
    ),
    "a helper and its entry": (
        'X = 1\n\n\n# Gone\ndef run_gone():\n    name = "org/gone"\n    return name\n\n\n'
        "def run_kept():\n    return X\n\n\n"
        'MAP = {\n    "gone": run_gone,\n    "kept": run_kept,\n}\n',
        'X = 1\n\n\ndef run_kept():\n    return X\n\n\nMAP = {\n    "kept": run_kept,\n}\n',
    ),
    "a test with parameters": (
        'import pytest\n\n\n@pytest.mark.parametrize("m", ["org/gone"])\ndef test_a(m):\n    run(m)\n\n\n'
        '@pytest.mark.parametrize("m", ["org/kept"])\ndef test_b(m):\n    run(m)\n',
        'import pytest\n\n\n@pytest.mark.parametrize("m", ["org/kept"])\ndef test_b(m):\n    run(m)\n',
    ),
    "what compares with what it makes": (
        "from vllm.model_executor.models.gone import make\n\n\ndef helper(x):\n    return make(x)\n\n\n"
        "def test_a():\n    assert helper(1) == 1\n\n\ndef test_b():\n    assert 1 == 1\n",
        "def test_b():\n    assert 1 == 1\n",
    ),
    "a test that it is among others": (
        'GONE = "org/gone"\n\n\ndef test_a(found):\n    assert GONE in found\n\n\ndef test_b():\n    assert 1\n',
        "def test_b():\n    assert 1\n",
    ),
    "an annotation": (
        "from vllm.model_executor.models.gone import A\n\n\ndef make(*parts: A):\n    return 1\n\n\n"
        "def again() -> A:\n    return 1\n\n\ndef test_a():\n    make()\n\n\ndef test_b():\n    assert 1\n",
        "def test_b():\n    assert 1\n",
    ),
    "an index": (
        "from vllm.model_executor.models.gone import EVEN\n\n\ndef test_a(b):\n    assert b[..., EVEN] == 1\n\n\n"
        "def test_b():\n    assert 1\n",
        "def test_b():\n    assert 1\n",
    ),
    "an attribute of what it makes": (
        "from vllm.model_executor.models.gone import A\n\n\ndef test_a():\n    a = A()\n    a.x = 1\n    a.y = 2\n"
        "    assert a.x\n\n\ndef test_b():\n    assert 1\n",
        "def test_b():\n    assert 1\n",
    ),
    "an import on each platform": (
        "if rocm():\n    from vllm.model_executor.models.gone.amd import run\nelse:\n"
        "    from vllm.model_executor.models.gone.nvidia import run\n\n\ndef test_a():\n    run()\n\n\n"
        "def test_b():\n    assert 1\n",
        "def test_b():\n    assert 1\n",
    ),
    "what a script does": (
        "from vllm.model_executor.models.gone import run\n\n\ndef test_b():\n    assert 1\n\n\n"
        'if __name__ == "__main__":\n    n = 1\n    run(n)\n',
        "def test_b():\n    assert 1\n",
    ),
    "a fixture by its name": (
        'import pytest\n\n\n@pytest.fixture\ndef model():\n    return "org/gone"\n\n\n'
        "def test_a(model):\n    run(model)\n\n\n"
        "def test_b():\n    pytest.skip()\n",
        "import pytest\n\n\ndef test_b():\n    pytest.skip()\n",
    ),
    "an import and what uses it": (
        "from vllm.model_executor.models.gone import Gone\nimport os\n\n\ndef test_a():\n    Gone(os)\n\n\n"
        "def test_b():\n    assert os\n",
        "import os\n\n\ndef test_b():\n    assert os\n",
    ),
    "an import that only that used": (
        'import os\nfrom x import a, b\n\n\ndef test_a():\n    a(os, "org/gone")\n\n\ndef test_b():\n    b()\n',
        "from x import b\n\n\ndef test_b():\n    b()\n",
    ),
    "a branch": (
        'def test(a):\n    if a == "GoneForCausalLM":\n        return 1\n    return 2\n',
        "def test(a):\n    return 2\n",
    ),
    "the first branch": (
        'def test(a):\n    if a == "GoneForCausalLM":\n        b = 1\n    elif a == "K":\n'
        "        b = 2\n    return b\n",
        'def test(a):\n    if a == "K":\n        b = 2\n    return b\n',
    ),
    "a later branch": (
        'def test(a):\n    if a == "K":\n        b = 1\n    elif a == "GoneForCausalLM":\n'
        "        b = 2\n    else:\n        b = 3\n"
        "    return b\n",
        'def test(a):\n    if a == "K":\n        b = 1\n    else:\n        b = 3\n    return b\n',
    ),
    "one turn of several": (
        'def test():\n    t = get("org/kept")\n    assert t\n\n    t = get("org/gone")\n    assert t.gone\n\n'
        '    t = get("b/c")\n'
        "    assert t\n",
        'def test():\n    t = get("org/kept")\n    assert t\n\n    t = get("b/c")\n    assert t\n',
    ),
    "a commented entry": ('A = [\n    # "org/gone": fast(),\n    "org/kept",\n]\n', 'A = [\n    "org/kept",\n]\n'),
    "a commented entry and what is said of it": (
        'A = [\n    # FIXME: org/gone\n    # "org/gone",\n    # FIXME: org/kept\n    # "org/kept",\n    "x",\n]\n',
        'A = [\n    # FIXME: org/kept\n    # "org/kept",\n    "x",\n]\n',
    ),
    "an example": ("# Some do that\n# (e.g. org/gone)\nX = 1\n", "# Some do that\nX = 1\n"),
    "a remark": ("X = 1\n# org/gone is slow\nY = 2\n", "X = 1\nY = 2\n"),
    "a class of tests for it alone": (
        'X = 1\n\n\nclass TestGone:\n    def test_a(self):\n        run("org/gone")\n\n    def test_b(self):\n'
        '        load("org/gone")\n',
        "X = 1\n",
    ),
    "a test of a class": (
        'class TestAll:\n    def test_a(self):\n        run("org/gone")\n\n    def test_b(self):\n'
        '        run("org/kept")\n',
        'class TestAll:\n    def test_b(self):\n        run("org/kept")\n',
    ),
    "what is derived from a dead class": (
        "from vllm.model_executor.models.gone import Gone\n\n\nclass Stub(Gone):\n    pass\n\n\nX = 1\n",
        "X = 1\n",
    ),
    "a module by its alias": (
        "import os\nimport vllm.model_executor.models.gone as gone\n\n\ndef test_a():\n    gone.run()\n\n\n"
        "def test_b():\n    os.run()\n",
        "import os\n\n\ndef test_b():\n    os.run()\n",
    ),
    "one name of an import": (
        "from vllm.model_executor.models import gone, kept\n\n\ndef test_b():\n    kept()\n",
        "from vllm.model_executor.models import kept\n\n\ndef test_b():\n    kept()\n",
    ),
    "the last name of an import": (
        "from vllm.model_executor.models import kept, gone\n\n\ndef test_b():\n    kept()\n",
        "from vllm.model_executor.models import kept\n\n\ndef test_b():\n    kept()\n",
    ),
    "one name of an import in brackets": (
        "from vllm.model_executor.models import (\n    gone,\n    kept,\n)\n\n\ndef test_b():\n    kept()\n",
        "from vllm.model_executor.models import (\n    kept,\n)\n\n\ndef test_b():\n    kept()\n",
    ),
    "within other statements": (
        'def test_a():\n    with x:\n        for m in y:\n            try:\n                run("org/gone")\n'
        "            finally:\n                z()\n\n\ndef test_b():\n    pass\n",
        "def test_b():\n    pass\n",
    ),
    "a condition among others": (
        'def test(a):\n    if x and a == "GoneForCausalLM":\n        return 1\n    if a == "GoneForCausalLM" or x:\n'
        "        return 2\n    return 3\n",
        'def test(a):\n    if a == "GoneForCausalLM" or x:\n        return 2\n    return 3\n',
    ),
    "the main block": (
        'def run():\n    go("org/gone")\n\n\nif __name__ == "__main__":\n    run()\n    print(1)\n',
        'if __name__ == "__main__":\n    print(1)\n',
    ),
    "a list that grows": ('A = ["x"]\nA += ["org/gone"]\nB = A + ["org/kept"]\n', 'A = ["x"]\nB = A + ["org/kept"]\n'),
    "an annotated constant": ('A: str = "org/gone"\nB = [A, "x"]\n', 'B = ["x"]\n'),
    "a keyword-only fixture": (
        'import pytest\n\n\n@pytest.fixture\ndef model():\n    return "org/gone"\n\n\n'
        "def test_a(*, model):\n    pass\n\n\n"
        "X = pytest\n",
        "import pytest\n\n\nX = pytest\n",
    ),
    "a setting by override": (
        'A = {"g": I(o={"architectures": ["GoneForCausalLM"], "n": 1}), "k": 1}\n',
        'A = {"k": 1}\n',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_goes(case: str) -> None:
    before, after = CASES[case]
    assert sweep(before) == after
    assert sweep(after) == after
    windows = sweep(before.replace("\n", "\r\n"))
    assert windows == after.replace("\n", "\r\n")


KEPT = {
    "a longer name": 'A = ["org/gone-2", "GoneForCausalLMs"]\n',
    "prose in a string": 'A = "see org/gone for more"\n',
    "a name that a function binds itself": 'def f(gone):\n    return gone\n\n\nX = f("org/kept")\n',
    "an example beside one that stays": "# Some do\n# (e.g. org/gone, org/kept)\nX = 1\n",
    "a remark above another entry": 'A = [\n    # not org/gone\n    # "org/kept",\n    "x",\n]\n',
    "a remark of several lines": "X = 1\n# As for org/gone,\n# this is slow.\nY = 2\n",
    "a line of a text": 'A = """\n# "org/gone": 1,\n# org/gone\n"""\n',
    "the result of a comparison": 'class A:\n    def __init__(self, a):\n        self.x = a == "GoneForCausalLM"\n',
    "a statement on a shared line": 'X = 1; Y = ["org/gone"]\n',
    "a branch with another way out": (
        'def test(a):\n    if a == "GoneForCausalLM":\n        b = 1\n    else:\n        b = 2\n    return b\n'
    ),
    "a tuple without brackets": 'for x in "org/gone", "org/kept":\n    pass\n',
    "a list that is added to another": 'A = B + ["org/gone", *C] + D\n'.replace('"org/gone", ', ""),
}


@pytest.mark.parametrize("case", KEPT)
def test_what_stays(case: str) -> None:
    assert sweep(KEPT[case]) == KEPT[case]


ENGINE = """\
TYPES = {
    "GoneForCausalLM": GoneConfig,
    "KeptForCausalLM": KeptConfig,
}


def choose(architecture):
    name = "GoneForCausalLM"
    if architecture in ["GoneForCausalLM", "KeptForCausalLM"]:
        return 1
    elif architecture == "GoneForCausalLM":
        return 2
    return name
"""


def test_of_the_engine_only_items_and_branches_go() -> None:
    after = sweep(ENGINE, functions=False)
    assert '"GoneForCausalLM": GoneConfig' not in after
    assert 'name = "GoneForCausalLM"' in after
    assert 'if architecture in ["KeptForCausalLM"]:\n        return 1\n    return name' in after


def test_a_test_that_wants_another_checkpoint_stays() -> None:
    text = 'MODEL = "org/gone"\n\n\ndef test_speed():\n    run(MODEL)\n'
    assert sweep(text, constants=False) == text
    assert sweep(text) == ""


def test_a_helper_that_others_import_stays() -> None:
    text = 'def helper():\n    return 1\n\n\ndef test_a():\n    helper("org/gone")\n'
    assert sweep(text) == ""
    assert sweep(text, used=frozenset({"helper"})) == "def helper():\n    return 1\n"


ITEMS = st.sampled_from(
    [
        '"org/gone"',
        "'org/gone'",
        '"org/kept"',
        "'k\\'ept'",
        'pytest.param("org/gone", marks=[slow])',
        'pytest.param("Ünïcode", marks=[])',
        '("org/gone", {"a": 1})',
        '("x", (1,))',
        '["a", "b"]',
    ]
)
LINES = st.tuples(ITEMS, st.sampled_from(["", "  # why", "  # ünï, [("]), st.sampled_from(["", "    # above\n", "\n"]))


@given(st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_list_keeps_everything_else(lines: list[tuple[str, str, str]], newline: str, last_comma: bool) -> None:
    rows = [
        f"{above}    {item}{'' if index == len(lines) - 1 and not last_comma else ','}{comment}\n"
        for index, (item, comment, above) in enumerate(lines)
    ]
    text = ("FIRST = 1\n\nMODELS = [\n" + "".join(rows) + "]\n\nLAST = [x for x in MODELS]\n").replace("\n", newline)
    after = sweep(text)
    kept = [item for item, _, _ in lines if "org/gone" not in item]
    if lines and not kept:
        assert "MODELS" not in after
        return
    tree = ast.parse(after)
    assert isinstance(tree.body[1], ast.Assign)
    assert isinstance(tree.body[1].value, ast.List)
    assert [ast.dump(e) for e in tree.body[1].value.elts] == [ast.dump(ast.parse(i).body[0].value) for i in kept]  # type: ignore[attr-defined]
    expected = [line for line in text.split(newline) if "org/gone" not in line]
    assert [line.rstrip(",") for line in after.split(newline)] == [line.rstrip(",") for line in expected]
    assert sweep(after) == after


def test_nothing_goes_where_a_name_would_be_left_that_nothing_binds() -> None:
    text = (
        "from vllm.model_executor.models.gone import a\nfrom other import b\n\nBOTH = [a, b]\nif BOTH:\n    a()\n\n\n"
        "def test_b():\n    b(a)\n    global c\n    c = a\n\n\ndef test_c():\n    c()\n"
    )
    assert sweep(text) in (text, "from other import b\n\nBOTH = [b]\n")
