"""An edit of a long job costs what changed: calls are counted, not time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import Any

import pytest

import keepstate
from keepstate.engines.flink.assessment import FlinkAssessment
from keepstate.physical import job as stored_jobs
from keepstate.validation import program

ENGINES = ("vvr", "flink")
GROUP = """\
CREATE TABLE t{n} (k STRING, v BIGINT, unread INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 't{n}', 'format' = 'json');
CREATE TEMPORARY VIEW v{n} AS SELECT k, v, ts FROM t{n} WHERE v > 10;
INSERT INTO s{n} SELECT k, SUM(v) AS total FROM v{n} GROUP BY k; -- A comment; of no meaning.
INSERT INTO w{n} SELECT window_start, k, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE v{n}, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, k;
"""
FEW, MANY = 8, 32
EDITS = {
    "an aggregate": ("SUM(v) AS total FROM v5 ", "SUM(v + {n}) AS total FROM v5 ", 1),
    "a comment": ("GROUP BY k;", "/* {n} */ GROUP BY k;", 1),
    "a view": ("FROM t5 WHERE v > 10", "FROM t5 WHERE v > {n}", 2),
    "a table": ("t5 (k STRING, v BIGINT", "t5 (k CHAR({n}), v BIGINT", 2),
    "a column that nothing reads": (
        "t5 (k STRING, v BIGINT, unread INT",
        "t5 (k STRING, v BIGINT, unread CHAR({n})",
        2,
    ),
}
"""The text at a place, the one typed there, and the number of queries that it reaches."""
CALLS_OF_AN_UNTOUCHED_GROUP = {"vvr": 440, "flink": 660}
"""Of four statements, two of them queries; it was twice and three times that, and five times with a declaration."""


def script(groups: int) -> str:
    return "".join(GROUP.format(n=number) for number in range(groups))


def typed(groups: int, edit: str, number: int) -> keepstate.JobVersion:
    was, now, _ = EDITS[edit]
    return keepstate.JobVersion(script(groups).replace(was, now.format(n=number + 20), 1))


class Document:
    """A job of an editor, with the memory of its former texts."""

    def __init__(self, groups: int, engine: str) -> None:
        self.groups, self.engine = groups, engine
        self.workspace = keepstate.Workspace()
        self.baseline = keepstate.JobVersion(script(groups))
        self.check(self.baseline)

    def check(self, version: keepstate.JobVersion) -> None:
        self.workspace.analysis(version, self.baseline, self.engine).report()

    def calls(self, edit: str) -> int:
        """The calls of one keystroke like some that came before."""
        for number in range(2):
            self.check(typed(self.groups, edit, number))
        version = typed(self.groups, edit, 2)
        return calls_of(lambda: self.check(version))


@cache
def document(groups: int, engine: str) -> Document:
    return Document(groups, engine)


def calls_of(work: Callable[[], None]) -> int:
    count = 0

    def note(_: FrameType, event: str, __: Any) -> None:
        nonlocal count
        count += event == "call"

    former = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(former)
    return count


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_edit_does_not_reach_costs_next_to_nothing(engine: str, edit: str) -> None:
    few, many = (document(groups, engine).calls(edit) for groups in (FEW, MANY))
    assert (many - few) / (MANY - FEW) <= CALLS_OF_AN_UNTOUCHED_GROUP[engine]


@pytest.mark.parametrize("edit", EDITS)
def test_only_the_queries_that_an_edit_reaches_are_stored_assessed_and_validated_anew(
    edit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With the memory of these keystrokes alone.
    long = Document(FEW, "flink")
    long.check(typed(FEW, edit, 7))
    counts = [
        counted(monkeypatch, stored_jobs, "_made"),
        counted(monkeypatch, FlinkAssessment, "_assess"),
        counted(monkeypatch, program, "outcome_of"),
    ]
    long.check(typed(FEW, edit, 8))
    reached = EDITS[edit][2]
    assert 0 < len(counts[0]) <= reached
    assert 0 < len(counts[1]) <= reached
    # The view and the table are statements as well.
    assert 0 < len(counts[2]) <= reached + 2


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[None]:
    calls: list[None] = []
    plain = getattr(owner, name)

    def call(*arguments: Any) -> Any:
        calls.append(None)
        return plain(*arguments)

    monkeypatch.setattr(owner, name, call)
    return calls
