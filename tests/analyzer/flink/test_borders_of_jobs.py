"""State at the borders of a job: keys of upserts, lookups, and rows in front of a sink. As Flink 2.3.0 restarted it."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict

TABLES = """\
CREATE TABLE t (id BIGINT, k STRING, v INT, pt AS PROCTIME()) WITH ('connector' = 'kafka');
CREATE TABLE u (id BIGINT, n STRING, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE TABLE l (id BIGINT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc');
"""
LOOKED_UP = "SELECT {} l.n, COUNT(*) FROM t JOIN l FOR SYSTEM_TIME AS OF t.pt AS l ON {} GROUP BY l.n;"
ON_KEY = "t.id = l.id"
SINK = "CREATE TABLE s ({}, PRIMARY KEY (n) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');\n"
ORDERED = "INSERT INTO s SELECT u.n, t.v, t.k FROM t JOIN u ON t.id = u.id ON CONFLICT DO DEDUPLICATE;"


def verdict(was: str, now: str, version: str = "2.3") -> Verdict:
    current, baseline = (JobVersion(TABLES + text, engine_version=version) for text in (now, was))
    return check(current, baseline, "flink").verdict


@pytest.mark.parametrize("version", ["1.20", "2.3"])
@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("WHERE id > 2", "", Verdict.INCOMPATIBLE),
        ("", "WHERE id > 2", Verdict.INCOMPATIBLE),
        ("WHERE id > 3", "WHERE id > 1", Verdict.INCOMPATIBLE),
        ("WHERE id > 3", "WHERE 3 < id", Verdict.COMPATIBLE),
    ],
)
def test_a_filter_by_the_key_of_upserts_decides_which_rows_are_kept(
    was: str, now: str, expected: Verdict, version: str
) -> None:
    assert verdict(f"SELECT id, n FROM u {was};", f"SELECT id, n FROM u {now};", version) is expected


@pytest.mark.parametrize(
    ("hint", "condition", "version", "expected"),
    [
        ("'shuffle'='true'", ON_KEY, "2.3", Verdict.INCOMPATIBLE),
        ("'shuffle'='TRUE'", ON_KEY, "2.1", Verdict.INCOMPATIBLE),
        ("'shuffle'='true'", "t.id + 1 = l.id", "2.3", Verdict.INCOMPATIBLE),
        ("'shuffle'='false'", ON_KEY, "2.3", Verdict.COMPATIBLE),
        ("'shuffle'='true'", ON_KEY, "1.20", Verdict.COMPATIBLE),
    ],
)
def test_a_shuffled_lookup_has_an_exchange_in_front_of_it(
    hint: str, condition: str, version: str, expected: Verdict
) -> None:
    hinted = LOOKED_UP.format(f"/*+ LOOKUP('table'='l', {hint}) */", condition)
    assert verdict(LOOKED_UP.format("", condition), hinted, version) is expected


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("n STRING, v INT, k STRING", "n STRING, v INT NOT NULL, k STRING", Verdict.INCOMPATIBLE),
        ("n STRING, v INT NOT NULL, k STRING", "n STRING, v INT, k STRING", Verdict.INCOMPATIBLE),
        ("n STRING, v INT, k STRING NOT NULL", "n STRING, v INT NOT NULL, k STRING", Verdict.INCOMPATIBLE),
        ("n STRING, v INT, k STRING", "n STRING NOT NULL, v INT, k STRING", Verdict.COMPATIBLE),
    ],
)
def test_rows_in_front_of_a_sink_are_stored_with_its_not_null(was: str, now: str, expected: Verdict) -> None:
    assert verdict(SINK.format(was) + ORDERED, SINK.format(now) + ORDERED) is expected
