"""The CPU of a server for answers beside the CPU of the check that they follow: hovers, code actions, and nothing."""

from __future__ import annotations

import statistics
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
_NOTHING = "hover of nothing"
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
    editor = Editor(folder)
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
    spent: dict[str, list[float]] = {"check": [], **{name: [] for name in requests}}
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
    editor.close()
    medians = {name: statistics.median(times[2:]) * 1000 for name, times in spent.items()}
    checked = Reference("the check", medians.pop("check"))
    for name, value in medians.items():
        if name.startswith(_NOTHING):
            yield Figure(f"{name}, {engine}", value, "ms", 1)
        else:
            yield Figure(f"{name}, {engine}", value, "ms", beside=checked, most=1)


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
