from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from retire_model.sources import index_settings
from retire_model.sources.index_settings import IndexSettings, parse_pip_configuration, read_index_settings

if TYPE_CHECKING:
    from pathlib import Path

LISTING = """\
:env:.cert='/bundle.pem'
:env:.find-links='/opt/wheels'
download.index-url='file:///download'
global.extra-index-url='\\nfile:///one\\nfile:///two'
global.find-links='/other'
global.index-url='file:///global'
install.index-url='file:///install'
global.quiet=3
global.broken='
a warning of pip's
"""


def test_later_sections_win() -> None:
    assert parse_pip_configuration(LISTING) == {
        "cert": "/bundle.pem",
        "extra-index-url": "file:///one\nfile:///two",
        "find-links": "/opt/wheels",
        "index-url": "file:///install",
    }


def test_configuration_file_and_variables(tmp_path: Path) -> None:
    """The real pip is asked: a change of its output would show here."""
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = file:///from/file\nextra-index-url =\n  file:///one\n  file:///two\n"
        "trusted-host = here there\n"
    )
    environment = {
        "PATH": "",
        "HOME": str(tmp_path),
        "PIP_CONFIG_FILE": str(tmp_path / "pip.conf"),
        "PIP_FIND_LINKS": "/a /b",
        "PIP_DEFAULT_TIMEOUT": "7",
        "PIP_CERT": "/bundle.pem",
        "PIP_PROXY": "",
    }
    found = read_index_settings(environment)
    assert found == IndexSettings(
        index_url="file:///from/file",
        extra_index_urls=("file:///one", "file:///two"),
        find_links=("/a", "/b"),
        trusted_hosts=("here", "there"),
        certificates="/bundle.pem",
        timeout=7,
    )


def test_nothing_configured_leaves_the_index_to_the_library(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PIP_CONFIG_FILE": "/dev/null"}
    assert read_index_settings(environment) == IndexSettings()


def test_pip_in_the_current_directory_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pip.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    read_index_settings({"HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)})
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("executable", ["/bin/false", "/nowhere/python", ""])
def test_without_pip_its_variables_still_count(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    found = read_index_settings({"PIP_INDEX_URL": "file:///simple", "PIP_NO_INDEX": "true"})
    assert found == IndexSettings(index_url="file:///simple", no_index=True)


@pytest.mark.parametrize("timeout", ["soon", "-1", "0", "1e9", "nan"])
def test_useless_timeout(timeout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_settings, "_pip_config_list", lambda _: "")
    assert read_index_settings({"PIP_TIMEOUT": timeout}).timeout == IndexSettings().timeout
