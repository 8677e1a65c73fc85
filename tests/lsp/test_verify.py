"""A restart on Flink asked for in the editor: a real server, with a stand-in for the command that it runs."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editor import Editor, editing, vscode
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.virtual_documents import RUNS
from keepstate_lsp.lsp.convert import plain
from repositories import GitRepository
from shops import REVENUE, TYPE, shop
from watching import Watch, asked, processes

pytestmark = pytest.mark.asyncio

HERE = Path(__file__).parent
JOB = "INSERT INTO daily SIZE 10 KEYS a,b;\nINSERT INTO hourly SIZE 5 KEYS a;\n"
SIZE = ("SIZE 10", "SIZE 20")
EDITED = JOB.replace(*SIZE)
LINE = "Measured on Flink 2.3.0: does not start"
TITLE = "on a real Flink"


def job(name: str, measured: str, words: str, **other: Any) -> dict[str, Any]:
    """A job of a document of ``keepstate verify --format json``."""
    known = {"because": None, "note": None, "exception": None, "predicted": "exact", "agrees": True, "witness": None}
    return {"name": name, "measured": measured, "words": {"measured": words, "predicted": "exact"}, **known, **other}


FOUND: dict[str, Any] = {
    "file": "daily.sql",
    "baseline": "HEAD",
    "flink": "2.3.0",
    "rows": None,
    "jobs": [
        job("INSERT INTO daily", "does-not-start", "does not start", because="What it stores has another layout."),
        job("INSERT INTO hourly", "starts", "starts"),
    ],
    "notices": [],
}


class Command:
    """The stand-in for a command, as seen by a test."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self.program = folder / "program"
        self.program.write_text(f"#!{sys.executable}\n{(HERE / 'standin_command.py').read_text('utf-8')}", "utf-8")
        self.program.chmod(0o700)
        os.mkfifo(folder / "answer")

    async def answer(self, document: Mapping[str, Any]) -> None:
        """Have it end, as soon as it waits for that."""
        await asyncio.to_thread((self._folder / "answer").write_text, json.dumps(document), "utf-8")

    @property
    def given(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self._folder / "arguments.json").read_text("utf-8"))
        return found

    def server(self, start: str, without: Sequence[str] = ()) -> tuple[str, ...]:
        """The command line of a server that runs the stand-in; ``start`` is its last statement."""
        missing = "".join(f"sys.modules[{name!r}] = None\n" for name in without)
        lines = f"import sys\n{missing}sys.executable = {str(self.program)!r}\nsys.path.insert(0, {str(HERE)!r})\n"
        return (sys.executable, "-c", f"{lines}{start}")


@pytest.fixture
def daily(repository: GitRepository) -> GitRepository:
    repository.commit({"daily.sql": JOB})
    return repository


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "command")


def at_work(
    repository: GitRepository,
    cache: Path,
    command: Command,
    without: Sequence[str] = (),
    real: bool = False,
    **announced: object,
) -> AbstractAsyncContextManager[Editor]:
    """An editor whose server has the stand-in for the analyzer, or the ``real`` one."""
    capabilities = vscode()
    assert capabilities.window is not None
    capabilities.window.work_done_progress = True
    capabilities.experimental = {"keepstate": {"commands": ["keepstate.compare"], **announced}}
    start = f"from standin import serve\nsys.exit(serve({str(cache)!r}, '3600'))"
    if real:
        start = "from keepstate_lsp.lsp.launch import main\nsys.exit(main())"
    return editing(capabilities, repository.folder, cache, command=command.server(start, without))


async def shown(editor: Editor, uri: str, part: str) -> list[str]:
    """The places that say what was measured: the lenses, and the hover at a part of the text."""
    lenses = [lens.command.title for lens in await editor.lenses(uri) if lens.command is not None]
    hover = await editor.hover(uri, part)
    found = [title.partition(". ")[2] for title in lenses if "easured" in title]
    if hover is not None and "easured on" in (text := getattr(hover.contents, "value", "")):
        found.append(next(line for line in text.splitlines() if "easured on" in line))
    return found


async def verified(
    editor: Editor, command: Command, uri: str, document: Mapping[str, Any] = FOUND, **options: Any
) -> dict[str, Any]:
    """The answer to a request that the stand-in answers with a document."""
    running = asyncio.ensure_future(asked(editor, "keepstate.verify", uri, {"wait": True, **options}))
    await command.answer(document)
    answer: dict[str, Any] = plain(await running)
    return answer


