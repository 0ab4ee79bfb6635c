"""What a reader can do about a finding: what would mend it, or live with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rules.findings import Level

if TYPE_CHECKING:
    from rules.findings import Finding
    from rules.rule import Subject

OTHERWISE = "Serve it otherwise than by this backend."
STAY = "Keep the modeling file; --remove and --plugin give it up without the backend."


_UNTIL_THEN = ", and keep the modeling file until then."
_NO_MEND = "Keep the modeling file"
_SMOKE = re.compile(r"`retire-model [^`]*` (?:settles it|compares two stages with one)\.")
SETTLE = "Run the model: `retire-model smoke` or `check --probe`"


def mend(finding: Finding) -> str | None:
    """What would take a told finding away, in words that are the same for all models; None where nothing would."""
    text = finding.remedy.removesuffix(_UNTIL_THEN).removesuffix(f", or --accept {finding.capability}.")
    if text.startswith(_NO_MEND):
        return None
    text = _SMOKE.sub("", text).strip().removesuffix(".")
    return text or (SETTLE if finding.remedy else None)


def remedy(finding: Finding, subject: Subject) -> str:
    """The mend that the rule names, and for a hand-written model the choice that is left without it."""
    wanted = finding.remedy.removesuffix(".")
    match finding.level:
        case Level.BLOCKS if subject.entry is None:
            return finding.remedy
        case Level.LOSES if subject.entry is None:
            return finding.remedy or OTHERWISE
        case Level.BLOCKS:
            return f"{wanted}{_UNTIL_THEN}" if wanted else STAY
        case Level.LOSES:
            return f"{wanted or _NO_MEND}, or --accept {finding.capability}."
        case _:
            return finding.remedy
