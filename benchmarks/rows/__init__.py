"""The rows of the table, in the order in which they are printed. A new one is a file here and a line below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.rows import check_model, help_page, lint, survey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.row import Row
    from benchmarks.setting import Setting

ROWS: Sequence[Callable[[Setting], Row]] = (help_page.row, check_model.row, lint.row, survey.first, survey.again)
