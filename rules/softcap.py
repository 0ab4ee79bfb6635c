"""The rule `softcap`."""

from __future__ import annotations

from typing import ClassVar

from rules.argument_rule import ArgumentRule
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, MODELING, changed

_CAP = "attn_logit_softcapping"


def _capped(field: str) -> str:
    return changed(MODELING, "scaling=1.0, ", f"scaling=1.0, softcap=self.config.{field}, ")


class Softcap(ArgumentRule):
    """Whether a cap on attention scores is applied on both sides.

    **What it does.** Reads the `softcap` that attention modules hand to the interface and the configuration field
    behind it, and the field from which the backend caps its own attention layers.

    **Why.** The backend does not take the argument: it reads `attn_logit_softcapping` (Gemma 2). A cap from
    another field is lost; and a configuration may have that field although its attention never caps, so that
    the backend alone does (Gemma 3, whose default is None).

    **How to mend.** Teach the backend the field, or accept the loss (`--accept accuracy`). Compare
    log-probabilities with a cap that is low enough to matter.
    """

    code = "softcap"
    keyword = "softcap"
    engine_keyword = "logits_soft_cap"
    what = "a cap on attention scores"
    field = _CAP
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=_capped(_CAP), configuration=CONFIGURATION + f"    {_CAP}: float = 50.0\n"),
        Snippet(),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=_capped("score_cap")),
        Snippet(modeling=changed(MODELING, "scaling=1.0, ", "scaling=1.0, softcap=50.0, ")),
        Snippet(configuration=CONFIGURATION + f"    {_CAP}: float = 50.0\n"),
    )
