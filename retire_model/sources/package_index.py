"""Looks releases up on the package index and downloads them, with the `unearth` library."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol, Self, cast

from packaging.version import InvalidVersion
from unearth import HashMismatchError, Link, PackageFinder

from analyzer.errors import EnvironmentProblem
from analyzer.versions import parse_version
from retire_model.sources.index_session import open_session, sources_of
from retire_model.sources.index_settings import IndexSettings, read_index_settings

if TYPE_CHECKING:
    from pathlib import Path

    from packaging.version import Version
    from unearth.fetchers import Fetcher

LARGEST_ARCHIVE = 512 * 1024 * 1024
"""Bytes. The source distribution of vLLM 0.33.0 has 47 MB."""


class Progress(Protocol):
    """Is told how many bytes of a file have come and, where that is known, how many there are."""

    def __call__(self, file: str, completed: int, total: int | None, /) -> None: ...  # noqa: D102


class Form(Enum):
    """How a release is packed; the value is the end of the file's name."""

    SOURCE = ".tar.gz"
    WHEEL = ".whl"


@dataclass(frozen=True, slots=True)
class Offer:
    """One release on the index."""

    version: Version
    yanked: bool
    link: Link


@dataclass(frozen=True, slots=True)
class Offers:
    """What all sources together offer, the lowest version first, one offer a version."""

    offers: tuple[Offer, ...]
    silent: tuple[str, ...]
    """Sources that did not answer, each with the reason: where there is one, the list may have holes."""

    def of(self, version: Version) -> Offer | None:
        """The offer of that very version, yanked or not."""
        return next((offer for offer in self.offers if offer.version == version), None)


class PackageIndex:
    """The sources of packages that the user's pip is set up for. Used in a `with` statement."""

    def __init__(self, settings: IndexSettings | None = None) -> None:
        self._settings = read_index_settings() if settings is None else settings
        self._session = open_session(self._settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def offers(self, name: str, form: Form) -> Offers:
        """All releases of `name` in that form. Raises nothing: sources that fail are named in the answer."""
        found: dict[Version, Offer] = {}
        silent: list[str] = []
        finder = self._finder()
        # What is fetched is read and never run: this Python and this platform do not matter.
        finder.ignore_compatibility = True
        for source in sources_of(finder, self._settings):
            finder.sources = [source]
            offers, problem = _ask(finder, name, form)
            for offer in offers:
                found.setdefault(offer.version, offer)
            if problem:
                silent.append(problem)
        return Offers(tuple(found[version] for version in sorted(found)), tuple(silent))

    def download(self, offer: Offer, folder: Path, progress: Progress | None) -> Path:
        """Bring the archive into `folder`, unless it lies on this machine; the index's hash is verified.

        Raises `EnvironmentProblem` where the download breaks off, is too large or has another hash.
        """
        file = offer.link.filename

        def report(link: Link, completed: int, total: int | None) -> None:
            if max(completed, total or 0) > LARGEST_ARCHIVE:
                raise EnvironmentProblem(f"{file} is larger than {LARGEST_ARCHIVE} bytes", "It is not kept.")
            if progress is not None:
                progress(link.filename, completed, total)

        folder.mkdir(parents=True, exist_ok=True)
        try:
            return self._finder().download(offer.link, folder, download_reporter=report)
        except HashMismatchError as error:
            raise EnvironmentProblem(
                f"{file} is not the file that the package index lists: its hash differs",
                f"It is not kept. Try again, and look at what serves {offer.link.redacted}.",
            ) from error
        except EnvironmentProblem:
            raise
        except Exception as error:  # the network library, and so its exceptions, are unearth's choice
            raise EnvironmentProblem(
                f"the download of {file} failed: {_first_line(error)}", "Nothing of it is kept. Try again."
            ) from error

    def _finder(self) -> PackageFinder:
        # unearth's client has every method of its own protocol, with wider signatures than mypy lets pass.
        return PackageFinder(cast("Fetcher", self._session))


def _ask(finder: PackageFinder, name: str, form: Form) -> tuple[list[Offer], str]:
    """The offers of the finder's one source, and why there may be more that it did not tell."""
    warnings = _Warnings()
    logger = logging.getLogger("unearth")
    logger.addHandler(warnings)
    try:
        packages = list(finder.find_all_packages(name, allow_yanked=True))
    except Exception as error:  # one source that fails must not hide the others
        url = finder.sources[0]["url"]
        return [], f"{Link(url).redacted if '://' in url else url}: {_first_line(error)}"
    finally:
        logger.removeHandler(warnings)
    named = ((package.link, _version(package.version)) for package in packages)
    offers = [
        Offer(version, link.is_yanked, link)
        for link, version in named
        if version is not None and link.filename.endswith(form.value)
    ]
    return offers, warnings.problem


def _version(text: str | None) -> Version | None:
    try:
        return parse_version(text or "")
    except InvalidVersion:
        return None


class _Warnings(logging.Handler):
    """Keeps what unearth only logs: a source that says no. That it has no such package is an answer."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.problem = ""

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if "Client Error(404)" not in message and "Client Error(410)" not in message:
            self.problem = self.problem or message


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
