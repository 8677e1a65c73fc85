"""The cost of the analysis of a text, without server and process: reading, one keystroke, and its parts."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import sqlglot
from sqlglot.errors import SqlglotError

import keepstate
import long_jobs
from figures import Figure, Reference
from keepstate.comparison import Comparison
from keepstate.diff.job_differences import compare_jobs
from keepstate.engines import PROFILES
from keepstate.job_version import job_unit
from keepstate.plan.job import Job
from keepstate.rules.judgement import judge
from keepstate.syntax.memo import Memo
from keepstate.validated_job import ComparedJobs, ValidatedJob
from measuring import cpu

LINES = 100
SOME_LINES = (500, 1000, 5000)
LONGEST = 20_000
_MOST_GROWTH = {5000: 1.2, LONGEST: 1.5}
"""From the first of these lengths to that one."""


def parsing() -> Iterator[Figure]:
    """The cost of reading: a hundred new lines, and single statements"""
    text = long_jobs.script(LINES)
    ours = cpu(lambda number: keepstate.parse_script(_unseen(text, number)))
    fluff = _sqlfluff(text)
    yield Figure(f"read {LINES} lines", ours, "ms", beside=fluff)
    both = [statement for statement in text.split(";") if statement.strip() and _read_by_sqlglot(statement)]
    some = ";".join(both)
    ours = cpu(lambda number: keepstate.parse_script(_unseen(some, number)))
    theirs = Reference("sqlglot.parse, its own grammar", cpu(lambda number: sqlglot.parse(_unseen(some, number))))
    yield Figure(f"    the {len(both)} of {text.count(';')} statements that sqlglot reads", ours, "ms", beside=theirs)
    for place in long_jobs.keystrokes(1000):
        if place.what not in ("a comment", "an alias", "a statement in pieces"):
            yield Figure(f"read the statement with {place.what}", parse_time(place), "ms")
    whole = long_jobs.script(1000)
    # A comment in front moves every statement and leaves their texts, which were all read before.
    memo = Memo()
    moved = cpu(lambda number: keepstate.parse_script(f"/* {number:06} */\n{whole}", memo))
    yield Figure("split 1,000 lines of statements that were read before", moved, "ms")


def keystrokes() -> Iterator[Figure]:
    """One keystroke in a long script, from the changed text to the report"""
    found: dict[str, float] = {}
    for lines in (*SOME_LINES, LONGEST):
        for engine, suffix in (("vvr", ""), ("flink", ", for Flink")):
            for figure in _typed(lines, engine, suffix):
                found[figure.what] = figure.value
                yield figure
    few = SOME_LINES[0]
    for many, most in _MOST_GROWTH.items():
        for what, value in found.items():
            if f" of {many:,} lines" in what:
                shorter = Reference(f"of {few} lines", found[what.replace(f"{many:,}", str(few))])
                yield Figure(f"    {what}: growth", value, "ms", beside=shorter, most=most)


def _typed(lines: int, engine: str, suffix: str) -> Iterator[Figure]:
    """A keystroke at each place of a document that is open, with the memory that a server has of it. The script is one
    job or several, as the engine's platforms run it.
    """
    version = partial(keepstate.JobVersion, jobs=job_unit(engine, None))
    baseline = version(long_jobs.script(lines))
    workspace = keepstate.Workspace()
    workspace.analysis(baseline, baseline, engine)
    for place in long_jobs.keystrokes(lines):

        def check(number: int, place: long_jobs.Keystrokes = place) -> None:
            workspace.analysis(version(place.script(number + 3000)), baseline, engine).report()

        parsing = Reference("reading its statement", parse_time(place))
        budget = 3 * parsing.value + 3 if lines == 1000 else None
        yield Figure(f"check, {place.what} of {lines:,} lines{suffix}", cpu(check), "ms", budget, parsing)


def stages() -> Iterator[Figure]:
    """The parts of a keystroke: an aggregate changes in 1,000 lines"""
    lines = 1000
    place = next(place for place in long_jobs.keystrokes(lines) if place.what == "an aggregate")
    baseline = keepstate.JobVersion(long_jobs.script(lines))
    profile = PROFILES["vvr"]
    memo = Memo()
    was = Job.of(keepstate.parse_script(baseline.text, memo), {}, None)
    validated = ValidatedJob.of(baseline, was, profile.name)
    state: dict[str, Any] = {}

    def stage(work: Callable[[], Any], into: str) -> float:
        began = time.process_time()
        state[into] = work()
        return 1000 * (time.process_time() - began)

    names = {
        "text to syntax": lambda: keepstate.parse_script(state["text"], memo),
        "syntax to plan": lambda: Job.of(state["text to syntax"], {}, None),
        "plan to diff": lambda: compare_jobs(was, state["syntax to plan"]),
        "diff to rules": lambda: judge(state["plan to diff"], profile),
        "plan to validity": lambda: ValidatedJob.of(
            keepstate.JobVersion(state["text"]), state["syntax to plan"], profile.name
        ),
        "rules to report": lambda: Comparison(
            state["plan to validity"],
            validated,
            ComparedJobs.of(state["plan to validity"], validated),
            state["plan to diff"],
            state["diff to rules"],
            profile,
        ).report(),
    }
    spent: dict[str, list[float]] = {name: [] for name in names}
    gc.collect()
    for number in range(40):
        state["text"] = place.script(number + 7000)
        for name, work in names.items():
            spent[name].append(stage(work, name))
    medians = {name: sorted(times)[len(times) // 2] for name, times in spent.items()}
    whole = Reference("all of it", sum(medians.values()))
    for name, median in medians.items():
        yield Figure(name, median, "ms", beside=whole)


def parse_time(place: long_jobs.Keystrokes) -> float:
    """Milliseconds for parsing the changed statement alone, with a new text."""
    seen = time.monotonic_ns()
    return cpu(lambda number: keepstate.parse_script(place.changed_statement(seen + number)))


def _unseen(text: str, number: int) -> str:
    """The same text with names that were never there: nothing of it is remembered."""
    return text.replace("_0", f"_{time.monotonic_ns()}{number}")


def _read_by_sqlglot(statement: str) -> bool:
    try:
        sqlglot.parse_one(statement)
    except SqlglotError:
        return False
    return True


def _sqlfluff(text: str) -> Reference | None:
    if find_spec("sqlfluff") is None:
        return None
    core = import_module("sqlfluff.core")
    linter = core.Linter(config=core.FluffConfig(overrides={"dialect": "flink"}))

    def read(number: int) -> None:
        parsed = linter.parse_string(_unseen(text, number))
        assert not parsed.violations, parsed.violations

    return Reference("sqlfluff's parser for Flink", cpu(read, 3))
