"""Attribution of a difference of stored state: by facts of the change, at the clause that brings it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from keepstate import JobVersion
from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.job_differences import JobDiff, compare_jobs
from keepstate.engines.flink.affected_parts import touch_of
from keepstate.report import Effect, Report
from rule_pages import all_examples
from shared_analyses import MEMORY, check

CLICKS = "CREATE TABLE clicks (u INT, n INT) WITH ('connector' = 'kafka', 'topic' = 'c', 'format' = 'json');\n"
ORDERS = "CREATE TABLE orders (id BIGINT, a INT) WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');\n"
SINKS = (
    "CREATE TABLE s1 (u INT, s BIGINT) WITH ('connector' = 'print');\nCREATE TABLE s2 (id BIGINT, s BIGINT) LIKE s1;\n"
)
TWO = (
    CLICKS + ORDERS + "INSERT INTO s1 SELECT u, COUNT(*) FROM clicks GROUP BY u;\n"
    "INSERT INTO s2 SELECT id, COUNT(*) FROM orders GROUP BY id;\n"
)


def report(baseline: str, current: str, version: str | None = None) -> Report:
    return check(JobVersion(current, {}, version), JobVersion(baseline, {}, version), "flink")


def replaced(text: str, *edits: tuple[str, str]) -> str:
    for was, now in edits:
        assert text.count(was) == 1, was
        text = text.replace(was, now)
    return text


# ---- facts


def diffs() -> Iterator[tuple[str, JobDiff]]:
    for example in all_examples():
        jobs = [
            MEMORY.job(JobVersion(side.text, side.parameters, side.engine_version))
            for side in (example.baseline, example.current)
        ]
        yield example.name, compare_jobs(*jobs)


def without_place(diff: JobDiff) -> Iterator[Change]:
    """Changes that could be about a part of some operator's state, and say neither which operator nor which table."""
    for pair in diff.pairs:
        for change in pair.diff.changes if pair.diff is not None else ():
            touch = touch_of(change)
            if touch.parts | touch.also and change.operators == (None, None) and not change.tables:
                yield change
    yield from (change for change in diff.source_changes if not change.tables)
    for pair in diff.pairs:
        for change in pair.setting_changes:
            is_setting = change.kind in SETTINGS
            if is_setting and not change.parameter:
                yield change
            if (
                change.kind in (ChangeKind.STATE_TTL_CHANGED, ChangeKind.STATE_TTL_SHORTENED)
                and change.lifetime is None
            ):
                yield change


SETTINGS = (
    ChangeKind.SETTING_CHANGED,
    ChangeKind.STATE_TTL_CHANGED,
    ChangeKind.STATE_TTL_SHORTENED,
    ChangeKind.MAX_PARALLELISM_CHANGED,
)


def test_changes_say_what_they_are_about() -> None:
    """Of every example of every rule page: operators, tables or the parameter."""
    kinds = set()
    for name, diff in diffs():
        assert not list(without_place(diff)), name
        kinds |= {change.kind for change in diff.source_changes}
        kinds |= {change.kind for pair in diff.pairs for change in pair.setting_changes}
    assert kinds >= {ChangeKind.SOURCE_CHANGELOG_CHANGED, ChangeKind.SOURCE_PRIMARY_KEY_CHANGED, *SETTINGS}


def test_a_parameter_is_known_by_its_key_whatever_a_message_says() -> None:
    """Shorter, longer and switched times to live differ by their values."""
    of = "SET 'table.exec.state.ttl' = '{}';\n" + CLICKS + "SELECT u, COUNT(*) FROM clicks GROUP BY u;"
    longer = report(of.format("1 h"), of.format("2 h"), "1.20")
    switched = report(of.format("1 h"), of.format("0"), "1.20")
    assert longer.effect is Effect.EXACT
    assert switched.effect is Effect.DOES_NOT_START
    assert report(of.format("1 h"), of.format("0"), "2.3").effect is Effect.EXACT


# ---- the clause that brings it


@dataclass(frozen=True)
class Edited:
    """``baseline`` with ``edits``; the clauses that are named, each with its rule."""

    name: str
    baseline: str
    edits: tuple[tuple[str, str], ...]
    named: tuple[tuple[str, str], ...]


