"""What a removal takes out of the files of a whole tree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.uses.mentions import MentionKind
from codemods.answered_mentions import answered_mentions, kept
from codemods.chat_templates import drop_chat_templates
from codemods.ci_packages import drop_ci_packages
from codemods.ci_paths import drop_ci_paths
from codemods.code.forget_code import forget_code
from codemods.code.unserved_classes import drop_unserved_classes
from codemods.edits import Deletion, Draft
from codemods.own_configurations import drop_own_configurations
from codemods.plan import Remove
from codemods.support_files import drop_support_files
from codemods.test_files.data_files import drop_data_entries
from codemods.test_files.fixtures import drop_fixtures
from tests.codemods.small_tree import REGISTRY, TEXT, drafted, plan_of, retired, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.plan import Outcome, RetirementPlan

PEAR = "vllm/model_executor/models/pear.py"
GONE = Remove("0.9.0")
WITHOUT_PEAR = "".join(line for line in REGISTRY.splitlines(keepends=True) if '"pear"' not in line)


def plan_for(draft: Draft, outcome: Outcome = GONE, *, whole: bool = True) -> RetirementPlan:
    pear = retired("PearForCausalLM", outcome, tree=draft.tree, checkpoints=("org/pear",))
    return plan_of(pear, files=(PEAR,) if whole else ())


def drafted_tree(folder: Path, files: dict[str, str | bytes]) -> Draft:
    tests = 'X = {"PearForCausalLM": _HfExamplesInfo("org/pear")}\nY = 1\n'
    return Draft(write_tree(folder, {REGISTRY_FILE: REGISTRY, "tests/models/registry.py": tests, PEAR: "", **files}))


def deleted(draft: Draft) -> set[str]:
    return {edit.file for edit in draft.change_set().edits if isinstance(edit, Deletion)}


USES_HELPER = 'from .utils import patch_pear\n\nA = {\n    "p": (patch_pear, "org/pear"),\n    "q": 1,\n}\n'
OTHER_HELPER = "def patch_fig():\n    return 1\n"


def test_tests_helpers_and_files(tmp_path: Path) -> None:
    draft = drafted_tree(
        tmp_path,
        {
            "tests/models/test_pear.py": 'def test_pear():\n    run("org/pear")\n',
            "tests/models/test_all.py": USES_HELPER,
            "tests/models/utils.py": "import os\n\n\ndef patch_pear():\n    os.getcwd()\n\n\n" + OTHER_HELPER,
            "tests/lora/test_speed.py": 'MODEL = "org/pear"\n\n\ndef test_speed():\n    run(MODEL)\n',
            "vllm/config.py": 'def f(a):\n    if a == "PearForCausalLM":\n        return 1\n    return 2\n',
        },
    )
    forget_code(plan_for(draft), draft)
    assert deleted(draft) == {"tests/models/test_pear.py"}
    assert drafted(draft, "tests/models/test_all.py") == 'A = {\n    "q": 1,\n}\n'
    assert drafted(draft, "tests/models/utils.py") == OTHER_HELPER
    assert drafted(draft, "tests/models/registry.py") == "Y = 1\n"
    left = kept(answered_mentions(plan_for(draft), draft.change_set(), draft.tree))
    assert [(k.mention.location.file, k.mention.kind) for k in left] == [
        ("tests/lora/test_speed.py", MentionKind.TEST_PARAMETER)
    ]


def test_of_a_migrated_model_only_what_imports_its_module_goes(tmp_path: Path) -> None:
    tests = "from vllm.model_executor.models.pear import Pear\n\n\ndef test_class():\n    Pear()\n\n\ndef test_it():\n"
    draft = drafted_tree(tmp_path, {"tests/models/test_pear.py": tests + '    run("org/pear")\n'})
    forget_code(plan_for(draft, TEXT), draft)
    assert drafted(draft, "tests/models/test_pear.py") == 'def test_it():\n    run("org/pear")\n'
    assert len(draft.change_set().edits) == 1


def test_a_checkpoint_of_others_stays(tmp_path: Path) -> None:
    fig = '    "FigForCausalLM": _HfExamplesInfo("org/pear"),\n}\n'
    tests = 'X = {\n    "PearForCausalLM": _HfExamplesInfo("org/pear"),\n' + fig
    draft = drafted_tree(tmp_path, {"tests/models/registry.py": tests, "tests/a.py": 'A = ["org/pear", "x"]\n'})
    forget_code(plan_for(draft), draft)
    assert drafted(draft, "tests/a.py") == 'A = ["org/pear", "x"]\n'
    assert drafted(draft, "tests/models/registry.py") == "X = {\n" + fig


CLASSES = """\
import os
import re


