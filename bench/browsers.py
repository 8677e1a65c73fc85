"""Keepstate in WebAssembly, as the playground and the extension without Python run it: sizes, starts, keystrokes."""

from __future__ import annotations

import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import long_jobs
from figures import Figure, Reference
from keepstate.hosts.host import Host
from keepstate_lsp.version import VERSION

ROOT = Path(__file__).parents[1]
CLIENT = ROOT / "vscode-client"
SESSION = ROOT / "tests" / "hosts" / "chromium_session.mjs"
EDITORS = (
    Path(
        os.environ.get("KEEPSTATE_TEST_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keepstate-tests"
    )
    / "vscode"
)
"""The folder with the Chromium of ``make editors``."""
LINES = 1000
KEYSTROKES = 12
ROUNDS = 3
Ask = Callable[[str], None]


def browsers() -> Iterator[Figure]:
    """WebAssembly in Node and in Chromium: the assets, the first verdict, and a keystroke beside CPython"""
    if not (CLIENT / "node_modules" / "pyodide").is_dir():
        print("(no packages of vscode-client: make client installs them)")
        return
    with tempfile.TemporaryDirectory(prefix="keepstate-bench-") as temporary:
        page = Path(temporary) / "page"
        build = ["node", str(CLIENT / "playground" / "build.mjs"), str(page)]
        subprocess.run(build, env={**os.environ, "PYTHON": sys.executable}, stdout=subprocess.DEVNULL, check=True)
        assets = [path.read_bytes() for path in page.rglob("*") if path.is_file()]
        yield Figure("all assets of the playground", sum(map(len, assets)) / 1e6, "MB", budget=16)
        yield Figure(
            "    as a server that compresses sends them", sum(len(gzip.compress(one)) for one in assets) / 1e6, "MB"
        )
        yield from _in_node(page)
        yield from _in_chromium(page, Path(temporary))


def _in_node(page: Path) -> Iterator[Figure]:
    starts, computed = [], []
    for _ in range(ROUNDS):
        began, before = time.perf_counter(), _processor_seconds()
        with _node(page) as ask:
            ask(_request(0, 100))
            starts.append(time.perf_counter() - began)
        computed.append(_processor_seconds() - before)
    yield Figure("first verdict in Node, from the start of the process", statistics.median(starts), "s", budget=6)
    yield Figure("    time of the processor", statistics.median(computed), "s")
    host = Host(VERSION)
    with _node(page) as ask:
        for turn in range(2):
            # Both have read the job before.
            ask(_request(turn, LINES))
            host.answer(_request(turn, LINES))
        took = [(_seconds(ask, request), _seconds(host.answer, request)) for request in _keystrokes()]
    ours, theirs = (statistics.median(each) * 1000 for each in zip(*took, strict=True))
    cpython = Reference("the same in CPython", theirs)
    yield Figure(f"keystroke in {LINES:,} lines, request to answer", ours, "ms", beside=cpython, most=4)


def _processor_seconds() -> float:
    """The time that processes took which have ended, and which this one waited for."""
    times = os.times()
    return times.children_user + times.children_system


def _in_chromium(page: Path, folder: Path) -> Iterator[Figure]:
    if not (EDITORS / "ready").exists():
        print("(no Chromium for tests: make editors installs it)")
        return
    firsts, kept = [], []
    for _ in range(ROUNDS):
        command = ["node", str(SESSION), str(EDITORS), str(page), str(folder)]
        seen = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        assert "failure" not in seen, seen["failure"]
        firsts.append(seen["milliseconds"]["first verdict"] / 1000)
        kept.append(seen["milliseconds"]["verdict without a network"] / 1000)
    yield Figure("first verdict in Chromium, first visit", statistics.median(firsts), "s", budget=6)
    yield Figure("    next visit, without a network", statistics.median(kept), "s", budget=2)


@contextmanager
def _node(page: Path) -> Iterator[Ask]:
    """A function that puts a request to Keepstate in a Node of its own, and waits for the answer."""
    command = ["node", "playground/node.mjs", str(page)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=CLIENT, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as node:
        assert node.stdin is not None and node.stdout is not None
        stdin, stdout = node.stdin, node.stdout

        def ask(request: str) -> None:
            stdin.write(f"{request}\n")
            stdin.flush()
            answer = json.loads(stdout.readline())
            assert "answer" in answer, answer

        yield ask
        stdin.close()


def _keystrokes() -> Iterator[str]:
    (edit,) = (one for one in long_jobs.keystrokes(LINES) if one.what == "an aggregate")
    return (_asked(number, edit.script(number), LINES) for number in range(10, 10 + KEYSTROKES))


def _request(number: int, lines: int) -> str:
    return _asked(number, long_jobs.script(lines), lines)


def _asked(number: int, text: str, lines: int) -> str:
    sides = {"current": text, "baseline": long_jobs.script(lines)}
    versions = {side: {"files": {"job.sql": text}, "job": "job.sql"} for side, text in sides.items()}
    return json.dumps({"do": "check", "id": number, "engine": "vvr", **versions})


def _seconds(ask: Callable[[str], object], request: str) -> float:
    began = time.perf_counter()
    ask(request)
    return time.perf_counter() - began
