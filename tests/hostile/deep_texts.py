"""Texts that nest as deep as they are asked to, in each way in which a job can."""

from __future__ import annotations

from collections.abc import Callable

TABLE = "CREATE TABLE t (k STRING, a INT, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');"


def times(count: int, text: str, between: str = " ") -> str:
    return between.join(text.replace("#", str(number)) for number in range(count))


def query(rest: str, value: str = "a", key: str = "t.k") -> str:
    return f"{TABLE}\nINSERT INTO s SELECT {key}, SUM({value}) FROM {rest} GROUP BY {key};"


def views(count: int, body: str, first: str = "k, a, ts") -> str:
    """A chain of views: in ``body`` ``@`` is the one before, ``#`` its number."""
    chain = "\n".join(
        f"CREATE VIEW v{number + 1} AS {body.replace('@', f'v{number}').replace('#', str(number))};"
        for number in range(count)
    )
    begin = f"{TABLE}\nCREATE VIEW v0 AS SELECT {first} FROM t;"
    return f"{begin}\n{chain}\nINSERT INTO s SELECT k, SUM(a) FROM v{count} GROUP BY k;"


def nested(count: int, opening: str, middle: str, closing: str) -> str:
    return opening * count + middle + closing * count


SHAPES: dict[str, Callable[[int], str]] = {
    "IN side by side": lambda n: query(f"t WHERE {times(n, 't.k IN (SELECT k FROM u#)', ' AND ')}"),
    "IN in IN": lambda n: query(
        f"t WHERE t.k IN {nested(n, '(SELECT k FROM u WHERE k IN ', '(SELECT k FROM z)', ')')}"
    ),
    "EXISTS": lambda n: query(f"t WHERE {times(n, 'EXISTS (SELECT 1 FROM u# WHERE u#.k = t.k)', ' AND ')}"),
    "joins": lambda n: query(f"t {times(n, 'JOIN u# ON t.k = u#.k')}", "t.a"),
    "outer joins": lambda n: query(f"t {times(n, 'LEFT JOIN t AS u# ON t.k = u#.k')}", "t.a"),
    "joins in brackets": lambda n: query(f"{'(' * n}t {times(n, 'JOIN u# ON t.k = u#.k)')}", "t.a"),
    "tables": lambda n: query(f"t, {times(n, 'u#', ', ')} WHERE {times(n, 't.k = u#.k', ' AND ')}", "t.a"),
    "UNNEST": lambda n: query(f"t {times(n, 'CROSS JOIN UNNEST(ARRAY[t.a]) AS q# (x#)')}"),
    "INTERSECT": lambda n: query(f"(SELECT k, a FROM t {times(n, 'INTERSECT SELECT k, a FROM u#')}) AS t"),
    "EXCEPT ALL": lambda n: query(f"(SELECT k, a FROM t {times(n, 'EXCEPT ALL SELECT k, a FROM u#')}) AS t"),
    "UNION in UNION ALL": lambda n: query(
        f"(SELECT k, a FROM t UNION ALL {nested(n, '(SELECT k, a FROM u UNION ', 'SELECT k, a FROM t', ')')}) AS t"
    ),
    "subqueries": lambda n: query(nested(n, "(SELECT k, a FROM ", "t", ")") + " AS t"),
    "common tables": lambda n: (
        f"{TABLE}\nINSERT INTO s WITH v0 AS (SELECT k, a FROM t), "
        + ", ".join(f"v{i + 1} AS (SELECT k, SUM(a) AS a FROM v{i} GROUP BY k)" for i in range(n))
        + f" SELECT k, SUM(a) FROM v{n} GROUP BY k;"
    ),
    "views": lambda n: views(n, "SELECT k, a FROM @"),
    "filtered views": lambda n: views(n, "SELECT k, a FROM @ WHERE a > #"),
    "views that join": lambda n: views(n, "SELECT v.k, u.a FROM @ AS v JOIN u# AS u ON v.k = u.k"),
    "views that aggregate": lambda n: views(n, "SELECT k, SUM(a) AS a FROM @ GROUP BY k"),
    "views that rank": lambda n: views(
        n, "SELECT k, a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY a) AS r FROM @) WHERE r < 9"
    ),
    "views with OVER": lambda n: views(n, "SELECT k, SUM(a) OVER (PARTITION BY k ORDER BY ts) AS a, ts FROM @"),
    "views with LIMIT": lambda n: views(n, "SELECT k, a FROM @ ORDER BY a LIMIT 9"),
    "views with UNION ALL": lambda n: views(n, "SELECT k, a FROM @ UNION ALL SELECT k, a FROM u#"),
    "views with UNION": lambda n: views(n, "SELECT k, a FROM @ UNION SELECT k, a FROM u#"),
    "views with MATCH_RECOGNIZE": lambda n: views(
        n,
        "SELECT * FROM @ MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.a AS a, A.ts AS ts PATTERN (A) "
        "DEFINE A AS A.a > #)",
    ),
    "views that add": lambda n: views(n, "SELECT k, a + # AS a FROM @"),
    "views with CASE": lambda n: views(n, "SELECT k, CASE WHEN k = '#' THEN a ELSE 1 END AS a FROM @"),
    "views with ROW": lambda n: views(n, "SELECT k, ROW(a, k) AS a FROM @").replace(
        "SUM(a) FROM v", "LAST_VALUE(a) FROM v"
    ),
    "views with functions": lambda n: views(n, "SELECT UPPER(k) AS k, a FROM @"),
    "concatenations": lambda n: query("t", key=f"t.k{' || t.k' * n}"),
    "sums": lambda n: query("t", f"a{' + b' * n}"),
    "OR": lambda n: query(f"t WHERE {times(n, 'b = # AND a = #', ' OR ')}"),
    "OR in AND": lambda n: query(f"t WHERE {nested(n // 4, 'a > 1 AND (b > 2 OR (', 'a > 3', '))')}"),
    "NOT": lambda n: query(f"t WHERE {'NOT ' * n} b = 1"),
    "IS": lambda n: query(f"t WHERE b {'IS NOT NULL ' * n}"),
    "fields": lambda n: query("t", f"(b){'.f' * n}").replace("b INT", f"b {nested(n, 'ROW<f ', 'INT', '>')}"),
    "elements": lambda n: query("t", f"b{'[1]' * n}").replace("b INT", f"b {nested(n, 'ARRAY<', 'INT', '>')}"),
    "brackets": lambda n: query("t", nested(n, "(", "a", ")")),
    "functions": lambda n: query("t", nested(n, "ABS(", "a", ")")),
    "COALESCE in COALESCE": lambda n: query("t", nested(n, "COALESCE(", "a", ", b)")),
    "COALESCE in a later operand": lambda n: query("t", nested(n, "COALESCE(b, ", "a", ")")),
    "IFNULL in IFNULL": lambda n: query("t", nested(n, "IFNULL(", "a", ", b)")),
    "NULLIF in NULLIF": lambda n: query("t", nested(n, "NULLIF(", "a", ", b)")),
    "IF in IF": lambda n: query("t", nested(n, "IF(a > 1, ", "a", ", b)")),
    "IF in a condition": lambda n: query("t", f"IF({nested(n, 'IF(', 'a > 1', ', a > 2, b > 3)')}, a, b)"),
    "GREATEST in GREATEST": lambda n: query("t", nested(n, "GREATEST(", "a", ", b)")),
    "CASE in a condition": lambda n: query(
        "t", f"CASE WHEN {nested(n, 'CASE WHEN ', 'a > 1', ' THEN a > 2 ELSE b > 3 END')} THEN a ELSE b END"
    ),
    "CASE in CASE": lambda n: query("t", nested(n, "CASE WHEN a > 1 THEN ", "a", " ELSE b END")),
    "CAST in CAST": lambda n: query("t", nested(n, "CAST(", "a", " AS BIGINT)")),
    "computed column": lambda n: query("t").replace("b INT", f"b AS a{' + a' * n}").replace("SUM(a)", "SUM(b)"),
    "watermark": lambda n: query("t").replace("AS ts)", f"AS ts{'''- INTERVAL '1' SECOND''' * n})"),
    "ARRAY": lambda n: query("t", key="t.b").replace("b INT", f"b {nested(n, 'ARRAY<', 'INT', '>')}"),
    "ROW": lambda n: query("t", key="t.b").replace("b INT", f"b {nested(n, 'ROW<f ', 'INT', '>')}"),
    "types with a suffix": lambda n: query("t", key="t.b").replace("b INT", f"b INT{' ARRAY' * n}"),
    "casts with a suffix": lambda n: query("t", key=f"IF(CAST(NULL AS INT{' MULTISET' * n}) IS NULL, t.b, 0)"),
    "tables LIKE tables": lambda n: (
        "CREATE TABLE w0 (k STRING, a INT) WITH ('connector' = 'kafka');\n"
        + "\n".join(f"CREATE TABLE w{i + 1} (x{i} INT) LIKE w{i};" for i in range(n))
        + f"\nINSERT INTO s SELECT k, SUM(a) FROM w{n} GROUP BY k;"
    ),
    "a pattern": lambda n: (
        f"{TABLE}\nINSERT INTO s SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.a AS a "
        f"PATTERN ({nested(n, '(', 'A', ')')} B) DEFINE A AS SUM(A.a) > 1);"
    ),
}
