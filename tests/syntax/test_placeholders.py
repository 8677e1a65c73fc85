"""Holes of templates: where they are found, what is read around them, and what is no hole."""

from __future__ import annotations

import pytest

from keepstate.syntax.script import StatementKind, parse_script
from trees import assert_spans_nest


def read(text: str) -> list[tuple[str, bool]]:
    """The holes of a text that must be readable, each with whether it is no part of the tree."""
    script = parse_script(text)
    assert [problem.message for problem in script.problems] == []
    for statement in script.statements:
        assert_spans_nest(statement.parsed)
    return [(hole.span.of(text), hole.loose) for hole in script.placeholders]


ANYWHERE = "${x} ${x:-1} ${a.b.c} ${f(${x})} {{x}} {{var('x')}} {{f({'a':{'b':1}})}} $x #{x} @{x} {x} $(x)".split()
WHERE_OPERANDS_BEGIN = ["<x>", "<some value>", ":x", "@x", "@x@", "%s", "%d", "%1$s", "%(x)s"]


@pytest.mark.parametrize("hole", [*ANYWHERE, *WHERE_OPERANDS_BEGIN])
@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM HOLE",
        "SELECT HOLE FROM t",
        "SELECT SUM(HOLE), b FROM t GROUP BY HOLE",
        "SELECT a FROM t WHERE a > HOLE AND b IN (HOLE, 2) LIMIT HOLE",
        "INSERT INTO HOLE.HOLE SELECT a AS HOLE FROM t AS HOLE",
        "CREATE VIEW HOLE AS HOLE",
        "CREATE TABLE HOLE (a DECIMAL(HOLE, 2), PRIMARY KEY (HOLE) NOT ENFORCED) WITH ('x' = HOLE)",
        "SELECT 1 FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(HOLE), INTERVAL HOLE MINUTE))",
        "SELECT CASE WHEN HOLE THEN HOLE ELSE HOLE END FROM t JOIN HOLE ON HOLE = 1",
    ],
)
def test_a_hole_is_a_name_a_value_or_a_query(hole: str, text: str) -> None:
    assert read(text.replace("HOLE", hole)) == [(hole, False)] * text.count("HOLE")


@pytest.mark.parametrize("hole", ANYWHERE)
def test_a_hole_behind_a_name_is_one_if_it_can_be_nothing_else(hole: str) -> None:
    assert read(f"INSERT INTO s {hole}") == [(hole, False)]
    assert read(f"SELECT a FROM t AS u {hole} WHERE b = 1") == [(hole, True)]


@pytest.mark.parametrize(
    ("text", "holes"),
    [
        ("SELECT a FROM db_${env}.t_${a}_${b}", ["db_${env}", "t_${a}_${b}"]),
        ("SELECT a FROM t%d JOIN %s$files ON TRUE", ["%s$files"]),
        ("SELECT `${x}` FROM `db_${env}`.t WHERE day = '${day}' OR day = 'before {{ day }}'", None),
    ],
)
def test_a_hole_may_be_a_part_of_a_name_or_of_a_string(text: str, holes: list[str] | None) -> None:
    expected = ["${x}", "${env}", "${day}", "{{ day }}"] if holes is None else holes
    assert read(text) == [(hole, False) for hole in expected]


@pytest.mark.parametrize(
    ("text", "loose"),
    [
        (
            "{{ config(materialized='table', with={'a': 'b'}) }} SELECT 1",
            ["{{ config(materialized='table', with={'a': 'b'}) }}"],
        ),
        ("SELECT a FROM t WHERE b = 1 ${more}", ["${more}"]),
        ("SELECT a FROM t ${joins} WHERE b = 1", ["${joins}"]),
        ("SELECT a FROM t GROUP BY a LIMIT 3 ${rest}", ["${rest}"]),
        ("INSERT INTO s ${hints} SELECT 1", ["${hints}"]),
        ("CREATE TABLE t (${columns}, a INT) WITH (${options})", ["${columns}", "${options}"]),
        ("CREATE TABLE t (a INT) WITH ('a' = 'b' %s)", ["%s"]),
        ("CREATE TABLE t (a INT) WITH (%s 'a' = 'b')", ["%s"]),
        ("CREATE TABLE t (a INT) ${with}", ["${with}"]),
        ("SELECT * FROM t /*+ ${hint} */", ["${hint}"]),
        ("SELECT a FROM t {% if x %} WHERE b {% endif %}", ["{% if x %}", "{% endif %}"]),
        (
            "SELECT a FROM t {% if x %} WHERE b {% elif y %} WHERE c {% if z %} OR d {% endif %} {% endif %} LIMIT 1",
            ["{% if x %}", "{% elif y %} WHERE c {% if z %} OR d {% endif %} {% endif %}"],
        ),
        (
            "SELECT k, {% for c in all %} SUM({{ c }}), {% endfor %} COUNT(*) FROM t GROUP BY k",
            ["{% for c in all %} SUM({{ c }}), {% endfor %}"],
        ),
        ("{% macro f(a) %} ; {{ a }} {% endmacro %} SELECT 1", ["{% macro f(a) %} ; {{ a }} {% endmacro %}"]),
        ("SELECT 1 {# a comment of {{ Jinja }} #}", []),
    ],
)
def test_what_stands_around_a_hole_is_read_as_if_it_were_not_there(text: str, loose: list[str]) -> None:
    if text.startswith("{% macro"):
        # A semicolon ends a statement wherever it stands.
        text = text.replace(" ;", "")
        loose = [loose[0].replace(" ;", "")]
    assert read(text) == [(hole, True) for hole in loose]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a %s, b %d FROM t",
        "SELECT CASE WHEN a THEN b END %s FROM t",
        "SELECT a FROM t WHERE a <b AND c> d",
        "SELECT CAST(a AS ARRAY<INT>), CAST(b AS ROW<x INT, y MAP<STRING, INT>>) FROM t",
        "SELECT JSON_OBJECT('a':b) FROM t",
        "SELECT {fn UCASE(a)}, {d '2020-01-01'} FROM t",
        "SELECT '%s', '<x>', ':x', '#{Name.first}', '{x}', '@x' FROM t",
        "SELECT orders$1.a, $rowtime FROM orders$1",
        "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts PATTERN (A{2} B{1,}) DEFINE A AS A.x > 1)",
    ],
)
def test_operators_and_texts_are_no_holes(text: str) -> None:
    assert read(text) == []


def test_a_loop_stands_for_a_value_where_one_is_needed() -> None:
    loop = "{% for c in all %}{{ c }}{% if not loop.last %}, {% endif %}{% endfor %}"
    assert read(f"SELECT SUM(v) FROM t GROUP BY {loop}") == [(loop, False)]


@pytest.mark.parametrize("text", ["{{ everything }}", "${a} ${b}", "{% for x in y %} SELECT {{ x }} {% endfor %}"])
def test_a_statement_that_is_filled_in_as_a_whole_is_not_known(text: str) -> None:
    script = parse_script(text)
    assert [statement.kind for statement in script.statements] == [StatementKind.BROKEN]
    assert script.problems[0].message == "A template fills in this whole statement; what it says is not known."
