"""The report for people."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from rich.text import Text

from retire_model.reports.layout import aligned, hanging, joined
from retire_model.smoke.outcomes import Failed, Inconclusive, NotRun, Outcome, Passed
from retire_model.smoke.settings import Device

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retire_model.smoke.measuring import Measurement
    from retire_model.smoke.report import SmokeReport

WORDS: dict[type[Outcome], tuple[str, str]] = {
    Passed: ("passed", "green"),
    Failed: ("failed", "bold red"),
    Inconclusive: ("inconclusive", "magenta"),
    NotRun: ("not run", "magenta"),
}
EMULATION = "An emulation: torch and Transformers alone, doing what the engine's backend does. The engine was not run."
ON_CPU = "On a CPU these numbers judge nothing: the engine's users run it elsewhere."
INDENT = "    "
WORD = 15
"""The width of the first columns."""


def text_report(report: SmokeReport) -> Text:
    """All of it."""
    return joined(_lines(report))


def _lines(report: SmokeReport) -> Iterator[Text]:
    yield Text()
    yield Text.assemble((report.architecture, "bold"), f" with {versions(report)}")
    if report.is_emulation:
        yield Text(EMULATION, style="bold yellow")
    yield Text(f"on {report.settings.device_name}, {report.settings.dtype}, {report.seconds:.0f} s", style="dim")
    yield Text(f"before: {report.before}", style="dim")
    yield Text(f"after:  {report.after}", style="dim")
    if report.not_laid_over:
        yield Text(f"as the build has them, not as the tree: {', '.join(report.not_laid_over)}", style="dim")
    yield from _checks(report)
    yield Text(tolerance_line(report), style="dim")
    if report.measurements:
        headings = [Text(heading, style="dim") for heading in ("quantity", "before", "after", "ratio", "")]
        yield from aligned([headings, *([Text(cell) for cell in measured_row(m)] for m in report.measurements)])
        if report.settings.device is Device.CPU:
            yield Text(ON_CPU, style="dim")
    yield Text(summary(report), style="bold")
    yield Text(f"Logs: {report.logs}", style="dim")


def versions(report: SmokeReport) -> str:
    """What was run."""
    return ", ".join(f"{name} {version}" for name, version in report.versions)


def _checks(report: SmokeReport) -> Iterator[Text]:
    yield Text(f"{'outcome':<{WORD}}{'difference':<{WORD}}check", style="dim")
    for result in report.results:
        word, style = WORDS[type(result.outcome)]
        line = Text.assemble((f"{word:<{WORD}}", style), f"{difference(result.outcome):<{WORD}}", result.name)
        yield from hanging(line, 2 * WORD)
        if said(result.outcome):
            yield from hanging(Text(INDENT + said(result.outcome)), len(INDENT))
        for explanation in result.explanations:
            yield from hanging(Text(INDENT + explanation, style="cyan"), len(INDENT))


def said(outcome: Outcome) -> str:
    """Why it ended so."""
    return outcome.note if isinstance(outcome, Passed) else outcome.reason


def difference(outcome: Outcome) -> str:
    """The largest difference of log-probabilities, where there is one."""
    found = None if isinstance(outcome, Inconclusive) else outcome.difference
    return "" if found is None else f"{found:.1e}"


def tolerance_line(report: SmokeReport) -> str:
    """What is allowed, and the largest difference seen."""
    largest = report.largest_difference
    seen = "" if largest is None else f"; largest difference seen where it passed: {largest:.1e}"
    allowed = f"Log-probabilities may differ by {report.tolerance:g} from Transformers' in {report.settings.dtype}"
    return f"{allowed}, by twice that from before{seen}."


def summary(report: SmokeReport) -> str:
    """All of it in a line."""
    words = Counter(WORDS[type(result.outcome)][0] for result in report.results)
    return f"{report.architecture}: {', '.join(f'{words[word]} {word}' for word, _ in WORDS.values() if words[word])}."


def measured_row(measurement: Measurement) -> tuple[str, str, str, str, str]:
    """Medians, their ratio, and whether that is more than noise."""
    before = f"{median(measurement.before):.4g}" if measurement.before else ""
    ratio = f"{measurement.ratio:.2f}" if measurement.ratio is not None else ""
    return measurement.quantity, before, f"{median(measurement.after):.4g}", ratio, _noise(measurement)


def _noise(measurement: Measurement) -> str:
    if measurement.noise is None:
        return "one round: what is noise cannot be told"
    spread = f"rounds of one side differ by {measurement.noise:.0%}"
    verdicts = {True: ": noise", False: ": more than noise", None: ""}
    return f"{spread}{verdicts[measurement.is_noise]}"
