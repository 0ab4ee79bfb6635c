"""What torch finds on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable


def work(_: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> None:
    """Tell the names of the GPUs that torch can use."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    tell({"gpus": [torch.cuda.get_device_name(number) for number in range(count)]})
