"""The CPU of a server for answers beside the CPU of the check that they follow: hovers, code actions, and nothing."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import job_folders
import long_jobs
from editing import Editor
from figures import Figure, Reference
from keepstate.engines import ENGINES
from processes import cpu_of_threads

ROUNDS = 15
_IN_A_ROW = 20
_NOTHING = "hover of nothing"
_BARE = """
from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(params):
    return None


server.start_io()
"""
_QUIET = 0.05
"""Seconds without any work, after which the work of a message is over."""


def answers() -> Iterator[Figure]:
    """Answers about a checked text of 1,000 lines: CPU of the server, beside that of the keystroke before"""
    for engine in ENGINES:
        with tempfile.TemporaryDirectory() as temporary:
            yield from _answers(Path(temporary), engine)


def _answers(folder: Path, engine: str) -> Iterator[Figure]:
    place = next(place for place in long_jobs.keystrokes(1000) if place.what == "an aggregate")
    (folder / "job.sql").write_text(long_jobs.script(1000))
    (folder / "keepstate.toml").write_text(f'engine = "{engine}"\n')
    job_folders.commit_all(folder)
    uri = (folder / "job.sql").as_uri()
    editor, bare = Editor(folder), Editor(folder, command=[sys.executable, "-c", _BARE])
    document = {"uri": uri, "languageId": "sql", "version": 0, "text": long_jobs.script(1000)}
    editor.notify("textDocument/didOpen", {"textDocument": document})
    editor.published(uri, 0)
    line, column = place.head.count("\n"), len(place.head) - place.head.rindex("\n") - 1
    query = place.head[: place.head.rindex("INSERT INTO")].count("\n")
    finding = {"line": line, "character": column + 1}
    requests: dict[str, tuple[str, dict[str, Any]]] = {
        "hover at a finding": ("textDocument/hover", {"position": finding}),
        "code action at a finding": (
            "textDocument/codeAction",
            {"range": {"start": finding, "end": finding}, "context": {"diagnostics": []}},
        ),
        "hover of nothing": ("textDocument/hover", {"position": {"line": 1, "character": 10_000}}),
        "hover of nothing in the changed query": ("textDocument/hover", {"position": {"line": query, "character": 3}}),
    }
    nothing = {"textDocument": {"uri": uri}, **requests[_NOTHING][1]}
    spent: dict[str, list[float]] = {"check": [], "bare": [], **{name: [] for name in requests}}
    for number in range(ROUNDS + 2):
        version = number + 1
        text = place.script(number + 3000)

        def check(version: int = version, text: str = text) -> None:
            changed = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}
            editor.notify("textDocument/didChange", changed)
            editor.published(uri, version)

        spent["check"].append(_work(editor.server, check))
        for name, (method, params) in requests.items():
            found: list[Any] = []
            asked = {"textDocument": {"uri": uri}, **params}
            spent[name].append(_work(editor.server, lambda: found.append(editor.ask(method, asked))))  # noqa: B023
            assert bool(found[0]) is not name.startswith(_NOTHING), (name, found)
        spent["bare"].append(_work(bare.server, lambda: bare.ask("textDocument/hover", nothing)))
    before = cpu_of_threads(editor.server)
    for _ in range(_IN_A_ROW):
        editor.ask("textDocument/hover", nothing)
    in_a_row = (cpu_of_threads(editor.server) - before) / _IN_A_ROW * 1000
    editor.close()
    bare.close()
    medians = {name: statistics.median(times[2:]) * 1000 for name, times in spent.items()}
    checked = Reference("the check", medians.pop("check"))
    # Both wake up for one message: most of that is neither's own work.
    woken = Reference("bare pygls that answers null", medians.pop("bare"))
    for name, value in medians.items():
        if name.startswith(_NOTHING):
            yield Figure(f"{name}, {engine}", value, "ms", beside=woken, most=2)
        else:
            yield Figure(f"{name}, {engine}", value, "ms", beside=checked, most=1)
    yield Figure(f"{_NOTHING}, one of {_IN_A_ROW} in a row, {engine}", in_a_row, "ms", 1)


def _work(server: int, ask: Callable[[], Any]) -> float:
    """Seconds of CPU of the server for a message, with the work that it leaves for later."""
    before = cpu_of_threads(server)
    ask()
    spent = cpu_of_threads(server)
    while True:
        time.sleep(_QUIET)
        now = cpu_of_threads(server)
        if now - spent < _QUIET / 50:
            return now - before
        spent = now
