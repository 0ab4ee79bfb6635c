"""The headings that divide the dictionary of architectures served by the Transformers modeling backend.

No heading is known by heart: the registry's own `_TRANSFORMERS_BACKEND_MODELS` says under which one a class stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE, TRANSFORMERS_BACKEND
from analyzer.errors import EnvironmentProblem
from codemods.code.display import Comment, Display, Item, find_display

if TYPE_CHECKING:
    from codemods.code.python_text import PythonText


@dataclass(frozen=True, slots=True)
class Sections:
    """Headings, as comments, in the registry's order, and the classes that stand under each."""

    headings: tuple[str, ...]
    heading_of: dict[str, str]
    """For each backend class its heading; empty where the class stands above the first."""


def read_sections(source: PythonText) -> Sections:
    """The sections of the backend's own dictionary; none where the registry has no such dictionary."""
    display = find_display(source, TRANSFORMERS_BACKEND)
    if display is None:
        return Sections((), {})
    headings: list[str] = []
    heading_of: dict[str, str] = {}
    for item in display.items:
        above = display.comments_above(item)
        if above:
            headings.append(above[-1].text)
        if item.name is not None:
            heading_of[item.name] = headings[-1] if headings else ""
    return Sections(tuple(dict.fromkeys(headings)), heading_of)


def heading_for(sections: Sections, backend_class: str) -> str:
    """The heading for `backend_class`. Raises `EnvironmentProblem` where the backend has no such class."""
    if sections.heading_of and backend_class not in sections.heading_of:
        known = ", ".join(sections.heading_of)
        raise EnvironmentProblem(
            f"{REGISTRY_FILE}: the Transformers modeling backend of this tree has no {backend_class}",
            f"Its {TRANSFORMERS_BACKEND} has {known}.",
        )
    return sections.heading_of.get(backend_class, "")


def ensure_heading(display: Display, sections: Sections, heading: str) -> tuple[Display, Comment | None]:
    """The display with `heading` in it, put where the registry's own order wants it, and the heading."""
    source = display.source
    if not heading:
        return display, None
    if not display.items and source.line_of(display.opened) == source.line_of(display.closed):
        line = source.newline + display.indentation + heading + source.newline
        display = found(source.spliced(display.opened, display.closed, line), display.name)
    elif source.text[source.start_of(source.line_of(display.closed)) : display.closed].strip():
        return display, None
    if (known := find_heading(display, heading)) is None:
        later = sections.headings[sections.headings.index(heading) + 1 :]
        following = next((c for h in later if (c := find_heading(display, h)) is not None), None)
        place = source.start_of(source.line_of(display.closed if following is None else following.start))
        new = source.spliced(place, place, display.indentation + heading + source.newline)
        display = found(new, display.name)
        known = find_heading(display, heading)
    return display, known


def find_heading(display: Display, heading: str) -> Comment | None:
    """The comment on a line of its own that reads `heading`."""
    return next((c for c in display.comments if c.text.rstrip() == heading and display.stands_alone(c)), None)


def items_below(display: Display, sections: Sections, heading: Comment | None) -> tuple[Item, ...]:
    """The items between `heading` and the next heading; all where there is no heading."""
    if heading is None:
        return display.items
    headings = (find_heading(display, text) for text in sections.headings)
    end = min((c.start for c in headings if c is not None and c.start > heading.start), default=display.closed)
    return tuple(item for item in display.items if heading.start < item.start < end)


def found(source: PythonText, name: str) -> Display:
    """The display called `name`. Raises `EnvironmentProblem` where the registry has none."""
    display = find_display(source, name)
    if display is None:
        raise EnvironmentProblem(
            f"{REGISTRY_FILE} has no dictionary {name}", "vLLM releases from 0.11 on have it; is the tree complete?"
        )
    return display
