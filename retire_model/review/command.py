"""`retire-model review`: reads two commits and says what is to be said of the change."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.errors import EnvironmentProblem, UnreadableSource
from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.source.regular_files import read_regular_file
from analyzer.source.source_tree import SourceTree
from retire_model.reports.progress import DownloadProgress
from retire_model.review.asking import ask
from retire_model.review.change import Change
from retire_model.review.changed_lines import ChangedLines
from retire_model.review.formats.github import github_report
from retire_model.review.formats.github_review import github_review
from retire_model.review.formats.markdown import markdown_report
from retire_model.review.formats.rdjsonl import rdjsonl_report
from retire_model.review.formats.sarif import sarif_report
from retire_model.review.git_objects import Repository
from retire_model.review.materialise import materialise
from retire_model.review.remark import Severity
from retire_model.review.report import Report, Told, report_of
from retire_model.review.unparsable import unparsable_files
from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.releases import ReleaseCache
from retire_model.sources.transformers_argument import transformers_sources
from retire_model.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


FORMATS: dict[str, Callable[[Report], str]] = {
    "markdown": markdown_report,
    "github-review": github_review,
    "github": github_report,
    "rdjsonl": rdjsonl_report,
    "sarif": sarif_report,
}
FAILING = {"error": {Severity.ERROR}, "warning": set(Severity), "never": set[Severity]()}


def review_change(
    engine: Path,
    base: str,
    head: str,
    releases: Sequence[str],
    description: Path | None,
    output_format: str,
    output: Path | None,
    fail_level: str,
) -> int:
    """Write the review of what leads from `base` to `head`; 1 where a remark is at least as grave as `fail_level`.

    Raises `EnvironmentProblem` where a commit is no engine tree, `WrongUse` for a commit that is not there.
    """
    words = _read(description) if description else ""
    report = review(engine, base, head, releases, words)
    _write(FORMATS[output_format](report), output)
    return 1 if any(told.remark.severity in FAILING[fail_level] for told in report.told) else 0


def review(engine: Path, base: str, head: str, releases: Sequence[str], words: str) -> Report:
    """The review of what leads from `base` to `head`, of which its author says `words`. Raises as `review_change`."""
    repository = Repository(engine)
    new = repository.commit(head)
    old = repository.merge_base(repository.commit(base), new)
    lines = ChangedLines(repository, old, new)
    with _trees(repository, old, new) as (old_root, new_root):
        broken = tuple(unparsable_files(SourceTree(new_root), lines.paths))
        try:
            head_tree = open_engine_tree(new_root)
            sources, unasked = _sources(releases, head_tree.files)
            said = f"{repository.messages(old, new)}\n{words}"
            change = Change(old, new, open_engine_tree(old_root), head_tree, lines, said, sources)
            answers = ask(change)
            report = report_of(change, replace(answers, remarks=(*broken, *answers.remarks)))
        except UnreadableSource as error:
            if not broken:
                raise
            told = tuple(Told(remark, lines.shows_line(remark.location), None) for remark in broken)
            return Report(new, told, (), (), (), (f"everything else: {error.problem}",))
        return replace(report, unasked=(*unasked, *report.unasked))


@contextmanager
def _trees(repository: Repository, old: str, new: str) -> Iterator[tuple[Path, Path]]:
    """Both trees in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="retire-model-") as folder:
        head_files = materialise(repository, new, Path(folder) / "head")
        base_files = materialise(repository, old, Path(folder) / "base", head_files)
        yield base_files.root, head_files.root


def _sources(releases: Sequence[str], tree: SourceTree) -> tuple[tuple[HuggingFaceSource, ...], tuple[str, ...]]:
    """The Transformers releases to judge against; where none is to be had, what that keeps from being asked."""
    try:
        found = transformers_sources(releases, tree, ReleaseCache(cache_folder(), DownloadProgress()))
    except (EnvironmentProblem, UnreadableSource) as problem:
        return (), (f"what the backend can serve, and what retirements forget or lose: {problem.problem}",)
    return tuple(HuggingFaceSource(source.root, source.label) for source in found), ()


def _read(file: Path) -> str:
    try:
        return read_regular_file(file).decode("utf-8", "replace")
    except OSError as error:
        raise EnvironmentProblem(f"cannot read {file}: {error.strerror}", "Name another file.") from error


def _write(text: str, output: Path | None) -> None:
    # A patch may hold lines that are not UTF-8; shown they are no good anyway.
    text = text.encode("utf-8", "replace").decode()
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        write_whole(output, text)
    except OSError as error:
        raise EnvironmentProblem(f"cannot write {output}: {error.strerror}", "Name another file.") from error
