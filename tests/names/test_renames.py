"""Renames change all places of one name, keep what every other name means, or say why they cannot."""

from __future__ import annotations

import pytest

import keepstate
from keepstate.names.recorder import NameRole
from keepstate.names.renames import RenameRefused, rename, renamed_place
from keepstate.names.script_names import names_of
from keepstate.report import Verdict
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import parse_script
from keepstate.text import apply_edits
from keepstate.validation import Answer, validate
from keepstate.validation.values.declared_symbols import NameKind
from name_marks import cursor

TABLES = """\
CREATE TABLE users (id INT, age INT, name STRING) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE orders (id INT, total INT) WITH ('connector' = 'kafka', 'format' = 'json');
"""


def renamed(marked: str, new: str) -> str:
    text, offset = cursor(marked)
    return apply_edits(text, rename(parse_script(text), offset, new).edits)


def refusal(marked: str, new: str) -> str:
    text, offset = cursor(marked)
    with pytest.raises(RenameRefused) as refused:
        rename(parse_script(text), offset, new)
    return str(refused.value)


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ("CREATE TABLE t (‸a INT); SELECT a FROM t", "b", "CREATE TABLE t (b INT); SELECT b FROM t"),
        ("CREATE TABLE t (a INT); SELECT ‸a FROM t", "b", "CREATE TABLE t (b INT); SELECT b FROM t"),
        ("CREATE TABLE t (`a` INT); SELECT ‸a FROM t", "b", "CREATE TABLE t (b INT); SELECT b FROM t"),
        ("CREATE TABLE t (a INT); SELECT ‸a FROM t", "order", "CREATE TABLE t (`order` INT); SELECT `order` FROM t"),
        ("CREATE TABLE t (a INT); SELECT ‸a FROM t", "b c", "CREATE TABLE t (`b c` INT); SELECT `b c` FROM t"),
        ("CREATE TABLE t (a INT); SELECT ‸a FROM t", "`b`", "CREATE TABLE t (b INT); SELECT b FROM t"),
        ("CREATE TABLE t (a INT); SELECT ‸a FROM t", "b`c", "CREATE TABLE t (`b``c` INT); SELECT `b``c` FROM t"),
        ("CREATE TABLE t (a INT); SELECT ‸a FROM t", "größe", "CREATE TABLE t (`größe` INT); SELECT `größe` FROM t"),
        ("CREATE TABLE t (a INT); SELECT ‸a FROM t", "a", "CREATE TABLE t (a INT); SELECT a FROM t"),
        ("CREATE TABLE ‸t (a INT); SELECT t.a FROM t", "u", "CREATE TABLE u (a INT); SELECT u.a FROM u"),
        (
            "CREATE TABLE t (a INT); SELECT /*+ STATE_TTL('x' = '1d') */ a FROM t AS ‸x",
            "it's",
            "CREATE TABLE t (a INT); SELECT /*+ STATE_TTL('it''s' = '1d') */ a FROM t AS `it's`",
        ),
        (
            "CREATE TABLE t (‸timestamp_ms BIGINT METADATA VIRTUAL); SELECT timestamp_ms FROM t",
            "at_ms",
            "CREATE TABLE t (at_ms BIGINT METADATA FROM 'timestamp_ms' VIRTUAL); SELECT at_ms FROM t",
        ),
        (
            "CREATE TABLE t (‸a BIGINT METADATA FROM 'b'); SELECT a FROM t",
            "c",
            "CREATE TABLE t (c BIGINT METADATA FROM 'b'); SELECT c FROM t",
        ),
        (
            "CREATE TABLE t (‸a INT) WITH ('connector' = 'datagen', 'fields.a.min' = '1', 'key.fields' = 'a;b')",
            "c",
            "CREATE TABLE t (c INT) WITH ('connector' = 'datagen', 'fields.c.min' = '1', 'key.fields' = 'c;b')",
        ),
        (
            "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT ‸a FROM t; SELECT a FROM v",
            "b",
            "CREATE TABLE t (b INT); CREATE VIEW v AS SELECT b FROM t; SELECT b FROM v",
        ),
    ],
)
def test_all_places_of_a_name(before: str, new: str, after: str) -> None:
    assert renamed(before, new) == after


