"""Takes what is about models that are gone out of tests, examples, benchmarks and the engine itself.

In the tests of models whatever only such a model needs goes: parameters, tests, helpers, files. Elsewhere a checkpoint
is what something else is tried on: only a parameter among others goes for it, and more where the architecture or the
module is named, but nothing that the rest or another file uses. In the engine itself
only items of dictionaries and lists go, and branches for an architecture that never comes; what else names one there
stays, and is told. A plain word, as a model type is, goes as the key of a dictionary outside the models alone: in a
model that stays it may be the type of a part.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.source.source_scan import files_mentioning, words_of
from analyzer.uses.ci_paths import MODEL_FOLDERS
from codemods.code.dead_comments import without_commented_entries
from codemods.code.dead_expressions import Dead
from codemods.code.gone import gone_with
from codemods.code.helpers import drop_unused_helpers
from codemods.code.importers import SHARED, Importers
from codemods.code.python_text import PythonText
from codemods.code.swept_file import swept, tidied
from codemods.mentions import is_mentioned
from codemods.test_files.checkpoint_functions import without_functions
from codemods.test_files.checkpoint_parameters import without_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.code.gone import Gone
    from codemods.edits import Draft
    from codemods.plan import RetirementPlan

ENGINE = "vllm/"
ABOUT_MODELS = ("tests/models/",)
"""Where a file may be about one model; elsewhere what runs on a checkpoint wants another one, and stays."""
TEST = re.compile(r"^\s*(?:async )?def test|^class Test", re.MULTILINE)
SCRIPT = re.compile(r"^if __name__ == ", re.MULTILINE)
CODE = re.compile(r"^(?!import |from |#|\s|[\"'])\S", re.MULTILINE)
CODE_OR_IMPORT = re.compile(r"^(?!from __future__ |#|\s|[\"'])\S", re.MULTILINE)


def forget_code(plan: RetirementPlan, draft: Draft) -> None:
    """Cut everything out that is about the models which `plan` takes away. Raises `UnreadableSource`, `BrokenEdit`."""
    gone = gone_with(plan, draft.tree)
    words = frozenset(
        w.encode() for w in (*gone.texts, *gone.model_types, *(m.rpartition(".")[2] for m in gone.modules))
    )
    files = [file for file in _files(words, gone.texts | gone.model_types, draft) if file != REGISTRY_FILE]
    edits = -1
    # What one file needs of another goes when the first one does without it.
    while files and edits != (edits := len(draft.change_set().edits)):
        files = [file for file in files if draft.exists(file) and _is_needed_after(file, gone, draft)]


def _is_needed_after(file: str, gone: Gone, draft: Draft) -> bool:
    """Forget what is gone in one file, and say whether more could go if other files did not need it."""
    if file.startswith(ENGINE):
        keys = frozenset[str]() if file.startswith(MODEL_FOLDERS) else gone.model_types
        return forget_file(file, gone.unmistakable, gone.modules, draft, whole=False, keys=keys)
    if file.startswith(ABOUT_MODELS):
        return forget_file(file, gone.texts, gone.modules, draft, whole=True)
    return forget_file(file, gone.architectures, gone.modules, draft, whole=True, stand_ins=gone.checkpoints)


def forget_texts(texts: frozenset[str], draft: Draft) -> None:
    """Cut out what needs a string of `texts`, none of which is a plain word."""
    for file in list(_files(frozenset(text.encode() for text in texts), texts, draft)):
        if file != REGISTRY_FILE and draft.exists(file):
            forget_file(file, texts, frozenset(), draft, whole=not file.startswith(ENGINE))


def _files(words: frozenset[bytes], texts: frozenset[str], draft: Draft) -> Iterator[str]:
    for file, data in files_mentioning(draft.tree.root, words) if words else ():
        if any(text.encode() in data for text in texts) or not words.isdisjoint(words_of(data)):
            yield file


def forget_file(
    file: str,
    texts: frozenset[str],
    modules: frozenset[str],
    draft: Draft,
    *,
    whole: bool,
    keys: frozenset[str] = frozenset(),
    stand_ins: frozenset[str] = frozenset(),
) -> bool:
    """Cut what is about `texts` and `modules` out of one file; with `whole`, functions and imports as well.

    `keys` are dead as keys of dictionaries alone; of `stand_ins`, which are checkpoints that something else is tried
    on, only what nothing needs goes. Whether more could go if other files did not need it.
    """
    before = PythonText.of(draft.read(file), file)
    package = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    named = Dead(
        texts=texts,
        modules=frozenset(),
        names=frozenset(),
        package=package if file.endswith("/__init__.py") else package.rpartition(".")[0],
        takes_functions=whole,
        about_models=file.startswith((*ABOUT_MODELS, ENGINE)),
        keys=keys,
    )
    # A name wants another one, perhaps; an import that leads nowhere takes along what uses it, wherever it stands.
    imported = replace(
        named,
        texts=frozenset(),
        keys=frozenset(),
        modules=modules if whole else frozenset(),
        about_models=True,
        spares_branches=not named.about_models,
    )
    engine = file.startswith(ENGINE)
    below = "" if engine else file.partition("/")[0]
    importers = Importers(file, draft)

    def used_elsewhere(name: str) -> bool:
        return is_mentioned(name, draft, below=below, besides=(file,))

    source = without_parameters(before, stand_ins) if stand_ins else before
    source = without_functions(source, stand_ins, importers.need) if stand_ins else source
    source = without_commented_entries(source, stand_ins)
    for dead in (d for d in (imported, named) if d.modules or d.texts or d.keys):
        source = swept(source, dead, used_elsewhere, importers.need)
    after = tidied(before, source, used_elsewhere)
    if after.text == before.text:
        return importers.asked_for
    if not engine and _is_empty(file, before.text, after.text):
        if importers.need_file():
            return True
        draft.delete(file, "tests nothing else")
    else:
        draft.rewrite(file, after.encode(), "what only the retired model used")
    if not engine:
        drop_unused_helpers(file, words_of(before.encode()) - words_of(after.encode()), draft)
    return importers.asked_for


def _is_empty(file: str, before: str, after: str) -> bool:
    """Whether all tests of a file are gone and it is run as a script no more, or all that it defines is.

    What a `conftest.py` imports it hands on.
    """
    code = CODE_OR_IMPORT if file.endswith(f"/{SHARED}.py") else CODE
    purposes = [purpose for purpose in (TEST, SCRIPT) if purpose.search(before) is not None]
    return (bool(purposes) and not any(p.search(after) for p in purposes)) or code.search(after) is None
