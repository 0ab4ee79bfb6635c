"""The rule `linear-subclass`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_NORM = "self.norm = nn.LayerNorm(config.hidden_size)"
_ROUTER = (
    "\n\nclass ToyRouter(nn.Linear):\n    def forward(self, x):\n        return super().forward(x).softmax(-1), x\n"
)
_PLAIN = "\n\nclass ToyRouter(nn.Linear):\n    extra = 1\n"
_WITH_ROUTER = changed(MODELING, _NORM, f"{_NORM}\n        self.router = ToyRouter(1, 1)")


class LinearSubclass(Rule):
    """Whether the model has linears with a forward of their own, which a replacement would lose.

    **What it does.** Looks among the modules that the model builds for classes that inherit from `nn.Linear` and
    define `forward`, where the backend replaces `nn.Linear`.

    **Why.** The backend puts its own linear in the place of everything that is an `nn.Linear`, subclasses too. What
    their forward does besides is gone: the routers of Llama4 and Phimoe return more than one value, and their
    callers fail with "too many values to unpack".

    **How to mend.** Let the Hugging Face class hold a linear instead of being one.
    """

    code = "linear-subclass"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(), Snippet(modeling=_WITH_ROUTER + _PLAIN))
    INVALID: ClassVar[tuple[Snippet, ...]] = (Snippet(modeling=_WITH_ROUTER + _ROUTER),)

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks for each such class."""
        if subject.model is None or subject.backend.replaces("Linear") is None:
            return
        for linear in subject.model.linears_with_forward:
            yield self.finding(
                Level.BLOCKS,
                f"{linear.name} is an nn.Linear with a forward of its own, which is lost when the backend replaces it "
                f"({subject.backend.replaces('Linear')})",
                linear.location,
                "Let the Hugging Face class hold a linear instead of being one.",
            )
