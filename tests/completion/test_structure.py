"""The outline, folds, meanings of tokens and growing selections of texts, half-typed ones included."""

from __future__ import annotations

import pytest

from half_typed import SHOP
from keepstate.draft import Draft
from keepstate.structure.outline import Symbol


def outline(symbols: tuple[Symbol, ...], depth: int = 0) -> list[str]:
    return [
        line
        for symbol in symbols
        for line in (f"{'  ' * depth}{symbol.kind.value} {symbol.name}", *outline(symbol.children, depth + 1))
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE TABLE t (a INT, b AS a + 1, PRIMARY KEY (a) NOT ENFORCED)", "table t,  column a,  column b"),
        ("CREATE TABLE IF NOT EXISTS `my table` (`a b` INT)", "table my table,  column a b"),
        ("CREATE TEMPORARY VIEW v (x) AS SELECT 1", "view v"),
        ("CREATE TEMPORARY SYSTEM FUNCTION f AS 'a.B'", "function f"),
        ("INSERT INTO c.d.s (a) SELECT 1", "insert c.d.s"),
        ("INSERT OVERWRITE s SELECT 1", "insert s"),
        ("SELECT a\n  FROM t", "query SELECT a FROM t"),
        ("SET 'a' = 'b'; USE CATALOG c; RESET 'a'; SHOW TABLES; DROP TABLE t", ""),
        ("BEGIN STATEMENT SET; INSERT INTO a SELECT 1; INSERT INTO b SELECT 1; END; SELECT 1",
         "statement set STATEMENT SET,  insert a,  insert b,query SELECT 1"),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 1; END",
         "statement set STATEMENT SET,  insert a,  insert b"),
        # Half-typed text has its names, too.
        ("BEGIN STATEMENT SET; INSERT INTO a SELECT", "statement set STATEMENT SET,  insert a"),
        ("CREATE TABLE t (a INT,", "table t"),
        ("INSERT INTO s SELECT FROM", "insert s"),
        ("CREATE", ""),
        ("INSERT INTO", ""),
    ],
)  # fmt: skip
def test_the_outline(text: str, expected: str) -> None:
    assert outline(Draft().symbols(text)) == (expected.split(",") if expected else [])


def test_symbols_have_places_and_types_as_written() -> None:
    (orders, *_) = Draft().symbols(SHOP)
    assert orders.detail == "kafka" and orders.name_span.of(SHOP) == "orders"
    details = {column.name: column.detail for column in orders.children}
    assert details["address"] == "ROW<city STRING, Geo ROW<lat DOUBLE, lon DOUBLE>>"
    assert details["seen_at"] == "computed"
    assert {column.name_span.of(SHOP) for column in orders.children} >= {"`user`", "id"}
    assert all(orders.span.contains(column.span) for column in orders.children)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1", []),
        ("SELECT\n1;\nSELECT 2", [(0, 1)]),
        ("CREATE TABLE t (\n  a INT\n) WITH (\n  'a' = 'b'\n);", [(0, 4), (2, 3)]),
        ("SELECT * FROM (\n  SELECT 1\n) x", [(0, 2)]),
        ("SELECT 1,\n  (\n  SELECT 1\n) x", [(0, 3), (1, 2)]),
        ("-- a\n-- b\n-- c\nSELECT 1", [(0, 2)]),
        ("-- a\n\n-- b\nSELECT 1", []),
        ("SELECT 1; -- a\nSELECT 2 -- b", []),
        ("/* a\n b */", [(0, 1)]),
        ("BEGIN STATEMENT SET;\nINSERT INTO a SELECT 1;\nEND;", [(0, 1)]),
        ("SELECT (\n  1", [(0, 1)]),
    ],
)
def test_folds(text: str, expected: list[tuple[int, int]]) -> None:
    assert [(fold.first, fold.last) for fold in Draft().folds(text)] == expected


