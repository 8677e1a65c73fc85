"""Names of a script: declarations and uses of all its statements, as places of the whole text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from sqlglot import exp

from keepstate.names.recorder import NameRole, Occurrence, Recorder, StatementNames
from keepstate.plan.catalog import Definition, define
from keepstate.plan.names.full_names import names_in, table_name, upper
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo, recent
from keepstate.syntax.script import Script, Statement
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import TokenKind
from keepstate.text import Span
from keepstate.validation.declarations import declare
from keepstate.validation.inserts import check_insert
from keepstate.validation.queries import QueryCheck
from keepstate.validation.statement_context import DeclaredNames, DeclaredObject, StatementContext
from keepstate.validation.values.declared_symbols import DeclaredSymbol, NameKind
from keepstate.validation.values.scopes import StatementRefused

_ABOUT_TABLES = frozenset("ANALYZE DESC DESCRIBE SHOW TRUNCATE".split())
_NAMING = (TokenKind.WORD, TokenKind.NAME)
_DECLARING = frozenset({StatementKind.CREATE_TABLE, StatementKind.CREATE_VIEW, StatementKind.CREATE_FUNCTION})


@dataclass(frozen=True, slots=True)
class Name:
    """A declared name of a script; equal for all its places. ``span`` is the place of its declaration."""

    kind: NameKind
    name: str
    span: Span
    owner: str = ""

    @property
    def words(self) -> str:
        """The name with its relation: ``users.age``."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


@dataclass(frozen=True, slots=True)
class NamePlace:
    """A place at which a name stands.

    >>> from keepstate.syntax.script import parse_script
    >>> [place.role.value for place in names_of(parse_script("CREATE TABLE t (a INT); INSERT INTO t SELECT 1")).places]
    ['declaration', 'declaration', 'write']
    """

    span: Span
    name: Name
    role: NameRole
    in_text: bool = False
    """It stands between the quotes of a string: a key of a hint or of an option."""

    @property
    def is_declaration(self) -> bool:
        return self.role is NameRole.DECLARATION

    @property
    def writes(self) -> bool:
        """Return whether the name gets something here: its meaning, or rows."""
        return self.role is not NameRole.READ


@dataclass(frozen=True)
class MergedNames:
    """Columns that USING or NATURAL at ``span`` makes one."""

    span: Span
    names: frozenset[Name]


@dataclass(frozen=True, eq=False)
class ScriptNames:
    """The names of a script: ``places`` in the order of the text.

    >>> from keepstate.syntax.script import parse_script
    >>> names = names_of(parse_script("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a AS b FROM t"))
    >>> [place.name.words for place in names.declarations()], [place.name.words for place in names.definitions(54)]
    (['t', 'v'], ['t.a'])
    """

    places: tuple[NamePlace, ...]
    merged: tuple[MergedNames, ...] = ()
    unresolved: tuple[Span, ...] = ()
    """The names of columns that the script does not explain."""
    sources: Mapping[Name, Name] = field(default_factory=dict)
    """The columns whose values output columns of other names have."""

    @cached_property
    def by_name(self) -> Mapping[Name, tuple[NamePlace, ...]]:
        """All places of each name."""
        by_name: dict[Name, list[NamePlace]] = {}
        for place in self.places:
            by_name.setdefault(place.name, []).append(place)
        return {name: tuple(places) for name, places in by_name.items()}

    def at(self, offset: int) -> tuple[NamePlace, ...]:
        """The names at an offset, more than one where USING names the columns of two relations. At the border between
        two names it is the one on the right.
        """
        first = bisect_left(self.places, offset, key=lambda place: place.span.end)
        touched = []
        for place in self.places[first:]:
            if place.span.start > offset:
                break
            touched.append(place)
        inside = [place for place in touched if place.span.start <= offset < place.span.end]
        return tuple(inside or touched)

    def definitions(self, offset: int) -> tuple[NamePlace, ...]:
        """The declarations of the name at an offset; at a declaration, that of the column that it renames."""
        places = []
        for place in self.at(offset):
            name = place.name
            if place.role is NameRole.DECLARATION:
                name = self.sources.get(name, name)
            places += [each for each in self.by_name[name] if each.role is NameRole.DECLARATION]
        return tuple(dict.fromkeys(places))

    def references(self, offset: int) -> tuple[NamePlace, ...]:
        """All places of the name at an offset, its declaration among them."""
        names = dict.fromkeys(place.name for place in self.at(offset))
        return tuple(sorted((place for name in names for place in self.by_name[name]), key=lambda place: place.span))

    def declarations(self) -> tuple[NamePlace, ...]:
        """The declarations of tables, views and functions."""
        kinds = (NameKind.TABLE, NameKind.VIEW, NameKind.FUNCTION)
        return tuple(place for place in self.places if place.role is NameRole.DECLARATION and place.name.kind in kinds)


def names_of(script: Script) -> ScriptNames:
    """The names of ``script``. Statements that cannot be read, and names that the script does not explain, have none.

    >>> from keepstate.syntax.script import parse_script
    >>> names = names_of(parse_script("CREATE TABLE t (a INT); SELECT a FROM t"))
    >>> [(place.span.start, place.name.words) for place in names.definitions(32)]
    [(16, 't.a')]
    """
    texts: dict[str, ScriptNames] = script.memo.of_group(ScriptNames, (), dict)
    return recent(texts, script.text, _TEXTS, lambda: _Walk(script).names())


_TEXTS = 2
"""So many texts are kept: an editor asks about one at each move of the cursor, and a rename about two."""


