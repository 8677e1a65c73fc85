"""Queries in expressions, whose rows Flink aggregates before it joins them: restores that were measured on 2.3.0."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Effect, Report, Verdict

TABLES = """\
CREATE TABLE t (k STRING, a INT, b INT) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE r (k STRING, w INT) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE s (k STRING, a INT) WITH ('connector' = 'print');
INSERT INTO s SELECT k, a FROM t WHERE {};
"""
SELECTED = TABLES.replace("SELECT k, a FROM t WHERE {}", "SELECT k, CAST({} AS INT) FROM t")

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


def test_a_comparison_in_the_select_list_counts_as_well() -> None:
    found = report("a > ANY (SELECT w FROM r)", "a < ANY (SELECT w FROM r)", text=SELECTED)
    assert [finding.rule for finding in found.findings] == ["construct-not-supported"]


def test_a_filter_in_such_a_query_is_a_filter_in_front_of_the_join() -> None:
    found = report("EXISTS (SELECT 1 FROM r WHERE w > 1)", "EXISTS (SELECT 1 FROM r WHERE w > 2)", "vvr")
    assert [(finding.rule, finding.verdict) for finding in found.findings] == [("filter-changed", Verdict.INCOMPATIBLE)]
