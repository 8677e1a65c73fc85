"""Windows, simulated: paths and URIs of ``ntpath``, files that are read-only, and a platform that is called so."""

from __future__ import annotations

import ntpath
import os
import stat
import time
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace
from typing import Any

import pytest

from keepstate_lsp.analysis import documents, virtual_documents
from keepstate_lsp.analysis.virtual_documents import KEEP_SECONDS, VirtualDocuments
from keepstate_lsp.baselines import HEAD
from keepstate_lsp.baselines.baseline import Baseline
from keepstate_lsp.files.atomic_files import remove, write_whole
from keepstate_lsp.runtime import cache_folder as cache_folders
from keepstate_lsp.runtime.cache_folder import cache_folder
from keepstate_spark import session
from keepstate_spark.errors import PipelineError

PATHS = {
    # As VS Code, Neovim, Emacs and others write a drive.
    "file:///c%3A/jobs/a%20b.sql": r"c:\jobs\a b.sql",
    "file:///C:/jobs/a.sql": r"C:\jobs\a.sql",
    "file://localhost/C:/jobs/a.sql": r"C:\jobs\a.sql",
    "file:///c%3A/jobs/../%C3%A9.sql": r"c:\é.sql",
    # Shares of a server, with two strokes and with four.
    "file://server/share/jobs/a.sql": r"\\server\share\jobs\a.sql",
    "file:////server/share/jobs/a.sql": r"\\server\share\jobs\a.sql",
    "file://wsl%24/Debian/home/a.sql": r"\\wsl$\Debian\home\a.sql",
    # Longer than Windows takes without the prefix.
    "file://%3F/C:/" + "jobs/" * 60 + "a.sql": "\\\\?\\C:\\" + "jobs\\" * 60 + "a.sql",
    "untitled:Untitled-1": None,
    "file:///": None,
}


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "os", SimpleNamespace(name="nt", path=ntpath))
    monkeypatch.setattr(documents, "Path", PureWindowsPath)


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("uri", PATHS)
def test_paths_of_uris(uri: str) -> None:
    assert documents.path_of(uri) == PATHS[uri]


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("path", sorted({path for path in PATHS.values() if path is not None}))
def test_a_uri_leads_back_to_its_path(path: str) -> None:
    assert documents.path_of(documents.uri_of(path)) == path


@pytest.fixture
def read_only_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that removes and replaces nothing that is read-only, as that of Windows does."""
    unlink, replace = Path.unlink, Path.replace

    def refuse(path: Path) -> None:
        if path.exists() and not path.stat().st_mode & stat.S_IWUSR:
            raise PermissionError(13, "Access is denied", str(path))

    def unlinked(path: Path, missing_ok: bool = False) -> None:
        refuse(path)
        unlink(path, missing_ok)

    def replaced(path: Path, target: Any) -> Path:
        refuse(Path(target))
        return replace(path, target)

    monkeypatch.setattr(Path, "unlink", unlinked)
    monkeypatch.setattr(Path, "replace", replaced)
    monkeypatch.setattr(virtual_documents, "sys", SimpleNamespace(platform="win32"))


def copied(documents: VirtualDocuments, text: str) -> str | None:
    return documents.baseline(Baseline(HEAD, None, "jobs/a.sql", text, "c0ffee" + "0" * 34, "HEAD (0000000)"))


@pytest.mark.usefixtures("read_only_stays")
def test_read_only_copies_are_replaced_and_tidied(tmp_path: Path) -> None:
    assert copied(VirtualDocuments(tmp_path), "SELECT 1;") is not None
    (copy,) = (tmp_path / "baselines").iterdir()
    assert not copy.stat().st_mode & stat.S_IWUSR
    # A power cut left another content under the same name.
    copy.chmod(0o600)
    copy.write_bytes(b"")
    copy.chmod(0o400)
    assert copied(VirtualDocuments(tmp_path), "SELECT 1;") is not None
    assert [path.read_bytes() for path in copy.parent.iterdir()] == [b"SELECT 1;"]
    VirtualDocuments(tmp_path).tidy(time.time() + KEEP_SECONDS + 60)
    assert not list(copy.parent.iterdir())


@pytest.mark.usefixtures("read_only_stays")
def test_a_draft_goes_though_it_is_read_only(tmp_path: Path) -> None:
    target = tmp_path / "a.sql"
    target.write_bytes(b"mine")
    target.chmod(0o400)
    # What a user made read-only is not replaced.
    with pytest.raises(PermissionError):
        write_whole(target, b"other", 0o400)
    assert os.listdir(tmp_path) == ["a.sql"]
    assert target.read_bytes() == b"mine"
    remove(target)
    assert not target.exists()


def test_the_cache_is_where_windows_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_folders, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert cache_folder() == tmp_path / "keepstate"
    monkeypatch.setattr(cache_folders, "sys", SimpleNamespace(platform="darwin"))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path / "Library" / "Caches" / "keepstate"


def test_spark_on_windows_says_what_it_needs_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session.require_file_writer()
    monkeypatch.setattr(session, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    with pytest.raises(PipelineError, match=r"winutils\.exe"):
        session.require_file_writer()
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("HADOOP_HOME", str(tmp_path))
    with pytest.raises(PipelineError, match=r"winutils\.exe"):
        session.require_file_writer()
    (tmp_path / "bin" / "winutils.exe").touch()
    session.require_file_writer()
