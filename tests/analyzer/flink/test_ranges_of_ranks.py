"""Rankings over rows that are taken back, with other ranges, and with and without rank numbers.

Restarted with Flink 2.3.0 from savepoints, over two sets of rows with equal sort keys: a ranking that skips its first
rows and gives no rank numbers is restored exactly by itself alone. All other ones are restored from one another.
"""

from __future__ import annotations

from itertools import product

import pytest

import keepstate

TABLES = """\
CREATE TABLE t (k STRING, a INT, b INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE TABLE c (k STRING, b INT, s INT, id INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'kafka', 'topic' = 'c', 'format' = 'debezium-json');
CREATE VIEW sums AS SELECT k, b, SUM(a) AS s FROM t GROUP BY k, b;
"""
RANGES = {"n <= 2": 1, "n <= 3": 1, "n = 2": 2, "n BETWEEN 2 AND 3": 2, "n BETWEEN 3 AND 4": 3, "n = 3": 3}
"""Conditions on the rank, and the first rank that they leave."""
SOURCES = ("sums", "c")


def ranked(rows: str, condition: str, is_numbered: bool) -> str:
    numbered = f"(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY s DESC) AS n FROM {rows})"
    return f"SELECT k, b, s{', n' if is_numbered else ''} FROM {numbered} WHERE {condition};"


def skips(condition: str, is_numbered: bool) -> bool:
    """Return whether the first rows are skipped without numbers: a single rank is a constant, and no number."""
    return RANGES[condition] > 1 and (not is_numbered or "=" in condition.replace("<=", ""))


@pytest.mark.parametrize("rows", SOURCES)
@pytest.mark.parametrize(("former", "changed"), list(product(product(RANGES, (True, False)), repeat=2)))
def test_rows_that_are_skipped_without_numbers_are_kept_otherwise(
    former: tuple[str, bool], changed: tuple[str, bool], rows: str
) -> None:
    versions = (keepstate.JobVersion(f"{TABLES}{ranked(rows, *each)}") for each in (changed, former))
    report = keepstate.check(*versions, "flink")
    is_same = former[0] == changed[0] and skips(*former) == skips(*changed)
    fits = is_same or not (skips(*former) or skips(*changed))
    assert (not report.findings) is fits
    assert all("skips its first rows" in finding.message for finding in report.findings)


@pytest.mark.parametrize(("former", "changed", "fits"), [(0, 1, False), (1, 2, False), (1, 0, False), (1, 1, True)])
def test_an_offset_skips_rows_without_numbers(former: int, changed: int, fits: bool) -> None:
    versions = (
        keepstate.JobVersion(f"{TABLES}SELECT k, b, s FROM sums ORDER BY s DESC LIMIT 2 OFFSET {offset};")
        for offset in (changed, former)
    )
    findings = keepstate.check(*versions, "flink").findings
    assert [finding.rule for finding in findings] == ([] if fits else ["offset-changed"])


@pytest.mark.parametrize("every", ["", " ALL"])
@pytest.mark.parametrize("words", [("INTERSECT", "EXCEPT"), ("EXCEPT", "INTERSECT")])
@pytest.mark.parametrize("left", ["t", "c"])
def test_rows_of_another_set_operation_are_other_rows(left: str, words: tuple[str, str], every: str) -> None:
    """Over changes the aggregations of both have the same accumulators."""
    former, changed = (
        keepstate.JobVersion(f"{TABLES}SELECT k, b FROM {left} {word}{every} SELECT k, b FROM c;") for word in words
    )
    (finding,) = keepstate.check(changed, former, "flink").findings
    assert finding.rule == "set-operation-changed"
