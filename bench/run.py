"""How fast Keepstate is, against its budgets: `make bench`, or `python bench/run.py [PART ...]`.

Parts: parsing, keystrokes, commands, server, typing, workspace, gate, windows, replays, audit. Times of work in
one process are CPU times, times between processes are those of the clock; all are medians where nothing else is said.
What is compared alternates, so that other work on the machine weighs on both. Ends with 1 if a budget is missed.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import gate as gate_runs
import job_folders
import keepstate
import language_server
import long_jobs
from editing import Editor, Typist, percentile
from processes import children, memory, open_files

ROUNDS = 15
KEYSTROKES = 31
STARTS = 11
COLD_RUNS = 9
TYPED = 300
PAUSE, OTHER_PAUSE = 0.06, 0.045
"""Seconds between keystrokes: faster than people type, out of step with each other."""
FILES = 1000
EDITS = 20_000
GATE_RUNS = 5
UNCHANGED = 10_000


@dataclass(frozen=True)
class Figure:
    """One line of the table; without a budget it is told for information."""

    what: str
    value: float
    unit: str
    budget: float | None = None

    @property
    def missed(self) -> bool:
        return self.budget is not None and self.value > self.budget

    def __str__(self) -> str:
        value = f"{self.what:<58} {self.value:8.2f} {self.unit:<2}"
        if self.budget is None:
            return value.rstrip()
        verdict = "OVER" if self.missed else "ok"
        ratio = f"{self.value / self.budget:6.2f}" if self.budget else " " * 6
        return f"{value} {self.budget:8.2f} {self.unit:<2} {ratio}  {verdict}"


HEADER = f"{'':<58} {'value':>11} {'budget':>11} {'ratio':>6}"


def cpu(work: Callable[[int], object], rounds: int = ROUNDS) -> float:
    """Median milliseconds of CPU that ``work`` takes, called with a new number each time; two rounds warm up."""
    times = []
    for number in range(rounds + 2):
        began = time.process_time()
        work(number)
        times.append(time.process_time() - began)
    return statistics.median(times[2:]) * 1000


def parsing() -> Iterator[Figure]:
    """What reading costs, statement by statement."""
    for place in long_jobs.keystrokes(1000):
        if place.what not in ("a comment", "an alias", "a statement in pieces"):
            yield Figure(f"parse the statement with {place.what}", parse_time(place), "ms")
    text = long_jobs.script(1000)

    def split_again(number: int) -> None:
        # A comment in front moves every statement and leaves their texts, which were all parsed before.
        keepstate.parse_script(f"/* {number:06} */\n{text}")

    yield Figure("split 1,000 lines of parsed statements", cpu(split_again), "ms")


def keystrokes() -> Iterator[Figure]:
    """One keystroke in a long script, without the server: from the changed text to the report."""
    for lines in (500, 1000, 5000):
        baseline = keepstate.JobVersion(long_jobs.script(lines))
        keepstate.check(baseline, baseline)
        for place in long_jobs.keystrokes(lines):

            def check(
                number: int, place: long_jobs.Keystrokes = place, baseline: keepstate.JobVersion = baseline
            ) -> None:
                keepstate.check(keepstate.JobVersion(place.script(number + 3000)), baseline)

            budget = 3 * parse_time(place) + 10 if lines == 1000 else None
            yield Figure(f"check, {place.what} of {lines:,} lines", cpu(check), "ms", budget)


def parse_time(place: long_jobs.Keystrokes) -> float:
    """Milliseconds for parsing the changed statement alone, with a text that nobody has seen before."""
    seen = time.monotonic_ns()
    return cpu(lambda number: keepstate.parse_script(place.changed_statement(seen + number)))


def child_cpu(command: list[str], folder: Path) -> float:
    """Seconds of CPU, user and system, that a process takes from its start to its end."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), f"{command} ended with {process.returncode}"
    return usage.ru_utime + usage.ru_stime


def commands() -> Iterator[Figure]:
    """Programs from a cold start."""
    place = long_jobs.keystrokes(100)[0]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, text in (("baseline.sql", long_jobs.script(100)), ("current.sql", place.script(12))):
            statements = text.split(";")
            # The source, the view and three queries; without their sinks they have about sixty lines.
            (folder / name).write_text(";".join(statements[number] for number in (0, 3, 4, 6, 7)) + ";\n")
        count = (folder / "current.sql").read_text().count("\n")
        keepstate_command = [sys.executable, "-m", "keepstate_lsp.cli.main"]
        for form in ("text", "json"):
            command = [*keepstate_command, "diff", "baseline.sql", "current.sql", "--format", form]
            times = [child_cpu(command, folder) for _ in range(COLD_RUNS)]
            yield Figure(
                f"cold `keepstate diff`, two files of {count} lines, {form}", statistics.median(times), "s", 0.5
            )
        times = [child_cpu([sys.executable, "-c", "import sqlglot.expressions"], folder) for _ in range(COLD_RUNS)]
        yield Figure("    of which Python and sqlglot's expressions", statistics.median(times), "s")


