"""Spans, written down under the text they belong to."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.spans import keyword_span, operand_span, span_of
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from trees import assert_expressions_parse_again, assert_spans_nest, parse

MARKED = {
    "aggregate calls": """
SELECT SUM(amount) AS total, COUNT(DISTINCT buyer, city) FILTER (WHERE qty > 1) AS n, COUNT(*), my_udf(a, 'x')
--     ^^^^^^^^^^^ Anonymous
--     ^^^ keyword Anonymous
--                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^ Anonymous
--                                 ^^^^^^^^^^^^^^^^^^^^ Distinct
--                                 ^^^^^^^^ keyword Distinct
--                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Filter
--                                                               ^^^^^^^^^^^^^ Where
--                                                                         ^^^ operand GT
--                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Alias
--                    ^^^^^ Identifier
--                                                                                          ^ Star
--                                                                                              ^^^^^^^^^^^^^^ Anonymous
  FROM orders
--^^^^^^^^^^^ From
--     ^^^^^^ Table
""",
    "clauses": """
SELECT DISTINCT a b FROM t WHERE x AND y < 3 GROUP  BY a, (b, c), CUBE (d) HAVING e ORDER BY a DESC, b LIMIT 10
--     ^^^^^^^^ Distinct
--              ^^^ Alias
--                  ^^^^^^ From
--                         ^^^^^^^^^^^^^^^^^ Where
--                         ^^^^^ keyword Where
--                               ^^^^^^^^^^^ And
--                                 ^^^ keyword And
--                                       ^^^ operand LT
--                                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Group
--                                           ^^^^^^^^^ keyword Group
--                                                        ^^^^^^ Tuple
--                                                                ^^^^^^^^ Cube
--                                                                ^^^^ keyword Cube
--                                                                         ^^^^^^^^ Having
--                                                                                  ^^^^^^^^^^^^^^^^^^ Order
--                                                                                           ^^^^^^ Ordered
--                                                                                                     ^^^^^^^^ Limit
""",
    "window table functions": """
SELECT 1 FROM TABLE(HOP(DATA => TABLE db.t, TIMECOL => DESCRIPTOR(ts), SLIDE => INTERVAL '1' MINUTE)) AS w
--            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Table
--                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TableFunction
--                  ^^^ keyword TableFunction
--                      ^^^^^^^^^^^^^^^^^^ NamedArgument
--                              ^^^^^^^^^^ TableArgument
--                                    ^^^^ Table
--                                                     ^^^^^^^^^^^^^^ Descriptor
--                                                                ^^ Column
--                                                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ NamedArgument
--                                                                              ^^^^^^^^^^^^^^^^^^^ Interval
--                                                                                       ^^^ Literal
--                                                                                           ^^^^^^ Var
--                                                                                                    ^^^^ TableAlias
""",
    "session windows": """
SELECT * FROM SESSION(TABLE t PARTITION BY (a, b) ORDER BY c, DESCRIPTOR(ts), INTERVAL '5' SECONDS)
--                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TableArgument
--                            ^^^^^^^^^^^^^^^^^^^ PartitionKeys
--                            ^^^^^^^^^^^^ keyword PartitionKeys
--                                                ^^^^^^^^^^ Order
--                                                                            ^^^^^^^^^^^^^^^^^^^^ Interval
""",
    "joins": """
SELECT 1 FROM a AS x LEFT JOIN b FOR SYSTEM_TIME AS OF x.p AS y ON x.i = y.i, LATERAL TABLE(f(x.c)) AS t(d)
--            ^^^^^^ Table
--                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Join
--                   ^^^^^^^^^ keyword Join
--                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Table
--                               ^^^^^^^^^^^^^^^^^^^^^^^^^ Version
--                               ^^^^^^^^^^^^^^^ keyword Version
--                                                                 ^^^^^^^^^ EQ
--                                                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Lateral
--                                                                                          ^^^^^^ TableFunction
--                                                                                                  ^^^^^^^ TableAlias
""",
    "over windows": """
SELECT ROW_NUMBER() OVER (PARTITION BY a, b ORDER BY c DESC) AS rn, SUM(x) OVER w
--     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Window
--                  ^^^^ keyword Window
--     ^^^^^^^^^^^^ Anonymous
--                                          ^^^^^^^^^^^^^^^ Order
--                                                                  ^^^^^^^^^^^^^ Window
FROM t WINDOW w AS (ORDER BY d ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)
--            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Window
--                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ WindowSpec
--                                          ^ Literal
""",
    "predicates": """
