"""Fixes keep the layout: what comes back stands where it stood, and what is new is laid out as its neighbours are."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check, fixes
from keepstate.report import Fix
from keepstate.text import apply_edits

TABLES = """\
CREATE TABLE o (k BIGINT, v BIGINT, c STRING) WITH ('connector' = 'kafka', 'topic' = 'o');
CREATE TABLE p (k BIGINT, w BIGINT) WITH ('connector' = 'kafka', 'topic' = 'p');

CREATE TABLE s (
  k BIGINT,
  n BIGINT
) WITH ('connector' = 'print');
"""
JOINED = """
INSERT INTO s
SELECT
  o.k,
  SUM(o.v) AS n
FROM o
JOIN p
  ON o.k = p.k
WHERE
  o.c <> 'x'
  AND o.v > 3
GROUP BY
  o.k;
"""
TTL = "SET 'table.exec.state.ttl' = '7 d';\n"
OTHERS = "SET 'parallelism.default' = '4';\nSET 'pipeline.name' = 'sums';\n"
COUNTS = "\n-- Per colour.\nINSERT INTO counts\nSELECT c, COUNT(*)\nFROM o\nGROUP BY c;\n"
SET = "EXECUTE STATEMENT SET\nBEGIN\n{}END;\n"

REMOVED = {
    "a join": (TABLES + JOINED, "JOIN p\n  ON o.k = p.k\n", "Restore `JOIN p ON o.k = p.k` (compatible)"),
    "a condition": (TABLES + JOINED, "\n  AND o.v > 3", "Restore `o.v > 3` (compatible)"),
    "the first SET": (TTL + OTHERS + "\n" + TABLES + JOINED, TTL, f"Restore `{TTL[:-2]}` (compatible)"),
    "a SET between others": (
        OTHERS.replace("\n", f"\n-- A week.\n{TTL}", 1) + "\n" + TABLES + JOINED,
        TTL,
        f"Restore `{TTL[:-2]}` (compatible)",
    ),
    "a SET with its comment": (
        OTHERS.replace("\n", f"\n-- A week.\n{TTL}", 1) + "\n" + TABLES + JOINED,
        f"-- A week.\n{TTL}",
        f"Restore `{TTL[:-2]}` (compatible)",
    ),
    "the only SET, below a comment": (
        f"-- Sums.\n{TTL}\n-- Tables.\n{TABLES}{JOINED}",
        f"{TTL}\n",
        f"Restore `{TTL[:-2]}` (compatible)",
    ),
    "an INSERT with its comment": (TABLES + JOINED + COUNTS, COUNTS, "Restore INSERT INTO counts (compatible)"),
    "an INSERT between others": (TABLES + COUNTS + JOINED, COUNTS, "Restore INSERT INTO counts (compatible)"),
    "the first INSERT of a set": (
        TABLES + SET.format(COUNTS + JOINED),
        COUNTS,
        "Restore INSERT INTO counts (compatible)",
    ),
    "line ends of Windows": (
        (TABLES + JOINED + COUNTS).replace("\n", "\r\n"),
        COUNTS.replace("\n", "\r\n"),
        "Restore INSERT INTO counts (compatible)",
    ),
}


def offered(current: str, baseline: str) -> dict[str, Fix]:
    now, was = JobVersion(current), JobVersion(baseline)
    found = range(len(check(now, was).findings))
    return {fix.title: fix for index in found for fix in fixes(now, was, index)}


@pytest.mark.parametrize(("baseline", "removed", "title"), REMOVED.values(), ids=REMOVED.keys())
def test_what_comes_back_stands_where_it_stood(baseline: str, removed: str, title: str) -> None:
    assert baseline.count(removed) == 1
    current = baseline.replace(removed, "")
    assert apply_edits(current, offered(current, baseline)[title].edits) == baseline


def test_a_comment_that_stayed_is_not_written_twice() -> None:
    baseline = TABLES + JOINED + COUNTS
    current = baseline.replace(COUNTS, "\n\n-- Per colour.\n")
    restored = apply_edits(current, offered(current, baseline)["Restore INSERT INTO counts (compatible)"].edits)
    assert restored.count("-- Per colour.") == 1


LISTS = {
    "commas behind": ("  k,\n  MAX(v) AS m\n", "  k,\n  {},\n  MAX(v) AS m_before\n"),
    "commas in front": ("  k\n  , MAX(v) AS m\n", "  k\n  , {}\n  , MAX(v) AS m_before\n"),
    "one line": ("  k, MAX(v) AS m\n", "  k, {}, MAX(v) AS m_before\n"),
    "a comment behind the comma": (
        "  k, -- the key\n  MAX(v) AS m\n",
        "  k, -- the key\n  {},\n  MAX(v) AS m_before\n",
    ),
}


@pytest.mark.parametrize(("items", "kept"), LISTS.values(), ids=LISTS.keys())
def test_a_column_more_is_laid_out_as_the_others(items: str, kept: str) -> None:
    baseline = f"{TABLES}INSERT INTO s\nSELECT\n{items}FROM o\nGROUP BY k;\n"
    current = baseline.replace("MAX(v)", "MIN(v)")
    (fix,) = (fix for fix in offered(current, baseline).values() if fix.kind == "keep-both")
    text = apply_edits(current, fix.edits)
    assert f"SELECT\n{kept.format('MIN(v) AS m')}FROM o" in text
    assert "  k BIGINT,\n  n BIGINT,\n  m_before BIGINT\n)" in text


def test_the_end_of_a_set_is_not_written_again() -> None:
    baseline = TABLES + SET.format(JOINED) + COUNTS
    current = baseline.replace(SET.format(JOINED), "").replace(COUNTS, "")
    for fix in offered(current, baseline).values():
        assert apply_edits(current, fix.edits).count("END;") == apply_edits(current, fix.edits).count("BEGIN")
