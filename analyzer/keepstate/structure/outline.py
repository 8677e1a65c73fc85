"""The outline of a text: tables with their columns, views, functions, and queries by the table that they write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from sqlglot import exp

from keepstate.plan.catalog import FunctionDefinition, TableDefinition, ViewDefinition, define
from keepstate.structure.pieces import Parts, Piece
from keepstate.structure.token_names import is_name, unquoted
from keepstate.syntax.memo import Memo
from keepstate.syntax.splitting.recovery import statement_set_head
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import Token
from keepstate.text import Span


class SymbolKind(str, Enum):
    TABLE = "table"
    COLUMN = "column"
    VIEW = "view"
    FUNCTION = "function"
    INSERT = "insert"
    QUERY = "query"
    SET = "statement set"


@dataclass(frozen=True)
class Symbol:
    """One entry of the outline.

    >>> from keepstate import Draft
    >>> (table,) = Draft().symbols("CREATE TABLE t (a INT)")
    >>> table.name, [(column.name, column.detail) for column in table.children]
    ('t', [('a', 'INT')])
    """

    name: str
    kind: SymbolKind
    span: Span
    """The whole statement or clause."""
    name_span: Span
    detail: str = ""
    children: tuple[Symbol, ...] = ()


_CREATED = {"TABLE": SymbolKind.TABLE, "VIEW": SymbolKind.VIEW, "FUNCTION": SymbolKind.FUNCTION}
_LONGEST_NAME = 60


def symbols(parts: Parts, memo: Memo) -> tuple[Symbol, ...]:
    """The entries of a text; those in a statement set are below it. SET, USE and the like have none.

    >>> from keepstate.structure.pieces import PieceMemory
    >>> parts = PieceMemory().parts("CREATE TABLE t (a INT); SET 'x' = 'y';")
    >>> [symbol.name for symbol in symbols(parts, Memo())]
    ['t']
    """
    result: list[Symbol] = []
    within: list[Symbol] = []
    opened: Symbol | None = None
    for piece in parts.pieces:
        words = [token.word for token in piece.tokens[:3]]
        head = statement_set_head(piece.tokens) if words[:1] in (["EXECUTE"], ["EXPLAIN"], ["COMPILE"]) else 0
        if words == ["BEGIN", "STATEMENT", "SET"] or head:
            span = Span(piece.span.start, piece.span.end)
            last = piece.tokens[(head or 3) - 1]
            opened = Symbol("STATEMENT SET", SymbolKind.SET, span, Span(span.start, span.start + last.end))
            within = []
            if not head:
                continue
        if words[:1] == ["END"] and opened is not None:
            whole = Span(opened.span.start, piece.span.end)
            result.append(replace(opened, span=whole, children=tuple(within)))
            opened = None
            continue
        symbol = _symbol(piece, head, memo)
        if symbol is not None:
            (result if opened is None else within).append(symbol)
    if opened is not None:
        last_end = within[-1].span.end if within else opened.span.end
        result.append(replace(opened, span=Span(opened.span.start, last_end), children=tuple(within)))
    return tuple(result)


def _symbol(piece: Piece, head: int, memo: Memo) -> Symbol | None:
    tokens = piece.tokens[head:]
    if not tokens:
        return None
    first = tokens[0].word
    span = Span(piece.span.start + tokens[0].start, piece.span.end)
    if first == "CREATE":
        return _declaration(piece, memo)
    if first == "INSERT":
        start = 3 if len(tokens) > 2 and tokens[2].word == "TABLE" else 2
        return _name_symbol(tokens, start, SymbolKind.INSERT, span, piece, "INSERT INTO")
    if first in ("SELECT", "WITH"):
        line = " ".join(piece.text[tokens[0].start :].split())
        name = line if len(line) <= _LONGEST_NAME else f"{line[:_LONGEST_NAME]}..."
        return Symbol(name, SymbolKind.QUERY, span, Span(span.start, span.start + len(first)))
    return None


def _name_symbol(
    tokens: tuple[Token, ...], start: int, kind: SymbolKind, span: Span, piece: Piece, detail: str
) -> Symbol | None:
    """The symbol of a statement whose name begins at the token ``start``."""
    parts: list[Token] = []
    at = start
    while at < len(tokens) and is_name(tokens[at]):
        parts.append(tokens[at])
        if at + 1 >= len(tokens) or tokens[at + 1].word != ".":
            break
        at += 2
    if not parts:
        return None
    name_span = Span(parts[0].start, parts[-1].end).shift(piece.span.start)
    return Symbol(".".join(map(unquoted, parts)), kind, span, name_span, detail)


def _declaration(piece: Piece, memo: Memo) -> Symbol | None:
    tokens = piece.tokens
    number = next((n for n, token in enumerate(tokens[:6]) if token.word in _CREATED), None)
    if number is None:
        return None
    kind = _CREATED[tokens[number].word]
    start = number + 1
    while start < len(tokens) and tokens[start].word in ("IF", "NOT", "EXISTS"):
        start += 1
    symbol = _name_symbol(tokens, start, kind, piece.span, piece, "")
    if symbol is None:
        return None
    statement = memo.statement(piece.text)
    match memo.of(define, statement):
        case TableDefinition() as table:
            types = dict(_written_types(statement))
            columns = tuple(
                Symbol(
                    column.name,
                    SymbolKind.COLUMN,
                    column.place.span.shift(piece.span.start),
                    _first_token(column.place.span, piece),
                    types.get(column.name, "computed" if column.expression is not None else ""),
                )
                for column in table.columns
            )
            connector = table.options.get("connector")
            return replace(symbol, detail=connector.value if connector is not None else "", children=columns)
        case ViewDefinition():
            return replace(symbol, detail="view")
        case FunctionDefinition() as function:
            return replace(symbol, detail=function.implementation)
    return symbol


def _written_types(statement: ParsedStatement) -> Iterator[tuple[str, str]]:
    """The types of the columns as they are written: names of fields have a case."""
    target = statement.tree.this if statement.tree is not None else None
    for element in target.expressions if isinstance(target, exp.Schema) else ():
        kind = element.args.get("kind") if isinstance(element, exp.ColumnDef) else None
        span = kind.meta.get("span") if kind is not None else None
        if span is not None:
            yield element.name, " ".join(Span(*span).of(statement.text).split())


def _first_token(span: Span, piece: Piece) -> Span:
    token = next(token for token in piece.tokens if token.start >= span.start)
    return Span(token.start, token.end).shift(piece.span.start)