SELECT CASE WHEN a NOT IN (1, 2) THEN b ELSE CAST(c AS INT) END, d NOT BETWEEN 1 AND 2, e IS NOT NULL
--     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Case
--          ^^^^^^^^^^^^^^^^^^^^^^^^^^^ If
--               ^^^^^^^^^^^^^^^ Not
--                     ^^ keyword In
--                                           ^^^^^^^^^^^^^^ Cast
--                                                     ^^^ DataType
--                                                               ^^^^^^^^^^^^^^^^^^^^^ Not
--                                                                     ^^^^^^^ keyword Between
--                                                                                      ^^^^^^^^^^^^^ Not
--                                                                                               ^^^^ Null
WHERE NOT EXISTS (SELECT 1) AND a IN (SELECT 2) AND b = ANY (SELECT 3) AND -x[1].y LIKE 'a%' ESCAPE '!'
--    ^^^^^^^^^^^^^^^^^^^^^ Not
--        ^^^^^^^^^^^^^^^^^ Exists
--                              ^^^^^^^^^^^^^^^ In
--                                                      ^^^^^^^^^^^^^^ Any
--                                                                         ^^^^^^^ Neg
--                                                                          ^^^^^^ Dot
--                                                                          ^^^^ Bracket
--                                                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Escape
""",
    "set operations": """
  (SELECT a FROM t) UNION ALL SELECT b FROM u ORDER BY 1
--^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Union
--                  ^^^^^^^^^ keyword Union
--^^^^^^^^^^^^^^^^^ Subquery
--                            ^^^^^^^^^^^^^^^ Select
--                                            ^^^^^^^^^^ Order
""",
    "hints": """
SELECT /*+ LOOKUP('table'='d'), STATE_TTL('o' = '1d') */ * FROM t /*+ OPTIONS('k' = 'v') */ AS x
--     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Hint
--         ^^^^^^^^^^^^^^^^^^^ Anonymous
--                                        ^^^^^^^^^^ Property
--                                                                ^^^^^^^^^^^^^^^^^^^^^^^^^ Hint
--                                                                            ^^^^^^^^^ Property
--                                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Table
""",
    "row patterns": """
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.x AS y PATTERN (A B+? C{2})
--                                            ^ Column
--                                              ^^^^^^^^^^^ Order
--                                                                   ^^^^^^^^ Alias
--                                                                                     ^^^^^^^^^^ Var
  WITHIN INTERVAL '1' HOUR DEFINE B AS B.x > 1) AS m
--       ^^^^^^^^^^^^^^^^^ Interval
--                                ^^^^^^^^^^^^ Alias
--                                              ^^^^ TableAlias
""",
    "tables": """
CREATE TABLE db.t (id BIGINT NOT NULL, c AS a + 1, m INT METADATA FROM 'k' VIRTUAL COMMENT 'x',
--           ^^^^ Table
--                 ^^^^^^^^^^^^^^^^^^ ColumnDef
--                    ^^^^^^ DataType
--                           ^^^^^^^^ NotNullColumnConstraint
--                                     ^^^^^^^^^^ ColumnDef
--                                       ^^^^^^^^ ComputedColumnConstraint
--                                                       ^^^^^^^^^^^^^^^^^^^^^^^^^ MetadataColumn
--                                                                                 ^^^^^^^^^^^ CommentColumnConstraint
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED, r ROW<f INT, g ARRAY<STRING>>
--^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ WatermarkColumnConstraint
--                         ^^^^^^^^^^^^^^^^^^^ Interval
--                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ PrimaryKey
--                                                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^ DataType
--                                                                                   ^^^^^ ColumnDef
--                                                                                            ^^^^^^^^^^^^^ DataType
) PARTITIONED BY (c) WITH ('connector' = 'kafka', 'topic' = 't') LIKE s (INCLUDING ALL)
--^^^^^^^^^^^^^^^^^^ PartitionedByProperty
--                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Properties
--                         ^^^^^^^^^^^^^^^^^^^^^ Property
--                                       ^^^^^^^ Literal
--                                                               ^^^^^^^^^^^^^^^^^^^^^^ LikeProperty
--                                                                       ^^^^^^^^^^^^^ Property
""",
    "functions": """