class _Walk:
    def __init__(self, script: Script) -> None:
        self._script = script
        self._memo: Memo = script.memo
        self._declared = DeclaredNames()
        self._starts: dict[ParsedStatement, int] = {}
        """The offsets at which the statements that were walked begin; of equal ones, that of the last one."""
        self._names: dict[DeclaredSymbol, tuple[int, Name]] = {}

    def names(self) -> ScriptNames:
        places: list[NamePlace] = []
        merged: list[MergedNames] = []
        unresolved: list[Span] = []
        sources: dict[Name, Name] = {}
        for statement in self._script.statements:
            start = statement.span.start
            self._starts[statement.parsed] = start
            statement_names = self._statement(statement)
            for occurrence in statement_names.occurrences:
                name = self._name(occurrence.symbol)
                places.append(NamePlace(occurrence.span.shift(start), name, occurrence.role, occurrence.in_text))
                if occurrence.role is NameRole.DECLARATION and occurrence.symbol.source is not None:
                    sources[name] = self._name(occurrence.symbol.source)
            for merge in statement_names.merged:
                merged.append(MergedNames(merge.span.shift(start), frozenset(map(self._name, merge.symbols))))
            unresolved += (span.shift(start) for span in statement_names.unresolved)
        return ScriptNames(tuple(places), tuple(merged), tuple(unresolved), sources)

    def _name(self, symbol: DeclaredSymbol) -> Name:
        start = self._starts[symbol.statement]
        entry = self._names.get(symbol)
        if entry is None or entry[0] != start:
            name = Name(symbol.kind, symbol.name, symbol.span.shift(start), symbol.owner)
            entry = self._names[symbol] = (start, name)
        return entry[1]

    def _statement(self, statement: Statement) -> StatementNames:
        parsed = statement.parsed
        tree = parsed.tree
        if isinstance(tree, (exp.Drop, exp.Alter)):
            return self._drop_or_alter(parsed, tree)
        if parsed.kind is StatementKind.OTHER and parsed.head_tokens[0].word in _ABOUT_TABLES:
            return self._described(parsed)
        declarations = tuple((name, self._declared.get(name)) for name in self._memo.of(names_in, parsed))
        functions = tuple(self._declared.callable_in(parsed.namespace).items())
        definition = self._memo.of(define, parsed)
        key = (declarations, functions)
        declared, statement_names = self._memo.get_or_compute(
            names_of, parsed, key, lambda: _resolve(parsed, definition, *key)
        )
        if declared is not None and not (declared.name in self._declared and _may_exist(parsed)):
            self._declared.declare(declared)
        return statement_names

    def _drop_or_alter(self, parsed: ParsedStatement, tree: exp.Drop | exp.Alter) -> StatementNames:
        """The names of DROP and ALTER: the one that is dropped or changed."""
        target = tree.this
        if not isinstance(target, exp.Table):
            return StatementNames()
        name = table_name(target)
        declared = self._declared.get(name) or self._declared.get(upper(name))
        if isinstance(tree, exp.Drop) or any(isinstance(each, exp.AlterRename) for each in tree.args["actions"]):
            self._declared.drop(declared.name if declared is not None else name)
        symbol = declared.rows.origin if declared is not None else None
        if symbol is None:
            return StatementNames()
        return StatementNames((Occurrence(Span(*target.parts[-1].meta["span"]), symbol, NameRole.WRITE),))

    def _described(self, parsed: ParsedStatement) -> StatementNames:
        """The names of SHOW, DESCRIBE and the like: tables and views in one word."""
        occurrences = []
        path: list[str] = []
        for token, following in pairwise(parsed.tokens):
            if token.text == ".":
                continue
            path.append(token.text.strip("`"))
            if following.text == ".":
                continue
            declared = self._declared.get(parsed.namespace.name(*path))
            path = []
            if declared is not None and declared.rows.origin is not None and token.kind in _NAMING:
                occurrences.append(Occurrence(Span(token.start, token.end), declared.rows.origin))
        return StatementNames(tuple(occurrences))


def _may_exist(statement: ParsedStatement) -> bool:
    """Return whether a declaration says IF NOT EXISTS, and so leaves what there is."""
    return isinstance(statement.tree, exp.Create) and bool(statement.tree.args.get("exists"))


def _resolve(
    statement: ParsedStatement,
    definition: Definition | None,
    declarations: tuple[tuple[str, DeclaredObject | None], ...],
    functions: tuple[tuple[str, DeclaredObject], ...],
) -> tuple[DeclaredObject | None, StatementNames]:
    tree = statement.tree
    if tree is None:
        return None, StatementNames()
    symbols = {name: each.rows.origin for name, each in functions if each.rows.origin is not None}
    recorder = Recorder(statement, symbols)
    names: Mapping[str, DeclaredObject] = {name: declared for name, declared in declarations if declared is not None}
    surroundings = StatementContext(names, frozenset(name for name, _ in functions))
    queries = recorder.queries = QueryCheck(statement, surroundings, [], recorder)
    declared: DeclaredObject | None = None
    try:
        if statement.kind in _DECLARING:
            declared = declare(statement, definition, surroundings, queries)
        elif isinstance(tree, exp.Insert):
            check_insert(tree, surroundings, queries)
        elif statement.kind is StatementKind.QUERY:
            queries.outermost(tree)
        elif statement.kind is StatementKind.OTHER:
            for child in tree.iter_expressions():
                if isinstance(child, exp.Query):
                    queries.query(child)
                elif isinstance(child, exp.Insert):
                    check_insert(child, surroundings, queries)
    except StatementRefused:
        # The names up to there are kept.
        pass
    except RecursionError:
        return None, StatementNames()
    return declared, recorder.names()
