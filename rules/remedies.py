"""What a reader can do about a finding: what would mend it, or live with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.findings import Level

if TYPE_CHECKING:
    from rules.findings import Finding
    from rules.rule import Subject

OTHERWISE = "Serve it otherwise than by this backend."
STAY = "Keep the modeling file; --remove and --plugin give it up without the backend."


def remedy(finding: Finding, subject: Subject) -> str:
    """The mend that the rule names, and for a hand-written model the choice that is left without it."""
    mend = finding.remedy.removesuffix(".")
    match finding.level:
        case Level.BLOCKS if subject.entry is None:
            return finding.remedy
        case Level.LOSES if subject.entry is None:
            return finding.remedy or OTHERWISE
        case Level.BLOCKS:
            return f"{mend}, and keep the modeling file until then." if mend else STAY
        case Level.LOSES:
            return f"{mend or 'Keep the modeling file'}, or --accept {finding.capability}."
        case _:
            return finding.remedy