async def test_what_is_typed_is_measured(daily: GitRepository, cache: Path, command: Command) -> None:
    """It is said in hover and lens for as long as both texts are those that were measured."""
    async with at_work(daily, cache, command) as editor:
        watch = Watch(editor, TITLE)
        uri = editor.open(daily.folder / "daily.sql", EDITED)
        assert await shown(editor, uri, "20") == []
        options = {"flink": "2.3", "generate": True, "wait": True}
        running = asyncio.ensure_future(asked(editor, "keepstate.verify", uri, options))
        await watch.until("INSERT INTO daily")
        with pytest.raises(JsonRpcException, match=r"A rehearsal of daily\.sql is running already; cancel it first"):
            await editor.command("keepstate.verify", uri)
        await command.answer(FOUND)
        assert plain(await running) == {
            "cancelled": False,
            "sentence": "daily.sql on Flink 2.3.0: INSERT INTO daily: does not start; INSERT INTO hourly: starts. "
            "What it stores has another layout. It was restarted from HEAD.",
            "stale": False,
        }
        assert watch.ended and watch.said[:2] == [
            "Keepstate: restarting daily.sql on a real Flink",
            "Flink is started",
        ]
        words, versions = command.given["arguments"], command.given["versions"]
        assert words[2:4] == ["verify", str(daily.folder / "daily.sql")]
        assert {"--flink=2.3", "--generate", "--progress=json", "--end-with-input"} <= set(words)
        assert (versions["current"]["text"], versions["baseline"]["text"]) == (EDITED, JOB)

        measured = [
            LINE,
            "Measured on Flink 2.3.0: starts",
            "**Measured on Flink 2.3.0:** does not start. What it stores has another layout.",
        ]
        assert await shown(editor, uri, "20") == measured
        editor.replace(uri, "SIZE 20", "SIZE 30")
        assert await shown(editor, uri, "30") == []
        editor.replace(uri, "SIZE 30", "SIZE 20")
        assert await shown(editor, uri, "20") == measured

        daily.commit({"daily.sql": JOB.replace("SIZE 5", "SIZE 6")})
        await editor.command("keepstate.recheckAll")
        assert await shown(editor, uri, "20") == []
        await editor.command("keepstate.chooseBaseline", "HEAD~1")
        assert await shown(editor, uri, "20") == measured
        assert list((cache / RUNS).iterdir()) == []
    assert not processes(cache)


async def test_a_text_that_changes_meanwhile(daily: GitRepository, cache: Path, command: Command) -> None:
    async with at_work(daily, cache, command) as editor:
        watch = Watch(editor, TITLE)
        uri = editor.open(daily.folder / "daily.sql", EDITED)
        assert plain(await editor.command("keepstate.verify", uri)) == {"flink": None, "generate": False}
        await watch.until("INSERT INTO daily")
        assert not {"--generate"} & set(command.given["arguments"])
        editor.replace(uri, "SIZE 20", "SIZE 30")
        await command.answer(FOUND)
        said = await editor.message("INSERT INTO daily: does not start")
        assert said.message.endswith("This was the text as it was then; it has changed since.")
        assert await shown(editor, uri, "30") == []
        editor.replace(uri, "SIZE 30", "SIZE 20")
        assert (await shown(editor, uri, "20"))[0] == LINE


async def test_a_declaration_that_the_job_reads(repository: GitRepository, cache: Path, command: Command) -> None:
    repository.commit(dict(shop("jobs/revenue.sql")))
    found = {**FOUND, "jobs": [job("INSERT INTO revenue", "starts", "starts")]}
    async with at_work(repository, cache, command, real=True) as editor:
        revenue = editor.open(repository.folder / "jobs" / "revenue.sql", REVENUE.replace("SUM(", "MAX("))
        orders = editor.open(repository.folder / "ddl" / "orders.sql")
        await verified(editor, command, revenue, found)
        assert "CREATE TABLE orders" in command.given["versions"]["current"]["text"]
        line = "Measured on Flink 2.3.0: starts"

        async def said() -> bool:
            return any(line in words for words in await shown(editor, revenue, "MAX"))

        assert await said()
        editor.replace(orders, *TYPE)
        await editor.command("keepstate.recheckAll")
        assert not await said()
        editor.replace(orders, *reversed(TYPE))
        await editor.command("keepstate.recheckAll")
        assert await said()


