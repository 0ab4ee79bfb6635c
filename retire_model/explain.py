"""The pages of the rules, made from the rules themselves."""

from __future__ import annotations

import difflib
import shutil
import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from analyzer.errors import WrongUse, shown
from analyzer.near_names import did_you_mean
from retire_model.reports.layout import aligned, console
from retire_model.review.catalogue import QUESTIONS
from rules.catalogue import RULES
from rules.lint.catalogue import CHECKS
from rules.snippets import BESPOKE, CONFIGURATION, MODELING

if TYPE_CHECKING:
    from retire_model.review.question import Question
    from rules.lint.check import Check
    from rules.rule import Rule, Snippet


LINT = "lint"
REVIEW = "review"
WIDEST = 120
"""Columns that prose may take."""


def explain_rule(code: str, output_format: str) -> int:
    """Print the page of `code`. Raises `WrongUse` with the nearest names for an unknown rule."""
    text = _page_of(code.lower())
    if output_format == "markdown" or not sys.stdout.isatty():
        click.echo(text, nl=False)
    else:
        _lay_out(text)
    return 0


def _lay_out(text: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    # Not `console()`, which leaves lines whole: prose is broken here, and so is a line of code that is too wide.
    width = min(shutil.get_terminal_size().columns, WIDEST)
    Console(width=width, highlight=False, markup=False, emoji=False).print(Markdown(text))


def _page_of(code: str) -> str:
    pages = {check.code: partial(check_page, check) for check in CHECKS}
    pages |= {question.code: partial(question_page, question) for question in QUESTIONS}
    pages |= {rule.code: partial(page, rule) for rule in RULES}
    if code not in pages:
        hint = did_you_mean(code, pages, "`retire-model rules` lists them.")
        raise WrongUse(f"unknown rule {shown(code)!r}", hint)
    return pages[code]()


def list_rules() -> int:
    """Print every rule with its capability, all that `lint` and `review` ask, and the first line of each page."""
    from rich.text import Text

    rows = [[Text(heading, style="dim") for heading in ("rule", "capability", "asks")]]
    rows += [[Text(t) for t in (r.code, r.capability.value, r.page().partition("\n")[0])] for r in RULES]
    rows += [[Text(t) for t in (c.code, LINT, c.page().partition("\n")[0])] for c in CHECKS]
    rows += [[Text(t) for t in (q.code, REVIEW, q.page().partition("\n")[0])] for q in QUESTIONS]
    for line in aligned(rows):
        console().print(line)
    return 0


def page(found: Rule) -> str:
    """The whole page of a rule in markdown: its text, and its examples as differences from a small model."""
    parts = [f"# {found.code}", f"Capability: {found.capability.value}", found.page()]
    for title, snippets in (("Reported", found.INVALID), ("Not reported", found.VALID)):
        examples = [example for snippet in snippets if (example := _example(snippet))]
        if examples:
            parts.append(f"## {title}\n\n" + "\n\n".join(examples))
    return "\n\n".join(parts) + "\n"


def check_page(found: Check) -> str:
    """The whole page of a check of `lint` in markdown."""
    return f"# {found.code}\n\nAsked by `retire-model {LINT}` about a tree.\n\n{found.page()}\n"


def question_page(found: type[Question]) -> str:
    """The whole page of a question to a change in markdown."""
    return f"# {found.code}\n\nAsked by `retire-model {REVIEW}` about a change.\n\n{found.page()}\n"


def _example(snippet: Snippet) -> str:
    """What the snippet changes in the made-up model."""
    parts = []
    for name, usual, given in (
        ("modeling_toy.py", MODELING, snippet.modeling),
        ("configuration_toy.py", CONFIGURATION, snippet.configuration),
        ("the engine's toy.py", BESPOKE, snippet.bespoke),
    ):
        if given:
            lines = difflib.unified_diff(usual.splitlines(), given.splitlines(), name, name, n=1, lineterm="")
            parts.append("```diff\n" + "\n".join(lines) + "\n```")
    if snippet.backend:
        parts.append(f"(on a backend that {snippet.backend} without a plan)")
    return "\n\n".join(parts)
