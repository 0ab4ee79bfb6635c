"""The command line on the small trees: reports, exit status, and one clear line for everything wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from retire_model.command import run
from retire_model.messages import complain
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, MODELING, PP_PLAN_LINES, changed
from tests.toy import write_engine, write_release

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/report.schema.json").read_text())
NO_PIPELINE = Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, ""))
TRANSPOSED = Snippet(modeling=changed(MODELING, "self.o_proj = nn.Linear(", "self.o_proj = Conv1D("))


class Toy:
    """The small trees and the options that name them."""

    def __init__(self, folder: Path, snippet: Snippet | None = None) -> None:
        self.engine = write_engine(folder, snippet)
        self.release = write_release(folder, snippet)
        self.options = ["--engine", str(self.engine), "--transformers", str(self.release)]

    def content(self) -> dict[str, bytes]:
        files = (p for p in self.engine.rglob("*") if p.is_file() and ".retire-model" not in p.name)
        return {str(p.relative_to(self.engine)): p.read_bytes() for p in files}


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path)


def test_plan_writes_nothing(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    before = toy.content()
    assert run(["toy", *toy.options]) == 0
    out = capsys.readouterr().out
    assert "toy can be retired, nothing is lost" in out
    assert '-    "ToyForCausalLM": ("toy", "ToyForCausalLM"),' in out
    assert "Nothing was written. Add --write to do it." in out
    assert toy.content() == before


def test_write(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    before = toy.content()
    assert run(["toy", "--write", *toy.options]) == 0
    assert "Retired toy: 1 file deleted" in capsys.readouterr().out
    after = toy.content()
    gone = before.keys() - after.keys()
    assert gone == {"vllm/model_executor/models/toy.py"}
    assert {file for file in after if before[file] != after[file]} == {
        "docs/models/supported_models.md",
        "vllm/model_executor/models/registry.py",
    }
    assert run(["toy", "--write", *toy.options]) == 1
    assert "already served by the Transformers modeling backend" in capsys.readouterr().err
    assert toy.content() == after


SECOND = '    "ToyForCausalLM": ("toy", "ToyForCausalLM"),\n'


@pytest.mark.parametrize(
    "entry",
    [
        '    "TooForCausalLM": ("vllm.model_executor.models.toy", "ToyForCausalLM"),\n',
        '    "TooForCausalLM": ["toy", "ToyForCausalLM"],\n',
        '    "TooForCausalLM": (_TOY, "ToyForCausalLM"),\n',
        '    **{f"T{i}": ("toy", "ToyForCausalLM") for i in range(2)},\n',
        '    f"{__name__}": (f"{__package__}.toy", "ToyForCausalLM"),\n',
        '}\n_TEXT_GENERATION_MODELS.update({"TooForCausalLM": ("toy", "ToyForCausalLM")})\n_MORE = {\n',
        '}\n_TEXT_GENERATION_MODELS |= {"TooForCausalLM": ("t" + "oy", "ToyForCausalLM")}\n_MORE = {\n',
    ],
)
def test_a_module_that_the_registry_names_in_another_way_stays(
    toy: Toy, entry: str, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = toy.engine / "vllm/model_executor/models/registry.py"
    registry.write_text('_TOY = "toy"\n' * ("_TOY" in entry) + changed(registry.read_text(), SECOND, SECOND + entry))
    before = toy.content()
    assert run(["toy", "--write", *toy.options]) == 1
    assert toy.content() == before
    error = capsys.readouterr().err
    assert "TooForCausalLM" in error or "the registry would still name toy" in error
    run(["ToyForCausalLM", "--write", *toy.options])
    assert (toy.engine / "vllm/model_executor/models/toy.py").exists()


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("| ToyForCausalLM | Toy | `org/toy-1b` | | |\n", True),
        ("\n<table><tr><td>ToyForCausalLM</td></tr></table>\n\n", True),
        ("\n    | Architecture |\n    | - |\n    | `ToyForCausalLM` |\n\n", True),
        ("", False),
    ],
)
def test_a_docs_row_that_is_not_found_is_told(
    toy: Toy, row: str, named: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["toy", *toy.options]) == 0
    assert "no docs row" not in capsys.readouterr().err
    page = toy.engine / "docs/models/supported_models.md"
    old = next(line for line in page.read_text().splitlines(keepends=True) if "`ToyForCausalLM`" in line)
    page.write_text(changed(page.read_text(), old, row))
    assert run(["toy", *toy.options]) == 0
    error = capsys.readouterr().err
    assert "no docs row of ToyForCausalLM was found" in error
    assert ("It is named at docs/models/supported_models.md:" in error) is named


def test_missing_docs_that_are_allowed_are_told(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    (toy.engine / "docs/models/supported_models.md").unlink()
    assert run(["toy", "--allow-missing", "docs", "--format", "json", *toy.options]) == 0
    assert "no docs row of ToyForCausalLM was found" in capsys.readouterr().err


def test_losses_must_be_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy = Toy(tmp_path, NO_PIPELINE)
    before = toy.content()
    assert run(["toy", *toy.options]) == 0
    assert "Add --write --accept pipeline-parallel to do it." in capsys.readouterr().out
    assert run(["toy", "--write", *toy.options]) == 1
    assert "To go on all the same: --accept pipeline-parallel" in capsys.readouterr().err
    assert run(["toy", "--write", "--accept", "lora", *toy.options]) == 1
    assert toy.content() == before
    assert run(["toy", "--write", "--accept", "pipeline-parallel", *toy.options]) == 0
    tests = (toy.engine / "tests/distributed/test_pipeline_parallel.py").read_text()
    assert "org/toy-1b" not in tests
    assert (
        "| `ToyForCausalLM` | Toy, Toy \\| Two | `org/toy-1b`, `org/toy-2b`, etc. | ✅︎ | |"
        in (toy.engine / "docs/models/supported_models.md").read_text()
    )


def test_every_loss_may_be_accepted_at_once(tmp_path: Path) -> None:
    toy = Toy(tmp_path, NO_PIPELINE)
    assert run(["toy", "--write", "--accept", "all", *toy.options]) == 0


def test_a_model_that_cannot_load_is_refused_whatever_is_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toy = Toy(tmp_path, TRANSPOSED)
    before = toy.content()
    assert run(["toy", "--write", "--accept", "all", *toy.options]) == 1
    assert "ToyAttention.o_proj is a Conv1D" in capsys.readouterr().err
    assert toy.content() == before


@pytest.mark.parametrize("arguments", [["toy"], ["check", "toy"], ["check", "other"], ["check", "zebra", "toy"]])
def test_json_keeps_its_schema(toy: Toy, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run([*arguments, "--format", "json", *toy.options])
    content: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, SCHEMA)
    assert ("plan" in content) is (arguments[0] != "check")


def test_json_of_a_refusal_has_the_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy = Toy(tmp_path, TRANSPOSED)
    assert run(["toy", "--format", "json", *toy.options]) == 1
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, SCHEMA)
    assert content["models"][0]["judgements"][0]["verdict"] == "keep"
    assert "plan" not in content


@pytest.mark.parametrize("options", [[], ["--remove", "--last-version", "1.0"]])
def test_json_of_a_model_that_is_retired_already(
    toy: Toy, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["zebra", "--format", "json", *options, *toy.options]) == 1
    told = capsys.readouterr()
    content = json.loads(told.out)
    jsonschema.validate(content, SCHEMA)
    assert (content["models"][0]["architectures"], content["models"][0]["module"]) == (["ZebraForCausalLM"], None)
    assert "plan" not in content
    assert "nothing to retire" in told.err


def test_check_tells_clean_from_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clean = Toy(tmp_path / "clean")
    assert run(["check", "toy", *clean.options]) == 0
    lossy = Toy(tmp_path / "lossy", NO_PIPELINE)
    assert run(["check", "toy", *lossy.options]) == 1
    out = capsys.readouterr().out
    assert "pipeline-parallel      yes     lost" in out
    assert "transformers/models/toy/configuration_toy.py:2" in out


def test_check_judges_what_has_no_modeling_file(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "zebra", *toy.options]) == 1
    out = capsys.readouterr().out
    assert "ZebraForCausalLM: nothing to retire, it is already served by the Transformers modeling backend" in out
    assert "The backend cannot serve it." in out


def test_releases_stand_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy = Toy(tmp_path)
    other = write_release(tmp_path / "other", TRANSPOSED)
    assert run(["check", "toy", *toy.options, "--transformers", str(other)]) == 1
    out = capsys.readouterr().out
    heading = next(line for line in out.splitlines() if line.startswith("capability"))
    assert heading == "capability             today   Transformers 5.0.0   5.0.0"
    assert "load                   yes     kept" in out
    assert "lost" in out


def test_architectures_of_one_module_named_one_by_one(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "twin", "TwinForCausalLM", "TwinTooForCausalLM", *toy.options, "--format", "json"])
    models = json.loads(capsys.readouterr().out)["models"]
    assert [m["architectures"] for m in models] == [["TwinForCausalLM", "TwinTooForCausalLM"]]


WRONG_USE = [
    (["nosuch"], "unknown model 'nosuch'"),
    (["toy", "--accept", "load"], "the loss of `load` cannot be accepted"),
    (["toy", "--accept", "speed"], "no capability 'speed'"),
    (["check"], "Missing argument"),
    (["toy", "--format", "xml"], "Invalid value for '--format'"),
    (["toy", "--no-such-option"], "No such option"),
    (["explain", "conv2d"], "Did you mean conv1d"),
    (["explain", "zzz"], "`retire-model rules` lists them"),
    (["explain", "dead-doc-row"], "Did you mean dead-docs-row"),
    (["toy", "--accept", "all", "--accept", "nonsense"], "no capability 'nonsense'"),
    (["toy", "--engine", ""], "Option '--engine' has an empty value"),
    (["toy", "--engine="], "Option '--engine' has an empty value"),
    (["check", "toy", "--downstream", ""], "Option '--downstream' has an empty value"),
    (["toy", "--write", "--copy-to", ""], "Option '--copy-to' has an empty value"),
    (["--remove", "check", "toy"], "'check' is a command, and the command comes first"),
    (["chekc", "toy"], "Did you mean the command `retire-model check …`?"),
    (["toy", "--engine", f"vllm=={'9' * 5000}"], "…: not a release"),
    (["toy", "--engine", "9" * 5000], "…: there is no such folder"),
    (["toy", "--transformers", "9" * 5000], "… is neither a version nor a folder"),
    (["toy", "--remove", "--last-version", "9" * 5000], "…: not a version"),
    (["9" * 5000], "unknown model"),
    (["toy", "--copy-to", "x"], "--copy-to goes with --write"),
    (["toy", "--remove", "--with-tests"], "--with-tests goes with a model that the backend is to serve"),
    (["toy", "--plugin", "https://example.org/x", "--with-tests"], "--with-tests goes with"),
    (["toy", "--remove", "--accept", "all"], "--accept goes with a model that the backend is to serve"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_USE)
def test_wrong_use(toy: Toy, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = [] if arguments[0] == "explain" else toy.options
    if any(word.startswith("--engine") for word in arguments):
        options = []
    assert run([*arguments, *options]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert max(map(len, captured.err.splitlines())) < 250


def test_explain_does_not_mind_the_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "TP-plan"]) == 0
    assert "tp-plan" in capsys.readouterr().out


def test_what_the_system_refuses_is_no_fault_of_ours(
    toy: Toy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import retire_model.check

    def fail(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied", "/there")

    monkeypatch.setattr(retire_model.check, "check_models", fail)
    assert run(["check", "toy", *toy.options]) == 2
    assert "/there: Permission denied" in capsys.readouterr().err


def test_another_folder_is_no_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["toy", "--engine", str(tmp_path)]) == 2
    assert "is not an engine tree" in capsys.readouterr().err


def test_what_is_nested_too_deeply(
    toy: Toy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import retire_model.check

    def follow(**options: object) -> int:
        return follow(**options)

    monkeypatch.setattr(retire_model.check, "check_models", follow)
    assert run(["check", "toy", *toy.options]) == 2
    assert "a file is nested too deeply to be followed" in capsys.readouterr().err


def test_a_fault_of_its_own(toy: Toy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import retire_model.check

    def fail(*_: object, **__: object) -> int:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(retire_model.check, "check_models", fail)
    assert run(["check", "toy", *toy.options]) == 3
    error = capsys.readouterr().err
    assert "a fault of its own: ZeroDivisionError: oops" in error
    assert "Traceback" not in error
    monkeypatch.setenv("RETIRE_MODEL_TRACEBACK", "1")
    assert run(["check", "toy", *toy.options]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_pages_and_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    assert "attention-interface" in capsys.readouterr().out
    assert run(["explain", "conv1d"]) == 0
    out = capsys.readouterr().out
    assert "Not reported" in out
    assert "+        self.o_proj = Conv1D(" in out


def test_without_arguments_it_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "0   clean, or done" in capsys.readouterr().out
    assert run(["--version"]) == 0


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; from retire_model.command import run; run(['--help']);"
        "heavy = {'libcst', 'markdown_it', 'rich', 'unearth', 'torch', 'transformers'} & set(sys.modules);"
        "sys.exit(1 if heavy else 0)"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0


def test_reading_imports_neither_torch_nor_libcst(toy: Toy) -> None:
    script = (
        "import sys; from retire_model.command import run;"
        f"run(['check', 'toy', *{toy.options!r}]);"
        "heavy = {'libcst', 'markdown_it', 'unearth', 'torch', 'transformers', 'vllm'} & set(sys.modules);"
        "sys.exit(len(heavy))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True).returncode == 0


def test_rules_may_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy = Toy(tmp_path, NO_PIPELINE)
    assert run(["check", "toy", "--ignore", "pp-plan", *toy.options]) == 0
    assert run(["check", "toy", "--select", "pp-plan", "--select", "lora", *toy.options]) == 1
    assert "[pp-plan]" in capsys.readouterr().out
    assert run(["check", "toy", "--select", "pp-plam", *toy.options]) == 2
    assert run(["check", "toy", "--select", "lora", "--ignore", "lora", *toy.options]) == 2
    assert "Did you mean pp-plan" in capsys.readouterr().err


def test_a_comment_with_a_reason_silences_a_rule(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    base = toy.engine / "vllm/model_executor/models/transformers/base.py"
    line = "class Base(nn.Module, SupportsQuant, SupportsLoRA, SupportsPP, SupportsEagle, SupportsEagle3):"
    for reason, status in ((" adapters are not wanted", 0), ("", 2)):
        base.write_text(changed(base.read_text(), line, f"{line}  # retire-model: ignore[lora]{reason}"))
        assert run(["check", "toy", *toy.options]) == status
        captured = capsys.readouterr()
        assert "[lora]" not in captured.out
        base.write_text(base.read_text().replace(f"  # retire-model: ignore[lora]{reason}", ""))
    assert "ignores lora without a reason" in captured.err


def test_says_where_a_model_becomes_eligible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy = Toy(tmp_path, TRANSPOSED)
    later = write_release(tmp_path / "later")
    (later / "transformers/__init__.py").write_text('__version__ = "5.1.0"\n')
    assert run(["check", "toy", *toy.options, "--transformers", str(later)]) == 1
    assert "Eligible with Transformers 5.1.0, not with 5.0.0" in capsys.readouterr().out


def test_retiring_tells_what_plugins_need(toy: Toy, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plugin = tmp_path / "plugin"
    plugin.mkdir()
    (plugin / "model.py").write_text("from vllm.model_executor.models.toy import ToyModel\n")
    assert run(["toy", "--downstream", str(plugin), *toy.options]) == 0
    out = capsys.readouterr().out
    assert "Downstream, this breaks:" in out
    assert "ToyModel" in out
    assert run(["toy", "--downstream", str(plugin), "--format", "json", *toy.options]) == 0
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, SCHEMA)
    assert len(content["downstream"]) == 1


def test_retiring_may_add_a_test(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["toy", "--with-tests", *toy.options]) == 2
    assert "there is no place for a test" in capsys.readouterr().err
    folder = toy.engine / "tests/models/transformers"
    folder.mkdir(parents=True)
    (folder / "test_backend.py").touch()
    (toy.engine / "tests/utils.py").touch()
    assert run(["toy", "--with-tests", "--write", *toy.options]) == 0, capsys.readouterr().err
    added = [path for path in folder.glob("*.py") if "ToyForCausalLM" in path.read_text()]
    assert len(added) == 1


def test_what_is_served_already_is_not_retired_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy = Toy(tmp_path)
    assert run(["toy", "--write", *toy.options]) == 0
    capsys.readouterr()
    assert run(["toy", *toy.options]) == 1
    refused = capsys.readouterr().err
    assert run(["check", "toy", *toy.options]) == 0
    told = capsys.readouterr().out
    reason = "ToyForCausalLM: nothing to retire, it is already served by the Transformers modeling backend"
    assert reason in refused
    assert reason in told
    assert "The backend can serve it." in told
    assert "lora                   yes" in told


def test_unproven_names_the_command_that_settles_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy = Toy(tmp_path, Snippet(modeling=MODELING.replace("self.lm_head", "self.embed_out")))
    assert run(["toy", *toy.options]) == 0
    out = capsys.readouterr().out
    assert "`retire-model smoke ToyForCausalLM` settles it." in out
    assert "`retire-model smoke toy` on a checkpoint settles it." in out


def test_gains_are_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy = Toy(tmp_path, Snippet(bespoke="class ToyForCausalLM(nn.Module, SupportsPP): ..."))
    assert run(["check", "toy", *toy.options]) == 0
    assert "gains    LoRA adapters: TransformersForCausalLM inherits SupportsLoRA" in capsys.readouterr().out


def test_messages_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    complain("other files need a module:\n  vllm/a.py:1  an import of something with a long name", "Mend them.")
    assert capsys.readouterr().err.splitlines() == [
        "retire-model: other files need a module:",
        "  vllm/a.py:1  an import of something",
        "    with a long name",
        "  Mend them.",
    ]