@pytest.mark.parametrize(
    ("marked", "new", "words"),
    [
        ("SELECT ‸age FROM users", "", "at least one character"),
        ("SELECT ‸age FROM users", "a\nb", "one line"),
        ("SELECT ‸nope FROM users", "b", "no name here"),
        ("SELECT age‸  FROM users".replace("age‸  ", "age  ‸ "), "b", "no name here"),
        # The name is taken, where it is declared.
        ("SELECT ‸age FROM users", "id", "id cannot be the name: Column id is declared twice."),
        ("SELECT 1 FROM ‸users", "orders", "orders cannot be the name: orders is declared above already."),
        ("SELECT 1 FROM users AS ‸u, orders AS o", "o", "o cannot be the name: Two relations in this FROM"),
        ("CREATE VIEW v AS SELECT id AS ‸x, age FROM users", "age", "age cannot be the name: Two columns"),
        ("CREATE FUNCTION ‸f AS 'x.Y'", "upper", "UPPER is a function of Flink"),
        # The name is taken where it is used.
        ("SELECT ‸age, total FROM users JOIN orders ON users.id = orders.id", "total", "total cannot be the name"),
        # Another name would mean it, or it another one, and all of it would be valid.
        ("SELECT (SELECT MAX(total) FROM orders WHERE ‸age > 1) FROM users", "total", "total is taken: users.age"),
        ("SELECT (SELECT MAX(‸total) FROM orders WHERE age > 1) FROM users", "age", "age is taken: users.age"),
        ("WITH ‸q AS (SELECT 1 AS id) SELECT users.id FROM q, users", "users", "cannot be the name"),
        ("WITH ‸q AS (SELECT 1 AS id) SELECT id FROM (SELECT id FROM users)", "users", "users is taken: users"),
        ("SELECT ‸x.id FROM users AS x WHERE EXISTS (SELECT 1 FROM orders WHERE x.id = 1)", "orders", "x in line 3"),
        ("SELECT age + 1 AS ‸x, age AS y FROM users ORDER BY age", "age", "age is taken: users.age"),
        # Columns that a join needs under one name.
        ("SELECT age FROM users JOIN orders USING (‸id)", "x", "USING joins users.id and orders.id"),
        ("SELECT users.‸id FROM users JOIN orders USING (id)", "x", "Line 3 needs users.id and orders.id to have one"),
        ("INSERT INTO orders BY NAME SELECT ‸id, age AS total FROM users", "x", "Line 3 needs users.id and orders.id"),
        ("SELECT users.‸age FROM users NATURAL JOIN (SELECT id, id AS y FROM orders)", "y", "y is taken"),
        # What may name it, and is not known.
        ("SELECT ‸age FROM users; SELECT age FROM (", "x", "Line 3 may name users.age too"),
        ("ALTER TABLE users MODIFY age BIGINT; SELECT ‸age FROM users", "x", "Line 3 may name users.age too"),
        ("DELETE FROM users WHERE age > 1; SELECT 1 FROM ‸users", "x", "Line 3 may name users too"),
        # Names that nothing here declares.
        ("CREATE VIEW v AS SELECT x FROM elsewhere; SELECT ‸x FROM v", "y", "x is not declared in this file"),
        ("CREATE FUNCTION d.‸f AS 'x.Y'; SELECT d.f(1)", "g", "belongs to a database"),
        ("CREATE VIEW ‸v AS SELECT 1 AS x", "a.b", "has a dot"),
    ],
)
def test_a_rename_that_costs_meaning_is_refused(marked: str, new: str, words: str) -> None:
    assert words in refusal(TABLES + marked, new)


def test_a_self_join_renames_its_column_of_both_sides() -> None:
    text = "CREATE TABLE t (‸a INT); SELECT a FROM t AS x JOIN t AS y USING (a)"
    assert renamed(text, "b") == "CREATE TABLE t (b INT); SELECT b FROM t AS x JOIN t AS y USING (b)"


@pytest.mark.parametrize(
    ("column", "is_field"), [("a INT", True), ("a AS 1", False), ("a INT METADATA", False), ("a INT NOT NULL", True)]
)
def test_columns_of_the_connector_are_told_from_computed_ones(column: str, is_field: bool) -> None:
    assert rename(parse_script(f"CREATE TABLE t ({column}, b INT)"), 16, "c").is_field is is_field


def test_what_is_invalid_already_hinders_no_rename() -> None:
    assert renamed(TABLES + "SELECT nope, ‸age FROM users", "x").endswith("SELECT nope, x FROM users")


