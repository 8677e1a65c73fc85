"""Names of one statement: each declaration and each use, with its exact span."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from sqlglot import exp

from keepstate.plan.scalars.lowering import WITH_UNIT
from keepstate.syntax import syntax_nodes
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import TokenKind, lex
from keepstate.text import Span
from keepstate.validation.queries import QueryCheck
from keepstate.validation.values.declared_symbols import DeclaredSymbol, NameKind
from keepstate.validation.values.name_receiver import NameReceiver, RefusalContext
from keepstate.validation.values.scopes import RelationColumns, ResolvedColumn, ValidationScope

_QUERIES = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)
_COLUMN_BEHIND = "fields."
"""The beginning of options for one column: fields.NAME.min of datagen, fields.NAME.expression of faker."""
_OF_COLUMNS = frozenset(
    "key.fields scan.partition.column scan.incremental.snapshot.chunk.key-column bucket-key sequence.field".split()
)
"""Options whose value is one column, or several."""
_LISTED = re.compile(r"[^;,\s]+")
_OBJECTS = frozenset({NameKind.TABLE, NameKind.VIEW, NameKind.FUNCTION})
_QUANTIFIED = (TokenKind.WORD, TokenKind.NAME)


class NameRole(str, Enum):
    """The part that a name plays where it stands."""

    DECLARATION = "declaration"
    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name at ``span`` of the text of its statement."""

    span: Span
    symbol: DeclaredSymbol
    role: NameRole = NameRole.READ
    in_text: bool = False
    """It stands between the quotes of a string."""


@dataclass(frozen=True)
class MergedColumns:
    """Columns that USING or NATURAL at ``span`` makes one, because they have one name."""

    span: Span
    symbols: tuple[DeclaredSymbol, ...]


@dataclass(frozen=True, eq=False)
class StatementNames:
    """All names of one statement that are resolved, and the spans of those that are not."""

    occurrences: tuple[Occurrence, ...] = ()
    merged: tuple[MergedColumns, ...] = ()
    unresolved: tuple[Span, ...] = ()

    @cached_property
    def symbols(self) -> frozenset[DeclaredSymbol]:
        """The symbols of all of them."""
        return frozenset(each.symbol for each in self.occurrences)

    @cached_property
    def declared(self) -> tuple[Occurrence, ...]:
        """The declarations of tables, views and functions."""
        return tuple(
            each for each in self.occurrences if each.role is NameRole.DECLARATION and each.symbol.kind in _OBJECTS
        )