@pytest.mark.parametrize(
    ("text", "word", "meaning"),
    [
        ("SELECT a FROM t", "a", "property"),
        ("SELECT a FROM t", "t", "struct"),
        ("SELECT x.a FROM t AS x", "x", "variable"),
        ("SELECT x.a FROM t AS x", "a", "property"),
        ("SELECT a FROM t AS x", "x", "variable declaration"),
        ("SELECT a FROM t x", "x", "variable declaration"),
        ("SELECT a FROM t, u", "u", "struct"),
        ("SELECT a FROM t JOIN u ON TRUE", "u", "struct"),
        ("SELECT a FROM db.u", "db", "namespace"),
        ("SELECT a FROM db.u", "u", "struct"),
        ("SELECT f.g FROM t", "f", "property"),
        ("SELECT a AS b FROM t", "b", "property declaration"),
        ("SELECT MAX(a) FROM t", "MAX", "function defaultLibrary"),
        ("SELECT left(a, 1) FROM t", "left", "function defaultLibrary"),
        ("SELECT mine(a) FROM t", "mine", "function"),
        ("SELECT CURRENT_DATE", "CURRENT_DATE", "function defaultLibrary"),
        ("SELECT a FROM t LEFT JOIN u ON TRUE", "LEFT", "keyword"),
        ("SELECT CAST(a AS BIGINT)", "BIGINT", "type"),
        ("SELECT CAST(a AS ROW<b INT>)", "b", "property declaration"),
        ("SELECT `a` FROM t", "`a`", "property"),
        ("SELECT 'a'", "'a'", "string"),
        ("SELECT 12", "12", "number"),
        ("SELECT a + 1", "+", "operator"),
        ("SELECT ${x}", "${x}", "macro"),
        ("SELECT 1 -- c", "-- c", "comment"),
        ("WITH c AS (SELECT 1) SELECT 2", "c", "struct declaration"),
        ("WITH c AS (SELECT 1), d AS (SELECT 1) SELECT 2", "d", "struct declaration"),
        ("CREATE TABLE t (a INT)", "t", "struct declaration"),
        ("CREATE TABLE t (a INT)", "a", "property declaration"),
        ("CREATE TABLE t (a INT)", "INT", "type"),
        ("CREATE TABLE t (a INT NOT NULL)", "NULL", "keyword"),
        ("CREATE TABLE t (a MAP<STRING, INT>, b INT)", "b", "property declaration"),
        ("CREATE TABLE t (a ROW<b INT, c INT>)", "c", "property declaration"),
        ("CREATE TABLE t (a AS UPPER(b))", "UPPER", "function defaultLibrary"),
        ("CREATE TABLE t (a AS UPPER(b))", "b", "property"),
        ("CREATE TABLE t (PRIMARY KEY (a))", "a", "property"),
        ("CREATE VIEW v AS SELECT 1", "v", "struct declaration"),
        ("CREATE FUNCTION f AS 'x'", "f", "function declaration"),
        ("CREATE CATALOG c", "c", "namespace declaration"),
        ("DROP TABLE t", "t", "struct"),
        ("INSERT INTO s SELECT 1", "s", "struct"),
        ("INSERT INTO s (a) SELECT 1", "a", "property"),
        ("SELECT * FROM TABLE(TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts)))", "DATA", "parameter"),
        ("SELECT * FROM TABLE(TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts)))", "t", "struct"),
        ("SELECT * FROM TABLE(TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts)))", "ts", "property"),
        (
            "SELECT * FROM TABLE(TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts)))",
            "TUMBLE",
            "function defaultLibrary",
        ),
        ("SELECT a FROM t WHERE b", "b", "property"),
        ("SELECT a FROM", "a", "property"),
        # A name is missing behind the dot.
        ("SELECT o. FROM t AS o", "FROM", "keyword"),
        ("SELECT o. FROM t AS o", "t", "struct"),
        ("INSERT INTO s SELECT x.a,", "x", "variable"),
    ],
)
def test_meanings(text: str, word: str, meaning: str) -> None:
    found = next(each for each in Draft().meant_tokens(text) if each.span.of(text) == word)
    words = [found.meaning.value, *["declaration"] * found.declares, *["defaultLibrary"] * found.built_in]
    assert " ".join(words) == meaning


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("SELECT a + b|1 AS s FROM t", ["b1", "a + b1", "a + b1 AS s", "SELECT a + b1 AS s"]),
        ("SELECT f(a, b| * 2) FROM t", ["b", "b * 2", "(a, b * 2)", "f(a, b * 2)", "SELECT f(a, b * 2)"]),
        ("SELECT 'te|xt' FROM t", ["text", "'text'", "SELECT 'text'"]),
        ("SELECT a FROM t WHERE x = 1 AND y| = 2", ["y", "y = 2", "x = 1 AND y = 2", "WHERE x = 1 AND y = 2"]),
        # Without a tree there are brackets, items and clauses.
        ("SELECT f(a, b|", ["b", "(a, b", "f(a, b", "SELECT f(a, b"]),
    ],
)
def test_selections_grow(marked: str, expected: list[str]) -> None:
    text = marked.replace("|", "")
    found = [span.of(text) for span in Draft().selections(text, marked.index("|"))]
    assert [each for each in found if each in expected] == expected
    assert found[-1] == text
