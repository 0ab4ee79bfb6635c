"""What a head class does around its output projection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.output_head import OutputHead, read_output_head
from analyzer.source.classes import ClassResolver
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """
class Head(nn.Module):
    def __init__(self, config):
        self.model = Model(config)
        self.scale = config.scale_field
        self.lm_head = {linear}

    def forward(self, input_ids, labels=None):
        outputs = self.model(input_ids)
        hidden_states = outputs.last_hidden_state
        {before}
        logits = self.lm_head(hidden_states[:, -1:, :])
        {after}
        if labels is not None:
            logits = logits * 3
        return logits
"""


def head(
    folder: Path, before: str = "pass", after: str = "pass", linear: str = "nn.Linear(1, 2, bias=False)"
) -> OutputHead:
    (folder / "head.py").write_text(HEAD.format(before=before, after=after, linear=linear))
    return read(folder)


def read(folder: Path) -> OutputHead:
    resolver = ClassResolver(SourceTree(folder))
    source = resolver.find_class("head.py", "Head")
    assert source is not None
    return read_output_head(resolver, source, source)


@pytest.mark.parametrize(
    "after",
    [
        "pass",
        "logits = logits.float()",
        "logits = logits[:, -1]",
        "logits: Tensor = logits.contiguous()",
        "x = logits * 2",
    ],
)
def test_nothing_that_matters(tmp_path: Path, after: str) -> None:
    assert head(tmp_path, after=after).operations == ()


@pytest.mark.parametrize(
    ("after", "fields"),
    [
        ("logits = logits * self.config.logit_scale", ("logit_scale",)),
        ("logits *= self.config.logit_scale", ("logit_scale",)),
        ("logits = logits / self.scale", ("scale_field",)),
        ("logits = torch.tanh(logits)", ()),
        ("logits = logits.mul(2).float()", ()),
        ("logits = (logits / 2)[..., :1]", ()),
        ("cap = self.config.get_text_config().cap_field\n        logits = logits * cap", ("cap_field",)),
        ("if self.config.cap:\n            logits = logits * self.config.cap", ("cap",)),
        ("if True:\n            pass\n        else:\n            logits = logits + 1", ()),
    ],
)
def test_changes_of_logits(tmp_path: Path, after: str, fields: tuple[str, ...]) -> None:
    (operation,) = head(tmp_path, after=after).operations
    assert operation.fields == fields
    assert operation.location.file == "head.py"
    assert "logits" in operation.source


def test_changes_of_hidden_states(tmp_path: Path) -> None:
    (operation,) = head(tmp_path, before="hidden_states = hidden_states / self.config.width").operations
    assert operation.fields == ("width",)


@pytest.mark.parametrize(
    ("around", "fields"),
    [
        ("logits = self.lm_head(hidden_states) * self.config.scaling\n        return logits", ("scaling",)),
        ("return self.lm_head(hidden_states) / 2", ()),
        ("return Output(loss=None, logits=self.lm_head(hidden_states) * self.scale)", ("scale_field",)),
        ("scores = torch.tanh(self.lm_head(hidden_states))\n        return (scores, outputs)", ()),
        (
            "raw = self.lm_head(hidden_states)\n        scores = raw * self.scale\n        return scores",
            ("scale_field",),
        ),
        ("logits = self.lm_head(hidden_states)\n        logits[:, :, [7]] = -1e9\n        return logits", ()),
        (
            "logits = self.lm_head(hidden_states)\n        logits.mul_(self.scale)\n        return logits",
            ("scale_field",),
        ),
        ("logits = self.lm_head(hidden_states)\n        return cap(logits, 5)\n\ndef cap(x, y):\n    return x / y", ()),
    ],
)
def test_changes_around_the_projection(tmp_path: Path, around: str, fields: tuple[str, ...]) -> None:
    before, _, _ = HEAD.partition("        logits = self.lm_head")
    (tmp_path / "head.py").write_text(before.format(before="pass", linear="nn.Linear(1, 2)") + f"        {around}\n")
    assert [operation.fields for operation in read(tmp_path).operations] == [fields]


@pytest.mark.parametrize(
    "around",
    [
        "output = (self.lm_head(hidden_states),) + outputs[1:]\n        return output",
        "logits = self.lm_head(hidden_states)\n        loss = logits * 2\n        return Out(loss, logits=logits)",
        "logits = self.lm_head(hidden_states)\n        logits.size()\n        return logits",
    ],
)
def test_what_does_not_change_logits(tmp_path: Path, around: str) -> None:
    before, _, _ = HEAD.partition("        logits = self.lm_head")
    (tmp_path / "head.py").write_text(before.format(before="pass", linear="nn.Linear(1, 2)") + f"        {around}\n")
    assert read(tmp_path).operations == ()


@pytest.mark.parametrize(
    ("linear", "bias"),
    [
        ("nn.Linear(1, 2)", True),
        ("nn.Linear(1, 2, False)", False),
        ("nn.Linear(1, 2, bias=True)", True),
        ("nn.Linear(1, 2, bias=config.bias)", None),
    ],
)
def test_bias(tmp_path: Path, linear: str, bias: bool | None) -> None:
    found = head(tmp_path, linear=linear)
    assert (found.projection, found.bias) == ("lm_head", bias)


def test_a_head_that_is_no_linear(tmp_path: Path) -> None:
    assert head(tmp_path, linear="Predictions(config)").projection is None


def test_a_class_without_a_forward(tmp_path: Path) -> None:
    (tmp_path / "head.py").write_text("class Head: ...\n")
    resolver = ClassResolver(SourceTree(tmp_path))
    source = resolver.find_class("head.py", "Head")
    assert source is not None
    assert read_output_head(resolver, source, source) == OutputHead(None, None, source.location, ())
