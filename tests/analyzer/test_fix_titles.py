"""Titles of fixes say what the edit does, also where the finding is about more than the edit."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check, fixes

JOB = """\
CREATE TABLE orders (id STRING, shop STRING, pt AS PROCTIME()) WITH ('connector' = 'kafka');
CREATE TABLE last (id STRING PRIMARY KEY NOT ENFORCED, shop STRING) WITH ('connector' = 'upsert-kafka');
INSERT INTO last SELECT id, shop FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY pt DESC) AS rn FROM orders
) WHERE rn {};
"""


COUNTS = """\
CREATE TABLE orders (id BIGINT, city STRING) WITH ('connector' = 'kafka');
CREATE TABLE shops (id BIGINT, city STRING, name STRING) WITH ('connector' = 'kafka');
SELECT o.id, {} FROM orders AS o JOIN shops AS s ON o.id = s.id GROUP BY o.id;
"""


@pytest.mark.parametrize(
    ("was", "now", "title"),
    [
        ("COUNT(*)", "COUNT(s.city)", "Restore `COUNT(*)`"),
        ("SUM(1)", "SUM(CHAR_LENGTH(s.city))", "Restore `SUM(1)`"),
        ("COUNT(*)", "COUNT(*), COUNT(s.city)", "Remove `COUNT(s.city)`"),
        ("COUNT(*)", "COUNT(s.city), COUNT(*)", "Remove `COUNT(s.city)`"),
    ],
)
def test_a_fix_is_named_by_its_words(was: str, now: str, title: str) -> None:
    current, baseline = JobVersion(COUNTS.format(now)), JobVersion(COUNTS.format(was))
    (number,) = (n for n, one in enumerate(check(current, baseline).findings) if one.rule == "join-input-changed")
    assert f"{title} (compatible)" in [fix.title for fix in fixes(current, baseline, number)]


@pytest.mark.parametrize("join", ["LEFT JOIN shops AS s ON o.id = s.id", "JOIN shops AS s ON o.id = s.id"])
def test_a_clause_that_came_is_removed_with_the_blank_in_front_of_it(join: str) -> None:
    text = COUNTS.format("COUNT(*)").replace("JOIN shops AS s ON o.id = s.id ", "")
    current, baseline = JobVersion(text.replace(" GROUP", f" {join} GROUP")), JobVersion(text)
    titles = [
        fix.title
        for n, _ in enumerate(check(current, baseline, "flink").findings)
        for fix in fixes(current, baseline, n, "flink")
    ]
    assert f"Remove `{join}` (compatible)" in titles


@pytest.mark.parametrize(("was", "now"), [("= 1", "<= 3"), ("= 1", "<= 2")])
def test_a_refused_query_is_not_said_to_be_removed(was: str, now: str) -> None:
    current, baseline = JobVersion(JOB.format(now)), JobVersion(JOB.format(was))
    rules = [finding.rule for finding in check(current, baseline, "flink").findings]
    found = fixes(current, baseline, rules.index("query-refused"), "flink")
    assert [(fix.title, [edit.new_text for edit in fix.edits]) for fix in found] == [
        (f"Restore `{was}` (compatible)", [was])
    ]
