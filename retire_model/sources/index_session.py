"""Sets the `unearth` library up as pip's configuration says."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from unearth.auth import MultiDomainBasicAuth
from unearth.fetchers import PyPIClient

from analyzer.errors import EnvironmentProblem
from retire_model.user_paths import user_path

if TYPE_CHECKING:
    from pathlib import Path

    from unearth import PackageFinder, Source

    from retire_model.sources.index_settings import IndexSettings


def open_session(settings: IndexSettings) -> PyPIClient:
    """A client that never asks for a password.

    Raises `EnvironmentProblem` for unreadable certificates and for addresses that are none.
    """
    _refuse_what_is_no_address(settings)
    verify = True if settings.certificates is None else _trust(user_path(settings.certificates))
    try:
        session = PyPIClient(
            trusted_hosts=settings.trusted_hosts,
            verify=verify,
            timeout=settings.timeout,
            proxy=settings.proxy,
            follow_redirects=True,
        )
    except Exception as error:  # the network library, and so its exceptions, are unearth's choice
        raise _no_address("proxy", error) from error
    urls = [url for url in (settings.index_url, *settings.extra_index_urls) if url]
    session.auth = MultiDomainBasicAuth(prompting=False, index_urls=urls)
    return session


def _refuse_what_is_no_address(settings: IndexSettings) -> None:
    for name, urls in (
        ("index-url", (settings.index_url or "",)),
        ("extra-index-url", settings.extra_index_urls),
        ("find-links", settings.find_links),
    ):
        for url in urls:
            try:
                urlsplit(url)
            except ValueError as error:
                raise _no_address(name, error) from error


def _no_address(setting: str, error: Exception) -> EnvironmentProblem:
    # The value itself may hold a password.
    return EnvironmentProblem(
        f"`{setting}` in pip's configuration is no address: {error}",
        f"`pip config list` and the variable PIP_{setting.upper().replace('-', '_')} say where it is set.",
    )


def sources_of(finder: PackageFinder, settings: IndexSettings) -> list[Source]:
    """The sources in pip's order. A finder that was given none starts with the library's default index."""
    if settings.no_index or settings.index_url is not None:
        finder.sources = []
    if not settings.no_index:
        for url in (settings.index_url, *settings.extra_index_urls):
            if url is not None:
                finder.add_index_url(url)
    for place in settings.find_links:
        local = user_path(place)
        if "://" in place:
            finder.add_find_links(place)
        elif local.exists():  # pip, too, passes over a folder that is not there
            finder.add_find_links(str(local))
    return list(finder.sources)


def _trust(bundle: Path) -> ssl.SSLContext:
    try:
        if bundle.is_dir():
            return ssl.create_default_context(capath=str(bundle))
        return ssl.create_default_context(cafile=str(bundle))
    except OSError as error:
        raise EnvironmentProblem(
            f"the certificates of pip's configuration cannot be read: {bundle}: {error.strerror or error}",
            "Set pip's `cert` to a bundle in PEM form, or unset it.",
        ) from error
