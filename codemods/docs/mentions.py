"""Takes mentions of models that are gone out of the docs: rows, parts of rows, notes, enumerations, list items.

What a page says about such a model in running text stays, for a person to rewrite. Its links are mended: where they led
to a file that goes, they lead to that file in the last release that had it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import DOCS_FOLDER, code_spans
from codemods.code.gone import gone_with
from codemods.docs.lines import DocsLines, LineEdits
from codemods.docs.prose import MODEL, plain_lines, without_dead_notes, without_enumerated
from codemods.docs.row import with_names
from codemods.plan import Remove

if TYPE_CHECKING:
    from codemods.edits import Draft
    from codemods.plan import RetirementPlan

LINK = re.compile(r"\[(?P<text>[^\]\n]*)\]\((?P<target>[^)\s#]+)(?P<part>#[^)\s]*)?\)")
ITEM = re.compile(r"\s*[-*] ")
REPOSITORY = "https://github.com/vllm-project/vllm/blob"


def forget_in_docs(plan: RetirementPlan, draft: Draft) -> None:
    """Take out what can go without a sentence being written anew. Raises `UnreadableSource`."""
    texts = gone_with(plan, draft.tree).texts
    going = _going(plan)
    for page in list(draft.tree.walk(DOCS_FOLDER, frozenset({".md"}))):
        data = draft.read(page)
        names = [*texts, *(file.rpartition("/")[2] for file in going)]
        if any(name.encode() in data for name in names):
            lines = DocsLines.of(data)
            for step in (_without_rows, without_dead_notes, without_enumerated):
                lines = step(lines, texts)
            lines = _relinked(page, lines, going)
            draft.rewrite(page, lines.encode(), "mentions of the retired model")


def _going(plan: RetirementPlan) -> dict[str, str]:
    """Each file that goes, and the last release that has it, which is empty where that is not known."""
    going: dict[str, str] = {}
    for module in plan.modules:
        outcome = module.architectures[0].outcome
        going.update(dict.fromkeys(module.files, outcome.last_version if isinstance(outcome, Remove) else ""))
    return going


def _without_rows(lines: DocsLines, texts: frozenset[str]) -> DocsLines:
    edits = LineEdits()
    for table in lines.tables:
        for row in table.rows:
            if not table.lists_architectures and _is_about(row.cells, texts):
                edits.removed.add(row.line)
                continue
            text = row.text
            for column, cell in enumerate(row.cells):
                spans = code_spans(cell)
                if texts.intersection(spans) and not texts.issuperset(spans):
                    text = with_names(text, texts, keep=False, column=column)
            if text != row.text:
                edits.replaced[row.line] = text
    return lines.edited(edits)


def _is_about(cells: tuple[str, ...], texts: frozenset[str]) -> bool:
    """Whether the cells of a row name a model of `texts` and none that stays."""
    named = {word for cell in cells for word in MODEL.findall(LINK.sub(r"\g<text>", cell))}
    return bool(texts.intersection(_plain(cell) for cell in cells)) and named <= texts


def _plain(cell: str) -> str:
    return LINK.sub(r"\g<text>", cell).strip("` ")


def _relinked(page: str, lines: DocsLines, going: dict[str, str]) -> DocsLines:
    edits = LineEdits()
    for number, line in plain_lines(lines):
        targets = [file for found in LINK.finditer(line) if (file := _target(page, found["target"])) in going]
        if targets and ITEM.match(line) and len(LINK.findall(line)) == 1:
            edits.removed.add(number)
        elif targets:
            edits.replaced[number] = LINK.sub(lambda found: _relink(page, found, going), line)
    return lines.edited(edits)


def _relink(page: str, found: re.Match[str], going: dict[str, str]) -> str:
    file = _target(page, found["target"])
    if file not in going:
        return found[0]
    version = going[file]
    return f"[{found['text']}]({REPOSITORY}/v{version}/{file})" if version else found["text"]


def _target(page: str, target: str) -> str:
    """The file of the tree that a relative link leads to."""
    parts = page.split("/")[:-1]
    for part in target.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ".."):
            parts.append(part)
    return "/".join(parts)
