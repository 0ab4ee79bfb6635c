"""The rule `weight-use`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROJECTS = "return self.o_proj(output)"


class WeightUse(Rule):
    """Whether a module computes with the weight of a linear instead of calling the linear.

    **What it does.** Looks in each forward for `self.….weight` of an attribute that holds an `nn.Linear`; its type,
    device and shape may be asked for.

    **Why.** The backend puts a linear of the engine in its place, which may keep its weight packed, quantized or cut
    for one rank, or give it up once a kernel has it: "size mismatch, got input (8), mat (8x128), vec (0)" (the router
    of LongCat-Flash on the CPU build of vLLM 0.32.0). A branch that is never taken does no harm, which reading
    cannot tell.

    **How to mend.** Call the linear in the Hugging Face class. `retire-model smoke` settles whether it comes to that.
    """

    code = "weight-use"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(modeling=changed(MODELING, _PROJECTS, "return self.o_proj(output.to(self.o_proj.weight.dtype))")),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=changed(MODELING, _PROJECTS, "return F.linear(output, self.o_proj.weight)")),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Unproven for the first such place of each class, where the backend replaces linears."""
        if subject.model is None or subject.backend.replaces("Linear") is None:
            return
        seen: set[str] = set()
        for use in subject.model.weight_uses:
            if use.class_name not in seen:
                seen.add(use.class_name)
                yield self.finding(
                    Level.UNPROVEN,
                    f"{use.class_name} computes with `{use.source}`, which the backend's own linear may not keep",
                    use.location,
                    f"Call the linear in the Hugging Face class. {self.smoke(subject.model)}",
                )
