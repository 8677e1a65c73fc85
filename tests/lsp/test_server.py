"""A real server process with the stand-in analyzer: baselines that move, slow checks, and its end."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editor import SECONDS, STANDIN, editing, neovim, vscode
from keepstate_lsp.analysis.documents import uri_of
from repositories import GitRepository
from watching import until

pytestmark = pytest.mark.asyncio

JOB = "-- 🛒 shop\nINSERT INTO daily SIZE 10 KEYS a,b;\r\nINSERT INTO '🛒' SIZE 5;\n"


@pytest.fixture
def job(repository: GitRepository) -> Path:
    repository.commit({"shop.sql": JOB})
    return repository.folder / "shop.sql"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


# ---------------------------------------------------------------------------------------------------- moving baselines


async def test_a_commit_changes_findings_without_a_keystroke(job: Path, cache: Path, repository: GitRepository) -> None:
    async with editing(neovim(), job.parent, cache, poll_seconds=0.05) as editor:
        uri = editor.open(job)
        version = editor.replace(uri, "SIZE 10", "SIZE 20")
        assert len(await editor.pushed(uri, version)) == 1
        editor.save(uri, job)
        seen = len(editor.published)
        repository.commit()
        await editor.pushed_until(uri, lambda found: not found, after=seen)
        assert "Same meaning" in str((await editor.lenses(uri))[0].command)


async def test_a_client_that_pulls_is_asked_to_pull_again(job: Path, cache: Path, repository: GitRepository) -> None:
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "SIZE 10", "SIZE 20")
        assert len(await editor.pulled(uri)) == 1
        while not editor.registrations:
            await editor.news()
        (files,) = [one for one in editor.registrations if one.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
        assert "**/.git/HEAD" in str(files.register_options)
        job.write_text(JOB.replace("SIZE 10", "SIZE 20"))
        repository.commit()
        refreshes = editor.client.diagnostic_refresh_count, editor.lens_refreshes
        moved = types.FileEvent(uri_of(repository.folder / ".git" / "HEAD"), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([moved]))
        while editor.client.diagnostic_refresh_count == refreshes[0] or editor.lens_refreshes == refreshes[1]:
            await editor.news()
        await editor.pulled_until(uri, lambda found: not found)


async def test_a_repository_that_appears_is_noticed(tmp_path: Path, cache: Path, isolated_git: None) -> None:
    path = tmp_path / "jobs" / "shop.sql"
    path.parent.mkdir()
    path.write_text(JOB)
    async with editing(neovim(), path.parent, cache, poll_seconds=0.05) as editor:
        uri = editor.open(path)
        version = editor.replace(uri, "SIZE 10", "SIZE 20")
        assert await editor.pushed(uri, version) == []
        seen = len(editor.published)
        GitRepository(path.parent).commit()
        await editor.pushed_until(uri, bool, after=seen)


# ---------------------------------------------------------------------------------------------------- time


async def test_typing_during_a_slow_check(job: Path, cache: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    async with editing(neovim(), job.parent, cache) as editor:
        uri = editor.open(job)
        await editor.pushed(uri, 1)
        slow = editor.replace(uri, "shop", f"WAIT {pipe} ")
        opened = threading.Thread(target=lambda: pipe.open("wb").close(), daemon=True)
        impatient = asyncio.create_task(editor.hover(uri, "SIZE 5"))
        for number in range(11, 40):
            last = editor.replace(uri, f"SIZE {number - 1}", f"SIZE {number}")
        last = editor.replace(uri, f"WAIT {pipe} ", "shop")
        await editor.caught_up()
        opened.start()
        (found,) = await editor.pushed(uri, last)
        assert editor.text_at(uri, found.range) == "39"
        versions = [params.version for params in editor.published]
        assert versions == [1, last] and slow not in versions
        assert await impatient is not None
        # The check may have been superseded before it read the pipe: then this end lets the writer go.
        os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
        opened.join(SECONDS)
        assert not opened.is_alive()


async def test_cancelled_requests_stop(job: Path, cache: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    async with editing(vscode(), job.parent, cache) as editor:
        uri = editor.open(job)
        editor.replace(uri, "shop", f"WAIT {pipe} ")
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        pending = editor.client.protocol.send_request(types.TEXT_DOCUMENT_DIAGNOSTIC, params, msg_id="pull-1")
        editor.client.cancel_request(types.CancelParams("pull-1"))
        with pytest.raises(JsonRpcException) as error:
            await asyncio.wait_for(asyncio.wrap_future(pending), SECONDS)
        assert error.value.code == types.LSPErrorCodes.RequestCancelled
        # The check may have been superseded before it began to wait: then the other end is never opened.
        threading.Thread(target=lambda: pipe.open("wb").close(), daemon=True).start()
        assert await editor.pulled(uri) == []


# ---------------------------------------------------------------------------------------------------- life and end


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are looked up in /proc")
async def test_no_git_process_stays_behind(job: Path, cache: Path) -> None:
    async with editing(neovim(), job.parent, cache) as editor:
        await editor.pushed(editor.open(job), 1)
        server = editor.client._server
        assert server is not None
        tasks = Path(f"/proc/{server.pid}/task").iterdir()
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
        assert children
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


async def test_exit_without_shutdown_is_an_error(cache: Path, tmp_path: Path) -> None:
    message = b'{"jsonrpc":"2.0","method":"exit"}'
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(STANDIN), str(cache), "1", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    await asyncio.wait_for(process.communicate(b"Content-Length: %d\r\n\r\n%s" % (len(message), message)), SECONDS)
    assert process.returncode == 1


async def test_a_client_that_vanishes_ends_the_server(cache: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(STANDIN), str(cache), "1", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    await asyncio.wait_for(process.communicate(b""), SECONDS)
    assert process.returncode == 1


# --------------------------------------------------------------------------------------------------------------- start


IMPORTS = """\
import sys, traceback
class Noted:
    def find_spec(name, path=None, target=None):
        if name == "git":
            frames = [frame.name for frame in traceback.extract_stack()]
            open({log!r}, "a").write(f"{{'load_gitpython' in frames}}\\n")
sys.meta_path.insert(0, Noted)
from keepstate_lsp.lsp.launch import main
sys.exit(main())
"""


@pytest.mark.skipif(os.name == "nt", reason="git starts by GitPython alone")
async def test_gitpython_is_imported_at_rest(cache: Path, tmp_path: Path, repository: GitRepository) -> None:
    """The first findings, whose baseline git gives, do not wait for that import."""
    table = "CREATE TABLE orders (buyer STRING, price INT) WITH ('connector' = 'kafka');\n"
    was = f"{table}SELECT buyer, SUM(price) FROM orders GROUP BY buyer"
    repository.commit({"totals.sql": was})
    log = tmp_path / "imports"
    command = (sys.executable, "-c", IMPORTS.format(log=str(log)))
    async with editing(neovim(), repository.folder, cache, command=command, by_fork=False) as editor:
        uri = editor.open(repository.folder / "totals.sql", was.replace("SUM", "MAX"))
        assert [finding.code for finding in await editor.pushed(uri, 1)] == ["all-aggregates-replaced"]
        await until(log.exists)
    assert log.read_text() == "True\n"
