"""A pair that never ends, eats the memory or kills Python costs itself alone. No Spark needed."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator

import pytest

from keepstate_spark.audit.classifying import pair_of, row_of, warm_up
from keepstate_spark.audit.judging import Files, Row, VersionPair, judged
from keepstate_spark.audit.sandbox import PairLost, Sandbox

SECONDS = 0.4
TABLE = "CREATE TABLE t (a INT, b INT) WITH ('connector' = 'datagen');\n"


def pair(baseline: str, current: str) -> VersionPair:
    return VersionPair("name", TABLE + baseline, TABLE + current, {}, {}, None, None)


def judge(task: object) -> Iterator[Row]:
    """The judge that a test asks for."""
    if task == "loop":
        while True:
            pass
    if task == "loop in C":
        re.match(r"(a|a)*b", "a" * 60)
    if task == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "memory":
        yield {"size": len(bytearray(8 << 30))}
    if task == "recursion":
        yield {"size": len(repr(deep()))}
    if task == "late":
        yield {"answer": "early"}
        while True:
            pass
    if task == "sleep":
        time.sleep(60)
    yield {"answer": task}


def deep() -> list[object]:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


def lost(sandbox: Sandbox, task: str) -> PairLost:
    with pytest.raises(PairLost) as caught:
        sandbox.judged(task)
    return caught.value


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(judge, SECONDS, 256) as sandbox:
        yield sandbox


@pytest.mark.parametrize(
    ("task", "outcome"),
    [
        ("loop", "timed-out"),
        ("loop in C", "timed-out"),
        ("crash", "crashed"),
        ("recursion", "failed"),
        pytest.param(
            "memory", "failed", marks=pytest.mark.skipif(sys.platform != "linux", reason="no such limit elsewhere")
        ),
    ],
)
def test_what_goes_wrong_costs_one_pair(sandbox: Sandbox, task: str, outcome: str) -> None:
    assert sandbox.judged("before")["answer"] == "before"
    assert lost(sandbox, task).outcome == outcome
    assert sandbox.judged("after")["answer"] == "after"


def test_a_pair_that_waits_is_given_up_by_the_clock() -> None:
    with Sandbox(judge, 0.05, 256) as sandbox:
        assert lost(sandbox, "sleep").outcome == "timed-out"
        assert sandbox.judged("after")["answer"] == "after"


def test_a_verdict_stands_although_the_fixes_take_too_long(sandbox: Sandbox) -> None:
    assert sandbox.judged("late") == {"answer": "early"}
    assert sandbox.judged("after")["answer"] == "after"


def test_nothing_is_left_behind(sandbox: Sandbox) -> None:
    sandbox.judged("one")
    process = sandbox._process
    sandbox.__exit__()
    with pytest.raises(ChildProcessError):
        os.waitpid(process, 0)


def test_sql_that_takes_for_ever_is_a_row() -> None:
    """Real SQL and the real analyzer: a thousand joins, with far too little time."""
    warm_up("vvr")
    joins = " ".join(f"JOIN t AS t{number} ON t{number}.a = t.a" for number in range(1000))
    slow = pair("SELECT a FROM t;", f"SELECT t.a, COUNT(*) FROM t {joins} GROUP BY t.a;")
    quick = pair("SELECT a FROM t;", "SELECT b FROM t;")

    def real(task: VersionPair) -> Iterator[Row]:
        return judged(task, "vvr")

    with Sandbox(real, 0.1, 1024) as sandbox:
        row = row_of(slow, sandbox)
        assert (row["outcome"], row["verdict"]) == ("timed-out", "unknown")
        assert row_of(quick, sandbox)["outcome"] == "judged"


def test_the_row_of_a_pair() -> None:
    query = "SELECT a, b, COUNT(*) FROM t GROUP BY"
    rows = list(judged(pair(f"{query} a, b;", f"{query} b, a;"), "vvr"))
    first, last = rows[0], rows[-1]
    assert first["verdict"] == last["verdict"] == "incompatible"
    assert [finding["rule"] for finding in last["findings"]] == ["group-keys-reordered"]
    assert (last["remedy"], last["remedy_verdict"]) == ("restore-order", "compatible")
    assert last["findings"][0]["line"] == 1


def test_sql_that_cannot_be_read_is_not_judged_compatible() -> None:
    (row,) = judged(pair("SELECT a FROM t;", "SELEC a FROM t;"), "vvr")
    assert (row["outcome"], row["verdict"]) == ("not-valid", "unknown")
    assert "Flink refuses its current text" in row["reason"]


def test_a_job_of_several_files_has_its_findings_in_its_files() -> None:
    def files(kind: str) -> Files:
        table = f"-- tables\nCREATE TABLE orders (shop STRING, amount {kind}) WITH ('connector' = 'kafka');"
        query = "INSERT INTO sums SELECT shop, SUM(amount) FROM orders GROUP BY shop"
        return ("jobs/sums.sql", "script", query), ("ddl/orders.sql", "assumed", table)

    was, now = files("BIGINT"), files("DOUBLE")
    rows = list(judged(VersionPair("name", was[0][2], now[0][2], {}, {}, None, None, was, now), "flink"))
    assert rows[-1]["verdict"] == "incompatible"
    assert {(finding["file"], finding["line"]) for finding in rows[-1]["findings"]} == {("ddl/orders.sql", 1)}


def test_a_doubt_is_the_reason_of_a_row() -> None:
    def files(more: str) -> Files:
        sink = f"CREATE TABLE s (a INT, n BIGINT{more}) WITH ('connector' = 'kafka');"
        return ("a.sql", "script", "INSERT INTO s SELECT a, COUNT(*) FROM t GROUP BY a"), ("s.sql", "assumed", sink)

    was, now = files(""), files(", more INT")
    row = next(iter(judged(VersionPair("name", was[0][2], now[0][2], {}, {}, None, None, was, now), "flink")))
    assert (row["verdict"], row["findings"]) == ("unknown", [])
    assert row["reason"].startswith("Flink may refuse its current text if the job uses s from s.sql: ")


def test_both_engines_have_their_say() -> None:
    change = pair("SELECT a, COUNT(*) FROM t GROUP BY a;", "SELECT a, COUNT(*), MAX(b) FROM t GROUP BY a;")
    effects = {engine: next(row["effect"] for row in judged(change, engine)) for engine in ("vvr", "flink")}
    assert effects["vvr"] != effects["flink"]


def test_parameters_come_as_arrow_has_them() -> None:
    entry = {
        "pair": "p",
        "baseline_text": "a",
        "current_text": "b",
        "baseline_parameters": None,
        "current_parameters": [("k", "v")],
        "baseline_engine_version": None,
        "current_engine_version": "1.20",
        "baseline_files": None,
        "current_files": [{"path": "a.sql", "role": "script", "text": "b"}],
    }
    assert pair_of(entry).current_files == (("a.sql", "script", "b"),) and pair_of(entry).baseline_files == ()
    assert pair_of(entry).current_parameters == {"k": "v"} and pair_of(entry).baseline_parameters == {}
