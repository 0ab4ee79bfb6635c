"""What the test registry's entries of migrated models no longer say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from codemods.edits import Draft
from codemods.plan import Remove
from codemods.test_files.tested_entries import mend_tested_entries
from tests.codemods.small_tree import TEXT, drafted, plan_of, retired, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.plan import Outcome


def mended(
    folder: Path, entry: str, outcome: Outcome = TEXT, requirement: str | None = "transformers >= 5.5, < 6"
) -> str:
    around = 'A = {{\n    # first\n    "Fig": I("f", trust_remote_code=True),\n    {}\n    "Z": I("z"),\n}}\n'
    files: dict[str, str | bytes] = {TEST_REGISTRY_FILE: around.format(entry)}
    if requirement is not None:
        files["requirements/common.txt"] = f"{requirement}\n"
    draft = Draft(write_tree(folder, files))
    for _ in range(2):
        mend_tested_entries(plan_of(retired("Pear", outcome)), draft)
    before, after = around.split("{}")
    text = drafted(draft, TEST_REGISTRY_FILE)
    start, end = before.replace("{{", "{"), after.replace("}}", "}")
    assert text.startswith(start)
    assert text.endswith(end)
    return text[len(start) : -len(end)]


@pytest.mark.parametrize(
    ("entry", "after"),
    [
        ('"Pear": I("org/pear", trust_remote_code=True),', '"Pear": I("org/pear"),'),
        ('"Pear": I("org/pear", min_transformers_version="5.5"),', '"Pear": I("org/pear"),'),
        ('"Pear": I(\n        "org/pear", trust_remote_code=True\n    ),', '"Pear": I("org/pear"),'),
        (
            '"Pear": I(\n        "org/pear",\n        trust_remote_code=True,\n        x=1,  # one\n    ),',
            '"Pear": I(\n        "org/pear",\n        x=1,  # one\n    ),',
        ),
        (
            '"Pear": I("org/pear", min_transformers_version="4.58", x=(1, 2), trust_remote_code=True),',
            '"Pear": I("org/pear", x=(1, 2)),',
        ),
    ],
)
def test_what_goes(tmp_path: Path, entry: str, after: str) -> None:
    assert mended(tmp_path, entry) == after


@pytest.mark.parametrize(
    "entry",
    [
        '"Pear": I("org/pear", min_transformers_version="5.6"),',
        '"Pear": I("org/pear", min_transformers_version="later"),',
        '"Pear": I("org/pear", trust_remote_code=False),',
        '"Pear": I("org/pear", min_transformers_version="4.5", transformers_version_reason={"hf": "x"}),',
        '"Pear": I(\n        "org/pear", x=1\n    ),',
    ],
)
def test_what_stays(tmp_path: Path, entry: str) -> None:
    assert mended(tmp_path, entry) == entry


def test_only_what_is_migrated_and_only_against_a_known_range(tmp_path: Path) -> None:
    entry = '"Pear": I("org/pear", min_transformers_version="4.5", trust_remote_code=True),'
    assert mended(tmp_path / "removed", entry, Remove("1.0")) == entry
    assert mended(tmp_path / "unknown", entry, TEXT, None) == '"Pear": I("org/pear", min_transformers_version="4.5"),'
