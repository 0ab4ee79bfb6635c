"""Fills the page's templates. Whatever comes from a tree is escaped; only the page's own script may run."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_FOLDER = Path(__file__).parent


def render(template: str, **content: object) -> str:
    """The page that `template` makes of `content`."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = (_FOLDER / "page.js").read_text(encoding="utf-8")
    style = (_FOLDER / "page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = {"script": Markup(script), "style": Markup(style), "script_digest": digest}  # noqa: S704 - the page's own files
    return environment.get_template(template).render(**content, **own)
