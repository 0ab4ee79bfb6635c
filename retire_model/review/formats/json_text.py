"""JSON that may pass through the log of a job."""

from __future__ import annotations

import json


def json_line(content: object) -> str:
    """`content` on one line, in ASCII, without the sign that the runner takes for a command anywhere in a line."""
    return json.dumps(content).replace("##[", "#\\u0023[") + "\n"
