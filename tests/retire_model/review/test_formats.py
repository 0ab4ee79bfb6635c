"""The formats of a review: what they hold, what they cut, and that nothing in a tree's names is more than text."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from markdown_it import MarkdownIt

from analyzer.locations import Location
from codemods.edits import Deletion, Rewrite
from retire_model.review.catalogue import QUESTIONS
from retire_model.review.formats import github_review, markdown, rdjsonl, sarif
from retire_model.review.formats.github import github_report
from retire_model.review.markdown import code, escaped, fenced
from retire_model.review.remark import Remark, Replacement, Severity
from retire_model.review.report import Report, Told
from rules.lint.catalogue import CHECKS

SCHEMA = json.loads((Path(__file__).parents[3] / "fixtures/sarif-2.1.0.schema.json").read_text())
HOSTILE = "::set-output name=x::y @org/team #12 <img src=x onerror=1> [a](https://evil.example) `code` *b* www.a.b"


def told(number: int = 1, *, message: str = "wrong", severity: Severity = Severity.ERROR, inline: bool = True) -> Told:
    fix = Replacement("docs/a.md", number, number, ("a\n", "b\n"))
    remark = Remark(Location("docs/a.md", number, 2), "dead-docs-row", severity, message, "Mend it", (fix,))
    return Told(remark, inline, fix if inline else None)


def report(*given: Told, patch: tuple[Rewrite | Deletion, ...] = (), unasked: tuple[str, ...] = ()) -> Report:
    return Report("a" * 40, given, patch, patch, (), unasked)


def test_sarif_keeps_to_its_schema() -> None:
    content = json.loads(sarif.sarif_report(report(told(), told(2, inline=False), unasked=("it",))))
    jsonschema.Draft4Validator(SCHEMA).validate(content)
    (run,) = content["runs"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert set(rules) == {*(check.code for check in CHECKS), *(question.code for question in QUESTIONS)}
    assert all(rule["help"]["markdown"] and rule["shortDescription"]["text"] for rule in rules.values())
    result = run["results"][0]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "dead-docs-row"
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["deletedRegion"] == {
        "startLine": 1,
        "startColumn": 1,
        "endLine": 2,
        "endColumn": 1,
    }
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "not looked at: it"


def test_sarif_is_cut_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    remarks = [told(number) for number in range(1, sarif.MOST_RESULTS + 3)]
    (run,) = json.loads(sarif.sarif_report(report(*remarks)))["runs"]
    assert len(run["results"]) == sarif.MOST_RESULTS
    words = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert words == ["2 more remarks left out: GitHub would not take them"]
    monkeypatch.setattr(sarif, "MOST_BYTES", 100_000)
    assert len(sarif.sarif_report(report(*remarks))) <= 100_000


def test_sarif_text_holds_no_link() -> None:
    (run,) = json.loads(sarif.sarif_report(report(told(message="[a](https://evil.example) {0}"))))["runs"]
    assert run["results"][0]["message"]["text"].startswith("\\[a\\](https://evil.example) {{0}}")


def test_rdjsonl() -> None:
    (line,) = rdjsonl.rdjsonl_report(report(told(3))).splitlines()
    assert json.loads(line) == {
        "message": "wrong. Mend it",
        "location": {"path": "docs/a.md", "range": {"start": {"line": 3}}},
        "severity": "ERROR",
        "source": {"name": "retire-model"},
        "code": {"value": "dead-docs-row"},
        "suggestions": [
            {"range": {"start": {"line": 3, "column": 1}, "end": {"line": 4, "column": 1}}, "text": "a\nb\n"}
        ],
    }


def test_no_line_of_a_machine_format_is_a_command() -> None:
    hostile = told(message="##[add-mask]x\n::stop-commands::y")
    for text in (rdjsonl.rdjsonl_report(report(hostile)), sarif.sarif_report(report(hostile))):
        assert "##[" not in text
        assert all(line.startswith("{") for line in text.splitlines())


def test_annotations_are_cut_with_a_word() -> None:
    errors = [told(number) for number in range(1, 13)]
    warnings = [told(number, severity=Severity.WARNING) for number in range(1, 12)]
    lines = github_report(report(*errors, *warnings)).splitlines()
    levels = [line.split(" ")[0].removeprefix("::") for line in lines]
    assert [levels.count(level) for level in ("error", "warning", "notice")] == [10, 10, 1]
    assert "2 more errors and 1 more warning not shown" in lines[-1]


def test_annotations_are_one_line_each() -> None:
    (line,) = github_report(report(told(message="a\n::set-output name=x::y%"))).splitlines()
    assert line == "::error file=docs/a.md,line=1,col=2,title=dead-docs-row::a%0A::set-output name=x::y%25. Mend it"


def test_review_comments() -> None:
    wide = Replacement("docs/a.md", 4, 6, ("x\n",))
    remark = Remark(Location("docs/a.md", 5), "dead-docs-row", Severity.ERROR, "wrong", "Mend it", (wide,))
    outside = told(9, message="elsewhere", inline=False)
    content = json.loads(github_review.github_review(report(told(), Told(remark, True, wide), outside)))
    assert (content["commit_id"], content["event"]) == ("a" * 40, "COMMENT")
    first, second = content["comments"]
    assert (first["line"], first["side"], "start_line" in first) == (1, "RIGHT", False)
    assert (second["start_line"], second["start_side"], second["line"]) == (4, "RIGHT", 6)
    assert second["body"].endswith("```suggestion\nx\n```\n")
    assert "elsewhere" in content["body"]
    assert "docs/a.md:1`" not in content["body"]


def test_a_review_of_many_remarks_keeps_all_in_the_summary() -> None:
    many = [told(number, message=f"remark {number}.") for number in range(1, 60)]
    content = json.loads(github_review.github_review(report(*many)))
    assert len(content["comments"]) == github_review.MOST_COMMENTS
    assert content["body"].count("- **error**") == 59 - github_review.MOST_COMMENTS


def test_a_long_summary_is_cut_with_a_word() -> None:
    many = [told(number, message="x" * 900, inline=False) for number in range(1, 200)]
    gone = Deletion("vllm/a.py", b"line\n" * 30_000, ("gone",))
    text = markdown.markdown_report(report(*many, patch=(gone,), unasked=("y" * 5000,)))
    assert len(text) <= markdown.MOST_CHARACTERS
    assert "more remarks had no room in a comment" in text
    assert "`git rm` `vllm/a.py`" in text


@pytest.mark.parametrize(
    "text", [HOSTILE, "a\nb", "``", "\\*a", "GH-12", "~~a~~ | b", "a@b.example", "&#64;x", "\u202e"]
)
def test_escaped_text_is_text(text: str) -> None:
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(f"- {escaped(text)}\n")
    assert html.startswith("<ul>\n<li>")
    assert html.count("<") == html.count("<ul") + html.count("<li") + html.count("</")
    for mention in ("@org", "@b", "#12", "://", "www.a", "GH-12", "\u202e"):
        assert mention not in html


def test_code_spans_and_blocks_end_where_they_should() -> None:
    for text in ("a`b``c", "`", "<b>@org/team"):
        (inline,) = MarkdownIt().parseInline(code(text))
        (span,) = [token for token in inline.children or [] if token.type != "text"]
        assert (span.type, span.content) == ("code_inline", text)
    (block,) = MarkdownIt().parse(fenced("```\n</details>\n````\n", "diff"))
    assert block.content == "```\n</details>\n````\n"


def test_a_patch_is_shown_as_it_is() -> None:
    edit = Rewrite("docs/a.md", b"a\n```\n@org\n", b"b\n```\n@org\n", ("x",))
    text = markdown.markdown_report(report(patch=(edit,)))
    assert "````diff\ndiff --git a/docs/a.md b/docs/a.md\n" in text
    assert "\n````\n" in text
