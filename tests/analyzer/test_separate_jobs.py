"""A new metric in a job of its own: what the other file holds, and when there is none."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check, draw_plan, fixes, parse_script
from keepstate.report import Fix, Verdict
from keepstate.text import apply_edits

TABLES = """\
CREATE TABLE plays (
  artist STRING, seconds INT, listener BIGINT, played TIMESTAMP(3), WATERMARK FOR played AS played
) WITH ('connector' = 'kafka', 'topic' = 'plays');
CREATE TABLE unused (x INT) WITH ('connector' = 'print');
CREATE VIEW long_plays AS SELECT * FROM plays WHERE seconds > 30;
CREATE TABLE daily (
  artist STRING, starts TIMESTAMP(3), total BIGINT{columns},
  PRIMARY KEY (artist, starts) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka', 'topic' = 'daily');
SET 'table.exec.state.ttl' = '1 d';
"""
WINDOWED = """\
INSERT INTO daily
SELECT artist, window_start AS starts, SUM(seconds) AS total{items}
FROM TABLE(TUMBLE(TABLE long_plays, DESCRIPTOR(played), INTERVAL '1' HOUR))
GROUP BY artist, window_start, window_end;
"""
OTHER = "INSERT INTO counts SELECT artist, COUNT(*) AS n FROM plays GROUP BY artist;\n"


def script(columns: str = "", items: str = "") -> str:
    return TABLES.format(columns=columns) + WINDOWED.format(items=items)


BASELINE = script()


def separate(current: str, baseline: str) -> list[Fix]:
    now, was = JobVersion(current), JobVersion(baseline)
    report = check(now, was)
    found = [fix for index in range(len(report.findings)) for fix in fixes(now, was, index)]
    return [fix for fix in found if fix.kind == "separate-job"]


def metrics_of(text: str) -> list[list[str]]:
    """The outputs of all queries."""
    return [
        [item.text for item in pipeline.current.output.items]
        for pipeline in draw_plan(JobVersion(text)).pipelines
        if pipeline.current is not None
    ]


def test_the_former_job_keeps_its_state_and_the_new_one_has_the_metric() -> None:
    current = script(", longest INT", ", MAX(seconds) AS longest") + OTHER
    (fix,) = separate(current, BASELINE + OTHER)
    assert fix.title == "Compute `MAX(seconds) AS longest` in a job of its own, in a new file (compatible)"
    assert fix.verdict_after is Verdict.COMPATIBLE
    assert apply_edits(current, fix.edits) == BASELINE + OTHER
    (new,) = fix.new_files
    assert new.suffix == "_longest"
    assert new.text.startswith("-- MAX(seconds) AS longest: a job of its own.\n")
    needed = [statement.text.split(" (")[0].split(" AS")[0] for statement in parse_script(new.text).statements]
    assert needed == [
        "CREATE TABLE plays",
        "CREATE VIEW long_plays",
        "SET 'table.exec.state.ttl' = '1 d'",
        "CREATE TABLE daily_longest",
        "INSERT INTO daily_longest\nSELECT artist, window_start",
    ]
    assert metrics_of(new.text) == [["artist", "window_start", "MAX(seconds)"]]
    assert "  longest INT,\n  PRIMARY KEY (artist, starts) NOT ENFORCED\n)" in new.text
    # Where its rows go has to be said: in the former topic they would mix with the others.
    assert "'topic' = '<where the rows of daily_longest go>'" in new.text and "'topic' = 'daily'" not in new.text
    assert "'topic' = 'plays'" in new.text


KAFKA = "WITH ('connector' = 'kafka', 'topic' = 'plays')"
CONSUMERS = {
    "no group, no start": (
        KAFKA,
        "WITH ('connector' = 'kafka', 'topic' = 'plays', 'properties.group.id' = 'daily_longest', "
        "'scan.startup.mode' = 'earliest-offset')",
        True,
    ),
    "a group, a start": (
        "WITH (\n  'connector' = 'kafka',\n  'properties.group.id' = 'jobs',\n"
        "  'scan.startup.mode' = 'latest-offset'\n)",
        "WITH (\n  'connector' = 'kafka',\n  'properties.group.id' = 'jobs-daily_longest',\n"
        "  'scan.startup.mode' = 'latest-offset'\n)",
        False,
    ),
    "the offsets of a group": (
        "WITH (\n  'connector' = 'kafka'\n  , 'scan.startup.mode' = 'group-offsets'\n  , 'topic' = 'it''s'\n)",
        "WITH (\n  'connector' = 'kafka'\n  , 'scan.startup.mode' = 'earliest-offset'\n  , 'topic' = 'it''s'"
        "\n  , 'properties.group.id' = 'daily_longest'\n)",
        True,
    ),
    "another connector": (
        "WITH ('connector' = 'filesystem', 'path' = '/plays', 'format' = 'json')",
        "WITH ('connector' = 'filesystem', 'path' = '/plays', 'format' = 'json')",
        False,
    ),
}


@pytest.mark.parametrize(("written", "made", "chosen"), CONSUMERS.values(), ids=CONSUMERS.keys())
def test_the_other_job_has_a_consumer_group_and_a_start_of_its_own(written: str, made: str, chosen: bool) -> None:
    baseline = BASELINE.replace(KAFKA, written)
    (fix,) = separate(script(", longest INT", ", MAX(seconds) AS longest").replace(KAFKA, written), baseline)
    text = fix.new_files[0].text
    assert f"WATERMARK FOR played AS played\n) {made};" in text
    assert (
        "-- Choose the start of plays: 'earliest-offset' counts all rows that the topic still has.\n" in text
    ) is chosen


def test_the_query_keeps_its_layout() -> None:
    items = (
        "artist, window_start AS starts, SUM(seconds) AS total",
        "artist\n     , window_start AS starts\n     , SUM(seconds) AS total",
    )
    baseline = BASELINE.replace(*items)
    current = script(", longest INT", "\n     , MAX(seconds) AS longest").replace(*items)
    (fix,) = separate(current, baseline)
    assert "SELECT artist\n     , window_start AS starts\n     , MAX(seconds) AS longest\nFROM" in fix.new_files[0].text


def test_the_new_metrics_of_one_query_go_together() -> None:
    current = script(", longest INT, n BIGINT", ", MAX(seconds) AS longest, COUNT(*) AS n")
    found = separate(current, BASELINE)
    assert len(found) == 2 and found[0] == found[1]
    assert found[0].title == "Compute the 2 new metrics in another job, in a new file (compatible)"
    assert metrics_of(found[0].new_files[0].text) == [["artist", "window_start", "MAX(seconds)", "COUNT(*)"]]


def test_a_distinct_aggregate_that_would_cost_all_state() -> None:
    current = script(", people BIGINT", ", COUNT(DISTINCT listener) AS people")
    assert check(JobVersion(current), JobVersion(BASELINE)).verdict is Verdict.INCOMPATIBLE
    (fix,) = separate(current, BASELINE)
    assert fix.verdict_after is Verdict.COMPATIBLE and fix.new_files[0].suffix == "_people"


def test_a_sink_of_a_catalog_is_left_to_declare() -> None:
    (fix,) = separate(OTHER.replace("COUNT(*) AS n", "COUNT(*) AS n, MAX(seconds) AS `top 1`"), OTHER)
    (new,) = fix.new_files
    assert "-- Declare counts_top_1 (artist, top 1), or name another sink.\nINSERT INTO counts_top_1 SELECT" in new.text
    assert new.suffix == "_top_1" and "CREATE" not in new.text


def test_names_that_are_taken_and_line_ends_of_windows() -> None:
    taken = "CREATE TABLE counts_n2 (x INT) WITH ('connector' = 'print');\r\n"
    baseline = taken + OTHER.replace("\n", "\r\n")
    (fix,) = separate(baseline.replace("AS n", "AS n, SUM(seconds) AS n2"), baseline)
    text = fix.new_files[0].text
    assert "INSERT INTO counts_n2_2 SELECT" in text and text.count("\n") == text.count("\r\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Not the outermost query: what reads it would have to move as well.
        (
            "INSERT INTO s SELECT a, n FROM (SELECT artist AS a, COUNT(*) AS n FROM plays GROUP BY artist);",
            "INSERT INTO s SELECT a, n, m FROM "
            "(SELECT artist AS a, COUNT(*) AS n, MAX(seconds) AS m FROM plays GROUP BY artist);",
        ),
        # Used in HAVING, not selected.
        (OTHER, OTHER.replace("artist;", "artist HAVING MAX(seconds) > 10;")),
        # No keys that would tell the rows of the new sink apart.
        (
            "INSERT INTO s SELECT COUNT(*) AS n FROM plays;",
            "INSERT INTO s SELECT COUNT(*) AS n, MAX(seconds) AS m FROM plays;",
        ),
        # A branch of UNION ALL.
        (
            "INSERT INTO s SELECT artist, COUNT(*), 0 FROM plays GROUP BY artist UNION ALL SELECT '', 1, 2;",
            "INSERT INTO s SELECT artist, COUNT(*), MAX(seconds) FROM plays GROUP BY artist UNION ALL SELECT '', 1, 2;",
        ),
        # A table that comes and goes within the script.
        (f"DROP TABLE old;\n{OTHER}", f"DROP TABLE old;\n{OTHER}".replace("AS n", "AS n, MAX(seconds) AS m")),
        # No metric more.
        (OTHER, OTHER.replace("COUNT(*)", "SUM(seconds)")),
    ],
)
def test_not_where_it_cannot_be_done_by_itself(before: str, after: str) -> None:
    assert check(JobVersion(after), JobVersion(before)).findings
    assert separate(after, before) == []
