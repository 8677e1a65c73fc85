"""A fix of one finding takes its own entry of a list, and leaves those beside it and in other statements alone."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check, fixes
from keepstate.text import apply_edits

TABLES = """
CREATE TABLE t (page STRING, site STRING, usr STRING, dur INT, cost DOUBLE) WITH ('connector' = 'kafka');
CREATE TABLE u (usr STRING, seg STRING) WITH ('connector' = 'kafka');
"""


def offers(was: str, now: str, engine: str = "vvr") -> dict[str, str]:
    """The fixes of all findings by their titles without the verdict, each with the text of the query that it makes."""
    current, baseline = JobVersion(TABLES + now), JobVersion(TABLES + was)
    found: dict[str, str] = {}
    for index in range(len(check(current, baseline, engine).findings)):
        for fix in fixes(current, baseline, index, engine):
            found[fix.title.rpartition(" (")[0]] = apply_edits(current.text, fix.edits).removeprefix(TABLES)
    return found


@pytest.mark.parametrize(
    ("was", "now", "made"),
    [
        (
            "SELECT page, COUNT(*) AS n FROM t GROUP BY page;",
            "SELECT page, COUNT(*) AS n, MAX(dur) AS m, MIN(dur) AS l, 1 AS p FROM t GROUP BY page;",
            {
                "Remove `MAX(dur)`": "SELECT page, COUNT(*) AS n, MIN(dur) AS l, 1 AS p FROM t GROUP BY page;",
                "Remove `MIN(dur)`": "SELECT page, COUNT(*) AS n, MAX(dur) AS m, 1 AS p FROM t GROUP BY page;",
            },
        ),
        (
            "SELECT page, COUNT(*) AS n FROM t GROUP BY page;",
            "SELECT page, site, usr, COUNT(*) AS n FROM t GROUP BY page, site, usr;",
            {
                "Remove `site`": "SELECT page, usr, COUNT(*) AS n FROM t GROUP BY page, usr;",
                "Remove `usr`": "SELECT page, site, COUNT(*) AS n FROM t GROUP BY page, site;",
            },
        ),
        (
            "SELECT page, COUNT(*) AS n FROM t WHERE dur > 5 GROUP BY page;",
            "SELECT page, COUNT(*) AS n FROM t WHERE dur > 5 AND usr <> 'a' AND site <> 'b' GROUP BY page;",
            {
                "Remove `usr <> 'a'`": (
                    "SELECT page, COUNT(*) AS n FROM t WHERE dur > 5 AND site <> 'b' GROUP BY page;"
                ),
                "Remove `site <> 'b'`": "SELECT page, COUNT(*) AS n FROM t WHERE dur > 5 AND usr <> 'a' GROUP BY page;",
            },
        ),
        (
            "SELECT page, COUNT(*) AS n, MAX(dur) AS m, MIN(dur) AS l FROM t GROUP BY page;",
            "SELECT page, COUNT(*) AS n FROM t GROUP BY page;",
            {
                "Restore `MAX(dur)`": "SELECT page, COUNT(*) AS n, MAX(dur) AS m FROM t GROUP BY page;",
                "Restore `MIN(dur)`": "SELECT page, COUNT(*) AS n, MIN(dur) AS l FROM t GROUP BY page;",
            },
        ),
        (
            "SELECT t.page, u.seg FROM t JOIN u ON t.usr = u.usr;",
            "SELECT t.page, t.dur, t.site, u.seg FROM t JOIN u ON t.usr = u.usr;",
            {"Remove `t.dur`": "SELECT t.page, t.site, u.seg FROM t JOIN u ON t.usr = u.usr;"},
        ),
    ],
)
def test_neighbours_stay(was: str, now: str, made: dict[str, str]) -> None:
    offered = offers(was, now)
    assert {title: offered.get(title) for title in made} == made


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (
            "SELECT page, site, COUNT(*) AS n FROM t GROUP BY page, site;",
            "SELECT site, page, usr, COUNT(*) AS n FROM t GROUP BY site, page, usr;",
        ),
        (
            "SELECT page, COUNT(*) AS n, MAX(dur) AS m FROM t GROUP BY page;",
            "SELECT MIN(dur) AS l, COUNT(*) AS n, page FROM t GROUP BY page;",
        ),
        (
            "SELECT page, site, COUNT(*) AS n FROM t GROUP BY page, site;",
            "SELECT site, usr, COUNT(*) AS n FROM t GROUP BY site, usr;",
        ),
        (
            "SELECT t.page, t.dur, u.seg FROM t JOIN u ON t.usr = u.usr;",
            "SELECT t.site, u.seg, t.dur FROM t JOIN u ON t.usr = u.usr;",
        ),
        (
            "SELECT page, COUNT(*) AS n, MAX(dur) AS m, MIN(dur) AS l FROM t GROUP BY page;",
            "SELECT page, MAX(dur) AS m, AVG(dur) AS a, COUNT(*) AS n FROM t GROUP BY page;",
        ),
    ],
)
def test_a_fix_puts_no_entry_in_the_place_of_another(was: str, now: str) -> None:
    """The whole query is the smallest thing to restore if entries were exchanged and moved as well."""
    assert offers(was, now) == {"Restore this query": was}


def test_a_filter_that_is_restored_replaces_no_other() -> None:
    was = "SELECT page, COUNT(*) AS n FROM t WHERE dur > 5 AND usr = 'a' AND cost > 1 GROUP BY page;"
    now = "SELECT page, COUNT(*) AS n FROM t WHERE cost > 2 AND usr = 'a' GROUP BY page;"
    assert all("cost > " in text for text in offers(was, now).values())


def test_an_edit_of_the_same_column_in_another_statement_stays() -> None:
    was = "SELECT page, SUM(dur) AS s FROM t GROUP BY page;\nSELECT usr, MAX(dur) AS m FROM t GROUP BY usr;"
    now = was.replace("SUM(dur)", "SUM(cost)").replace("MAX(dur)", "MAX(cost)")
    offered = offers(was, now)
    assert offered["Restore `SUM(dur)`"] == was.replace("MAX(dur)", "MAX(cost)")
    assert offered["Restore `MAX(dur)`"] == was.replace("SUM(dur)", "SUM(cost)")


def test_what_cannot_stand_alone_goes_together() -> None:
    was = "SELECT page, COUNT(*) AS n FROM t GROUP BY page;"
    now = "SELECT page, site, COUNT(*) AS n FROM t GROUP BY page, site;"
    assert offers(was, now)["Remove `site`"] == was


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (
            "SELECT page\n  , COUNT(*) AS n -- number\nFROM t GROUP BY page;",
            "SELECT page\n  , COUNT(*) AS n -- number\n  , MAX(dur) AS m -- longest\nFROM t GROUP BY page;",
        ),
        (
            "SELECT page,\n  COUNT(*) AS n -- number\nFROM t GROUP BY page;",
            "SELECT page,\n  COUNT(*) AS n, -- number\n  MAX(dur) AS m -- longest\nFROM t GROUP BY page;",
        ),
        (
            "SELECT page,\n  COUNT(*) AS n, -- number\n  SUM(dur) AS s -- sum\nFROM t GROUP BY page;",
            "SELECT page,\n  COUNT(*) AS n, -- number\n  MAX(dur) AS m, -- longest\n  SUM(dur) AS s -- sum\n"
            "FROM t GROUP BY page;",
        ),
        (
            "SELECT\n  page,\n  COUNT(*) AS n -- number\nFROM t GROUP BY page;",
            "SELECT\n  page,\n  MAX(dur) AS m, -- longest\n  COUNT(*) AS n -- number\nFROM t GROUP BY page;",
        ),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_comment_goes_with_its_entry(was: str, now: str, line_end: str) -> None:
    was, now = was.replace("\n", line_end), now.replace("\n", line_end)
    assert offers(was, now)["Remove `MAX(dur)`"] == was


def test_a_comment_goes_with_its_condition() -> None:
    was = "SELECT page, COUNT(*) AS n FROM t\nWHERE dur > 1 -- long\nGROUP BY page;"
    now = was.replace("-- long", "-- long\n  AND site = 'a' -- here")
    assert offers(was, now)["Remove `site = 'a'`"] == was
