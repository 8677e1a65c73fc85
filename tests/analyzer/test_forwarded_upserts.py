"""Upserts that go from a source into a sink: Flink 2.1 and newer may keep no rows of them, older versions do.

Which of both it is depends on what the two connectors say of their deletes. With connectors of upserts on both sides
plans of 2.1.3, 2.2.1 and 2.3.0 have no ChangelogNormalize for the first three queries, and one for all others.
"""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Effect, Report, Verdict

TABLES = """
CREATE TABLE p (id INT, u STRING, a INT, c INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE TABLE keyed (id INT, a INT, u STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE TABLE by_a (id INT, a INT, u STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE TABLE printed (id INT, a INT, u STRING) WITH ('connector' = 'print');
"""
FORWARDED = [
    "INSERT INTO keyed (id, a) SELECT id, a FROM p",
    "INSERT INTO keyed (id, a) SELECT id, a + 1 FROM p",
    "INSERT INTO keyed (id, a) SELECT id, a FROM p WHERE id > 5",
]
KEPT = [
    "INSERT INTO keyed (id, a) SELECT id, a FROM p WHERE a > 5",
    "INSERT INTO by_a (id, a) SELECT id, a FROM p",
    "INSERT INTO printed (id, a) SELECT id, a FROM p",
]


def report(was: str, now: str, version: str) -> Report:
    before, after = (JobVersion(f"{TABLES}{query};", engine_version=version) for query in (was, now))
    return check(after, before, "flink")


def with_another_column(query: str) -> str:
    return query.replace("(id, a)", "(id, a, u)").replace(" FROM p", ", u FROM p")


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3"])
@pytest.mark.parametrize("query", FORWARDED)
def test_rows_that_newer_versions_may_not_keep_are_unknown(query: str, version: str) -> None:
    found = report(query, with_another_column(query), version)
    assert (found.verdict, found.effect) == (Verdict.UNKNOWN, Effect.UNDETERMINED)
    assert report(query, query.replace("SELECT", "select"), version).findings == ()


@pytest.mark.parametrize(
    ("query", "version"), [*((each, "1.20") for each in FORWARDED), *((each, "2.3") for each in KEPT)]
)
def test_rows_that_are_kept_are_compared(query: str, version: str) -> None:
    assert report(query, with_another_column(query), version).effect is Effect.DOES_NOT_START


@pytest.mark.parametrize(("version", "verdict"), [("1.20", Verdict.COMPATIBLE), ("2.3", Verdict.UNKNOWN)])
def test_a_sink_without_a_key_brings_them_back(version: str, verdict: Verdict) -> None:
    forwarded, kept = FORWARDED[0], FORWARDED[0].replace("keyed", "printed")
    assert report(forwarded, kept, version).verdict is verdict
    assert report(kept, forwarded, version).verdict is verdict
