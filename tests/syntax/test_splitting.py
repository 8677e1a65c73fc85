"""Scripts are cut into statements without losing anything."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepstate.syntax.script import StatementKind, parse_script
from keepstate.syntax.splitting.splitter import split

_SCRAPS = """
' ` ; -- // /* */ /*+ a SELECT INSERT E' \\' ${x} {{ {% %} ( ) %s END 'it''s' 😀 = 1 . , CREATE TABLE
""".split()
_LINES = ["\n", "\r\n", "\r", "<<<<<<< HEAD\n", "=======\n", ">>>>>>> x\n", ";\nSELECT 1", "BEGIN STATEMENT SET;\n"]
SCRAPS = st.lists(st.sampled_from([*_SCRAPS, *_LINES, " ", "\x00", "\ufeff", "\u2028"]), max_size=25)


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("a;b", ["a", "b"]),
        ("  a ; -- c; '\n b 'x;y' ; /* ; */ c // ;", ["a", "b 'x;y'", "c"]),
        ("a /* x */ b -- y", ["a /* x */ b"]),
        ("`a;b`;c", ["`a;b`", "c"]),
        ("'it''s; fine';b", ["'it''s; fine'", "b"]),
        (r"E'it\'s;';b", [r"E'it\'s;'", "b"]),
        ("like'a;';b", ["like'a;'", "b"]),
        ("SELECT /*+ OPTIONS('a;b') */ 1;c", ["SELECT /*+ OPTIONS('a;b') */ 1", "c"]),
        ("a\r\n;\r\nb\r\n", ["a", "b"]),
        ("\ufeffa;b", ["a", "b"]),
        ("", []),
        (" ;; -- x\n;", []),
    ],
)
def test_statements_end_at_semicolons_outside_of_strings_and_comments(text: str, statements: list[str]) -> None:
    assert [span.of(text) for span in split(text).statements] == statements


def test_comments_are_found_with_their_places() -> None:
    text = "SELECT 1 -- keepstate: accept x\n; /* y */ SELECT '-- no' // z"
    script = parse_script(text)
    assert [comment.text for comment in script.comments] == ["-- keepstate: accept x", "/* y */", "// z"]
    assert all(comment.span.of(text) == comment.text for comment in script.comments)


@given(st.one_of(st.text(max_size=60), SCRAPS.map(" ".join), SCRAPS.map("".join)))
@settings(max_examples=400, deadline=None)
def test_no_text_is_lost_and_nothing_raises(text: str) -> None:
    script = parse_script(text)
    rest = list(text)
    previous = 0
    for statement in script.statements:
        assert statement.span.of(text) == statement.text
        assert previous <= statement.span.start < statement.span.end
        previous = statement.span.end
        _blank(rest, statement.span.start, statement.span.end)
    for comment in script.comments:
        _blank(rest, comment.span.start, comment.span.end)
    # Between statements stand semicolons, and the lines that git writes around conflicts.
    leftover = re.sub(r"^[<|=>]{7}(?: .*)?$", "", "".join(rest), flags=re.MULTILINE)
    # Blocks of templates count as comments.
    leftover = re.sub(r"\{%[^%]*%\}", "", leftover)
    assert not leftover.strip("; \ufeff").replace(";", "").replace("\ufeff", "").strip()
    for problem in script.problems:
        assert problem.span is not None and problem.span.end <= len(text)
        assert problem.message.endswith(".")


def _blank(letters: list[str], start: int, end: int) -> None:
    letters[start:end] = " " * (end - start)


SETS = {
    "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END": 2,
    "execute statement set\nbegin\ninsert into a select 1;\nend;": 1,
    "BEGIN STATEMENT SET; INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;": 2,
    "EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;": 1,
    "EXPLAIN ESTIMATED_COST, CHANGELOG_MODE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;": 1,
    "COMPILE PLAN 'p' FOR STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;": 1,
    "COMPILE AND EXECUTE PLAN 'p' FOR STATEMENT SET /* ; */ BEGIN -- x\nINSERT INTO a SELECT 1; END;": 1,
    "EXECUTE STATEMENT SET BEGIN END;": 0,
}


@pytest.mark.parametrize("text", SETS)
def test_statement_sets_begin_and_end_with_statements_of_their_own(text: str) -> None:
    script = parse_script(text)
    assert not script.problems
    inserts = [StatementKind.INSERT] * SETS[text]
    kinds = [statement.kind for statement in script.statements]
    assert kinds == [StatementKind.STATEMENT_SET_START, *inserts, StatementKind.STATEMENT_SET_END]
    assert all(statement.span.of(text) == statement.text for statement in script.statements)