class Base:
    pass


class PearProcessor(Base):
    cwd = os.getcwd()


@register(PearProcessor)
class PearForCausalLM(Base):
    pass


class FigForCausalLM(Base):
    pattern = re.compile("")
"""


def test_a_class_that_serves_nobody_any_more(tmp_path: Path) -> None:
    draft = drafted_tree(tmp_path, {PEAR: CLASSES})
    plan = plan_for(draft, whole=False)
    draft.rewrite(REGISTRY_FILE, WITHOUT_PEAR.encode(), "moved")
    forget_code(plan, draft)
    drop_unserved_classes(plan, draft)
    after = drafted(draft, PEAR)
    assert after == "import re\n\n\nclass Base:\n    pass\n\n\n" + CLASSES[CLASSES.index("class Fig") :]


def test_a_class_that_others_use_stays(tmp_path: Path) -> None:
    other = "from .pear import PearForCausalLM\n"
    draft = drafted_tree(tmp_path, {PEAR: CLASSES, "vllm/model_executor/models/other.py": other})
    plan = plan_for(draft, whole=False)
    draft.rewrite(REGISTRY_FILE, WITHOUT_PEAR.encode(), "moved")
    drop_unserved_classes(plan, draft)
    assert drafted(draft, PEAR) == CLASSES


def test_a_class_that_is_still_registered_stays(tmp_path: Path) -> None:
    draft = drafted_tree(tmp_path, {PEAR: CLASSES})
    drop_unserved_classes(plan_for(draft, whole=False), draft)
    assert drafted(draft, PEAR) == CLASSES


def support_tree(folder: Path, model_type: str = "pear", key: str = "pear") -> Draft:
    configs = "vllm/transformers_utils/configs"
    package = configs.replace("/", ".")
    registered = f'R = LazyConfigDict(\n    {key}="PearConfig",\n    fig="FigConfig",\n)\n'
    return drafted_tree(
        folder,
        {
            PEAR: f"from {configs.replace('/', '.')}.pear import PearConfig\n",
            f"{configs}/pear.py": f'class PearConfig:\n    model_type = "{model_type}"\n',
            f"{configs}/fig.py": 'class FigConfig:\n    model_type = "fig"\n',
            f"{configs}/__init__.py": (
                f'_CLASS_TO_MODULE = {{\n    "PearConfig": "{package}.pear",\n    "FigConfig": "x",\n}}\n'
                '__all__ = [\n    "PearConfig",\n    "FigConfig",\n]\n'
            ),
            "vllm/transformers_utils/config.py": registered,
        },
    )


def test_a_configuration_that_nothing_uses(tmp_path: Path) -> None:
    draft = support_tree(tmp_path)
    draft.delete(PEAR, "gone")
    drop_support_files(plan_for(draft), draft)
    assert deleted(draft) == {PEAR, "vllm/transformers_utils/configs/pear.py"}
    assert drafted(draft, "vllm/transformers_utils/config.py") == 'R = LazyConfigDict(\n    fig="FigConfig",\n)\n'
    assert "Pear" not in drafted(draft, "vllm/transformers_utils/configs/__init__.py")


def test_a_configuration_that_transformers_has_not(tmp_path: Path) -> None:
    draft = support_tree(tmp_path)
    draft.delete(PEAR, "gone")
    plan = plan_for(draft, TEXT)
    drop_support_files(plan, draft)
    assert deleted(draft) == {PEAR}
    drop_support_files(replace(plan, provided_model_types=frozenset({"pear"})), draft)
    assert deleted(draft) == {PEAR, "vllm/transformers_utils/configs/pear.py"}


def package_tree(folder: Path, other: str = "") -> tuple[RetirementPlan, Draft]:
    """A package that holds its own configuration, and the rows that lead there."""
    registered = 'R = LazyConfigDict(\n    pear="PearConfig",\n    fig="FigConfig",\n)\n'
    names = '_CLASS_TO_MODULE = {\n    "PearConfig": "vllm.models.pear.configs",\n    "FigConfig": "x",\n}\n'
    draft = drafted_tree(
        folder,
        {
            "vllm/models/pear/__init__.py": "",
            "vllm/models/pear/configs.py": "class PearConfig:\n    pass\n",
            CONFIGURATION_NAMES: names + '__all__ = [\n    "PearConfig",\n    "FigConfig",\n]\n',
            "vllm/transformers_utils/config.py": registered,
            "vllm/other.py": other,
        },
    )
    files = ("vllm/models/pear/__init__.py", "vllm/models/pear/configs.py")
    plan = plan_for(draft)
    module = replace(plan.modules[0], name="vllm.models.pear", files=files)
    for file in files:
        draft.delete(file, "gone")
    return replace(plan, modules=(module,)), draft


CONFIGURATION_NAMES = "vllm/transformers_utils/configs/__init__.py"


def test_a_configuration_that_a_package_holds_itself(tmp_path: Path) -> None:
    plan, draft = package_tree(tmp_path)
    drop_own_configurations(plan, draft)
    expected = '_CLASS_TO_MODULE = {\n    "FigConfig": "x",\n}\n__all__ = [\n    "FigConfig",\n]\n'
    assert drafted(draft, CONFIGURATION_NAMES) == expected
    assert drafted(draft, "vllm/transformers_utils/config.py") == 'R = LazyConfigDict(\n    fig="FigConfig",\n)\n'


def test_a_configuration_of_a_package_that_something_else_uses(tmp_path: Path) -> None:
    plan, draft = package_tree(tmp_path, "from vllm.transformers_utils.configs import PearConfig\n")
    drop_own_configurations(plan, draft)
    assert "PearConfig" in drafted(draft, CONFIGURATION_NAMES)


def test_a_configuration_of_a_package_that_the_backend_needs(tmp_path: Path) -> None:
    plan, draft = package_tree(tmp_path)
    served = (replace(plan.modules[0].architectures[0], outcome=TEXT),)
    plan = replace(plan, modules=(replace(plan.modules[0], architectures=served),))
    drop_own_configurations(plan, draft)
    assert "PearConfig" in drafted(draft, CONFIGURATION_NAMES)
    drop_own_configurations(replace(plan, provided_model_types=frozenset({"pear"})), draft)
    assert "PearConfig" not in drafted(draft, CONFIGURATION_NAMES)


def test_a_processor_goes_where_transformers_has_one(tmp_path: Path) -> None:
    processors = "vllm/transformers_utils/processors"
    rows = '__all__ = [\n    "FigProcessor",\n    "PearProcessor",\n]\n'
    draft = drafted_tree(
        tmp_path,
        {
            PEAR: "from vllm.transformers_utils.processors import FigProcessor, PearProcessor\n",
            "vllm/model_executor/models/fig.py": "from vllm.transformers_utils.processors import FigProcessor\n",
            f"{processors}/pear.py": "class PearProcessor:\n    pass\n",
            f"{processors}/fig.py": "class FigProcessor:\n    pass\n",
            f"{processors}/__init__.py": rows,
        },
    )
    draft.delete(PEAR, "gone")
    plan = plan_for(draft, TEXT)
    drop_support_files(plan, draft)
    assert deleted(draft) == {PEAR}
    drop_support_files(replace(plan, provides_processors=True), draft)
    assert deleted(draft) == {PEAR, f"{processors}/pear.py"}
    assert drafted(draft, f"{processors}/__init__.py") == '__all__ = [\n    "FigProcessor",\n]\n'


@pytest.mark.parametrize(
    "other",
    ["from vllm.transformers_utils.configs.pear import PearConfig\n", 'M = "vllm.transformers_utils.configs.pear"\n'],
)
def test_a_configuration_that_others_use(tmp_path: Path, other: str) -> None:
    draft = support_tree(tmp_path)
    write_tree(tmp_path, {"vllm/other.py": other})
    draft.delete(PEAR, "gone")
    drop_support_files(plan_for(draft), draft)
    assert deleted(draft) == {PEAR}


def test_a_configuration_of_another_model_type(tmp_path: Path) -> None:
    draft = support_tree(tmp_path, key="quince")
    draft.delete(PEAR, "gone")
    drop_support_files(plan_for(draft), draft)
    assert deleted(draft) == {PEAR}


def test_chat_templates(tmp_path: Path) -> None:
    names = ["template_pear", "tool_chat_template_pear", "template_fig", "template_pear2", "pear"]
    templates: dict[str, str | bytes] = {f"examples/{name}.jinja": "" for name in names}
    tests = 'A = [\n    ("template_pear.jinja", 1),\n    ("template_fig.jinja", 2),\n]\n'
    draft = drafted_tree(
        tmp_path, {**templates, "tests/a.py": tests, "vllm/transformers_utils/chat_templates/template_pear.jinja": ""}
    )
    plan = plan_for(draft)
    drop_chat_templates(plan, draft)
    assert not deleted(draft), "the registry still serves a Pear"
    draft.rewrite(REGISTRY_FILE, WITHOUT_PEAR.encode(), "moved")
    drop_chat_templates(plan, draft)
    assert deleted(draft) == {
        "examples/template_pear.jinja",
        "examples/tool_chat_template_pear.jinja",
        "vllm/transformers_utils/chat_templates/template_pear.jinja",
    }
    assert drafted(draft, "tests/a.py") == 'A = [\n    ("template_fig.jinja", 2),\n]\n'


def test_a_test_in_another_language_that_asks_for_a_deleted_template_is_told(tmp_path: Path) -> None:
    named = '["template_pear.jinja", "template_fig.jinja"]\n'
    draft = drafted_tree(tmp_path, {"examples/template_pear.jinja": "", "rust/format.rs": named})
    plan = plan_for(draft)
    draft.rewrite(REGISTRY_FILE, WITHOUT_PEAR.encode(), "moved")
    drop_chat_templates(plan, draft)
    left = kept(answered_mentions(plan, draft.change_set(), draft.tree))
    assert ("rust/format.rs", MentionKind.OTHER_LANGUAGE) in [(k.mention.location.file, k.mention.kind) for k in left]


def test_fixtures(tmp_path: Path) -> None:
    draft = drafted_tree(
        tmp_path,
        {
            "tests/models/test_pear.py": 'A = "../fixtures/pear"\nB = "../fixtures/both.json"\nC = "a/b"\n',
            "tests/models/test_fig.py": 'B = "fixtures/both.json"\n',
            "tests/fixtures/pear/a.json": "{}",
            "tests/fixtures/pear/b/c.txt": "",
            "tests/fixtures/both.json": "{}",
        },
    )
    drop_fixtures(draft)
    assert draft.change_set().edits == ()
    draft.delete("tests/models/test_pear.py", "gone")
    drop_fixtures(draft)
    left = {"tests/models/test_pear.py", "tests/fixtures/pear/a.json", "tests/fixtures/pear/b/c.txt"}
    assert deleted(draft) == left


def test_ci_paths(tmp_path: Path) -> None:
    pipeline = (
        "steps:\n  - vllm/model_executor/models/pear.py\n  - vllm/model_executor/models/pear.pyx\n"
        "  - pytest -v models/test_pear.py models/test_fig.py\n  - pytest -v models/test_pear.py\n"
    )
    draft = drafted_tree(
        tmp_path,
        {
            ".buildkite/a.yaml": pipeline,
            ".buildkite/b.yaml": "commands:\n  - pytest -v models/test_pear.py\nnext:\n",
            ".github/CODEOWNERS": "/tests/models/test_pear.py @a\n/tests @b\n",
            "tests/models/test_pear.py": "",
        },
    )
    drop_ci_paths(draft)
    assert draft.change_set().edits == ()
    draft.delete(PEAR, "gone")
    draft.delete("tests/models/test_pear.py", "gone")
    drop_ci_paths(draft)
    assert drafted(draft, ".github/CODEOWNERS") == "/tests @b\n"
    assert drafted(draft, ".buildkite/a.yaml") == (
        "steps:\n  - vllm/model_executor/models/pear.pyx\n  - pytest -v models/test_fig.py\n"
    )
    assert ".buildkite/b.yaml" not in {edit.file for edit in draft.change_set().edits}, "the step would be empty"


def test_patterns_that_stand_for_no_file_any_more(tmp_path: Path) -> None:
    models = "vllm/model_executor/models"
    draft = drafted_tree(
        tmp_path,
        {
            ".github/CODEOWNERS": f"# \u2028 a\n/{models}/pear*.py @a @b\n/{models}/p*.py @a\n# /{models}/pear*.py\n",
            ".github/mergify.yml": f"or:\n  - files~=^{models}/pea.*\\.py\n  - files~=^{models}/.*\\.py\n",
            f"{models}/plum.py": "",
        },
    )
    draft.delete(PEAR, "gone")
    drop_ci_paths(draft)
    assert drafted(draft, ".github/CODEOWNERS") == f"# \u2028 a\n/{models}/p*.py @a\n# /{models}/pear*.py\n"
    assert drafted(draft, ".github/mergify.yml") == f"or:\n  - files~=^{models}/.*\\.py\n"


JSON = '{\n    "a": {\n        "org/pear": 1\n    },\n    "org/pear": {\n        "x": 1\n    }\n}\n'


def test_data_files(tmp_path: Path) -> None:
    draft = drafted_tree(
        tmp_path,
        {
            "tests/models.txt": "None, org/pear, main\nNone, org/pear-2, main\n",
            "tests/a.json": JSON,
            "tests/b.json": '{"org/pear": \n',
            "tests/c.json": '["org/pear"]',
        },
    )
    drop_data_entries(plan_for(draft), draft)
    assert drafted(draft, "tests/models.txt") == "None, org/pear-2, main\n"
    assert drafted(draft, "tests/a.json") == '{\n    "a": {\n        "org/pear": 1\n    }\n}\n'
    assert {edit.file for edit in draft.change_set().edits} == {"tests/models.txt", "tests/a.json"}


@pytest.mark.parametrize("text", ['{"a": 1, "org/pear": 2}\n', '{\n  "a": 1, "b": 2,\n  "org/pear": 2, "c": 3\n}\n'])
def test_json_that_is_not_laid_out_in_lines_stays(tmp_path: Path, text: str) -> None:
    draft = drafted_tree(tmp_path, {"tests/a.json": text})
    drop_data_entries(plan_for(draft), draft)
    assert draft.change_set().edits == ()


FIXTURE = 'import pytest\n\n\n@pytest.fixture(scope="module")\ndef tokenizer():\n    return load("org/pear")\n'


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tests/tool_parsers/conftest.py", FIXTURE),
        ("tests/tool_parsers/test_parser.py", FIXTURE + "\n\ndef test_parser(tokenizer):\n    assert tokenizer\n"),
        ("benchmarks/speed.py", 'import x\n\n\ndef main():\n    x.run("org/pear")\n'),
        ("tests/benchmarks/test_data.py", 'def test_data():\n    assert load("org/pear")\n'),
    ],
)
def test_what_only_loads_a_checkpoint_of_the_model_stays(tmp_path: Path, file: str, text: str) -> None:
    draft = drafted_tree(tmp_path, {file: text})
    forget_code(plan_for(draft), draft)
    assert draft.exists(file)
    assert draft.read(file).decode() == text


def test_a_file_that_imports_the_module_goes(tmp_path: Path) -> None:
    file = "tests/kernels/test_pear.py"
    text = "from vllm.model_executor.models.pear import rope\n\n\ndef test_rope():\n    assert rope()\n"
    draft = drafted_tree(tmp_path, {file: text})
    forget_code(plan_for(draft), draft)
    assert file in deleted(draft)


CI = """\
steps:
  - commands:
    - pip install git+https://example.org/lab/Pearlib.git
    - pip install git+https://example.org/lab/figlib.git
    - 'pip install av git+https://example.org/lab/Pearlib.git &&
       pytest tests'
    - 'pip install git+https://example.org/lab/Pearlib.git &&
       pytest tests'
