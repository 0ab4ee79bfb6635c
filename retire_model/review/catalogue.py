"""The questions that are asked of a change, besides the checks that are asked of every tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retire_model.review.docs_cells import WrongDocsCell
from retire_model.review.incomplete import IncompleteRetirement
from retire_model.review.needless_module import NeedlessModule
from retire_model.review.unmentioned_loss import UnmentionedLoss
from retire_model.review.unparsable import UnparsableFile

if TYPE_CHECKING:
    from retire_model.review.question import Question

QUESTIONS: tuple[type[Question], ...] = (
    UnparsableFile,
    IncompleteRetirement,
    WrongDocsCell,
    UnmentionedLoss,
    NeedlessModule,
)
