"""The signals that end a program, while there is something to clear away."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Have each of them raise `KeyboardInterrupt` in here, once: a second one does not break off the clearing away.

    A signal that the caller ignores, as `nohup` does, stays ignored.
    """
    earlier = {number: signal.getsignal(number) for number in SIGNALS}
    taken = {number: handler for number, handler in earlier.items() if handler not in (signal.SIG_IGN, None)}

    def end(*_: object) -> None:
        for number in taken:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)
