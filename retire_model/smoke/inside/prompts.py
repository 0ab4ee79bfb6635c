"""The prompts: token ids, so that no tokenizer is needed."""

from __future__ import annotations

from random import Random

LONG = 48
LENGTHS = (
    ("short", False, 5),
    ("long", False, LONG),
    ("batch 1", True, 11),
    ("batch 2", True, 23),
    ("batch 3", True, 3),
)
"""Name, whether it is batched with the others that are, and length. The long one is longer than every window."""
FIRST_TOKEN = 4
"""Those below it have a meaning of their own in shrunk configurations."""


def prompts(vocabulary: int) -> list[tuple[str, bool, list[int]]]:
    """The same ones for every model with that vocabulary."""
    random = Random(0)  # noqa: S311 - no secret
    return [
        (name, batched, [random.randrange(FIRST_TOKEN, vocabulary) for _ in range(length)])
        for name, batched, length in LENGTHS
    ]