"""


@pytest.mark.parametrize("still", [False, True])
def test_what_ci_installs_for_a_deleted_test_alone(tmp_path: Path, still: bool) -> None:
    tests = 'import pearlib.models\nimport figlib\n\n\ndef test_pear():\n    pearlib.run(figlib, "org/pear")\n'
    other = "import figlib\n" + ("from pearlib import x\n" if still else "# pearlib\n")
    files = {"tests/models/test_pear.py": tests, "tests/models/test_fig.py": other, ".buildkite/a.yaml": CI}
    draft = drafted_tree(tmp_path, {**files})
    forget_code(plan_for(draft), draft)
    drop_ci_packages(draft)
    lines = CI.splitlines(keepends=True)
    shorter = [*lines[:2], lines[3], lines[4].replace(" git+https://example.org/lab/Pearlib.git", ""), *lines[5:]]
    assert draft.read(".buildkite/a.yaml").decode() == (CI if still else "".join(shorter))


@pytest.mark.parametrize("gives", [False, True])
def test_a_fixture_that_prepares_a_checkpoint_for_every_test_goes(tmp_path: Path, gives: bool) -> None:
    file = "tests/tokenizers_/conftest.py"
    other = "def pytest_configure():\n    pass\n"
    text = FIXTURE.replace('scope="module"', 'scope="session", autouse=True')
    text = f"{text if gives else text.replace('return ', '')}\n\n{other}"
    draft = drafted_tree(tmp_path, {file: text})
    forget_code(plan_for(draft), draft)
    assert draft.read(file).decode() == (text if gives else other)


PREPARES = FIXTURE.replace('scope="module"', 'scope="session", autouse=True').replace("return ", "")


@pytest.mark.parametrize(
    ("more", "other", "goes"),
    [
        ("", "def test_a():\n    assert run()\n", True),
        ("", "from .conftest import tokenizer\n", False),
        ("from tests.shared import tree_of_figs\n", "def test_a(tree_of_figs):\n    assert tree_of_figs\n", False),
    ],
)
def test_a_conftest_of_nothing_else_goes_unless_it_is_imported_or_hands_something_on(
    tmp_path: Path, more: str, other: str, goes: bool
) -> None:
    draft = drafted_tree(tmp_path, {"tests/figs/conftest.py": more + PREPARES, "tests/figs/test_a.py": other})
    forget_code(plan_for(draft), draft)
    assert draft.exists("tests/figs/conftest.py") is not goes


EXAMPLES = """\
def run_pear():
    return Config("org/pear")


