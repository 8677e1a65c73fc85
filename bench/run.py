"""How fast Keepstate is, against its budgets: `make bench`, or `python bench/run.py [PART ...]`.

Parts: parsing, keystrokes, commands, server. Times of work in one process are CPU times, times between processes are
those of the clock; all are medians. What is compared alternates, so that other work on the machine weighs on both.
Ends with 1 if a budget is missed.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import keepstate
import language_server
import long_jobs

ROUNDS = 15
KEYSTROKES = 31
STARTS = 11
COLD_RUNS = 9


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
        return f"{value} {self.budget:8.2f} {self.unit:<2} {self.value / self.budget:6.2f}  {verdict}"


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


PARTS = {"parsing": parsing, "keystrokes": keystrokes, "commands": commands, "server": server}


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