def test_the_place_of_a_rename_is_the_name_with_its_quotes() -> None:
    text, offset = cursor("CREATE TABLE `t x` (a INT); SELECT 1 FROM ‸`t x`")
    place = renamed_place(parse_script(text), offset)
    assert (place.span.of(text), place.name.name) == ("`t x`", "t x")


SCRIPTS = [
    """
    CREATE TABLE clicks (uid INT, url STRING, at_ms BIGINT, ts AS TO_TIMESTAMP_LTZ(at_ms, 3),
      WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'format' = 'json');
    CREATE TABLE pages (url STRING, topic STRING, PRIMARY KEY (url) NOT ENFORCED)
      WITH ('connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json');
    CREATE TABLE hourly (uid INT, topic STRING, n BIGINT) WITH ('connector' = 'print');
    CREATE VIEW seen AS SELECT c.uid AS person, p.topic, c.url FROM clicks AS c JOIN pages AS p ON c.url = p.url;
    INSERT INTO hourly (uid, topic, n)
    WITH counted (who, subject, times) AS (SELECT person, topic, COUNT(*) FROM seen GROUP BY person, topic)
    SELECT k.who, k.subject, k.times FROM counted AS k WHERE k.times > 1;
    """,
    """
    CREATE TABLE bids (item INT, price DECIMAL(10, 2), bidder STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
      PARTITIONED BY (bidder) WITH ('connector' = 'kafka', 'format' = 'json');
    CREATE TABLE best (item INT, price DECIMAL(10, 2), s TIMESTAMP(3), e TIMESTAMP(3)) WITH ('connector' = 'kafka');
    INSERT INTO best
    SELECT t.item, MAX(t.price) AS highest, t.window_start, t.window_end
    FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '1' HOUR)) AS t
    GROUP BY t.window_start, t.window_end, t.item;
    CREATE TABLE log (item INT, total DECIMAL(38, 2)) WITH ('connector' = 'print');
    INSERT INTO log SELECT item, SUM(price) OVER w FROM bids WINDOW w AS (PARTITION BY item ORDER BY ts);
    INSERT INTO log SELECT r.item, r.price FROM (
      SELECT item, price, ROW_NUMBER() OVER (PARTITION BY item ORDER BY price DESC) AS place FROM bids
    ) AS r WHERE place <= 3;
    """,
    """
    CREATE TABLE trades (sym STRING, price INT, ts TIMESTAMP(3), tags ARRAY<STRING>, WATERMARK FOR ts AS ts)
      WITH ('connector' = 'kafka', 'format' = 'json');
    CREATE TABLE drops (sym STRING, low INT) WITH ('connector' = 'print');
    INSERT INTO drops SELECT m.sym, m.low FROM trades MATCH_RECOGNIZE (
      PARTITION BY sym ORDER BY ts MEASURES LAST(D.price) AS low ONE ROW PER MATCH
      AFTER MATCH SKIP PAST LAST ROW PATTERN (S D+ U) DEFINE D AS D.price < S.price, U AS U.price > S.price) AS m;
    CREATE TABLE copy LIKE trades (EXCLUDING WATERMARKS);
    INSERT INTO drops SELECT c.sym, MIN(price) FROM copy AS c CROSS JOIN UNNEST(c.tags) AS g (tag)
    WHERE g.tag IN (SELECT sym FROM drops2) GROUP BY c.sym;
    """.replace("drops2", "trades"),
]
_LOCAL = frozenset({NameKind.ALIAS, NameKind.COMMON_TABLE, NameKind.WINDOW, NameKind.VIEW})


@pytest.mark.parametrize("text", SCRIPTS)
def test_each_name_takes_a_fresh_one(text: str) -> None:
    memo = Memo()
    script = parse_script(text, memo)
    assert validate(script).answer is Answer.VALID, validate(script)
    declared = [place for place in names_of(script).places if place.role is NameRole.DECLARATION]
    assert len(declared) > 10
    for place in declared:
        edits = rename(script, place.span.start, "fresh").edits
        changed = apply_edits(text, edits)
        assert validate(parse_script(changed, memo)).answer is Answer.VALID, place
        start = place.span.start
        moved = start + sum(len(edit.new_text) - len(edit.span) for edit in edits if edit.span.start < start)
        back = rename(parse_script(changed, memo), moved, place.name.name).edits
        assert apply_edits(changed, back) == text
        if place.name.kind in _LOCAL:
            report = keepstate.check(keepstate.JobVersion(changed), keepstate.JobVersion(text))
            assert (report.verdict, report.findings) == (Verdict.COMPATIBLE, ()), place