def run_fig():
    return Config("org/fig")


EXAMPLES = {
    "pear": run_pear,
    "fig": run_fig,
}
EXAMPLES["fig"]()
"""


@pytest.mark.parametrize("use", ["", "run_pear()\n"])
def test_one_of_the_examples_of_a_script(tmp_path: Path, use: str) -> None:
    draft = drafted_tree(tmp_path, {"examples/all.py": EXAMPLES + use})
    forget_code(plan_for(draft), draft)
    without_pear = EXAMPLES[EXAMPLES.index("def run_fig") :].replace('    "pear": run_pear,\n', "")
    assert draft.read("examples/all.py").decode() == (EXAMPLES + use if use else without_pear)


def test_a_commented_parameter(tmp_path: Path) -> None:
    text = 'MODELS = {\n    # "org/pear": fast(),\n    "org/fig": fast(),\n}\n'
    draft = drafted_tree(tmp_path, {"tests/distributed/test_a.py": text})
    forget_code(plan_for(draft), draft)
    assert drafted(draft, "tests/distributed/test_a.py") == 'MODELS = {\n    "org/fig": fast(),\n}\n'


PLUGIN = """\
from vllm.model_executor.models.pear import PearForCausalLM


class MyPear(PearForCausalLM):
    pass
"""
PARTS = """\
from vllm.model_executor.models.pear import PearModel


