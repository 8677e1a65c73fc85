"""Symbols as the protocol has them, made of those of each statement, are those of the whole text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from keepstate import Draft, Symbol
from keepstate.structure.outline import SymbolKind
from keepstate.text import Encoding, LineIndex, Span
from keepstate_lsp.features.outline_data import KINDS, outline_data

STATEMENTS = """CREATE TABLE t (a INT, `b c` ROW<x INT>) WITH ('connector' = 'kafka')|CREATE VIEW v AS SELECT 1
|SELECT '\u00e9\U0001d11e', a\r\nFROM t|INSERT INTO s SELECT 1|BEGIN STATEMENT SET|END|SET 'a' = 'b'|INSERT INTO|(|'
|EXECUTE STATEMENT SET BEGIN\nINSERT INTO \U0001d11e SELECT 1|CREATE FUNCTION f AS 'a.B'|-- \U0001d11e\n""".split("|")


def placed(symbol: Symbol, lines: LineIndex, encoding: Encoding) -> dict[str, Any]:
    def numbers(span: Span) -> dict[str, dict[str, int]]:
        ends = {"start": lines.position(span.start, encoding), "end": lines.position(span.end, encoding)}
        return {name: {"line": place.line, "character": place.character} for name, place in ends.items()}

    return {
        "name": symbol.name,
        "kind": KINDS[symbol.kind.value],
        "range": numbers(symbol.span),
        "selectionRange": numbers(symbol.name_span),
        "children": [placed(each, lines, encoding) for each in symbol.children],
        **({"detail": symbol.detail} if symbol.detail else {}),
    }


@given(
    st.lists(st.sampled_from(STATEMENTS), max_size=9).map(";".join),
    st.lists(st.tuples(st.integers(0, 200), st.sampled_from([*STATEMENTS, "", "\n", ";"])), max_size=4),
    st.sampled_from(Encoding),
)
def test_the_symbols_are_those_of_the_text(text: str, edits: list[tuple[int, str]], encoding: Encoding) -> None:
    draft = Draft()
    for offset, typed in [(0, ""), *edits]:
        text = text[:offset] + typed + text[offset:]
        lines = LineIndex(text)
        expected = [placed(each, lines, encoding) for each in Draft().symbols(text)]
        assert outline_data(draft, lines, encoding) == expected


def test_kinds_are_those_of_the_protocol() -> None:
    assert KINDS.keys() == {kind.value for kind in SymbolKind}
    assert {name: types.SymbolKind(number).name for name, number in KINDS.items()} == {
        "table": "Struct",
        "column": "Field",
        "view": "Interface",
        "function": "Function",
        "insert": "Event",
        "query": "Event",
        "statement set": "Namespace",
    }


def test_a_set_that_nothing_closes_keeps_its_statements() -> None:
    text = "BEGIN STATEMENT SET; INSERT INTO a SELECT 1; BEGIN STATEMENT SET; INSERT INTO b SELECT 1; END"
    sets = Draft().symbols(text)
    assert [[each.name for each in one.children] for one in sets] == [["a"], ["b"]]
    assert [one.span.of(text).partition(";")[2] for one in sets] == [
        " INSERT INTO a SELECT 1",
        " INSERT INTO b SELECT 1; END",
    ]


@pytest.mark.parametrize("others", [10, 300])
def test_a_keystroke_numbers_one_statement(others: int) -> None:
    draft, numbered = Draft(), []

    def content(text: str, symbol: Symbol) -> Symbol:
        numbered.append(text)
        return symbol

    tables = "".join(f"CREATE TABLE t_{number} (a INT, b STRING);\n" for number in range(others))
    draft.outline(f"{tables}CREATE TABLE s (a INT);", content)
    del numbered[:]
    draft.outline(f"{tables}CREATE TABLE s (a BIGINT);", content)
    assert numbered == ["CREATE TABLE s (a BIGINT)"]
