"""Text that is not, or not only, Flink SQL: what is said about it, and what of it is read all the same."""

from __future__ import annotations

import pytest

from keepstate.syntax.script import Script, StatementKind, parse_script
from keepstate.syntax.statement import parse_statement

BROKEN = [
    ("SELECT FROM t", "FROM", "Expected an expression, but found 'FROM'."),
    ("SELECT a FROM", "FROM", "Expected a table, a subquery or a table function, but the statement ends."),
    ("SELECT a b c FROM t", "c", "Expected the end of the statement, but found 'c'."),
    ("SELECT a b FORM t", "FORM", "Expected FROM or the end of the statement, but found 'FORM'."),
    ("SELECT a FROM t AS x WERE a > 1", "WERE", "Expected WHERE or the end of the statement, but found 'WERE'."),
    ("SELECT COUNT(*) SUM(a) FROM t", "SUM", "Expected ',' or FROM, but found 'SUM'."),
    ("SELECT a MY_FUNCTION(b) FROM t", "MY_FUNCTION", "Expected ',' or FROM, but found 'MY_FUNCTION'."),
    ("SELECT SUM(a FROM t", "FROM", "Expected ',' or ')', but found 'FROM'."),
    ("SELECT (a FROM t", "FROM", "Expected ')', but found 'FROM'."),
    ("SELECT a AS order FROM t", "order", "Expected an alias, but order is a reserved word: write `order`."),
    ("SELECT CASE a END", "END", "Expected WHEN, but found 'END'."),
    ("SELECT a FROM t GROUP a", "a", "Expected BY, but found 'a'."),
    ("SELECT CAST(a AS) FROM t", ")", "Expected a data type, but found ')'."),
    ("SELECT a FROM t WHERE", "WHERE", "Expected an expression, but the statement ends."),
    ("SELECT 'abc", "'abc", "This string has no closing quote."),
    ("SELECT `abc", "`abc", "This name has no closing backtick."),
    ("SELECT 1 /* abc", "/* abc", "This comment has no closing */."),
    (
        'SELECT "a" FROM t',
        '"a"',
        "Flink SQL writes names in `backticks` and strings in 'single quotes', not in double quotes.",
    ),
    ("SELECT a \\ b", "\\", "The character '\\\\' has no meaning in Flink SQL."),
    ("SELECT \x00", "\x00", "The character '\\x00' has no meaning in Flink SQL."),
    ("HELLO world", "HELLO", "No Flink SQL statement begins with HELLO."),
    ("INSERT INTO t", "t", "Expected a query (SELECT, VALUES, WITH), but the statement ends."),
    ("INSERT t SELECT 1", "t", "Expected OVERWRITE, but found 't'."),
    ("CREATE TABLE t (a)  WITH ('a' = )", ")", "Expected the value of the option in single quotes, but found ')'."),
    ("CREATE TABLE t (a INT,) WITH ()", ")", "Expected the name of a column, but found ')'."),
    ("CREATE TABEL t (a INT)", "TABEL", None),
    ("SELECT * FROM TABLE(TUMBLE(TABLE t DESCRIPTOR(ts)))", "DESCRIPTOR", None),
    ("SELECT * FROM t JOIN", "JOIN", None),
    ("SELECT * FROM t, SELECT 1", "SELECT", "A subquery in FROM needs parentheses around it."),
    ("SELECT INTERVAL MINUTE", "MINUTE", None),
    ("SET 'a' 'b'", "'b'", None),
    ("{{ everything }}", "{{ everything }}", "A template fills in this whole statement; what it says is not known."),
]


@pytest.mark.parametrize(("text", "place", "message"), BROKEN)
def test_a_broken_statement_names_the_token(text: str, place: str, message: str | None) -> None:
    parsed = parse_statement(text)
    assert (parsed.kind, parsed.tree) == (StatementKind.BROKEN, None)
    (problem,) = parsed.problems
    assert problem.span is not None and problem.span.of(text) == place
    if message is not None:
        assert problem.message == message


def kinds(script: Script) -> list[tuple[StatementKind, str]]:
    return [(statement.kind, statement.text) for statement in script.statements]


def messages(script: Script) -> list[tuple[str, str]]:
    return [(problem.message, problem.span.of(script.text) if problem.span else "") for problem in script.problems]


def test_an_open_quote_hurts_one_statement() -> None:
    script = parse_script("SELECT 'a FROM x;\nINSERT INTO y SELECT 'b' FROM z;\n\nSELECT 'c;' FROM u")
    assert kinds(script) == [
        (StatementKind.BROKEN, "SELECT 'a FROM x"),
        (StatementKind.INSERT, "INSERT INTO y SELECT 'b' FROM z"),
        (StatementKind.QUERY, "SELECT 'c;' FROM u"),
    ]
    assert messages(script) == [("This string has no closing quote.", "'a FROM x")]


def test_a_missing_opening_quote_hurts_one_statement() -> None:
    script = parse_script(
        "CREATE TABLE t (a INT) WITH ('k' = v', 'l' = 'w');\n-- next\nINSERT INTO y SELECT 'b' FROM z;"
    )
    assert [kind for kind, _ in kinds(script)] == [StatementKind.BROKEN, StatementKind.INSERT]


def test_a_string_may_have_statements_in_it() -> None:
    script = parse_script("CREATE TABLE t (a INT) WITH ('init' = 'x;\nSELECT 1;\n');\nSELECT 'y' FROM t")
    assert [kind for kind, _ in kinds(script)] == [StatementKind.CREATE_TABLE, StatementKind.QUERY]
    assert not script.problems


