"""Jobs whose tables one file declares: keystrokes in a CREATE TABLE, checks of its readers, a large repository."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import gate
import job_folders
from editing import Editor, percentile
from figures import Figure, Reference
from measuring import child_cpu

READERS = 50
KEYSTROKES = 60
PAUSE = 0.8
"""Seconds between keystrokes: longer than new findings wait for the next key."""
JOBS = 1000
FILES = 10_000
ROUNDS = 3
_DECLARATION = "ddl/orders.sql"
_TABLE = """\
-- The orders of all shops.
CREATE TABLE orders (
  order_id BIGINT,
  category STRING,
  amount DECIMAL(%s, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'format' = 'json');
"""
_JOB = """\
INSERT INTO totals_{n}
SELECT category, SUM(amount) AS gmv, MAX(amount) AS largest, COUNT(*) AS orders
FROM orders
WHERE order_id % 1000 <> {n}
GROUP BY category;
"""
_PLACE = {"start": {"line": 4, "character": 17}, "end": {"line": 4, "character": 19}}
"""The precision of ``amount``."""


def shared_declarations() -> Iterator[Figure]:
    """A table that many jobs read: a keystroke in its declaration, and a check of all jobs"""
    yield from _keystrokes()
    yield from _checks()
    yield from _large_repository()


def _lay_out(folder: Path, jobs: int, others: int = 0) -> Path:
    """A repository in which so many jobs read one table, beside tables that no job reads."""
    texts = {_DECLARATION: _TABLE % 12, "keepstate.toml": 'context = ["ddl/*.sql"]\n'}
    texts |= {f"jobs/totals_{number}.sql": _JOB.format(n=number) for number in range(jobs)}
    texts |= {f"more/m{number % 100}/t{number}.sql": job_folders.job(number) for number in range(others)}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    job_folders.commit_all(folder)
    return folder


def _keystrokes() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = _lay_out(Path(temporary) / "shop", READERS)
        editor = Editor(folder)
        declaration, reader = (folder / _DECLARATION).as_uri(), (folder / "jobs/totals_0.sql").as_uri()
        for uri, text in ((declaration, _TABLE % 12), (reader, _JOB.format(n=0))):
            document = {"uri": uri, "languageId": "sql", "version": 0, "text": text}
            editor.notify("textDocument/didOpen", {"textDocument": document})
            editor.published(uri, 0)
        report = {"command": "keepstate.report", "arguments": [{"show": False}]}
        editor.ask("workspace/executeCommand", report)
        own, open_reader, closed = [], [], []
        for number in range(1, KEYSTROKES + 1):
            time.sleep(PAUSE)
            change = {"range": _PLACE, "text": str(13 + number % 20)}
            document = {"uri": declaration, "version": number}
            began = time.perf_counter()
            editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
            own.append(editor.published(declaration, number) - began)
            open_reader.append(editor.published_after(reader, began) - began)
            editor.ask("workspace/executeCommand", report)
            closed.append(time.perf_counter() - began)
        editor.close()
    what = f"a keystroke in a CREATE TABLE that {READERS} jobs read"
    yield Figure(f"{what}: its findings, p95", percentile(own, 0.95) * 1000, "ms", 50)
    yield Figure("    those of an open job that reads it, p95", percentile(open_reader, 0.95) * 1000, "ms", 50)
    yield Figure("    those of all closed jobs, median", statistics.median(closed) * 1000, "ms")


def _checks() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = _lay_out(Path(temporary) / "shop", JOBS)
        texts = [path.read_text() for path in sorted(folder.rglob("*.sql"))]
        for number in range(0, JOBS, 10):
            (folder / f"jobs/totals_{number}.sql").write_text(_JOB.format(n=number + JOBS))
        some = [(gate.parse_time_of(texts), gate.check_time(folder, "github")) for _ in range(ROUNDS)]
        (folder / _DECLARATION).write_text(_TABLE % 14)
        every = [gate.check_time(folder, "github") for _ in range(ROUNDS)]
    parsing, took = (statistics.median(column) for column in zip(*some, strict=True))
    reading = Reference(f"reading all texts once, {gate.cores()} cores", parsing)
    yield Figure(f"check of {JOBS:,} jobs over one table, one job in ten changed", took, "s", beside=reading)
    yield Figure("    the table changed", statistics.median(every), "s", beside=reading)


def _large_repository() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = _lay_out(Path(temporary) / "shop", 1, FILES)
        (folder / _DECLARATION).write_text(_TABLE % 14)
        command = [*gate.KEEPSTATE, "check"]
        first = child_cpu(command, folder)
        identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
        subprocess.run(["git", *identity, "commit", "-qam", "wider"], cwd=folder, check=True)
        (folder / _DECLARATION).write_text(_TABLE % 16)
        again = child_cpu(command, folder)
    yield Figure(f"CPU of a check of one table among {FILES:,} files, the first", first, "s")
    yield Figure("    after the next commit", again, "s", 2)
