"""What is tried on damaged files, each in a small tree of its own: only errors of ours, edits that parse, no hang."""

from __future__ import annotations

import ast
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import SUPPORTED_MODELS_PAGE, read_docs_tables
from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.model_names import BespokeModel
from analyzer.engine.registry import REGISTRY_FILE, read_registry
from analyzer.errors import BrokenEdit, RetireModelError
from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.uses.references import find_references
from codemods.docs.table import move_docs_rows
from codemods.edits import Draft
from codemods.plan import Plugin, Remove
from codemods.registry.entries import move_registry_entries
from rules.assessment import Assessor
from tests.codemods.small_tree import TEXT, plan_of, retired, write_tree
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SLOWEST = 5.0
"""Seconds of processor time for a file, and as many again for each 100 KB: a tracer makes all several times slower."""
OUTCOMES = (TEXT, Remove("1.0"), Plugin("https://example.org/x"))


class Slow(Exception):
    """A file took longer than any of its size may."""


@contextmanager
def bounded(data: bytes) -> Iterator[None]:
    """Let errors of ours pass, save a broken edit. Raises `Slow`."""
    start = time.process_time()
    try:
        yield
    except BrokenEdit:
        raise
    except RetireModelError:
        pass
    if time.process_time() - start > SLOWEST * (1 + len(data) / 100_000):
        raise Slow(f"{time.process_time() - start:.1f} s for {len(data)} bytes")


def registry(folder: Path, data: bytes) -> None:
    """Read a registry, and move two of its entries to each place where they may go."""
    with bounded(data):
        tree = write_tree(folder, {REGISTRY_FILE: data})
        names = sorted({entry.architecture for entry in read_registry(tree).bespoke_entries()})
        for name in names[:: max(1, len(names) - 1)]:
            for outcome in OUTCOMES:
                with bounded(data):
                    draft = Draft(tree)
                    move_registry_entries(plan_of(retired(name, outcome, tree=tree)), draft)
                    ast.parse(draft.read(REGISTRY_FILE))


def docs(folder: Path, data: bytes) -> None:
    """Read a page of supported models, and move the rows of two architectures."""
    with bounded(data):
        tree = write_tree(folder, {SUPPORTED_MODELS_PAGE: data})
        spans = [a for t in read_docs_tables(tree, SUPPORTED_MODELS_PAGE) for row in t.rows for a in row.architectures]
        for name in spans[:: max(1, len(spans) - 1)]:
            for outcome in OUTCOMES:
                with bounded(data):
                    move_docs_rows(plan_of(retired(name, outcome)), Draft(tree))


def modeling(folder: Path, data: bytes) -> None:
    """Judge a Hugging Face class `ToyForCausalLM` by all rules."""
    if not (folder / "engine").exists():
        write_engine(folder)
        write_release(folder)
    (folder / "release/transformers/models/toy/modeling_toy.py").write_bytes(data)
    with bounded(data):
        source = HuggingFaceSource(folder / "release", "5.0.0")
        Assessor(open_engine_tree(folder / "engine"), (source,)).assess(
            BespokeModel("toy", ("ToyForCausalLM",), whole=True)
        )


def references(folder: Path, data: bytes) -> None:
    """Look for what needs modules and architectures in a file."""
    with bounded(data):
        tree = write_tree(folder, {"vllm/model_executor/models/other.py": data})
        find_references(tree, ("llama", "vllm.models.x"), ("LlamaForCausalLM", "GPT2LMHeadModel"))


READERS: dict[str, Callable[[Path, bytes], None]] = {
    "registry": registry,
    "docs": docs,
    "modeling": modeling,
    "references": references,
}
