"""Reads which releases of another distribution an engine tree declares that it works with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from analyzer.errors import EnvironmentProblem, UnreadableSource, shown
from analyzer.locations import Location
from analyzer.versions import parse_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree

REQUIREMENTS_FILE = "requirements/common.txt"


@dataclass(frozen=True, slots=True)
class DeclaredRange:
    """The releases of `name` that the engine declares; several lines for it narrow one another."""

    name: str
    specifier: SpecifierSet
    location: Location


def read_declared_range(tree: SourceTree, name: str) -> DeclaredRange:
    """What `requirements/common.txt` says about the distribution `name`, on this platform.

    Raises `EnvironmentProblem` where there is no such file or no such line, `UnreadableSource` where the
    line is not a requirement.
    """
    remedy = f"Name the {name} to judge against."
    if not tree.exists(REQUIREMENTS_FILE):
        raise EnvironmentProblem(f"{tree.real_root} has no {REQUIREMENTS_FILE}", remedy)
    specifier, first = SpecifierSet(), 0
    for line, text in _logical_lines(tree.text(REQUIREMENTS_FILE)):
        requirement = _requirement(text, name, line)
        if requirement is not None:
            specifier &= requirement.specifier
            first = first or line
    if not first:
        raise EnvironmentProblem(f"{REQUIREMENTS_FILE} of {tree.real_root} does not name {name}", remedy)
    return DeclaredRange(name, specifier, Location(REQUIREMENTS_FILE, first))


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_COMMENT = re.compile(r"(^|\s)#.*$")
_HASHES = re.compile(r"\s--(hash|config-settings?|global-option)\b.*$")


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers as pip sees them: joined at a backslash, without comments and options."""
    joined, first = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        first = first or number
        if line.endswith("\\"):
            joined += line[:-1]
            continue
        content = _HASHES.sub("", _COMMENT.sub("", joined + line)).strip()
        if content and not content.startswith("-"):
            yield first, content
        joined, first = "", 0
    if joined:
        yield first, _COMMENT.sub("", joined).strip()


def _requirement(text: str, name: str, line: int) -> Requirement | None:
    """The requirement, if it is one for `name` that counts on this platform."""
    named = _NAME.match(text)
    if named is None or canonicalize_name(named[0]) != canonicalize_name(name):
        return None
    try:
        requirement = Requirement(text)
        for specifier in requirement.specifier:
            parse_version(specifier.version.removesuffix(".*"))
    except (InvalidRequirement, InvalidVersion) as error:
        raise UnreadableSource(
            f"{REQUIREMENTS_FILE}:{line} is not a requirement: {shown(text)}", "Mend the line first."
        ) from error
    return requirement if requirement.marker is None or requirement.marker.evaluate() else None
