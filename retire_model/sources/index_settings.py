"""Where packages come from: the user's pip configuration, read without importing pip."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What pip's configuration says about indexes. The defaults are those of a machine without any."""

    index_url: str | None = None
    """None: the default index of the `unearth` library."""
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    no_index: bool = False
    trusted_hosts: tuple[str, ...] = ()
    certificates: str | None = None
    """A bundle of certificates in place of the default one, which honours `SSL_CERT_FILE`."""
    proxy: str | None = None
    timeout: float = 30
    """Seconds without an answer."""


def read_index_settings(environment: Mapping[str, str] | None = None) -> IndexSettings:
    """Ask pip for its configuration: its files at all levels, `PIP_CONFIG_FILE` and the `PIP_*` variables.

    Without pip in this Python the `PIP_*` variables alone are read. Raises nothing.
    """
    environment = os.environ if environment is None else environment
    values = {**parse_pip_configuration(_pip_config_list(environment)), **_variables(environment)}
    return IndexSettings(
        index_url=values.get("index-url"),
        extra_index_urls=tuple(values.get("extra-index-url", "").split()),
        find_links=tuple(values.get("find-links", "").split()),
        no_index=values.get("no-index", "").lower() in {"1", "true", "yes", "y", "on", "t"},
        trusted_hosts=tuple(values.get("trusted-host", "").split()),
        certificates=values.get("cert"),
        proxy=values.get("proxy"),
        timeout=_seconds(values.get("timeout") or values.get("default-timeout"), otherwise=30),
    )


_LINE = re.compile(r"^(?P<section>:env:|[\w-]+)\.(?P<key>[\w-]+)=(?P<value>.+)$")
_SECTIONS = ("global", "install", ":env:")
"""Those that count when pip installs, the later ones winning."""


def parse_pip_configuration(listing: str) -> dict[str, str]:
    """The settings in the output of `pip config list`, by their long names; other lines are skipped."""
    found: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in listing.splitlines():
        match = _LINE.match(line)
        if match is None or match["section"] not in found:
            continue
        try:
            value = ast.literal_eval(match["value"])
        except (ValueError, SyntaxError):
            continue
        if isinstance(value, str) and value.strip():
            found[match["section"]][match["key"]] = value.strip()
    return {key: value for section in _SECTIONS for key, value in found[section].items()}


def _pip_config_list(environment: Mapping[str, str]) -> str:
    # -I: a folder `pip` in the current directory, which may be a stranger's tree, must not be run.
    command = [sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "config", "list"]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            env=dict(environment),
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _variables(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix("PIP_").lower().replace("_", "-"): value.strip()
        for name, value in environment.items()
        if name.startswith("PIP_") and value.strip()
    }


def _seconds(value: str | None, otherwise: float) -> float:
    try:
        seconds = float(value) if value else otherwise
    except ValueError:
        return otherwise
    return seconds if 0 < seconds < 3600 else otherwise
