"""Has cases run by workers, wherever these are, tries again what says nothing, and tells each result as it comes."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TYPE_CHECKING, Protocol

from retire_model.prove.results import Result, needs_another, result_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from retire_model.prove.attempts import Attempt
    from retire_model.prove.cases import Case


class Workers(Protocol):
    """What runs cases: the cores of this machine, or a cluster."""

    def begin(self, case: Case) -> Future[Attempt]:
        """Run it as soon as there is room."""


def run_cases(cases: Iterable[Case], workers: Workers, retries: int, done: Callable[[Result], None]) -> None:
    """Run all of them, each at most `retries` times more than once, and call `done` for each as it ends.

    Raises what `done` raises.
    """
    under_way = {workers.begin(case): (case, 1) for case in cases}
    while under_way:
        for future in wait(under_way, return_when=FIRST_COMPLETED).done:
            case, count = under_way.pop(future)
            last = future.result()
            if count <= retries and needs_another(case, last):
                under_way[workers.begin(case)] = (case, count + 1)
            else:
                done(result_of(case, last, count))