def server() -> Iterator[Figure]:
    """The language server as a process."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        bare, ours = language_server.starts(folder, STARTS)
        yield Figure("server: spawn to initialize response / bare pygls", ours / bare, "x", 1.3)
        yield Figure(f"    bare pygls {bare:.0f} ms, Keepstate", ours, "ms")
        times = language_server.keystrokes(folder, (500, 1000, 5000), KEYSTROKES)
    for place in long_jobs.keystrokes(1000):
        budget = 3 * parse_time(place) + 10
        yield Figure(f"didChange to findings, {place.what}, 1,000 lines", times[place.what][1000], "ms", budget)
    for what, medians in times.items():
        yield Figure(f"didChange to findings, {what}, 5,000 / 500", medians[5000] / medians[500], "x", 2)
        yield Figure(f"    at 500 lines {medians[500]:.2f} ms, at 5,000 lines", medians[5000], "ms")


def typing() -> Iterator[Figure]:
    """Two people's worth of typing: what one document waits for while another one is being edited as well."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in ("job.sql", "other.sql"):
            (folder / name).write_text(long_jobs.script(1000))
        job_folders.commit_all(folder)
        editor = Editor(folder)
        typist, other = (Typist(editor, folder / name, 1000) for name in ("job.sql", "other.sql"))
        times = []
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
    yield Figure("didChange to findings while another document changes, p95", percentile(times, 0.95) * 1000, "ms", 50)
    yield Figure("    median", statistics.median(times) * 1000, "ms")
    yield Figure("    slowest", max(times) * 1000, "ms")


def workspace() -> Iterator[Figure]:
    """A workspace of many jobs: checked behind an open document; then an afternoon of editing."""
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
            times = []
            while not answer.done():
                times.append(typist.keystroke())
                time.sleep(PAUSE)
        took = time.perf_counter() - began
        lines = FILES * job_folders.LINES_PER_FILE
        print(f"    {answer.result()['summary']}")
        yield Figure(f"{FILES:,} files, {lines:,} lines: all checked, from the start", took, "s")
        yield Figure(f"    slowest of {len(times)} keystrokes meanwhile", max(times) * 1000, "ms", 100)
        yield Figure("    median", statistics.median(times) * 1000, "ms")
        before = memory(editor.server)
        files, processes = open_files(editor.server), children(editor.server)
        yield Figure("    memory of the server then", before, "MB", 200)
        times = [typist.keystroke() for _ in range(EDITS)]
        after = memory(editor.server)
        yield Figure(f"    memory after {EDITS:,} keystrokes", after, "MB", 200)
        yield Figure("        which is more by", 100 * (after / before - 1), "%", 5)
        now = open_files(editor.server)
        if now is not None and files is not None:
            yield Figure(f"    open files, {files} before: more by", now - files, "", 0)
        yield Figure(f"    child processes, {processes} before: more by", children(editor.server) - processes, "", 0)
        yield Figure("    didChange to findings meanwhile, p95", percentile(times, 0.95) * 1000, "ms", 50)
        yield Figure("        slowest", max(times) * 1000, "ms")
        editor.close()


def gate() -> Iterator[Figure]:
    """`keepstate check` in a repository of many jobs, from its start to its end, on all cores."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        some = gate_runs.lay_out(folder / "some", FILES)
        every = gate_runs.lay_out(folder / "every", FILES, all_edited=True)
        checks = (
            ("one in ten changed", some, "json", 1.5),
            ("all changed, without fixes (github)", every, "github", None),
            ("all changed, with all their fixes (json)", every, "json", None),
        )
        rounds = [
            (gate_runs.parse_time(FILES), *(gate_runs.check_time(where, form) for _, where, form, _ in checks))
            for _ in range(GATE_RUNS)
        ]
        parsing, *times = (statistics.median(column) for column in zip(*rounds, strict=True))
        lines = FILES * job_folders.LINES_PER_FILE
        yield Figure(f"parse both sides of {FILES:,} jobs, {lines:,} lines, {gate_runs.cores()} cores", parsing, "s")
        for (what, _, _, budget), took in zip(checks, times, strict=True):
            yield Figure(f"    check / that: {what}", took / parsing, "x", budget)
            yield Figure("        which takes", took, "s")
        same = gate_runs.lay_out_unchanged(folder / "same", UNCHANGED)
        for what, paths in (("those that changed", []), ("all of them", ["."])):
            spent = [child_cpu([*gate_runs.KEEPSTATE, "check", *paths], same) for _ in range(GATE_RUNS)]
            yield Figure(f"CPU of a check of {UNCHANGED:,} unchanged jobs: {what}", statistics.median(spent), "s", 2)


def windows() -> Iterator[Figure]:
    """Flink's windows on Spark, and how soon a first result is there."""
    import spark_starts
    import windows_on_spark

    for line in chain(spark_starts.lines(), windows_on_spark.lines()):
        yield Figure(*line)


def audit() -> Iterator[Figure]:
    """Many histories, judged on Spark and in a plain loop."""
    import audits

    for line in audits.lines():
        yield Figure(*line)


def replays() -> Iterator[Figure]:
    """Replays of restarts beside the queries alone."""
    import replays as restarts

    for line in restarts.lines():
        yield Figure(*line)


PARTS = {
    "parsing": parsing,
    "keystrokes": keystrokes,
    "commands": commands,
    "server": server,
    "typing": typing,
    "workspace": workspace,
    "gate": gate,
    "windows": windows,
    "replays": replays,
    "audit": audit,
}


def main(chosen: list[str]) -> int:
    unknown = set(chosen) - set(PARTS)
    if unknown:
        sys.exit(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    print(HEADER)
    missed = 0
    for name in chosen or PARTS:
        for figure in PARTS[name]():
            print(figure, flush=True)
            missed += figure.missed
    print("all budgets are kept" if not missed else f"{missed} of the budgets are missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
