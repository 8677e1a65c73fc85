"""The names of a statement are found once, for its text and the declarations that it reaches."""

from __future__ import annotations

from typing import Any

import pytest

from keepstate.names import script_names, statement_walk
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import parse_script

SCRIPT = """\
CREATE TABLE a (x INT);
CREATE TABLE b (x INT);
CREATE VIEW v AS SELECT x FROM a;
SELECT x FROM v;
SELECT x FROM b;
"""


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the statements whose names are looked for."""
    texts: list[str] = []
    real = statement_walk._resolve

    def resolve(statement: Any, *rest: Any) -> Any:
        texts.append(statement.text)
        return real(statement, *rest)

    monkeypatch.setattr(statement_walk, "_resolve", resolve)
    return texts


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [
        ("", "", []),
        ("SELECT x FROM b", "SELECT b.x FROM b", ["SELECT b.x FROM b"]),
        (
            "CREATE TABLE a (x INT)",
            "CREATE TABLE a (x INT, y INT)",
            ["CREATE TABLE a (x INT, y INT)", "CREATE VIEW v AS SELECT x FROM a", "SELECT x FROM v"],
        ),
        ("CREATE TABLE b", "-- A comment.\nCREATE TABLE b", []),
    ],
)
def test_a_keystroke_costs_what_depends_on_it(resolved: list[str], old: str, new: str, again: list[str]) -> None:
    memo = Memo()
    script_names.names_of(parse_script(SCRIPT, memo))
    resolved.clear()
    text = SCRIPT.replace(old, new, 1)
    kept = script_names.names_of(parse_script(text, memo))
    assert resolved == again
    assert kept.places == script_names.names_of(parse_script(text)).places


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "(" * 3_000 + "1" + ")" * 3_000,
        "SELECT " + " + ".join(["a"] * 5_000) + " FROM t",
        "CREATE TABLE t (" + ", ".join(f"c{n} INT" for n in range(5_000)) + "); SELECT * FROM t",
        "SELECT a FROM " + "(SELECT a FROM " * 400 + "t" + ")" * 400,
        "SELECT 1 FROM " + ", ".join(f"t AS a{n}" for n in range(500)),
    ],
    ids=["parentheses", "sum", "columns", "subqueries", "relations"],
)
def test_large_and_deep_statements_have_an_answer(text: str) -> None:
    script_names.names_of(parse_script("CREATE TABLE t (a INT);" + text))


@pytest.mark.parametrize(
    ("old", "new", "walked"),
    [
        ("SELECT x FROM b", "SELECT b.x FROM b", 1),
        ("SELECT x FROM b;\n", "SELECT x FROM b;\n\n", 0),
        # Another declaration may change what any statement behind it names.
        ("CREATE TABLE b (x INT)", "CREATE TABLE b (x BIGINT)", 5),
        ("SELECT x FROM v", "CREATE TABLE c (x INT)", 1 + 5),
    ],
)
def test_a_keystroke_in_a_query_leaves_the_other_statements_alone(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, walked: int
) -> None:
    memo, calls = Memo(), []
    script_names.names_of(parse_script(SCRIPT, memo))
    real = statement_walk._StatementWalk.statement
    monkeypatch.setattr(
        statement_walk._StatementWalk, "statement", lambda walk, parsed: calls.append(parsed) or real(walk, parsed)
    )
    script_names.names_of(parse_script(SCRIPT.replace(old, new, 1), memo))
    assert len(calls) == walked


def test_an_output_column_without_a_declared_source_is_its_own_definition() -> None:
    text = "WITH a AS (SELECT x FROM undeclared) SELECT x AS y FROM a"
    names = script_names.names_of(parse_script(text))
    (place,) = names.definitions(text.index("y FROM"))
    assert place.span.of(text) == "y" and place.is_declaration
