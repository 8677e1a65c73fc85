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


@pytest.mark.parametrize(("was", "now"), [("= 1", "<= 3"), ("= 1", "<= 2")])
def test_a_refused_query_is_not_said_to_be_removed(was: str, now: str) -> None:
    current, baseline = JobVersion(JOB.format(now)), JobVersion(JOB.format(was))
    rules = [finding.rule for finding in check(current, baseline, "flink").findings]
    found = fixes(current, baseline, rules.index("query-refused"), "flink")
    assert [(fix.title, [edit.new_text for edit in fix.edits]) for fix in found] == [
        (f"Restore `{was}` (compatible)", [was])
    ]
