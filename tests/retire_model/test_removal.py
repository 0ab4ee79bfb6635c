"""`--remove`, `--plugin` and `--family` on the small trees, end to end."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest

from retire_model.command import run
from tests.toy import write_engine, write_release

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/report.schema.json").read_text())
REGISTRY = "vllm/model_executor/models/registry.py"
PLUGIN = "https://example.org/toy-plugin"


class Toy:
    """The small trees, the engine's in a repository of its own."""

    def __init__(self, folder: Path) -> None:
        self.engine = write_engine(folder)
        self.options = ["--engine", str(self.engine), "--transformers", str(write_release(folder))]
        (self.engine / "PKG-INFO").write_text("Version: 9.0.0\n")
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "before")

    def git(self, *arguments: str) -> bytes:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false"]
        return subprocess.run(
            ["git", "-C", str(self.engine), *identity, *arguments], check=True, capture_output=True
        ).stdout

    def read(self, file: str) -> str:
        return (self.engine / file).read_text()


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path)


def test_removed(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["toy", "--remove", "--write", *toy.options]) == 0
    assert '"ToyForCausalLM": "9.0.0",' in toy.read(REGISTRY)
    assert "ToyForCausalLM" not in toy.read("docs/models/supported_models.md")
    assert "org/toy-1b" not in toy.read("tests/models/registry.py")
    assert "org/toy-1b" not in toy.read("tests/distributed/test_pipeline_parallel.py")
    assert not (toy.engine / "vllm/model_executor/models/toy.py").exists()
    capsys.readouterr()
    assert run(["toy", "--remove", "--write", *toy.options]) == 1
    assert "9.0.0 was the last release that had it" in capsys.readouterr().err


def test_the_difference_in_reverse_gives_the_tree_back(toy: Toy) -> None:
    assert run(["toy", "--remove", "--write", *toy.options]) == 0
    difference = toy.git("diff", "--binary")
    assert difference
    subprocess.run(["git", "-C", str(toy.engine), "apply", "-R"], input=difference, check=True)
    assert toy.git("status", "--porcelain") == b""


def test_given_to_a_plugin(toy: Toy) -> None:
    page = toy.engine / "docs/models/supported_models.md"
    if "Plugin" not in page.read_text():
        page.write_text(page.read_text() + "\n## Plugins\n\n| Architecture | Models | Plugin |\n| --- | --- | --- |\n")
        toy.git("commit", "-q", "-a", "-m", "plugins")
    assert run(["toy", "--plugin", PLUGIN, "--write", *toy.options]) == 0
    assert f'"ToyForCausalLM": "{PLUGIN}",' in toy.read(REGISTRY)
    assert f"[toy-plugin]({PLUGIN}) |" in toy.read("docs/models/supported_models.md")
    assert "org/toy-1b" not in toy.read("tests/models/registry.py")


def test_a_last_version_of_ones_own(toy: Toy) -> None:
    assert run(["toy", "--remove", "--last-version", "8.5.0", "--write", *toy.options]) == 0
    assert '"ToyForCausalLM": "8.5.0",' in toy.read(REGISTRY)


def test_whoever_asks_will_be_served_with_a_warning_alone(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    registry = toy.engine / REGISTRY
    fallback = "\n\ndef _try_resolve_transformers(model):\n    return model.is_backend_compatible()\n"
    assert run(["toy", "--remove", *toy.options]) == 0
    assert "Whoever asks for ToyForCausalLM gets an error that says which release" in capsys.readouterr().out
    registry.write_text(registry.read_text() + fallback)
    assert run(["toy", "--remove", *toy.options]) == 0
    told = capsys.readouterr().out
    assert "ToyForCausalLM will not be refused" in told
    assert "with a warning in the log" in told


BUILDER = """\
class A:
    def f(self):
        self.a = init_vllm_registered_model(architectures=["ToyForCausalLM"])
        self.a.logits
"""


def test_what_stays_is_shown(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    (toy.engine / "vllm/use.py").write_text('X = a == "ToyForCausalLM"\n')
    (toy.engine / "vllm/build.py").write_text(BUILDER)
    assert run(["toy", *toy.options]) == 0
    out = capsys.readouterr().out
    assert "builds the model by its architecture's name" in out
    assert "vllm/build.py:3  ToyForCausalLM  [architecture that is built by its name]" in out
    assert "`retire-model check ToyForCausalLM --select built-by-name`" in out
    assert "vllm/use.py:1  ToyForCausalLM  [code]" in out
    assert run(["toy", "--remove", *toy.options]) == 1
    assert "vllm/build.py:3  builds ToyForCausalLM by its name" in capsys.readouterr().err
    (toy.engine / "vllm/build.py").unlink()
    assert run(["toy", "--remove", "--format", "json", *toy.options]) == 0
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, SCHEMA)
    assert [kept["location"]["file"] for kept in report["plan"]["kept"]] == ["vllm/use.py"]


def test_after_writing_no_check_is_pointed_at(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    (toy.engine / "vllm/build.py").write_text(BUILDER)
    run(["toy", "--write", "--accept", "all", "--allow-missing", "docs", *toy.options])
    out = capsys.readouterr().out
    assert "it uses logits" in out
    assert "--select built-by-name" not in out


def test_a_module_that_a_sibling_is_built_on(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["OtherForCausalLM", "OtherModel", "--remove", *toy.options]) == 1
    refused = capsys.readouterr().err
    assert "vllm/model_executor/models/twin.py:1  relative import of other" in refused
    assert "--family takes along those that are models" in refused
    assert run(["OtherForCausalLM", "--family", "--remove", "--allow-missing", "docs", "--write", *toy.options]) == 0
    assert "Retired other, twin" in capsys.readouterr().out
    text = toy.read(REGISTRY)
    for architecture in ("OtherForCausalLM", "OtherModel", "TwinForCausalLM", "TwinTooForCausalLM"):
        assert f'"{architecture}": "9.0.0",' in text


def test_what_a_sibling_alone_uses_moves_there(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--remove", "--allow-missing", "docs", "--inline-shared", "--write", *toy.options]
    assert run(["OtherForCausalLM", "OtherModel", *options]) == 0
    assert "Retired other:" in capsys.readouterr().out
    twin = toy.read("vllm/model_executor/models/twin.py")
    assert "class OtherForCausalLM" in twin
    assert "import OtherForCausalLM" not in twin


WRONG_USE = [
    (["--remove", "--plugin", PLUGIN], "--remove and --plugin exclude each other"),
    (["--last-version", "1.0"], "--last-version goes with --remove"),
    (["--remove", "--last-version", "newest"], "--last-version newest: not a version"),
    (["--remove", "--last-version", "99"], "--last-version 99: later than the tree's own version, 9.0.0"),
    (["--plugin", "http://example.org/a"], "not an https address"),
    (["--plugin", "https://example.org/a b"], "cannot stand in a docs table"),
]


@pytest.mark.parametrize(("options", "message"), WRONG_USE)
def test_wrong_use(toy: Toy, options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["toy", *options, *toy.options]) == 2
    assert message in capsys.readouterr().err
    assert toy.git("status", "--porcelain") == b""


@pytest.mark.parametrize("outcome", [["--remove"], ["--plugin", PLUGIN]])
def test_what_the_backend_could_do_is_not_told(
    toy: Toy, outcome: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["toy", *outcome, *toy.options]) == 0
    out = capsys.readouterr().out
    assert "toy is given up\nToyForCausalLM: " in out
    assert "capability" not in out
    assert "[lora]" not in out