async def test_cancel_and_the_end_leave_nothing(daily: GitRepository, cache: Path, command: Command) -> None:
    async with at_work(daily, cache, command) as editor:
        watch = Watch(editor, TITLE)
        uri = editor.open(daily.folder / "daily.sql", EDITED)
        running = asyncio.ensure_future(asked(editor, "keepstate.verify", uri, {"wait": True}))
        await watch.until("INSERT INTO daily")
        assert processes(cache / RUNS)
        editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(watch.tokens[0]))
        assert plain(await running) == {"cancelled": True}
        assert not processes(cache / RUNS)
        assert await editor.command("keepstate.cancelVerify", uri) is False

        watch = Watch(editor, TITLE)
        running = asyncio.ensure_future(asked(editor, "keepstate.verify", uri, {"wait": True}))
        await watch.until("INSERT INTO daily")
        assert await editor.command("keepstate.cancelVerify", uri) is True
        assert plain(await running) == {"cancelled": True}
        assert list((cache / RUNS).iterdir()) == []

        watch = Watch(editor, TITLE)
        await editor.command("keepstate.verify", uri)
        await watch.until("INSERT INTO daily")
    assert not processes(cache / RUNS)
    assert list((cache / RUNS).iterdir()) == []


async def test_a_failure_is_said_without_options(daily: GitRepository, cache: Path, command: Command) -> None:
    late = {"says": "Flink was stopped after 600 s. Try: Give it more with --time-limit."}
    async with at_work(daily, cache, command) as editor:
        uri = editor.open(daily.folder / "daily.sql", EDITED)
        with pytest.raises(JsonRpcException, match=r"Flink was stopped after 600 s\.$"):
            await verified(editor, command, uri, late)
        await editor.command("keepstate.verify", uri)
        await command.answer({"says": "Flink needs Java 17 to 23, and none was found."})
        assert (await editor.message("Java 17")).type is types.MessageType.Warning
        assert await shown(editor, uri, "20") == []
        assert list((cache / RUNS).iterdir()) == []


async def test_what_cannot_be_measured(daily: GitRepository, cache: Path, command: Command) -> None:
    async with at_work(daily, cache, command) as editor:
        uri = editor.open(daily.folder / "daily.sql", EDITED)
        refused: list[tuple[dict[str, Any], str]] = [
            ({"flink": 2.3}, "flink must be a text"),
            ({"generate": "yes"}, "generate must be true or false"),
        ]
        for options, says in refused:
            with pytest.raises(JsonRpcException, match=says):
                await editor.command("keepstate.verify", uri, options)
        new = editor.open(daily.write("new.sql", JOB))
        with pytest.raises(JsonRpcException, match=r"new\.sql has no baseline to restart from: "):
            await editor.command("keepstate.verify", new)
        editor.replace(uri, "KEYS a,b", "BROKEN")
        with pytest.raises(JsonRpcException, match="a statement of it, or of its baseline, cannot be read"):
            await editor.command("keepstate.verify", uri)
        assert not list(cache.glob(f"{RUNS}/*"))


@pytest.mark.parametrize("package", ["keepstate_flink", "py4j"])
async def test_without_flink_it_says_how_to_get_it(
    daily: GitRepository, cache: Path, command: Command, package: str
) -> None:
    async with at_work(daily, cache, command, without=[package]) as editor:
        uri = editor.open(daily.folder / "daily.sql", EDITED)
        with pytest.raises(JsonRpcException, match=r"pip install '\.\[flink\]'"):
            await editor.command("keepstate.verify", uri)


@pytest.mark.parametrize("name", ["keepstate.verify", "keepstate.replay", "keepstate.cutover"])
async def test_never_in_an_untrusted_workspace(daily: GitRepository, cache: Path, command: Command, name: str) -> None:
    async with at_work(daily, cache, command, untrusted=True) as editor:
        uri = editor.open(uri_of(daily.folder / "daily.sql"), EDITED)
        with pytest.raises(JsonRpcException, match="This workspace is not trusted, so nothing is run over its files"):
            await editor.command(name, uri)
        assert not list(cache.glob(f"{RUNS}/*"))
