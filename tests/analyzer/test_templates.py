"""Templates: what stands on both sides is equal, what is certain is judged, all else is unknown and names its hole."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from keepstate import ENGINES, JobVersion, check
from keepstate.plan.job import Job
from keepstate.syntax.script import parse_script

DECLARED = """
CREATE TABLE orders (shop STRING, kind STRING, price INT, weight INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = '${topic}');
CREATE TABLE totals (shop STRING, total INT) WITH ('connector' = 'kafka');
"""
SUM = "INSERT INTO totals SELECT shop, SUM(price) FROM orders"
SIZED = "INSERT INTO totals SELECT shop, SUM(price) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), {})) GROUP BY {}"
KEYS = "shop, window_start, window_end"


@dataclass(frozen=True)
class Case:
    """Two versions of a query; ``hole`` is named by the only finding, which is unknown, and is empty otherwise."""

    baseline: str
    current: str
    verdict: str
    rule: str = ""
    hole: str = ""


def sized(size: str) -> str:
    return SIZED.format(size, KEYS)


EQUAL = (
    f"{SUM} WHERE price > ${{min}} GROUP BY shop",
    sized("INTERVAL '${minutes}' MINUTE"),
    sized("INTERVAL '{{ size }}' HOUR TO MINUTE"),
    f"{SUM} WHERE ts > TIMESTAMP '${{start}}' AND CAST(ts AS DATE) > DATE '{{{{ day }}}}' GROUP BY shop",
    f"{SUM} WHERE CAST(ts AS TIME) > TIME '${{hour}}:00:00' GROUP BY shop",
    f"{SUM} WHERE MD5(kind) <> CAST(X'${{digits}}' AS STRING) GROUP BY shop",
    f"{SUM} ${{more}} GROUP BY shop",
    f"{SUM} WHERE kind IN (${{kinds}}) GROUP BY shop",
    "INSERT INTO ${db}.totals SELECT shop, ${sums} FROM {{ ref('orders') }} GROUP BY ${keys}",
    "INSERT INTO totals SELECT shop, SUM(%s) FROM <source> WHERE price > :min AND kind = @kind GROUP BY shop",
    f"{SUM} {{% if small %}} WHERE price < 9 {{% else %}} WHERE price > 9 {{% endif %}} GROUP BY shop",
    "INSERT INTO totals ${query}",
    "{{ everything }}",
    sized("INTERVAL ${n} ${unit}"),
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("query", EQUAL)
def test_a_hole_is_equal_to_itself(query: str, engine: str) -> None:
    baseline, current = DECLARED + query, DECLARED + "-- laid out anew\n" + query.replace(" FROM ", "\n  FROM ")
    report = check(JobVersion(current), JobVersion(baseline), engine)
    assert (report.verdict.value, report.findings) == ("compatible", ())


OF_PARTS = [query for query in EQUAL if query != "{{ everything }}" and " > TIME" not in query and "MD5" not in query]
BESIDE = f"{SUM} WHERE price > {{{{ least + 1 }}}} GROUP BY shop"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("query", [*OF_PARTS, BESIDE])
def test_blanks_within_a_hole_mean_nothing(query: str, engine: str) -> None:
    wide = re.sub(r"([$]\{|\{\{) *(.*?) *(\}\}?)", r"\1  \2  \3", DECLARED + query)
    narrow = re.sub(r"([$]\{|\{\{) *(.*?) *(\}\}?)", r"\1\2\3", DECLARED + query)
    report = check(JobVersion(wide), JobVersion(narrow), engine)
    assert (report.verdict.value, report.findings) == ("compatible", ())


def test_a_text_keeps_its_blanks() -> None:
    """It may be no hole, and then it is a value."""
    (value,) = Job.of(parse_script("SELECT '{{ a }} ${ \"b\" }' AS x FROM orders"), {}).pipelines[0].plan.output
    assert str(value) == "'{{ a }} ${ \"b\" }'"


OPEN = (
    # a value, where it decides about state
    Case(
        f"{SUM} WHERE price > ${{a}} GROUP BY shop",
        f"{SUM} WHERE price > 3 GROUP BY shop",
        "unknown",
        "filter-changed",
        "${a}",
    ),
    Case(
        f"{SUM} WHERE price > :a GROUP BY shop",
        f"{SUM} WHERE price > @b GROUP BY shop",
        "unknown",
        "filter-changed",
        "@b",
    ),
    Case(
        f"{SUM} WHERE kind IN (%s) GROUP BY shop",
        f"{SUM} WHERE kind IN ('a', 'b') GROUP BY shop",
        "unknown",
        "filter-changed",
        "%s",
    ),
    Case(sized("INTERVAL '${n}' MINUTE"), sized("INTERVAL '10' MINUTE"), "unknown", "window-size-changed", "${n}"),
    Case(sized("INTERVAL ${n} MINUTE"), sized("INTERVAL {{ n }} MINUTE"), "unknown", "window-size-changed", "{{ n }}"),
    # a key, an aggregate, a source
    Case(f"{SUM} GROUP BY ${{keys}}", f"{SUM} GROUP BY shop", "unknown", "group-key-changed", "${keys}"),
    Case(
        f"{SUM} GROUP BY shop",
        SUM.replace("price", "${what}") + " GROUP BY shop",
        "unknown",
        "only-aggregate-changed",
        "${what}",
    ),
    Case(
        f"{SUM} GROUP BY shop",
        SUM.replace("SUM(price)", "${sum}") + " GROUP BY shop",
        "unknown",
        "all-aggregates-removed",
        "${sum}",
    ),
    # a clause that is not read
    Case(
        f"{SUM} WHERE price > 1 ${{more}} GROUP BY shop",
        f"{SUM} WHERE price > 1 AND kind = 'a' GROUP BY shop",
        "unknown",
        "filter-added",
        "${more}",
    ),
    Case(
        f"{SUM} WHERE price > 1 ${{more}} GROUP BY shop",
        f"{SUM} WHERE price > 1 GROUP BY shop",
        "unknown",
        "template-changed",
        "${more}",
    ),
    Case(f"{SUM} GROUP BY shop", f"{SUM} GROUP BY shop ${{having}}", "unknown", "template-changed", "${having}"),
    Case(
        f"{SUM} {{% if a %}} WHERE price > 1 {{% endif %}} GROUP BY shop",
        f"{SUM} {{% if b %}} WHERE price > 1 {{% endif %}} GROUP BY shop",
        "unknown",
        "template-changed",
        "{% if b %}",
    ),
    Case(
        f"{SUM} {{% if a %}} WHERE price > 1 {{% else %}} WHERE price > 2 {{% endif %}} GROUP BY shop",
        f"{SUM} {{% if a %}} WHERE price > 1 {{% else %}} WHERE price > 3 {{% endif %}} GROUP BY shop",
        "unknown",
        "template-changed",
        "{% else %} WHERE price > 3 {% endif %}",
    ),
    Case("{{ one }}", "{{ other }}", "unknown", "statement-not-read", "{{ other }}"),
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", OPEN, ids=lambda case: f"{case.rule} {case.hole}")
def test_what_may_be_equal_once_it_is_filled_in_is_unknown_and_named(case: Case, engine: str) -> None:
    report = check(JobVersion(DECLARED + case.current), JobVersion(DECLARED + case.baseline), engine)
    assert report.verdict.value == case.verdict
    finding = next(one for one in report.findings if one.rule == case.rule and "baseline" not in one.change)
    assert finding.verdict.value == "unknown"
    assert case.hole in f"{finding.change} {finding.consequence} {finding.current.text}"


CERTAIN = (
    # the same hole on both sides, and something else beside it
    Case(f"{SUM} GROUP BY ${{keys}}, shop", f"{SUM} GROUP BY ${{keys}}, kind", "incompatible", "group-key-changed"),
    Case(
        f"{SUM} WHERE price > ${{a}} GROUP BY shop",
        f"{SUM} WHERE price < ${{a}} GROUP BY shop",
        "incompatible",
        "filter-changed",
    ),
    Case(sized("INTERVAL '${n}' MINUTE"), sized("INTERVAL '${n}' HOUR"), "incompatible", "window-size-changed"),
    Case(
        f"{SUM} FROM {{{{ a }}}} GROUP BY shop".replace(" FROM orders", ""),
        f"{SUM} FROM {{{{ a }}}} GROUP BY shop".replace(" FROM orders", "").replace("price", "weight"),
        "incompatible",
        "only-aggregate-changed",
    ),
    # no filling makes a MAX of a SUM
    Case(
        f"{SUM} GROUP BY shop",
        f"{SUM} GROUP BY shop".replace("SUM(price)", "MAX(${what})"),
        "incompatible",
        "all-aggregates-replaced",
    ),
    # a clause more is one, whatever its value will be
    Case(f"{SUM} GROUP BY shop", f"{SUM} WHERE price > ${{a}} GROUP BY shop", "incompatible", "filter-added"),
    # what is read of a branch
    Case(
        f"{SUM} {{% if a %}} WHERE price > 1 {{% endif %}} GROUP BY shop",
        f"{SUM} {{% if a %}} WHERE price > 2 {{% endif %}} GROUP BY shop",
        "incompatible",
        "filter-changed",
    ),
)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CERTAIN, ids=lambda case: case.rule)
def test_what_no_filling_makes_equal_is_judged(case: Case, engine: str) -> None:
    report = check(JobVersion(DECLARED + case.current), JobVersion(DECLARED + case.baseline), engine)
    assert [finding.rule for finding in report.findings] == [case.rule]
    assert report.verdict.value == case.verdict


def test_a_hole_that_says_nothing_about_state_changes_nothing() -> None:
    baseline = DECLARED + f"{SUM} GROUP BY shop"
    current = baseline.replace("'${topic}'", "'${other_topic}'")
    assert check(JobVersion(current), JobVersion(baseline)).verdict.value == "compatible"


@pytest.mark.parametrize("engine", ENGINES)
def test_one_hole_may_stand_for_several_edits(engine: str) -> None:
    declared = DECLARED + "CREATE TABLE pairs (shop STRING, total INT, most INT) WITH ('connector' = 'kafka');\n"
    baseline = f"{declared}INSERT INTO pairs SELECT shop, ${{sums}} FROM orders GROUP BY shop"
    current = f"{declared}INSERT INTO pairs SELECT shop, SUM(price), MAX(weight) FROM orders GROUP BY shop"
    report = check(JobVersion(current), JobVersion(baseline), engine)
    assert {finding.verdict.value for finding in report.findings} == {"unknown"}
    assert {finding.current.text for finding in report.findings} >= {"SUM(price)", "MAX(weight)"}