CREATE TEMPORARY SYSTEM FUNCTION IF NOT EXISTS f AS 'a.B' LANGUAGE JAVA USING JAR 'x.jar', JAR 'y.jar'
--                                             ^ Table
--                                                  ^^^^^ Literal
--                                                        ^^^^^^^^^^^^^ LanguageProperty
--                                                                            ^^^^^^^^^^^ UsingProperty
--                                                                                         ^^^^^^^^^^^ UsingProperty
""",
    "settings": """
  SET 'table.exec.state.ttl' = '1 d'
--^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ SetOption
--    ^^^^^^^^^^^^^^^^^^^^^^ Literal
--                             ^^^^^ Literal
""",
    "inserts": """
INSERT INTO db.sink PARTITION (dt = '1') (a, b) WITH c AS (SELECT 1) SELECT * FROM c
--          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Schema
--                  ^^^^^^^^^^^^^^^^^^^^ Partition
--                                              ^^^^^^^^^^^^^^^^^^^^ With
--                                                   ^^^^^^^^^^^^^^^ CTE
--                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Select
""",
    "beyond ASCII": """
SELECT '😀😀' AS `数量`, SUM(`ä`) AS s FROM `表😀` WHERE x = '中' AND y < 2
--     ^^^^ Literal
--             ^^^^ Identifier
--                   ^^^^^^^^ Anonymous
--                                      ^^^^ Table
--                                                 ^^^^^^^ EQ
--                                                               ^^^ operand LT
""",
    "comments and tabs": """
SELECT\tSUM(/* ; ' */ a\t) -- it's
--     ^^^^^^^^^^^^^^^^^ Anonymous
--                   ^ Column
\t, b.c FROM t // x
-- ^^^ Column
--     ^^^^^^ From
""",
}

_MARKER = re.compile(r"-- *(?P<carets>\^+) (?P<what>[\w ]+)")


@dataclass(frozen=True)
class Marker:
    span: Span
    of: str
    """``keyword``, ``operand`` or nothing."""
    node: str


def read_markers(marked: str) -> tuple[str, list[Marker]]:
    """The statement without its marker lines, and the markers with spans in that statement."""
    text = ""
    markers: list[Marker] = []
    line_start = 0
    for line in marked.strip("\n").split("\n"):
        match = _MARKER.fullmatch(line)
        if match is None:
            line_start = len(text)
            text += line + "\n"
        else:
            of, _, node = match["what"].rpartition(" ")
            markers.append(Marker(Span(line_start + match.start("carets"), line_start + match.end("carets")), of, node))
    return text, markers


def spans_of(parsed: ParsedStatement, marker: Marker) -> list[str]:
    kind = getattr(syntax_nodes, marker.node, None) or getattr(exp, marker.node)
    measure = {"": span_of, "keyword": keyword_span, "operand": operand_span}[marker.of]
    assert parsed.tree is not None, parsed.problems
    return [
        found.of(parsed.text)
        for node in parsed.tree.find_all(kind)
        if (found := measure(node)) == marker.span and found is not None
    ]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("name", MARKED)
def test_spans_are_where_the_carets_are(name: str, line_break: str) -> None:
    text, markers = read_markers(MARKED[name])
    if line_break == "\r\n":
        markers = [_moved(marker, text.count("\n", 0, marker.span.start)) for marker in markers]
        text = text.replace("\n", "\r\n")
    parsed = parse(text)
    missing = [marker for marker in markers if not spans_of(parsed, marker)]
    assert not missing, [(marker.of, marker.node, marker.span.of(text)) for marker in missing]
    assert_spans_nest(parsed)
    assert_expressions_parse_again(parsed)


def _moved(marker: Marker, by: int) -> Marker:
    return Marker(marker.span.shift(by), marker.of, marker.node)


def test_a_copied_tree_keeps_its_spans() -> None:
    tree = parse("SELECT SUM(a) FROM t WHERE b < 3").tree
    assert tree is not None
    assert [span_of(node) for node in tree.copy().walk()] == [span_of(node) for node in tree.walk()]
    comparison = tree.copy().find(exp.LT)
    assert comparison is not None and operand_span(comparison) == Span(29, 32)


def test_a_node_made_by_hand_has_no_span() -> None:
    made = exp.column("a")
    assert (span_of(made), keyword_span(made), operand_span(made)) == (None, None, None)