NULLS = ("clicks (u INT", "clicks (u INT NOT NULL")
JOINED = (
    "CREATE TABLE l (a INT, b INT, k INT) WITH ('connector' = 'kafka');\n"
    "CREATE TABLE r (k INT, c INT, d INT) WITH ('connector' = 'kafka');\n"
    "SELECT l.a, r.c FROM l JOIN r ON l.k = r.k WHERE l.b > 1 AND r.d > 1"
)
OVER = (
    "CREATE TABLE t (k INT, v INT, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)\n"
    "WITH ('connector' = 'kafka');\n"
    "SELECT SUM(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM t"
)
KEYED = (
    "CREATE TABLE t (k INT, v INT, w INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'kafka');\n"
    "SELECT k, v, COUNT(w) FROM t GROUP BY k, v"
)
STATELESS = (
    CLICKS + ORDERS + "INSERT INTO s1 SELECT u, n FROM clicks;\n"
    "INSERT INTO s2 SELECT id, COUNT(*) FROM orders WHERE a > 1 GROUP BY id;\n"
)
CASES = (
    Edited("a format beside NOT NULL", TWO, (NULLS, ("'o', 'format' = 'json'", "'o', 'format' = 'debezium-json'")),
           (("stored-state-changed", "u INT NOT NULL"),)),
    Edited("a primary key beside NOT NULL", TWO, (NULLS, ("a INT)", "a INT, PRIMARY KEY (a) NOT ENFORCED)")),
           (("stored-state-changed", "u INT NOT NULL"),)),
    Edited("a primary key makes NOT NULL", TWO, (("n INT)", "n INT, PRIMARY KEY (u) NOT ENFORCED)"),),
           (("source-primary-key-changed", "PRIMARY KEY (u) NOT ENFORCED"),)),
    Edited("two columns of one key", KEYED, (("k INT, v INT", "k INT, v INT NOT NULL"),),
           (("stored-state-changed", "v INT NOT NULL"),)),
    Edited("NOT NULL of what an aggregate beside counts", TWO.replace("COUNT(*) FROM clicks", "COUNT(n) FROM clicks"),
           (NULLS, ("COUNT(n)", "MAX(n)")),
           (("stored-state-changed", "u INT NOT NULL"), ("all-aggregates-replaced", "MAX(n)"))),
    Edited("a watermark beside another frame", OVER, (("'1' SECOND", "'9' SECOND"), ("'1' HOUR", "'2' HOUR")),
           (("stored-state-changed", "WATERMARK FOR ts AS ts - INTERVAL '9' SECOND"),
            ("over-frame-changed", "RANGE BETWEEN INTERVAL '2' HOUR PRECEDING AND CURRENT ROW"))),
    Edited("a column that needs a projection", CLICKS + "SELECT u, COUNT(n) FROM clicks GROUP BY u",
           (("n INT)", "n INT, more INT)"),), (("operator-ids-changed", "more INT"),)),
    Edited("NOT NULL of one input of a join, a column of the other", JOINED,
           (("r (k INT, c INT,", "r (k INT, c INT NOT NULL,"), ("SELECT l.a", "SELECT l.a + l.b")),
           (("stored-state-changed", "c INT NOT NULL"), ("join-input-changed", "l.b"))),
    Edited("a query without state in front of another", STATELESS, (("u, n FROM clicks", "u, n + 1 FROM clicks"),),
           (("operator-ids-changed", "INSERT INTO s1 SELECT u, n + 1 FROM clicks"),)),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_clause_that_brings_a_difference_is_named_and_no_other(case: Edited) -> None:
    found = report(case.baseline, replaced(case.baseline, *case.edits))
    assert [(finding.rule, finding.current.text) for finding in found.findings] == list(case.named)


def test_a_changelog_is_named_beside_an_aggregate_of_its_query() -> None:
    """Both change what is counted: the one to take rows back, the other to show it."""
    text = ORDERS + "SELECT id, SUM(a) FROM orders GROUP BY id"
    edits = ("'format' = 'json'", "'format' = 'debezium-json'"), ("SUM(a)", "SUM(a), MAX(a)")
    found = report(text, replaced(text, *edits))
    assert {finding.rule for finding in found.findings} == {"source-changelog-changed", "aggregate-added"}


def test_a_changelog_that_changes_nothing_is_not_named_for_an_aggregate() -> None:
    text = ORDERS + "SELECT id, COUNT(*) AS c FROM orders GROUP BY id"
    edits = ("'format' = 'json'", "'format' = 'debezium-json'"), ("COUNT(*) AS c", "COUNT(*) AS c, MAX(id) AS m")
    assert [one.rule for one in report(text, replaced(text, edits[0])).findings] == []
    assert "source-changelog-changed" in {one.rule for one in report(text, replaced(text, *edits)).findings}


def test_queries_in_another_order_are_reported_where_they_stand() -> None:
    """No change explains it, and an innocent option is not blamed."""
    first, second = TWO.splitlines(keepends=True)[-2:]
    current = replaced(TWO.replace(first + second, second + first), ("'o'", "'p'"))
    found = report(TWO, current)
    assert found.effect is Effect.DOES_NOT_START
    costly = [finding for finding in found.findings if finding.rule != "source-data-changed"]
    assert {finding.rule for finding in costly} == {"stored-state-changed"}
    assert all("INSERT" in finding.current.text or "GROUP BY" in finding.current.text for finding in costly)


def test_a_query_whose_ids_another_one_moves_does_not_go_on() -> None:
    """The obstacle is named once, where it was edited, and counts for both queries."""
    found = report(STATELESS, replaced(STATELESS, ("u, n FROM clicks", "u, n + 1 FROM clicks")))
    assert [finding.pipeline for finding in found.findings] == ["INSERT INTO s1"]
    assert [(pipeline.verdict.value, pipeline.findings) for pipeline in found.pipelines] == [("incompatible", (0,))] * 2


def test_equal_changes_of_two_queries_have_each_their_own_effect() -> None:
    """Both read the view, of whose filter the one keeps the rows and the other what it made of them."""
    text = (
        "CREATE TABLE t (k INT, v INT, w INT) WITH ('connector' = 'kafka');\n"
        "CREATE TEMPORARY VIEW x AS SELECT * FROM t WHERE w > 1;\n"
        "INSERT INTO s1 SELECT k, COUNT(*) FROM x GROUP BY k;\nINSERT INTO s2 SELECT v, SUM(k) FROM x GROUP BY v;\n"
    )
    found = report(text, replaced(text, ("w > 1", "w > 2")))
    assert [(one.rule, one.effect) for one in found.findings] == [("filter-changed", Effect.WRONG_RESULTS)]
    assert [pipeline.findings for pipeline in found.pipelines] == [(0,), (0,)]


def test_a_change_of_the_job_is_no_change_of_a_query() -> None:
    assert touch_of(Change(ChangeKind.SETTING_CHANGED, QueryKind.CONFIGURATION, None, None)).parts == frozenset()
    shaping = Change(
        ChangeKind.SETTING_CHANGED, QueryKind.CONFIGURATION, None, None, parameter="table.exec.mini-batch.enabled"
    )
    assert touch_of(shaping).parts
