"""Help with writing as an editor asks for it: each letter is a change of the text, and a request right behind it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import job_folders
import long_jobs
from editing import Editor, percentile
from figures import Figure, Reference

LINES = 1000
BUDGET = 30
"""Milliseconds for 95 of 100 answers of completion."""
_ROUNDS = 4


@dataclass(frozen=True)
class Typed:
    """Text that is typed letter by letter at the place of ``instead`` behind the first ``start`` of a statement."""

    what: str
    start: str
    instead: str
    letters: str


TYPED = (
    Typed("a column", "INSERT INTO hourly_{n}\n", "MAX(amount)", "MAX(amou"),
    Typed("a column of a view over a window", "INSERT INTO revenue_{n}\n", "category,", "cate"),
    Typed("a condition", "INSERT INTO hourly_{n}\n", "category <>", "amount"),
    Typed("a relation", "INSERT INTO visits_{n}\n", "FROM orders_{n}", "FROM ord"),
    Typed("a time attribute", "INSERT INTO best_sellers_{n}\n", "DESCRIPTOR(order_time)", "DESCRIPTOR(ord"),
    Typed("an option", "CREATE TABLE orders_{n} ", "'topic'", "'prop"),
)


def writing() -> Iterator[Figure]:
    """Help with writing in 1,000 lines: by the clock, from a letter to the answer about it"""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        path = folder / "job.sql"
        script = long_jobs.script(LINES)
        path.write_text(script)
        job_folders.commit_all(folder)
        editor = Editor(folder)
        document = {"uri": path.as_uri(), "languageId": "sql", "version": 0, "text": script}
        editor.notify("textDocument/didOpen", {"textDocument": document})
        editor.published(path.as_uri(), 0)
        writer = _Writer(editor, path.as_uri(), script)
        times = {typed.what: writer.type(typed) for typed in TYPED}
        for _ in range(_ROUNDS - 1):
            for typed in TYPED:
                times[typed.what] += writer.type(typed)
        others = {
            what: [writer.ask(method, {}) for _ in range(20)]
            for what, method in (
                ("semantic tokens", "textDocument/semanticTokens/full"),
                ("outline", "textDocument/documentSymbol"),
                ("folding", "textDocument/foldingRange"),
            )
        }
        editor.close()
    every = [each for some in times.values() for each in some]
    yield Figure(f"letter to proposals, p95 of {len(every)}", percentile(every, 0.95) * 1000, "ms", BUDGET)
    yield Figure("    slowest", max(every) * 1000, "ms")
    whole = Reference("all letters", percentile(every, 0.95) * 1000)
    for what, some in times.items():
        yield Figure(f"    {what}, p95", percentile(some, 0.95) * 1000, "ms", beside=whole)
    for what, some in others.items():
        yield Figure(f"change to {what}, p95", percentile(some, 0.95) * 1000, "ms")


class _Writer:
    """Types in the middle of one open document, and asks for help without a pause."""

    def __init__(self, editor: Editor, uri: str, script: str) -> None:
        self._editor = editor
        self._uri = uri
        self._script = script
        self._version = 0

    def type(self, typed: Typed) -> list[float]:
        """Seconds from each letter to the proposals for it; the text is put back afterwards."""
        group = str(LINES // long_jobs.LINES_PER_GROUP // 2)
        place = self._script.index(typed.instead.replace("{n}", group), self._script.index(typed.start.format(n=group)))
        behind = self._script[place + len(typed.instead.replace("{n}", group)) :]
        times = []
        letters = typed.letters.replace("{n}", group)
        for count in range(1, len(letters) + 1):
            text = self._script[:place] + letters[:count] + behind
            line, column = text.count("\n", 0, place + count), place + count - text.rindex("\n", 0, place + count) - 1
            began = time.perf_counter()
            self._change(text)
            found = self._request("textDocument/completion", {"position": {"line": line, "character": column}})
            assert found["items"], f"nothing was proposed behind {letters[:count]}"
            times.append(time.perf_counter() - began)
        self._change(self._script)
        return times

    def ask(self, method: str, params: dict[str, Any]) -> float:
        """Seconds from a change to an answer about the new text."""
        began = time.perf_counter()
        self._change(f"{self._script}-- {self._version}\n")
        self._request(method, params)
        return time.perf_counter() - began

    def _change(self, text: str) -> None:
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        self._editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def _request(self, method: str, params: dict[str, Any]) -> Any:
        return self._editor.ask(method, {"textDocument": {"uri": self._uri}, **params})