class MyEmbedding(Module):
    def __init__(self):
        self.model = PearModel()

    def forward(self, x):
        return self.model(x)
"""


@pytest.mark.parametrize("text", [PLUGIN, PARTS])
@pytest.mark.parametrize("how", ["from .my_pear import {0}\n", 'R.add("{0}", "plugin.my_pear:{0}")\n'])
def test_a_file_that_others_need_stays_whole(tmp_path: Path, text: str, how: str) -> None:
    name = "MyPear" if text is PLUGIN else "MyEmbedding"
    files = {"tests/plugins/plugin/my_pear.py": text, "tests/plugins/plugin/__init__.py": how.format(name)}
    draft = drafted_tree(tmp_path, {**files})
    forget_code(plan_for(draft), draft)
    assert {edit.file for edit in draft.change_set().edits} == {"tests/models/registry.py"}


def test_a_class_goes_with_what_one_of_its_methods_needs(tmp_path: Path) -> None:
    draft = drafted_tree(tmp_path, {"tests/models/parts.py": f"{PARTS}\n\nclass Other:\n    pass\n"})
    forget_code(plan_for(draft), draft)
    assert drafted(draft, "tests/models/parts.py") == "class Other:\n    pass\n"


STAND_IN = """\
import pytest

MODELS = ["org/pear", "org/fig"]
ARGUMENTS = ["--model", "org/pear"]
CONFIG = {"org/fig": 1}


