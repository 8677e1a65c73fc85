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
PAIRS = 100
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
        diff = [*gate_runs.KEEPSTATE, "diff", "baseline.sql", "current.sql", "--format"]
        unchanged = folder / "unchanged"
        gate_runs.lay_out_unchanged(unchanged, 3)
        programs = {
            "text": ([*diff, "text"], folder),
            "json": ([*diff, "json"], folder),
            "check": ([*gate_runs.KEEPSTATE, "check"], unchanged),
            "bare": ([sys.executable, "-c", "import sqlglot.expressions"], folder),
        }
        times: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(COLD_RUNS):
            for name, (command, where) in programs.items():
                times[name].append(child_cpu(command, where))
        spent = {name: statistics.median(taken) for name, taken in times.items()}
        bare = Reference("Python that imports sqlglot", spent["bare"])
        for form in ("text", "json"):
            what = f"cold `keepstate diff`, two files of {count} lines, {form}"
            yield Figure(what, spent[form], "s", beside=bare, most=2.2)
        yield Figure("cold `keepstate check`, nothing changed", spent["check"], "s", beside=bare, most=0.8)


def server() -> Iterator[Figure]:
    """The language server: by the clock, as its client sees it"""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        bare, ours, findings = language_server.starts(folder, STARTS)
        beside = Reference("bare pygls", bare)
        yield Figure("CPU from the start to the answer to `initialize`", ours, "ms", beside=beside, most=0.8)
        yield Figure("    from there to the first findings", findings, "ms", 150)
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
        yield Figure(f"didChange to findings, {what} of {many:,} lines", medians[many], "ms", beside=shorter, most=1.2)


def pairs() -> Iterator[Figure]:
    """A changed pair of 20 lines in a gate: CPU in one process, pair by pair"""
    spent: dict[str, list[float]] = {"parse": [], "check": [], "fixes": []}
    for number in range(PAIRS):
        for engine in ("vvr", "flink"):
            # A former text of each kind of query warms up, and no text comes twice.
            for name, value in gate_runs.pair_times(2 * number + (engine == "flink"), engine).items():
                spent[name].append(value)
    parsing, check, fixes = (1000 * statistics.median(times[8:]) for times in spent.values())
    both = Reference("parsing both", parsing)
    yield Figure("a changed pair: verdict and findings", check, "ms", beside=both, most=2.5)
    yield Figure("    its fixes, where a format shows them", fixes, "ms", beside=Reference("the check", check), most=1)


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
