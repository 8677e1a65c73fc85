"""An editor in front of a git that does not answer: there is a message, work goes on, and the server can be ended."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from lsprotocol import types

from editor import SECONDS, Editor, editing, minimal, neovim, vscode
from keepstate_lsp.analysis.documents import uri_of
from repositories import GitRepository
from stalling_git import StallingGit

pytestmark = [pytest.mark.asyncio, pytest.mark.skipif(os.name == "nt", reason="a script in place of git")]

JOB = "INSERT INTO daily SIZE 10 KEYS a,b;\nINSERT INTO hourly SIZE 5;\n"
BOUND = 2.0
"""Seconds that git is waited for in tests that wait for the end of it."""
LONG = "600"
"""Seconds that git is waited for in the others: what ends before them did not wait, however busy the machine is."""


@pytest.fixture
def git(tmp_path: Path, isolated_git: None, monkeypatch: pytest.MonkeyPatch) -> StallingGit:
    git = StallingGit(tmp_path)
    monkeypatch.setenv("PATH", git.path)
    monkeypatch.setenv("KEEPSTATE_GIT_SECONDS", str(BOUND))
    return git


@pytest.fixture
def job(git: StallingGit, repository: GitRepository) -> Path:
    repository.commit({"shop.sql": JOB})
    return repository.folder / "shop.sql"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def messages(editor: Editor) -> list[str]:
    return [one.message for one in editor.client.messages]


def notes(found: list[types.Diagnostic]) -> list[str]:
    return [one.message for one in found if one.code == "not-compared"]


async def pushed(editor: Editor, uri: str, until: Callable[[list[types.Diagnostic]], bool]) -> list[types.Diagnostic]:
    """The first diagnostics of a document that are as wanted."""
    seen = 0
    while True:
        for params in editor.published[seen:]:
            if params.uri == uri and until(list(params.diagnostics)):
                return list(params.diagnostics)
        seen = len(editor.published)
        await editor.news()


async def test_from_the_start(job: Path, cache: Path, git: StallingGit) -> None:
    """A message about the wait, another about its failure, then the comparison."""
    git.stall("rev-parse")
    async with editing(minimal(), job.parent, cache, settings={"workspace": False}, poll_seconds=0.2) as editor:
        uri = editor.open(job)
        first = await pushed(editor, uri, lambda found: bool(notes(found)))
        (note,) = notes(first)
        assert note == f"Not compared yet: git rev-parse in {job.parent} has not answered yet."
        assert any(message.startswith("Keepstate waits: git rev-parse") for message in messages(editor))
        editor.replace(uri, "SIZE 10", "SIZE 20")
        late = await pushed(editor, uri, lambda found: any("did not answer" in one for one in notes(found)))
        assert f"did not answer within {BOUND:g} seconds (KEEPSTATE_GIT_SECONDS sets" in notes(late)[0]
        assert git.left(within=60) == []
        git.answer()
        found = await pushed(editor, uri, lambda found: bool(found) and not notes(found))
        assert [one.code for one in found] == ["window-size-changed"]


async def test_the_editor_is_answered_meanwhile(
    job: Path, cache: Path, git: StallingGit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEEPSTATE_GIT_SECONDS", LONG)
    git.stall("rev-parse")
    async with editing(minimal(), job.parent, cache, settings={"workspace": False}) as editor:
        uri = editor.open(job)
        assert notes(await pushed(editor, uri, lambda found: bool(notes(found))))
        version = editor.replace(uri, "SIZE 10", "SIZE 20")
        await editor.hover(uri, "SIZE 20")
        (lens,) = await editor.lenses(uri)
        assert lens.command is not None and "has not answered yet" in lens.command.title
        assert await editor.actions(uri, "SIZE 20") is not None
        (note,) = notes(await editor.pushed(uri, version, at_once=True))
        assert "has not answered yet" in note
        git.answer()


@pytest.mark.parametrize("client", [neovim, vscode])
async def test_findings_do_not_stay_on_a_text_that_changed(
    job: Path,
    cache: Path,
    git: StallingGit,
    client: Callable[[], types.ClientCapabilities],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KEEPSTATE_GIT_SECONDS", LONG)
    async with editing(client(), job.parent, cache, settings={"workspace": False}) as editor:
        uri = editor.open(job)
        version = editor.replace(uri, "SIZE 10", "SIZE 20")

        async def shown(version: int) -> list[types.Diagnostic]:
            return await (
                editor.pulled(uri, at_once=True) if client is vscode else editor.pushed(uri, version, at_once=True)
            )

        assert [one.code for one in await shown(version)] == ["window-size-changed"]
        # What was asked for goes on hanging, what runs already too: the process that has the objects.
        git.stall("-C")
        for pid in git.left():
            os.kill(int(str(pid)), signal.SIGSTOP)
        editor.save(uri, job)
        version = editor.replace(uri, "daily SIZE", "weekly SIZE")
        found = await shown(version)
        (finding,) = [one for one in found if one.code == "window-size-changed"]
        assert finding.message.endswith("(from the last text that was compared)")
        (note,) = notes(found)
        assert note.startswith("Not compared yet: git ") and "from the last text" in note
        hover = await editor.hover(uri, "20")
        assert hover is not None and "has not answered yet" in str(hover.contents)
        git.answer()


async def test_what_was_compared_goes_on(job: Path, cache: Path, git: StallingGit) -> None:
    """A baseline that was read is not asked for at each keystroke: nothing waits for git then."""
    async with editing(minimal(), job.parent, cache, settings={"workspace": False}) as editor:
        uri = editor.open(job)
        assert await editor.pushed(uri, 1) == []
        git.stall("-C")
        version = editor.replace(uri, "SIZE 10", "SIZE 20")
        assert [one.code for one in await editor.pushed(uri, version)] == ["window-size-changed"]
        assert messages(editor) == []


async def test_another_repository_is_not_held_up(job: Path, cache: Path, git: StallingGit, tmp_path: Path) -> None:
    other = GitRepository(tmp_path / "healthy")
    other.commit({"other.sql": JOB})
    git.stall("-C", where=str(job.parent))
    async with editing(minimal(), job.parent, cache, settings={"workspace": False}) as editor:
        dead = editor.open(job)
        alive = editor.open(other.folder / "other.sql")
        version = editor.replace(alive, "SIZE 10", "SIZE 20")
        found = await editor.pushed(alive, version)
        assert [one.code for one in found] == ["window-size-changed"]
        assert notes(await pushed(editor, dead, lambda found: bool(notes(found))))
        git.answer()


async def test_files_that_are_not_open(cache: Path, git: StallingGit, repository: GitRepository) -> None:
    """Each of many files is compared as soon as git answers; until then none is said to be fine."""
    repository.commit({f"{number}.sql": JOB for number in range(30)})
    for number in range(30):
        repository.write(f"{number}.sql", JOB.replace("SIZE 10", "SIZE 20"))
    git.stall("rev-parse")
    async with editing(minimal(), repository.folder, cache, poll_seconds=0.2) as editor:
        uri = uri_of(repository.folder / "7.sql")
        late = await pushed(editor, uri, bool)
        assert "did not answer" in notes(late)[0]
        git.answer()
        found = await pushed(editor, uri, lambda found: bool(found) and not notes(found))
        assert [one.code for one in found] == ["window-size-changed"]
        assert not [one for one in editor.published if one.uri == uri and one.diagnostics == []]


HANGING: dict[str, tuple[str, str | None]] = {
    "opening": ("rev-parse", None),
    "reading": ("cat-file", None),
    "listing": ("ls-files", None),
    "choosing": ("for-each-ref", "keepstate.listBaselines"),
    "marking": ("hash-object", "keepstate.markDeployed"),
    "writing": ("update-ref", "keepstate.markDeployed"),
}


@pytest.mark.parametrize("what", HANGING)
@pytest.mark.parametrize("how", ["exit", "vanish", "terminate"])
async def test_the_end_waits_for_nothing(
    job: Path, cache: Path, git: StallingGit, monkeypatch: pytest.MonkeyPatch, what: str, how: str
) -> None:
    """The server is gone long before git would be given up, and nothing that it started is left."""
    monkeypatch.setenv("KEEPSTATE_GIT_SECONDS", LONG)
    command, asked = HANGING[what]
    git.stall(command)
    async with editing(minimal(), job.parent, cache, poll_seconds=0.1) as editor:
        uri = editor.open(job)
        request = None
        if asked is not None:
            await editor.pushed(uri, 1)
            request = asyncio.ensure_future(editor.command(asked, uri))
        while not git.waiting():
            await asyncio.sleep(0)
        process = editor.client._server
        assert process is not None
        if how == "exit":
            await asyncio.wait_for(editor.client.shutdown_async(None), SECONDS)
            editor.client.exit(None)
        elif how == "vanish":
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.terminate()
        status = await asyncio.wait_for(process.wait(), SECONDS)
        assert status == (0 if how == "exit" else 1)
        assert git.left(within=60) == []
        if request is not None:
            request.cancel()
        editor.is_gone = True
