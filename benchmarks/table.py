"""Prints the results for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.row import SLACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.measurement import Measurement
    from benchmarks.row import Result


def render(results: Sequence[Result], repetitions: int) -> str:
    """One block a row: the subject, what it is compared with, and how the bounds fare."""
    head = f"Median of {repetitions} interleaved runs (fastest to slowest), new processes, warm disk; peak memory.\n"
    return "\n".join([head, *(_block(result) for result in results)])


def _block(result: Result) -> str:
    lines = [f"{result.row.what}", f"  took     {_numbers(result.subject)}"]
    if result.reference is not None:
        lines += [f"  against  {_numbers(result.reference)}  {result.row.against}", f"  ratio    {result.ratio:.2f}"]
    else:
        lines.append(f"  against  {result.row.against}")
    lines.append(f"  bound    {_bounds(result)}: {_judgement(result.excess)}")
    return "\n".join(lines) + "\n"


def _numbers(found: Measurement) -> str:
    fastest, slowest = found.spread
    return f"{found.seconds:.3f} s ({fastest:.3f} to {slowest:.3f}), {found.peak_bytes / 1e6:.0f} MB"


def _bounds(result: Result) -> str:
    row = result.row
    bounds = []
    if row.most_seconds is not None:
        bounds.append(f"{row.most_seconds:g} s")
    if row.most_ratio is not None:
        bounds.append(f"ratio {row.most_ratio:.2f}" + (" (not measured)" if result.ratio is None else ""))
    if row.most_bytes is not None:
        bounds.append(f"{row.most_bytes / 1e6:.0f} MB")
    return ", ".join(bounds) or "none"


def _judgement(excess: float) -> str:
    if excess <= 1:
        return f"held, at {excess:.0%}"
    return f"missed, at {excess:.0%}" + (" (FAILED)" if excess > SLACK else "")
