"""A package index of a few small releases, in a folder or behind a server, and pip configured for it alone."""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import io
import os
import tarfile
import threading
import zipfile
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retire_model.sources import index_settings
from retire_model.sources.releases import ReleaseCache

if TYPE_CHECKING:
    from collections.abc import Iterator


class FakeIndex:
    """A simple index below `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    @property
    def url(self) -> str:
        return self.folder.as_uri()

    def add_engine(self, version: str, *, yanked: bool = False) -> None:
        files = {"vllm/__init__.py": "", "vllm/registry.py": f"VERSION = '{version}'\n", "PKG-INFO": "x\n"}
        data = source_distribution({f"vllm-{version}/{name}": text for name, text in files.items()})
        self.add_file("vllm", f"vllm-{version}.tar.gz", data, yanked=yanked)

    def add_transformers(self, version: str, *, yanked: bool = False) -> None:
        data = wheel({"transformers/__init__.py": f'__version__ = "{version}"\n'})
        self.add_file("transformers", f"transformers-{version}-py3-none-any.whl", data, yanked=yanked)

    def add_file(self, name: str, file: str, data: bytes, *, yanked: bool = False, sha256: str | None = "") -> Path:
        """List a file; its hash is the right one, unless another is given or None."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        (folder / file).write_bytes(data)
        if sha256 == "":
            sha256 = hashlib.sha256(data).hexdigest()
        mark = ' data-yanked=""' if yanked else ""
        fragment = f"#sha256={sha256}" if sha256 else ""
        with (folder / "index.html").open("a") as page:
            page.write(f'<a href="{file}{fragment}"{mark}>{file}</a>\n')
        return folder / file


def source_distribution(files: dict[str, str]) -> bytes:
    members = []
    for name, text in files.items():
        member = tarfile.TarInfo(name)
        member.mode = 0o664
        members.append((member, text.encode()))
    return tar_gz(members)


def tar_gz(members: list[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:") as tar:
        for member, data in members:
            if member.isreg():
                member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return gzip.compress(buffer.getvalue())


def wheel(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeIndex:
    """An empty index, and the one that pip's configuration names."""
    fake = FakeIndex(tmp_path / "simple")
    for variable in ("EXTRA_INDEX_URL", "FIND_LINKS", "NO_INDEX", "PROXY", "TRUSTED_HOST"):
        monkeypatch.delenv(f"PIP_{variable}", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", fake.url)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    # Asking pip takes half a second; its variables are read without it, too.
    monkeypatch.setattr(index_settings, "_pip_config_list", lambda _: "")
    return fake


@pytest.fixture
def cache(tmp_path: Path) -> ReleaseCache:
    return ReleaseCache(tmp_path / "cache")


class Server:
    """Serves a folder on this machine. Archives can be held back, broken off, or refused with a status."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[str] = []
        self.status = 200
        self.break_off = False
        self.go_on = threading.Event()
        self.go_on.set()
        self.asked_for_archive = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, self, directory=str(folder)))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @contextlib.contextmanager
    def running(self) -> Iterator[Server]:
        thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        thread.start()
        yield self
        self.go_on.set()
        self._http.shutdown()
        self._http.server_close()
        thread.join()


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, server: Server, *args: object, directory: str) -> None:
        self._serving = server
        super().__init__(*args, directory=directory)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self._serving.requests.append(self.path)
        if self._serving.status != 200:
            self.send_error(self._serving.status)
        elif self.path.endswith((".whl", ".gz")):
            self._send_archive()
        else:
            super().do_GET()

    def _send_archive(self) -> None:
        with open(self.translate_path(self.path), "rb") as file:  # noqa: PTH123
            data = file.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.wfile.flush()
        self._serving.asked_for_archive.set()
        self._serving.go_on.wait(30)
        if not self._serving.break_off:
            with contextlib.suppress(OSError):
                self.wfile.write(data[len(data) // 2 :])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def server(index: FakeIndex, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The fake index behind a server, which pip's configuration names instead of the folder."""
    with Server(index.folder).running() as serving:
        monkeypatch.setenv("PIP_INDEX_URL", serving.url)
        yield serving


@pytest.fixture(autouse=True)
def own_last_changes(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests write to small trees does not push out what the developer may want to take back."""
    folder = tmp_path_factory.getbasetemp() / "last-changes"
    monkeypatch.setattr(
        "retire_model.last_change.cache_folder", lambda: Path(os.environ.get("RETIRE_MODEL_CACHE", folder))
    )
