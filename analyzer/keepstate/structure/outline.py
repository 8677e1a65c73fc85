"""The outline of a text: tables with their columns, views, functions, and queries by the table that they write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, TypeVar

from sqlglot import exp

from keepstate.plan.catalog import FunctionDefinition, TableDefinition, ViewDefinition, define
from keepstate.structure.pieces import Parts, Piece, PieceMemory
from keepstate.structure.token_names import is_name, unquoted
from keepstate.syntax.memo import Memo
from keepstate.syntax.splitting.recovery import statement_set_head
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import Token
from keepstate.text import Span

T = TypeVar("T")


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


@dataclass(frozen=True)
class OutlineEntry(Generic[T]):
    """An entry of the outline of a text, by ``content``, whose places count from the offset ``start``.

    >>> from keepstate import Draft
    >>> (table,) = Draft().outline("; CREATE TABLE t (a INT)", lambda text, symbol: symbol.name_span)
    >>> table.start, table.content
    (2, Span(start=13, end=14))
    """

    start: int
    content: T
    children: tuple[OutlineEntry[T], ...] = ()
    """The entries of the statements of a statement set."""


@dataclass(frozen=True, slots=True)
class _Outlined(Generic[T]):
    """The part of one statement in the outline."""

    opened: Symbol | None
    """The statement set that begins in it, up to its end."""
    closes: bool
    content: T | None
    """Its own entry; SET, USE and the like have none."""


_CREATED = {"TABLE": SymbolKind.TABLE, "VIEW": SymbolKind.VIEW, "FUNCTION": SymbolKind.FUNCTION}
_LONGEST_NAME = 60


def symbols(parts: Parts, memory: PieceMemory, memo: Memo) -> tuple[Symbol, ...]:
    """The entries of a text with the places in it; those in a statement set are below it.

    >>> memory = PieceMemory()
    >>> parts = memory.parts("CREATE TABLE t (a INT); SET 'x' = 'y';")
    >>> [symbol.name for symbol in symbols(parts, memory, Memo())]
    ['t']
    """
    return tuple(map(_placed, outline(parts, memory, memo, _itself)))


def _itself(_: str, symbol: Symbol) -> Symbol:
    return symbol


def _placed(entry: OutlineEntry[Symbol]) -> Symbol:
    symbol = _shifted(entry.content, entry.start)
    return replace(symbol, children=tuple(map(_placed, entry.children))) if entry.children else symbol


def _shifted(symbol: Symbol, by: int) -> Symbol:
    children = tuple([_shifted(each, by) for each in symbol.children])
    return replace(symbol, span=symbol.span.shift(by), name_span=symbol.name_span.shift(by), children=children)


def outline(
    parts: Parts, memory: PieceMemory, memo: Memo, content: Callable[[str, Symbol], T]
) -> tuple[OutlineEntry[T], ...]:
    """The entries of a text by their statements: ``content`` of a text and of the symbol in it, a pure function, whose
    results are kept for the statements that stay as they are.

    >>> memory = PieceMemory()
    >>> parts = memory.parts("SET 'x' = 'y'; CREATE TABLE t (a INT)")
    >>> [(each.start, each.content) for each in outline(parts, memory, Memo(), lambda text, symbol: symbol.name)]
    [(15, 't')]
    """
    entries: list[OutlineEntry[T]] = []
    within: list[OutlineEntry[T]] = []
    opened: tuple[int, Symbol] | None = None
    end = 0

    def close() -> None:
        if opened is not None:
            start, symbol = opened
            whole = content(parts.text[start:end], replace(symbol, span=Span(0, end - start)))
            entries.append(OutlineEntry(start, whole, tuple(within)))

    statements = memory.of_each(parts, lambda piece: _outlined(piece, memo, content), (outline, content))
    for piece, statement in zip(parts.pieces, statements, strict=True):
        if statement.closes and opened is not None:
            end = piece.span.end
            close()
            opened = None
            continue
        if statement.opened is not None:
            close()
            opened, within = (piece.span.start, statement.opened), []
            end = piece.span.end
        if statement.content is not None:
            (entries if opened is None else within).append(OutlineEntry(piece.span.start, statement.content))
            end = piece.span.end
    close()
    return tuple(entries)


def _outlined(piece: Piece, memo: Memo, content: Callable[[str, Symbol], T]) -> _Outlined[T]:
    words = [token.word for token in piece.tokens[:3]]
    head = statement_set_head(piece.tokens) if words[:1] in (["EXECUTE"], ["EXPLAIN"], ["COMPILE"]) else 0
    opened = None
    if words == ["BEGIN", "STATEMENT", "SET"] or head:
        last = piece.tokens[(head or 3) - 1]
        opened = Symbol("STATEMENT SET", SymbolKind.SET, Span(0, len(piece.text)), Span(0, last.end))
    # A set of which nothing is written yet has no statement behind its head.
    symbol = _symbol(piece, head, memo) if opened is None or head else None
    return _Outlined(opened, words[:1] == ["END"], content(piece.text, symbol) if symbol is not None else None)


def _symbol(piece: Piece, head: int, memo: Memo) -> Symbol | None:
    tokens = piece.tokens[head:]
    if not tokens:
        return None
    first = tokens[0].word
    span = Span(tokens[0].start, len(piece.text))
    if first == "CREATE":
        return _declaration(piece, memo)
    if first == "INSERT":
        start = 3 if len(tokens) > 2 and tokens[2].word == "TABLE" else 2
        return _name_symbol(tokens, start, SymbolKind.INSERT, span, "INSERT INTO")
    if first in ("SELECT", "WITH"):
        line = " ".join(piece.text[tokens[0].start :].split())
        name = line if len(line) <= _LONGEST_NAME else f"{line[:_LONGEST_NAME]}..."
        return Symbol(name, SymbolKind.QUERY, span, Span(span.start, span.start + len(first)))
    return None


def _name_symbol(tokens: tuple[Token, ...], start: int, kind: SymbolKind, span: Span, detail: str) -> Symbol | None:
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
    name_span = Span(parts[0].start, parts[-1].end)
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
    symbol = _name_symbol(tokens, start, kind, Span(0, len(piece.text)), "")
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
                    column.place.span,
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
    return Span(token.start, token.end)