def config():
    return Config("org/pear", architectures=["PearForCausalLM"])


@pytest.mark.parametrize("model", MODELS)
def test_scheduler(model):
    if model == "org/fig":
        assert config()


@pytest.mark.parametrize("model", ["org/fig", pytest.param("org/pear", id="p")])
def test_more(model):
    run(model, "org/pear")


def main():
    run("org/pear")


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("file", ["tests/v1/test_scheduler.py", "examples/basic.py", "benchmarks/b.py"])
def test_where_a_checkpoint_is_a_stand_in_only_parameters_go(tmp_path: Path, file: str) -> None:
    draft = drafted_tree(tmp_path, {file: STAND_IN})
    forget_code(plan_for(draft), draft)
    shorter = STAND_IN.replace('["org/pear", "org/fig"]', '["org/fig"]')
    assert drafted(draft, file) == shorter.replace(', pytest.param("org/pear", id="p")', "")


@pytest.mark.parametrize("use", ["", 'X = SPEED["org/pear"]\n'])
def test_an_entry_for_a_checkpoint_stays_for_what_looks_it_up(tmp_path: Path, use: str) -> None:
    text = 'SPEED = {"org/pear": 1, "org/fig": 2}\n' + use
    draft = drafted_tree(tmp_path, {"tests/v1/test_a.py": text})
    forget_code(plan_for(draft), draft)
    assert draft.read("tests/v1/test_a.py").decode() == (text if use else 'SPEED = {"org/fig": 2}\n')


def test_what_tests_of_a_class_share_stays(tmp_path: Path) -> None:
    text = (
        'class TestAll:\n    def make(self):\n        return run("org/pear")\n\n'
        "    def test_a(self):\n        assert self.make()\n"
    )
    draft = drafted_tree(tmp_path, {"tests/models/test_all.py": text})
    forget_code(plan_for(draft), draft)
    assert {edit.file for edit in draft.change_set().edits} == {"tests/models/registry.py"}
