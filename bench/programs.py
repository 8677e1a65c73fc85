"""Keepstate as processes: commands from a cold start, and the language server as an editor sees it."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import gate as gate_runs
import job_folders
import language_server
import long_jobs
from analysis_in_process import SOME_LINES, parse_time
from figures import Figure, Reference
from measuring import child_cpu

KEYSTROKES = 31
STARTS = 11
COLD_RUNS = 9
FILES = 1000
GATE_RUNS = 5
UNCHANGED = 10_000


def commands() -> Iterator[Figure]:
    """Programs from a cold start: CPU from the first to the last instruction"""
    place = long_jobs.keystrokes(100)[0]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, text in (("baseline.sql", long_jobs.script(100)), ("current.sql", place.script(12))):
            statements = text.split(";")
            # The source, the view and three queries; without their sinks they have about sixty lines.
            (folder / name).write_text(";".join(statements[number] for number in (0, 3, 4, 6, 7)) + ";\n")
        count = (folder / "current.sql").read_text().count("\n")
        diff = [sys.executable, "-m", "keepstate_lsp.cli.main", "diff", "baseline.sql", "current.sql", "--format"]
        programs = {
            "text": [*diff, "text"],
            "json": [*diff, "json"],
            "bare": [sys.executable, "-c", "import sqlglot.expressions"],
        }
        times: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(COLD_RUNS):
            for name, command in programs.items():
                times[name].append(child_cpu(command, folder))
        spent = {name: statistics.median(taken) for name, taken in times.items()}
        bare = Reference("Python that imports sqlglot", spent["bare"])
        for form in ("text", "json"):
            what = f"cold `keepstate diff`, two files of {count} lines, {form}"
            yield Figure(what, spent[form], "s", 0.5, bare)


def server() -> Iterator[Figure]:
    """The language server: by the clock, as its client sees it"""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        bare, ours = language_server.starts(folder, STARTS)
        yield Figure("spawn to the answer to `initialize`", ours, "ms", beside=Reference("bare pygls", bare), most=1.3)
        times = language_server.keystrokes(folder, SOME_LINES, KEYSTROKES)
    for place in long_jobs.keystrokes(1000):
        parsing = Reference("reading its statement", parse_time(place))
        budget = 3 * parsing.value + 10
        yield Figure(
            f"didChange to findings, {place.what} of 1,000 lines", times[place.what][1000], "ms", budget, parsing
        )
    few, _, many = SOME_LINES
    for what, medians in times.items():
        shorter = Reference(f"of {few} lines", medians[few])
        yield Figure(f"didChange to findings, {what} of {many:,} lines", medians[many], "ms", beside=shorter, most=2)


def gate() -> Iterator[Figure]:
    """`keepstate check` in a repository of many jobs, from its start to its end, on all cores"""
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
        reading = Reference(f"reading both sides, {gate_runs.cores()} cores", parsing)
        for (what, _, _, most), took in zip(checks, times, strict=True):
            lines = FILES * job_folders.LINES_PER_FILE
            yield Figure(f"{FILES:,} jobs of {lines:,} lines, {what}", took, "s", beside=reading, most=most)
        same = gate_runs.lay_out_unchanged(folder / "same", UNCHANGED)
        for what, paths in (("those that changed", []), ("all of them", ["."])):
            spent = [child_cpu([*gate_runs.KEEPSTATE, "check", *paths], same) for _ in range(GATE_RUNS)]
            yield Figure(f"CPU of a check of {UNCHANGED:,} unchanged jobs: {what}", statistics.median(spent), "s", 2)
