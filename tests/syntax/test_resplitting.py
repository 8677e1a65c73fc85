"""Splitting again after an edit gives what splitting the whole text gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepstate.syntax.memo import Memo
from keepstate.syntax.script import Script, parse_script
from keepstate.syntax.splitting import resplitting
from keepstate.syntax.splitting.resplitting import Splits
from keepstate.syntax.splitting.splitter import split

_STATEMENTS = (
    "SELECT a, 'it''s; here' FROM t;",
    "-- a comment; with a semicolon\nINSERT INTO s SELECT `a;b` FROM t;",
    "/* block ' ; */ SET 'k' = 'v' ;",
    "CREATE TABLE t (a INT) -- end\n;",
    ";",
)
_SNIPPETS = ("", "x", ";", "'", "`", "--", "/*", "*/", "\n", "SELECT 1;", "-- ;\n", "'a;b'", "<<<<<<< HEAD\n")


@pytest.fixture(autouse=True)
def _short_texts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resplitting, "_WORTH_IT", 0)


@settings(max_examples=400)
@given(
    st.lists(st.sampled_from(_STATEMENTS), min_size=4, max_size=12),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(_SNIPPETS)), min_size=1, max_size=5),
)
def test_edits_one_after_the_other(statements: list[str], edits: list[tuple[float, int, str]]) -> None:
    resplit = Splits().resplit
    text = "\n".join(statements)
    assert resplit(text)[0] == split(text)
    for where, deleted, inserted in edits:
        at = int(where * len(text))
        text = text[:at] + inserted + text[at + deleted :]
        assert resplit(text)[0] == split(text)


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from(_STATEMENTS), min_size=4, max_size=12),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(_SNIPPETS)), min_size=1, max_size=5),
)
def test_what_is_read_again_is_what_reading_all_gives(
    statements: list[str], edits: list[tuple[float, int, str]]
) -> None:
    texts = ["\n".join(statements)]
    for where, deleted, inserted in edits:
        at = int(where * len(texts[-1]))
        texts.append(texts[-1][:at] + inserted + texts[-1][at + deleted :])
    memo = Memo()
    one_after_the_other = [parse_script(text, memo) for text in texts]
    for text, read in zip(texts, one_after_the_other, strict=True):
        assert _said(read) == _said(parse_script(text))


def _said(read: Script) -> tuple[object, ...]:
    statements = [(statement.span, statement.text, statement.kind) for statement in read.statements]
    return statements, read.problems, read.comments, read.placeholders


def test_an_edit_may_close_a_name_that_an_earlier_statement_opens() -> None:
    resplit = Splits().resplit
    text = "SELECT 1;\nSELECT `a; SELECT b FROM t;\nSELECT c FROM t`;\nSELECT 2;\nSELECT 3;"
    resplit(text)
    edited = text.replace("FROM t;\nSELECT", "FROM t; SELECT")
    assert resplit(edited)[0] == split(edited)


def test_an_edit_in_a_long_script_scans_its_neighbourhood_only(monkeypatch: pytest.MonkeyPatch) -> None:
    resplit = Splits().resplit
    text = "\n".join(f"INSERT INTO s{number} SELECT a FROM t{number};" for number in range(500))
    resplit(text)
    scanned: list[int] = []

    def counting(piece: str, *args: object, **options: object) -> object:
        scanned.append(len(piece))
        return split(piece)

    monkeypatch.setattr(resplitting, "split", counting)
    edited = text.replace("SELECT a FROM t250", "SELECT b, c FROM t250")
    assert resplit(edited)[0] == split(edited)
    assert sum(scanned) < 200