def test_an_open_comment_hurts_one_statement() -> None:
    script = parse_script("SELECT 1 /* why;\nSELECT 2;\nSELECT 3")
    assert [kind for kind, _ in kinds(script)] == [StatementKind.BROKEN, StatementKind.QUERY, StatementKind.QUERY]


def test_a_missing_semicolon_is_named_and_both_statements_are_read() -> None:
    script = parse_script("CREATE TABLE t (a INT)\nINSERT INTO x SELECT a FROM t;\nSELECT 1")
    assert [kind for kind, _ in kinds(script)] == [
        StatementKind.CREATE_TABLE,
        StatementKind.INSERT,
        StatementKind.QUERY,
    ]
    assert messages(script) == [("A semicolon is missing behind this statement.", ")")]


def test_a_statement_cut_short_does_not_take_the_next_one_with_it() -> None:
    script = parse_script("SELECT a FROM\n\nINSERT INTO x SELECT (1;\n\nCREATE TABLE t (a INT)")
    assert [kind for kind, _ in kinds(script)] == [
        StatementKind.BROKEN,
        StatementKind.BROKEN,
        StatementKind.CREATE_TABLE,
    ]


CONFLICT = """SELECT 1;
<<<<<<< HEAD
INSERT INTO a SELECT 1;
=======
INSERT INTO b SELECT 2;
>>>>>>> don't
SELECT 3;
SELECT
<<<<<<< HEAD
  4
=======
  5
>>>>>>> other
FROM t;
SELECT 6
"""


def test_statements_in_a_merge_conflict_are_set_aside() -> None:
    script = parse_script(CONFLICT)
    good = [statement.text for statement in script.statements if statement.kind is not StatementKind.BROKEN]
    assert good == ["SELECT 1", "SELECT 3", "SELECT 6"]
    message = "This merge conflict is not resolved: the statements in it were not analysed."
    assert messages(script) == [(message, "<<<<<<< HEAD")] * 2


def test_what_stands_around_holes_of_templates_is_read() -> None:
    text = (
        "{{ config(type='x') }}\n"
        "SELECT ${columns}, SUM(a) FROM {{ ref('t') }} AS x WHERE d = '${day}' ${more} AND b = $c AND $rowtime > 1\n"
        "{% if x %} GROUP BY k {% endif %} LIMIT %s;\n"
        "INSERT INTO ${db}.sink_${env} SELECT * FROM t ${where};\n"
        "SET 'table.exec.state.ttl' = ${ttl}"
    )
    script = parse_script(text)
    assert [kind for kind, _ in kinds(script)] == [StatementKind.QUERY, StatementKind.INSERT, StatementKind.SET]
    assert not script.problems
    holes = [(hole.span.of(text), hole.in_string) for hole in script.placeholders]
    assert holes == [
        ("{{ config(type='x') }}", False),
        ("${columns}", False),
        ("{{ ref('t') }}", False),
        ("${day}", True),
        ("${more}", False),
        ("$c", False),
        ("{% if x %}", False),
        ("{% endif %}", False),
        ("%s", False),
        ("${db}", False),
        ("sink_${env}", False),
        ("${where}", False),
        ("${ttl}", False),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "(" * 1000 + "1" + ")" * 1000,
        "SELECT " + "(" * 1000,
        "SELECT " + "f(" * 1000 + ")" * 1000,
        "SELECT " + "NOT " * 3000 + "a",
        "SELECT " + "- " * 3000 + "a",
        "SELECT * FROM " + "(SELECT * FROM " * 500 + "t" + ")" * 500,
        "SELECT * FROM " + "(" * 500 + "t" + ")" * 500,
        "SELECT CAST(a AS " + "ARRAY<" * 500 + "INT" + ">" * 500 + ")",
        "SELECT " + "CASE WHEN a THEN " * 500,
        "SELECT a" + "[b" * 500,
        "SELECT " + "a OR (b AND (" * 300,
    ],
)
def test_deep_nesting_is_a_problem_and_no_crash(text: str) -> None:
    script = parse_script(text + ";SELECT 1")
    assert [statement.kind for statement in script.statements] == [StatementKind.BROKEN, StatementKind.QUERY]
    assert "nested more than 100 levels deep" in script.problems[0].message


def test_forty_levels_are_not_deep() -> None:
    script = parse_script(
        "SELECT " + "COALESCE(" * 40 + "a" + ", (1))" * 40 + " FROM " + "(SELECT * FROM " * 40 + "t" + ")" * 40
    )
    assert not script.problems


def test_long_chains_are_no_nesting() -> None:
    script = parse_script("SELECT " + " + ".join(["1"] * 3000) + " UNION ALL SELECT 1" * 1000)
    assert not script.problems
    assert script.statements[0].tree == parse_statement(script.text).tree


@pytest.mark.parametrize(
    "text",
    [
        "\x00\x01'\"`\x7f" * 200_000,
        "(" * 1_000_000,
        "'" * 1_000_001,
        "/*" * 500_000,
        "{{" * 500_000 + "${" * 500_000,
        "'a\n;\nSELECT " * 20_000,
        "<<<<<<< a\n" * 50_000,
        "INSERT INTO x\n" * 50_000,
        "x" * 5_000_000,
        "SELECT a FROM t WHERE b IN (" + "1, " * 400_000 + "1)",
    ],
    ids=[
        "binary",
        "parentheses",
        "quotes",
        "comments",
        "braces",
        "open strings",
        "markers",
        "no semicolons",
        "word",
        "list",
    ],
)
def test_huge_and_senseless_text_is_read_in_seconds(text: str) -> None:
    script = parse_script(text)
    assert script.problems


def test_a_large_script_is_read_whole() -> None:
    script = parse_script("SELECT a, SUM(b) FROM t GROUP BY a;\n" * 20_000)
    assert len(script.statements) == 20_000
    assert not script.problems
