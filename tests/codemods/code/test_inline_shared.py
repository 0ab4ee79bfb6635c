"""Code that one other module alone uses moves there."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.errors import Refused
from codemods.code.inline_shared import inline_shared_code
from codemods.dependents import refuse_needed_modules
from codemods.edits import ChangeSet, Draft
from tests.codemods.small_tree import REGISTRY, drafted, plan_of, retired, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.plan import RetirementPlan

FOLDER = "vllm/model_executor/models"
PEAR = f"{FOLDER}/pear.py"
FIG = f"{FOLDER}/fig.py"
PLAN: RetirementPlan = replace(plan_of(retired("PearForCausalLM"), files=(PEAR,)), inline_shared=True)

SOURCE = '''\
"""Pear."""

import os
from collections import OrderedDict

import torch
import torch.nn as nn

from vllm.layers import Linear, Norm
from .utils import prefixed as pre

logger = init_logger(__name__)
SIZE: int = 4


def helper(x: "Norm") -> int:
    logger.info(x)
    return os.cpu_count() + SIZE


# How pears attend
@register(helper)
class PearAttention(nn.Module):
    def forward(self, x: torch.Tensor) -> None:
        return helper(pre(x))


class PearForCausalLM(nn.Module):
    attention = PearAttention
    linear = Linear
    order = OrderedDict()
'''

USER = """\
import torch
from torch import nn

from .other import x
from .pear import PearAttention

logger = init_logger(__name__)


class Fig(nn.Module):
    attention = PearAttention
"""

MOVED = """\
import torch
from torch import nn

from .other import x
import os
from vllm.layers import Norm
from .utils import prefixed as pre


SIZE: int = 4


def helper(x: "Norm") -> int:
    logger.info(x)
    return os.cpu_count() + SIZE


# How pears attend
@register(helper)
class PearAttention(nn.Module):
    def forward(self, x: torch.Tensor) -> None:
        return helper(pre(x))


logger = init_logger(__name__)


class Fig(nn.Module):
    attention = PearAttention
"""


def tree(folder: Path, user: str = USER, source: str = SOURCE, **more: str) -> Draft:
    others = {f"{FOLDER}/{name}.py": text for name, text in more.items()}
    files: dict[str, str | bytes] = {REGISTRY_FILE: REGISTRY, PEAR: source, FIG: user, **others}
    return Draft(write_tree(folder, files))


def test_the_code_moves_with_its_helpers_and_imports(tmp_path: Path) -> None:
    draft = tree(tmp_path)
    inline_shared_code(PLAN, draft)
    assert drafted(draft, FIG) == MOVED
    refuse_needed_modules(PLAN, draft.change_set(), draft.tree)
    assert draft.change_set().edits[0].reasons == ("PearAttention of pear, which only it uses",)


def test_line_ends_stay(tmp_path: Path) -> None:
    draft = tree(tmp_path, USER.replace("\n", "\r\n"))
    inline_shared_code(PLAN, draft)
    assert drafted(draft, FIG) == MOVED.replace("\n", "\r\n")


def test_from_another_folder_imports_become_absolute(tmp_path: Path) -> None:
    user = "from vllm.model_executor.models.pear import PearAttention\n\nlogger = init_logger(__name__)\n"
    draft = tree(tmp_path, "")
    write_tree(tmp_path, {"vllm/models/kiwi/model.py": user})
    inline_shared_code(PLAN, draft)
    text = drafted(draft, "vllm/models/kiwi/model.py")
    assert "from vllm.model_executor.models.utils import prefixed as pre\n" in text
    assert "import torch.nn as nn\n" in text
    ast.parse(text)


def test_only_with_the_option_and_only_for_one_user(tmp_path: Path) -> None:
    draft = tree(tmp_path)
    inline_shared_code(replace(PLAN, inline_shared=False), draft)
    assert draft.change_set().edits == ()
    with pytest.raises(Refused) as caught:
        refuse_needed_modules(replace(PLAN, inline_shared=False), ChangeSet(()), draft.tree)
    assert f"; --inline-shared moves PearAttention to {FIG};" in caught.value.remedy
    draft = tree(tmp_path, kiwi="from .pear import helper\n")
    inline_shared_code(PLAN, draft)
    assert draft.change_set().edits == ()
    with pytest.raises(Refused) as caught:
        refuse_needed_modules(replace(PLAN, inline_shared=False), ChangeSet(()), draft.tree)
    assert "--inline-shared" not in caught.value.remedy


@pytest.mark.parametrize(
    ("user", "source", "problem"),
    [
        (USER.replace("import PearAttention", "import PearAttention as PA"), SOURCE, "cannot be replaced"),
        (USER.replace("import PearAttention", "import *"), SOURCE, "cannot be replaced"),
        (USER + 'M = "vllm.model_executor.models.pear"\n', SOURCE, "by more than the names"),
        (USER + "def helper():\n    pass\n", SOURCE, "has a helper of its own"),
        (USER + "from x import Norm\n", SOURCE, "has a Norm of its own"),
        (USER, SOURCE.replace("SIZE: int", "if torch:\n    SIZE = 3\nSIZE: int"), "what SIZE is cannot be moved"),
        (
            USER,
            SOURCE.replace("import os\n", "try:\n    import os\nexcept ImportError:\n    os = None\n"),
            "what os is",
        ),
        (USER, "from __future__ import annotations\n" + SOURCE[11:], "cannot be replaced"),
        (USER, SOURCE.replace("from .utils import prefixed", "from .fig import prefixed"), "itself built on"),
        ("from .pear import PearAttention\nPearAttention()\nimport os\n", SOURCE, "between its imports"),
        (USER.replace("import PearAttention", "import PearNothing"), SOURCE, "what PearNothing is"),
    ],
)
def test_in_doubt_it_is_refused_and_not_offered(tmp_path: Path, user: str, source: str, problem: str) -> None:
    draft = tree(tmp_path, user, source)
    with pytest.raises(Refused, match=problem):
        inline_shared_code(PLAN, draft)
    assert draft.change_set().edits == ()
    with pytest.raises(Refused) as caught:
        refuse_needed_modules(replace(PLAN, inline_shared=False), ChangeSet(()), draft.tree)
    assert "--inline-shared" not in caught.value.remedy
