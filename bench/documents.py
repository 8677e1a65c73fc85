"""Open documents while the server has other things to do: two people typing, a workspace to check, a long afternoon."""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import job_folders
import long_jobs
from editing import Editor, Typist, percentile
from figures import Figure, Reference
from processes import children, cpu_of_threads, memory, open_files

TYPED = 300
PAUSE, OTHER_PAUSE = 0.06, 0.045
"""Seconds between keystrokes: faster than people type, out of step with each other."""
FILES = 1000
EDITS = 20_000


def typing() -> Iterator[Figure]:
    """Two people's worth of typing: what one document waits for while another one is being edited as well"""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in ("job.sql", "other.sql"):
            (folder / name).write_text(long_jobs.script(1000))
        job_folders.commit_all(folder)
        editor = Editor(folder)
        typist, other = (Typist(editor, folder / name, 1000) for name in ("job.sql", "other.sql"))
        alone, times = [], []
        for _ in range(TYPED):
            alone.append(typist.keystroke())
            time.sleep(PAUSE)
        enough = threading.Event()

        def type_elsewhere() -> None:
            while not enough.wait(OTHER_PAUSE):
                other.type()

        thread = threading.Thread(target=type_elsewhere)
        thread.start()
        for _ in range(TYPED):
            times.append(typist.keystroke())
            time.sleep(PAUSE)
        enough.set()
        thread.join()
        editor.close()
    by_itself = Reference("typing in one document alone", percentile(alone, 0.95) * 1000)
    yield Figure("didChange to findings, p95", percentile(times, 0.95) * 1000, "ms", 50, by_itself)
    by_itself = Reference("alone", statistics.median(alone) * 1000)
    yield Figure("    median", statistics.median(times) * 1000, "ms", beside=by_itself)
    yield Figure("    slowest", max(times) * 1000, "ms", beside=Reference("alone", max(alone) * 1000))


def workspace() -> Iterator[Figure]:
    """A workspace of many jobs: checked behind an open document; then an afternoon of editing"""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "shops"
        folder.mkdir()
        job_folders.lay_out(folder, FILES, {"long.sql": long_jobs.script(1000)})
        began = time.perf_counter()
        editor = Editor(folder)
        typist = Typist(editor, folder / "long.sql", 1000)
        with ThreadPoolExecutor() as pool:
            # The report is answered when everything is checked.
            report = {"command": "keepstate.report", "arguments": [{"show": False}]}
            answer = pool.submit(editor.ask, "workspace/executeCommand", report)
            times, spent = [], []
            while not answer.done():
                before = cpu_of_threads(editor.server)
                times.append(typist.keystroke())
                spent.append(cpu_of_threads(editor.server) - before)
                time.sleep(PAUSE)
        took = time.perf_counter() - began
        print(f"    {answer.result()['summary']}")
        lines = FILES * job_folders.LINES_PER_FILE
        yield Figure(f"{FILES:,} files, {lines:,} lines: all checked, from the start", took, "s")
        yield Figure(f"    slowest of {len(times)} keystrokes meanwhile", max(times) * 1000, "ms", 100)
        yield Figure("    median", statistics.median(times) * 1000, "ms")
        yield Figure("    CPU of the server for one of them, median", statistics.median(spent) * 1000, "ms", 30)
        before = memory(editor.server)
        files, processes = open_files(editor.server), children(editor.server)
        yield Figure("    memory of the server then", before, "MB", 200)
        times = [typist.keystroke() for _ in range(EDITS)]
        after, then = memory(editor.server), Reference("before", before)
        yield Figure(f"    memory after {EDITS:,} keystrokes", after, "MB", 200, then, most=1.05)
        now = open_files(editor.server)
        if now is not None and files is not None:
            yield Figure(f"    open files, {files} before: more by", now - files, "", 0)
        yield Figure(f"    child processes, {processes} before: more by", children(editor.server) - processes, "", 0)
        yield Figure("    didChange to findings meanwhile, p95", percentile(times, 0.95) * 1000, "ms", 50)
        yield Figure("        slowest", max(times) * 1000, "ms")
        editor.close()
