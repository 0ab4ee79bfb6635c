"""The process of one smoke run: it ends in order when the process that started it lets go of its standard input."""

from __future__ import annotations

import os
import signal
import sys
import threading

from retire_model.command import run
from retire_model.reports.standard_output import guard_standard_output


def main() -> int:
    """`CORE,CORE… WORD…`: run the command line that the words are on those cores. Returns its exit status."""
    cores, *words = sys.argv[1:]
    if cores:
        os.sched_setaffinity(0, set(map(int, cores.split(","))))
    # A shell has what it starts in the background ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_wait_for_the_end, daemon=True).start()
    guard_standard_output()
    return run(words)


def _wait_for_the_end() -> None:
    while os.read(0, 1 << 12):
        pass
    os.kill(os.getpid(), signal.SIGINT)
