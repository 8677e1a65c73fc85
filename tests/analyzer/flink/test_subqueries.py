"""Queries in expressions, whose rows Flink aggregates before it joins them: restores that were measured on 2.3.0."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.plan.job import Job
from keepstate.plan.operators import Join
from keepstate.report import Effect, Report, Verdict
from keepstate.syntax.script import parse_script

TABLES = """\
CREATE TABLE t (k STRING, a INT, b INT) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE r (k STRING, w INT) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE s (k STRING, a INT) WITH ('connector' = 'print');
INSERT INTO s SELECT k, a FROM t WHERE {};
"""
SELECTED = TABLES.replace("SELECT k, a FROM t WHERE {}", "SELECT k, CAST({} AS INT) FROM t")
JOINED = TABLES.partition("CREATE TABLE s")[0] + "{};"

CHANGED = {
    # does not start: operators have other ids
    "ANY to ALL": ("a > ANY (SELECT w FROM r)", "a > ALL (SELECT w FROM r)"),
    "ALL to ANY": ("a > ALL (SELECT w FROM r)", "a > ANY (SELECT w FROM r)"),
    "another value of IN in an OR": ("a IN (SELECT w FROM r) OR a > 3", "a IN (SELECT w + 1 FROM r) OR a > 3"),
    # does not start: the join stores other rows
    "NOT before a free EXISTS": ("EXISTS (SELECT 1 FROM r WHERE w > 1)", "NOT EXISTS (SELECT 1 FROM r WHERE w > 1)"),
    # wrong numbers: the smallest value is read as the largest one
    "smaller than ANY": ("a > ANY (SELECT w FROM r)", "a < ANY (SELECT w FROM r)"),
}
SAME = {
    "<> ALL is NOT IN": ("a <> ALL (SELECT w FROM r)", "a NOT IN (SELECT w FROM r)"),
    "= ANY is IN": ("a = ANY (SELECT w FROM r)", "a IN (SELECT w FROM r)"),
    "SOME is ANY": ("a > SOME (SELECT w FROM r)", "a > ANY (SELECT w FROM r)"),
    "turned round": ("a > ANY (SELECT w FROM r)", "a > ANY (SELECT x.w FROM r AS x)"),
    "another item of EXISTS": ("EXISTS (SELECT 1 FROM r WHERE r.k = t.k)", "EXISTS (SELECT w FROM r WHERE t.k = r.k)"),
    "a free EXISTS in other words": ("EXISTS (SELECT w FROM r)", "EXISTS (SELECT x.w FROM r AS x)"),
}
RESTORED = {
    "NOT before a bound EXISTS": (
        "EXISTS (SELECT 1 FROM r WHERE r.k = t.k)",
        "NOT EXISTS (SELECT 1 FROM r WHERE r.k = t.k)",
    ),
    "above one value": ("a > (SELECT MAX(w) FROM r)", "a < (SELECT MAX(w) FROM r)"),
}


READ_WRONGLY = {
    "another aggregate": ("a > (SELECT MAX(w) - 240 FROM r)", "a > (SELECT MIN(w) - 240 FROM r)"),
    "another argument": ("a > (SELECT SUM(w) - 1 FROM r)", "a > (SELECT SUM(w * 2) - 1 FROM r)"),
    "another value behind it": ("a > (SELECT MAX(w) - 240 FROM r)", "a > (SELECT MAX(w) - 200 FROM r)"),
    "of the same key": (
        "a > (SELECT MAX(w) - 240 FROM r WHERE r.k = t.k)",
        "a > (SELECT MIN(w) - 240 FROM r WHERE r.k = t.k)",
    ),
    "with a name": ("a > (SELECT MAX(w) - 240 AS m FROM r)", "a > (SELECT MIN(w) - 240 AS m FROM r)"),
    "without arithmetic": ("a > (SELECT MAX(w) FROM r)", "a > (SELECT MIN(w) FROM r)"),
}
"""Values of the same type, computed otherwise: the stored value is read as the new one."""


LARGEST = "(SELECT MAX(w) FROM r)"
OF_KEY = "(SELECT MAX(w) FROM r WHERE r.k = t.k)"
VALUE_AS_COLUMN = "SELECT k, a, m FROM (SELECT k, a, {} AS m FROM t)"
OTHER_FORMS = {
    # A row without a value stays in a LEFT JOIN, which counts partners; a condition that no NULL passes drops it.
    "one value to CROSS JOIN": (
        f"SELECT k, a - {LARGEST} FROM t",
        "SELECT k, a - m FROM t CROSS JOIN (SELECT MAX(w) AS m FROM r)",
    ),
    "a condition passes NULL now": (
        f"SELECT k, a, b FROM t WHERE a > {LARGEST}",
        f"SELECT k, a, b FROM t WHERE a > {LARGEST} OR b = 1",
    ),
    "no NULL passes any more": (
        f"SELECT k, a, b FROM t WHERE a > {LARGEST} OR b = 1",
        f"SELECT k, a, b FROM t WHERE a > {LARGEST}",
    ),
    "a default for NULL": (
        f"SELECT k, a, b FROM t WHERE a > {LARGEST}",
        f"SELECT k, a, b FROM t WHERE a > COALESCE({LARGEST}, 3)",
    ),
    "a filter around it": (VALUE_AS_COLUMN.format(LARGEST), VALUE_AS_COLUMN.format(LARGEST) + " WHERE m > 3"),
    "a filter around it goes": (VALUE_AS_COLUMN.format(LARGEST) + " WHERE m > 3", VALUE_AS_COLUMN.format(LARGEST)),
    "of the same key": (
        f"SELECT k, a, b FROM t WHERE a > {OF_KEY}",
        f"SELECT k, a, b FROM t WHERE a > {OF_KEY} OR b = 1",
    ),
    "of the same key, with a default in the query": (
        f"SELECT k, a, b FROM t WHERE a > {OF_KEY}",
        "SELECT k, a, b FROM t WHERE a > (SELECT COALESCE(MAX(w), 0) FROM r WHERE r.k = t.k)",
    ),
}
"""Queries with other joins: the rows are stored with a number of partners on one side only."""

SAME_FORMS = {
    "one value to LEFT JOIN": (
        f"SELECT k, a - {LARGEST} FROM t",
        "SELECT k, a - m FROM t LEFT JOIN (SELECT MAX(w) AS m FROM r) ON TRUE",
    ),
    "no NULL passes on either side": (
        f"SELECT k, a, b FROM t WHERE a > {LARGEST}",
        "SELECT k, a, b FROM t CROSS JOIN (SELECT MAX(w) AS m FROM r) WHERE a > m",
    ),
    "NULL passes on both sides": (
        f"SELECT k, a, b FROM t WHERE a > {LARGEST} OR b = 1",
        f"SELECT k, a, b FROM t WHERE a > {LARGEST} OR b = 2",
    ),
    "a default and OR": (
        f"SELECT k, a, b FROM t WHERE a > {LARGEST} OR b = 1",
        f"SELECT k, a, b FROM t WHERE a > COALESCE({LARGEST}, 3)",
    ),
    "a filter around it that NULL passes": (
        VALUE_AS_COLUMN.format(LARGEST),
        VALUE_AS_COLUMN.format(LARGEST) + " WHERE m > 3 OR a = 1",
    ),
    "of the same key": (
        f"SELECT k, a, b FROM t WHERE a > {OF_KEY} OR b = 2",
        f"SELECT k, a, b FROM t WHERE a > {OF_KEY} OR b = 1",
    ),
}
"""Queries whose joins store the same: a restore of each pair, with columns of other names, had the right rows."""

KINDS = {
    "left": (
        f"SELECT k, {LARGEST} FROM t",
        f"SELECT k FROM t WHERE {LARGEST} IS NULL",
        f"SELECT k FROM t WHERE a > ABS({LARGEST})",
        f"SELECT k FROM t WHERE a IN ({LARGEST}, 3)",
        "SELECT k FROM t WHERE a > (SELECT COUNT(*) FROM r WHERE r.k = t.k)",
        "SELECT k FROM t WHERE a > (SELECT COUNT(*) + 1 FROM r WHERE r.k = t.k)",
        "SELECT k, (SELECT w FROM r WHERE r.k = t.k) FROM t",
        f"SELECT k, SUM(a - {LARGEST}) FROM t GROUP BY k",
        "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM r WHERE r.k = t.k) OR a > 3",
        # The value is of the same table as the rows around it.
        "SELECT k FROM t WHERE b > (SELECT MAX(b) FROM t) OR a = 1",
        "SELECT k, m FROM (SELECT k, (SELECT MAX(b) FROM t) AS m FROM t) WHERE m > 3 OR m < 1",
    ),
    "inner": (
        f"SELECT k FROM t WHERE {LARGEST} IS NOT NULL",
        f"SELECT k FROM t WHERE NOT (a > {LARGEST} + 1)",
        f"SELECT k FROM t WHERE CASE WHEN a > {LARGEST} THEN TRUE ELSE FALSE END",
        "SELECT k FROM t WHERE a > (SELECT COUNT(*) FROM r)",
        "SELECT k FROM t WHERE a > (SELECT COALESCE(MAX(w), 0) FROM r)",
        "SELECT k FROM t WHERE a > (SELECT COUNT(*) + SUM(w) FROM r WHERE r.k = t.k)",
        "SELECT k FROM t WHERE a = (SELECT w FROM r WHERE r.k = t.k)",
        "SELECT k FROM t WHERE a > ANY (SELECT w FROM r) OR b = 1",
        "SELECT k, a > ANY (SELECT w FROM r) FROM t",
        f"SELECT k, m FROM (SELECT k, a - {LARGEST} AS m FROM t) WHERE m > 3",
        f"SELECT k, COUNT(*) FROM t GROUP BY k HAVING COUNT(*) > {LARGEST}",
        "SELECT k FROM t WHERE b > (SELECT MAX(b) FROM t)",
        "SELECT k, m FROM (SELECT k, (SELECT MAX(b) FROM t) AS m FROM t) WHERE m > 3",
    ),
}
"""The joins in the plans of Flink 2.3.0."""


def report(was: str, now: str, engine: str = "flink", text: str = TABLES) -> Report:
    return check(JobVersion(text.format(now)), JobVersion(text.format(was)), engine)


@pytest.mark.parametrize(("was", "now"), CHANGED.values(), ids=CHANGED)
def test_an_aggregation_that_is_not_modelled_is_never_green(was: str, now: str) -> None:
    assert report(was, now).verdict in (Verdict.UNKNOWN, Verdict.INCOMPATIBLE)


@pytest.mark.parametrize("engine", ["flink", "vvr"])
@pytest.mark.parametrize(("was", "now"), SAME.values(), ids=SAME)
def test_one_meaning_is_silent(was: str, now: str, engine: str) -> None:
    found = report(was, now, engine)
    assert (found.findings, found.unchanged) == ((), True)


@pytest.mark.parametrize(("was", "now"), RESTORED.values(), ids=RESTORED)
def test_a_restore_that_is_exact_is_compatible(was: str, now: str) -> None:
    assert report(was, now).verdict is Verdict.COMPATIBLE


@pytest.mark.parametrize(("was", "now"), READ_WRONGLY.values(), ids=READ_WRONGLY)
def test_the_value_of_a_query_is_stored_as_it_is_computed(was: str, now: str) -> None:
    found = report(was, now)
    assert (found.verdict, found.pipelines[0].effect) == (Verdict.INCOMPATIBLE, Effect.WRONG_RESULTS)


@pytest.mark.parametrize("engine", ["flink", "vvr"])
@pytest.mark.parametrize(("was", "now"), OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_a_query_for_a_value_that_is_another_join_is_never_green(was: str, now: str, engine: str) -> None:
    found = report(was, now, engine, JOINED)
    effect = Effect.DOES_NOT_START if engine == "flink" else Effect.STATE_LOST
    assert (found.verdict, found.pipelines[0].effect) == (Verdict.INCOMPATIBLE, effect)


@pytest.mark.parametrize(("was", "now"), SAME_FORMS.values(), ids=SAME_FORMS)
def test_a_query_for_a_value_that_is_the_same_join_is_compatible(was: str, now: str) -> None:
    assert report(was, now, text=JOINED).verdict is Verdict.COMPATIBLE


FILTERS = {name: SAME_FORMS[name] for name in ("NULL passes on both sides", "of the same key")}


@pytest.mark.parametrize("engine", ["flink", "vvr"])
@pytest.mark.parametrize(("was", "now"), FILTERS.values(), ids=FILTERS)
def test_a_condition_above_a_left_join_is_a_filter(was: str, now: str, engine: str) -> None:
    """It is free at the end of a query, and changes the state behind it."""
    assert report(was, now, engine, JOINED).verdict is Verdict.COMPATIBLE
    groups = [f"SELECT a, COUNT(*) FROM ({query}) GROUP BY a" for query in (was, now)]
    found = report(*groups, engine, JOINED)
    assert found.verdict is Verdict.INCOMPATIBLE
    assert {finding.rule for finding in found.findings} <= {"filter-changed", "filter-added", "filter-removed"}


@pytest.mark.parametrize(("kind", "query"), [(kind, query) for kind, queries in KINDS.items() for query in queries])
def test_a_query_for_a_value_is_the_join_of_the_plan(kind: str, query: str) -> None:
    plan = Job.of(parse_script(JOINED.format(query)), {}, None).pipelines[0].equivalent_plan
    assert [operator.kind_in_plan for operator in plan.operators if isinstance(operator, Join)] == [kind]


def test_a_comparison_in_the_select_list_counts_as_well() -> None:
    found = report("a > ANY (SELECT w FROM r)", "a < ANY (SELECT w FROM r)", text=SELECTED)
    assert [finding.rule for finding in found.findings] == ["construct-not-supported"]


def test_a_filter_in_such_a_query_is_a_filter_in_front_of_the_join() -> None:
    found = report("EXISTS (SELECT 1 FROM r WHERE w > 1)", "EXISTS (SELECT 1 FROM r WHERE w > 2)", "vvr")
    assert [(finding.rule, finding.verdict) for finding in found.findings] == [("filter-changed", Verdict.INCOMPATIBLE)]