@dataclass
class Recorder(NameReceiver):
    """Keeps the names of one statement. ``functions`` are those that the script declares, in upper case."""

    statement: ParsedStatement
    functions: Mapping[str, DeclaredSymbol]
    occurrences: dict[tuple[Span, DeclaredSymbol], Occurrence] = field(default_factory=dict)
    symbols: dict[Span, DeclaredSymbol | None] = field(default_factory=dict)
    """The symbols by the spans of their names; ``None`` for a name of something that the script does not declare."""
    merges: dict[Span, MergedColumns] = field(default_factory=dict)
    queries: QueryCheck | None = None
    """The checks that this hears of; set once it is made."""
    _met: set[Span] = field(default_factory=set)
    _guard = RefusalContext(ends=True)

    # ---- declarations

    def declare(
        self, kind: NameKind, node: exp.Expr, owner: str = "", source: DeclaredSymbol | None = None
    ) -> DeclaredSymbol | None:
        span = _span(node)
        if source is not None and source.kind is NameKind.IMPLIED and source.span == span:
            source = None
        symbol = DeclaredSymbol(kind, node.name, self.statement, span, owner, source)
        self._add(span, symbol, NameRole.DECLARATION)
        return symbol

    def columns(
        self, kind: NameKind, nodes: list[exp.Expr], rows: RelationColumns, owner: str
    ) -> tuple[DeclaredSymbol | None, ...]:
        origins = [column.origin for column in rows.columns]
        sources = (*origins, *(None for _ in nodes[len(origins) :]))
        return tuple(self.declare(kind, node, owner, source) for node, source in zip(nodes, sources, strict=False))

    def implied(self, node: exp.Expr) -> DeclaredSymbol | None:
        while isinstance(node, exp.Paren):
            node = node.this
        last: exp.Expr
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            last = node.this
        elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
            last = node.expression
        else:
            return None
        symbol = self.symbols.get(_span(last))
        if symbol is not None and symbol.name == last.name:
            return symbol
        return DeclaredSymbol(NameKind.IMPLIED, last.name, self.statement, _span(last))

    def variables(self, pattern: exp.Expr) -> Mapping[str, DeclaredSymbol]:
        symbols: dict[str, DeclaredSymbol] = {}
        start, end = pattern.args["pattern"].meta["span"]
        for token in lex(self.statement.text[start:end]).tokens:
            if token.kind not in _QUANTIFIED or token.word == "PERMUTE":
                continue
            name, span = token.text.strip("`"), Span(token.start, token.end).shift(start)
            if name in symbols:
                self._add(span, symbols[name])
                continue
            symbols[name] = DeclaredSymbol(NameKind.VARIABLE, name, self.statement, span)
            self._add(span, symbols[name], NameRole.DECLARATION)
        for subset in pattern.args.get("subsets") or ():
            symbol = self.declare(NameKind.VARIABLE, subset.args["alias"])
            assert symbol is not None
            symbols.setdefault(subset.alias, symbol)
            for member in subset.this.find_all(exp.Identifier) if isinstance(subset.this, exp.Expression) else ():
                self.use(member, symbols.get(member.name))
        for definition in pattern.args.get("define") or ():
            self.use(definition.args["alias"], symbols.get(definition.alias))
        after = pattern.args.get("after")
        if after is not None:
            self._skipped_to(Span(*after.meta["span"]), symbols)
        return symbols

    def _skipped_to(self, span: Span, variables: Mapping[str, DeclaredSymbol]) -> None:
        tokens = lex(span.of(self.statement.text)).tokens
        last = tokens[-2] if len(tokens) > 1 else None
        if last is not None and last.text.strip("`") in variables:
            self._add(Span(last.start, last.end).shift(span.start), variables[last.text.strip("`")])

    # ---- uses

    def use(self, node: exp.Expr, symbol: DeclaredSymbol | None, *, writes: bool = False) -> None:
        self._add(_span(node), symbol, NameRole.WRITE if writes else NameRole.READ)

    def column(self, resolution: ResolvedColumn, spans: tuple[Span, ...]) -> None:
        index = len(spans) - len(resolution.rest) - 1
        for span in spans:
            self.symbols.setdefault(span, None)
        if index >= 0:
            self._add(spans[index], resolution.column.origin)
        length, relation = resolution.qualified
        if length:
            self._add(spans[length - 1], relation)

    def function(self, span: Span | None, name: str) -> None:
        if span is not None:
            self._add(span, self.functions.get(name))

    def merged(self, span: Span, symbols: tuple[DeclaredSymbol | None, ...]) -> None:
        known_symbols = tuple(symbol for symbol in symbols if symbol is not None)
        self.merges[span] = MergedColumns(
            span, (*(self.merges[span].symbols if span in self.merges else ()), *known_symbols)
        )
        for symbol in known_symbols:
            if span.of(self.statement.text).strip("`") == symbol.name:
                self._add(span, symbol)

    def hints(self, node: exp.Expr, scope: ValidationScope) -> None:
        relations = {item.name: item.origin for item in scope.items}
        hint = node.args.get("hint")
        for item in hint.expressions if hint is not None else ():
            lookup = item.name.upper() == "LOOKUP"
            for entry in item.expressions:
                part = entry
                if isinstance(entry, exp.Property):
                    if lookup and entry.this.name.lower() != "table":
                        continue
                    part = entry.args["value"] if lookup else entry.this
                if isinstance(part, exp.Literal):
                    self._in_text(part, _inside(part), part.name, relations.get(part.name))
                elif isinstance(part, exp.Column) and part.name in relations:
                    self.use(part.this, relations[part.name])

    def options(self, entries: Iterable[exp.Expr], rows: RelationColumns) -> None:
        columns = {column.name: column.origin for column in rows.columns}
        for entry in entries:
            key, value = (entry.this, entry.args.get("value")) if isinstance(entry, exp.Property) else (None, None)
            if not isinstance(key, exp.Literal) or not isinstance(value, exp.Literal):
                continue
            _, separator, rest = key.name.partition(_COLUMN_BEHIND)
            fitting = [name for name in columns if separator and rest.startswith(name + ".")]
            if fitting:
                name = max(fitting, key=len)
                start = _inside(key) + len(_COLUMN_BEHIND)
                self._in_text(key, start, name, columns[name])
            for match in _LISTED.finditer(value.name) if key.name in _OF_COLUMNS else ():
                self._in_text(value, _inside(value) + match.start(), match[0], columns.get(match[0]))

    def _in_text(self, literal: exp.Literal, start: int, name: str, symbol: DeclaredSymbol | None) -> None:
        """Note a name in a string, where it stands there as it is read."""
        text = name.replace("'", "''")
        span = Span(start, start + len(text))
        if symbol is not None and span.of(self.statement.text) == text:
            self.symbols[span] = symbol
            self.occurrences[span, symbol] = Occurrence(span, symbol, in_text=True)

    # ---- what the checks leave out

    def query(self, node: exp.Expr) -> None:
        self._met.add(_span(node))

    def rest(self, node: exp.Expr | None, scope: ValidationScope) -> None:
        waiting = [node] if node is not None else []
        while waiting:
            current = waiting.pop()
            if isinstance(current, _QUERIES):
                if _span(current) not in self._met and self.queries is not None:
                    with self.guard():
                        self.queries.query(current, scope)
            elif isinstance(current, exp.Column):
                self._resolve(current, scope)
            elif isinstance(current, exp.Anonymous):
                keyword = current.meta.get("keyword")
                if keyword is not None and Span(*keyword) not in self.symbols:
                    self.function(Span(*keyword), str(current.this).upper())
                self._resolve_units(current, scope)
                waiting += current.iter_expressions()
            elif isinstance(current, exp.Dot):
                self._resolve_path(current, scope, waiting)
            elif not isinstance(current, syntax_nodes.NamedArgument):
                waiting += current.iter_expressions()
            else:
                waiting.append(current.expression)

    def _resolve(self, node: exp.Column, scope: ValidationScope) -> None:
        if isinstance(node.this, exp.Star) or _span(node.this) in self.symbols:
            return
        self._record_column(tuple(part.name for part in node.parts), tuple(map(_span, node.parts)), scope)

    def _resolve_units(self, call: exp.Anonymous, scope: ValidationScope) -> None:
        """Resolve arguments that are read as units of time where the function takes none: MAX(week)."""
        if str(call.this).upper() in WITH_UNIT:
            return
        for argument in (each for part in call.expressions for each in (part, *part.expressions)):
            if isinstance(argument, exp.Var):
                span = _span(argument)
                self._record_column((span.of(self.statement.text),), (span,), scope)

    def _resolve_path(self, node: exp.Dot, scope: ValidationScope, waiting: list[exp.Expr]) -> None:
        names: list[exp.Expr] = []
        current: exp.Expr = node
        while isinstance(current, exp.Dot) and isinstance(current.expression, exp.Identifier):
            names.insert(0, current.expression)
            current = current.this
        if isinstance(current, exp.Column) and not isinstance(current.this, exp.Star):
            names = [*current.parts, *names]
        elif isinstance(current, exp.Identifier):
            names = [current, *names]
        else:
            waiting += node.iter_expressions() if current is node else [current]
            return
        if _span(names[-1]) not in self.symbols:
            self._record_column(tuple(name.name for name in names), tuple(map(_span, names)), scope)

    def _record_column(self, names: tuple[str, ...], spans: tuple[Span, ...], scope: ValidationScope) -> None:
        with self.guard():
            resolution = scope.resolve(names, spans)
            if resolution is not None:
                self.column(resolution, spans)

    # ---- answers

    def _add(self, span: Span, symbol: DeclaredSymbol | None, role: NameRole = NameRole.READ) -> None:
        if symbol is None:
            self.symbols.setdefault(span, None)
            return
        self.symbols[span] = symbol
        if (span, symbol) not in self.occurrences:
            self.occurrences[span, symbol] = Occurrence(span, symbol, role)

    def names(self) -> StatementNames:
        """The names of the statement, and the columns that nothing resolved."""
        tree = self.statement.tree
        unresolved = set()
        for node in tree.walk() if tree is not None else ():
            if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
                unresolved |= {_span(part) for part in node.parts if _span(part) not in self.symbols}
        ordered = sorted(self.occurrences.values(), key=lambda each: each.span)
        return StatementNames(tuple(ordered), tuple(self.merges.values()), tuple(sorted(unresolved)))


def _inside(literal: exp.Literal) -> int:
    """The offset behind the opening quote."""
    return _span(literal).start + 1


def _span(node: exp.Expr) -> Span:
    return Span(*node.meta["span"])
