"""`retire-model check` on a whole engine tree is quicker than importing Transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measurement import Command
from benchmarks.row import Row

if TYPE_CHECKING:
    from benchmarks.setting import Setting

IMPORT = "from transformers import AutoModelForCausalLM"


def row(setting: Setting) -> Row:
    """Against the import that judging by running would begin with."""
    against, reference = _reference(setting)
    return Row(
        what="retire-model check gpt_bigcode, vLLM 0.33.0",
        subject=Command(
            (setting.tool, "check", "gpt_bigcode", "--engine", setting.engine("0.33.0")), frozenset({0, 1})
        ),
        against=against,
        reference=reference,
        most_seconds=1.0,
        most_ratio=1 / 5,
        most_bytes=250_000_000,
    )


def _reference(setting: Setting) -> tuple[str, Command | None]:
    versions = setting.reference_versions
    if versions is None or versions[1] == "-":
        return f"{IMPORT}: not measured, {setting.reference_python} has no transformers", None
    _, transformers, torch = versions
    # Without torch the import stops at a placeholder, far from what a user pays.
    with_torch = "no torch: lighter than a user's" if torch == "-" else f"torch {torch}"
    return (
        f"{IMPORT} (transformers {transformers}, {with_torch})",
        Command((setting.reference_python, "-c", IMPORT)),
    )
