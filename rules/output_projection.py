"""The rule `output-projection`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = "self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)"


class OutputProjection(Rule):
    """Whether the weights of the model's output projection find their place in the backend's head.

    **What it does.** Reads under which name the head class keeps its projection to the vocabulary, whether it has
    a bias and what else holds weights there, and from the backend's source the name of its head and whether that
    takes a bias.

    **Why.** The backend's head is one linear called `lm_head`. A head of several layers (Roberta, Bert, Electra)
    leaves weights that belong nowhere: "There is no module or parameter named 'lm_head.dense'". The weights of a
    projection of another name are not loaded into it unless they are tied to the embedding. Before vLLM 0.25 the
    backend's head had no bias, so that the loader meets a weight that belongs nowhere (GPT-J, Phi and CodeGen).

    **How to mend.** Keep the modeling file for this engine release, or rename the weights by the Hugging Face
    class's conversion mapping. `retire-model smoke` settles what reading cannot.
    """

    code = "output-projection"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            modeling=changed(MODELING, _HEAD, f"{_HEAD}\n        self.pre_norm = ToyNorm(1)").replace(
                "self.lm_head(hidden", "self.lm_head(self.pre_norm(hidden_states))\n        x = (hidden"
            )
            + "\n\nclass ToyNorm(nn.Module): ...\n"
        ),
        Snippet(modeling=changed(MODELING, _HEAD, "self.lm_head = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))")),
        Snippet(modeling=changed(MODELING, _HEAD, _HEAD.replace("bias=False", "bias=True"))),
        Snippet(modeling=MODELING.replace("self.lm_head", "self.embed_out")),
        Snippet(
            modeling=changed(MODELING, _HEAD, f"{_HEAD}\n        self.dense = nn.Linear(1, 1)").replace(
                "self.lm_head(hidden", "self.lm_head(self.dense(hidden_states))\n        x = (hidden"
            )
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks where the head is more than a linear; unproven where a name or a bias may find no place."""
        if subject.model is None or not subject.generates:
            return
        head, ours = subject.model.output_head, subject.backend.head
        for module in head.modules:
            if module.transforms:
                yield self.finding(
                    Level.BLOCKS,
                    f"{module.attribute} ({module.kind}) stands between the base model and the logits, and the backend "
                    f"has {ours.name} alone: its weights have no place",
                    module.location,
                    "",
                )
        if head.projection not in (None, ours.name) and subject.model.tied_embeddings is not True:
            yield self.finding(
                Level.UNPROVEN,
                f"the output projection is {head.projection}, and the backend loads {ours.name}: its weights may be "
                "left out",
                head.location,
                self.smoke(subject.model),
            )
        if head.bias and not ours.takes_bias:
            yield self.finding(
                Level.UNPROVEN,
                f"the output projection has a bias, and this backend's {ours.name} takes none "
                f"({ours.location or 'not found'}): the loader is expected to stop at it",
                head.location,
                f"Use an engine release whose head takes a bias. {self.smoke(subject.model)}",
            )
