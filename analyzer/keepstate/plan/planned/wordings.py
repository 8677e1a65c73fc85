"""Wordings of a query and the declarations that it reaches, without the parts from which nothing follows.

A wording begins with all tokens of all statements that a plan is made of. A part is left out only by a rule of this
module, so an input of a plan that no rule names counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property

from sqlglot import exp

from keepstate.plan.catalog import ColumnDefinition, Definition, TableDefinition, define
from keepstate.plan.metadata.connectors import concern_of
from keepstate.plan.names.full_names import function_name
from keepstate.plan.provenance import Place
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo, recent
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import Token

_WORD = re.compile(r"\w+")
_WINDOW_FUNCTIONS = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})
_IN_FRONT_OF_NAMED_TABLE = frozenset({"CREATE", "TEMPORARY", "REPLACE", "INTO", "OVERWRITE"})
_WHOLE_ROWS = frozenset({"NATURAL", "MATCH_RECOGNIZE", "CORRESPONDING"})
"""Words of queries that take all columns of a table without naming them."""
_CLIENT = "properties."
"""Options of this prefix go to the client of a connector. None of them shapes a plan or what is stored."""
_RUNNING = "scan."
"""Options of this prefix say how a source runs: where it starts, and in how many tasks. No plan follows from those that
``concern_of`` leaves out."""
_MOST_WORDINGS = 256
"""Wordings that are kept of one table, each without other columns."""
_NONE = frozenset[str]()
_WITH_CLIENT = frozenset({"kafka", "upsert-kafka"})
"""Connectors that take any option of the client. Others refuse them, so a query may get valid or invalid by one."""
_REQUIRED = frozenset({"properties.bootstrap.servers", "properties.group.id"})
"""Options of the client without which a source may be refused."""


def wording_of(
    statement: ParsedStatement, definitions: Sequence[ParsedStatement], sink: str | None, memo: Memo
) -> Hashable | None:
    r"""The statements of a plan without layout, comments and options of clients. Equal wordings have equal plans, which
    are stored alike. ``None`` if a template fills in a part of a statement.

    >>> from keepstate.syntax.memo import Memo
    >>> texts = "CREATE TABLE t (a INT)", "CREATE TABLE t (a INT -- Ours.\n)", "CREATE TABLE t (a BIGINT)"
    >>> query, *tables = map(Memo().statement, ("SELECT a FROM t", *texts))
    >>> first, other, third = (wording_of(query, (table,), None, Memo()) for table in tables)
    >>> first == other, first == third
    (True, False)
    """
    declared = _declared_of(definitions, memo)
    if statement.placeholders or declared.has_placeholders:
        return None
    return wordings_of(statement, memo).of(sink), declared.read_by(sink)


def meaning_of(
    statement: ParsedStatement, definitions: Sequence[ParsedStatement], sink: str | None, memo: Memo
) -> Hashable | None:
    """The wording without the columns of tables that no statement of the plan names, and without options that change
    how a source runs. Equal meanings have equal plans; what is stored for them may differ, since connectors give whole
    rows, and ids follow from parallel tasks.

    >>> from keepstate.syntax.memo import Memo
    >>> texts = "CREATE TABLE t (a INT)", "CREATE TABLE t (a INT, b INT)", "CREATE TABLE t (a INT, b INT, c INT)"
    >>> query, *tables = map(Memo().statement, ("SELECT b FROM t", *texts))
    >>> first, other, third = (meaning_of(query, (table,), None, Memo()) for table in tables)
    >>> first == other, other == third
    (False, True)
    """
    declared = _declared_of(definitions, memo)
    own = wordings_of(statement, memo)
    if declared.are_plain_to(own, sink):
        return own.without(_NONE, sink), declared.meaning(declared.unread_by(own))
    unread = _unread_columns(statement, definitions, sink, memo)
    if unread is None:
        return wording_of(statement, definitions, sink, memo)
    return tuple(each.without(names, sink) for each, names in unread)


def storage_of(
    statement: ParsedStatement, definitions: Sequence[ParsedStatement], sink: str | None, memo: Memo
) -> Hashable | None:
    """The wording in which columns that no statement names are one mark. Queries with equal values are stored alike if
    their connectors give whole rows and no operator keeps such a row (``physical``). ``None``: for no other query.

    >>> from keepstate.syntax.memo import Memo
    >>> texts = "CREATE TABLE t (a INT)", "CREATE TABLE t (a INT, b INT)", "CREATE TABLE t (a INT, b ROW<c INT>, d INT)"
    >>> query, *tables = map(Memo().statement, ("SELECT a FROM t", *texts))
    >>> first, other, third = (storage_of(query, (table,), None, Memo()) for table in tables)
    >>> first == other, other == third
    (False, True)
    """
    declared = _declared_of(definitions, memo)
    own = wordings_of(statement, memo)
    if declared.are_plain_to(own, sink):
        return own.stored_without(_NONE, sink), declared.storage(declared.unread_by(own))
    unread = _unread_columns(statement, definitions, sink, memo)
    if unread is None:
        return None
    return tuple((each.stored_without(names, sink), bool(names)) for each, names in unread)


def _unread_columns(
    statement: ParsedStatement, definitions: Sequence[ParsedStatement], sink: str | None, memo: Memo
) -> list[tuple[Wordings, frozenset[str]]] | None:
    """The statements of a plan, each with its columns that no other one names; ``None`` if one takes whole rows, or has
    a placeholder for what it names.
    """
    if any(each.placeholders for each in (statement, *definitions)):
        return None
    every = [wordings_of(each, memo) for each in (statement, *definitions)]
    if any(each.takes_whole_rows for each in every):
        return None
    plain_names = [each.plain_names if each.name != sink else _NONE for each in every]
    words = [each.words for each in every] if any(plain_names) else []
    return [
        (each, names.difference(*words[:number], *words[number + 1 :]) if names else names)
        for number, (each, names) in enumerate(zip(every, plain_names, strict=True))
    ]


class TokenSequence:
    """The words of a statement in its namespace, or those of several ones. Its hash is computed once, since many
    queries read one declaration.
    """

    __slots__ = ("_hash", "_words")

    def __init__(self, *words: Hashable) -> None:
        self._words = words
        self._hash = hash(words)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, TokenSequence) and self._hash == other._hash and self._words == other._words
        )


class Wordings:
    """The wordings of a statement, for queries that read or fill what it declares."""

    def __init__(self, statement: ParsedStatement, definition: Definition | None) -> None:
        self._statement = statement
        self._definition = definition
        self._shared_wordings: dict[tuple[frozenset[str], tuple[Place, ...]], TokenSequence] = {}
        self.name = definition.name if definition is not None else None
        self.has_placeholders = bool(statement.placeholders)

    def of(self, sink: str | None) -> TokenSequence:
        """The words of a statement; of a table that is read without options from which no stored state follows."""
        return self._whole if self.name == sink else self._read

    def without(self, unread: frozenset[str], sink: str | None) -> TokenSequence:
        """The words of a statement; of a table that is read without ``unread`` columns and options without a meaning.
        All queries that read the other columns share them.
        """
        return self._shared(unread, self._silent[1]) if self.name != sink else self._whole

    def stored_without(self, unread: frozenset[str], sink: str | None) -> TokenSequence:
        """Likewise, with all options from which a stored state follows."""
        return self._shared(unread, self._silent[0]) if self.name != sink else self._whole

    def _shared(self, unread: frozenset[str], silent: tuple[Place, ...]) -> TokenSequence:
        if not unread and not silent:
            return self._whole

        def make() -> TokenSequence:
            return self._words_without((*silent, *(self.plain_columns[name] for name in unread)))

        return recent(self._shared_wordings, (unread, silent), _MOST_WORDINGS, make)

    @cached_property
    def _whole(self) -> TokenSequence:
        return self._words_without(())

    @cached_property
    def _read(self) -> TokenSequence:
        return self._words_without(self._silent[0]) if self._silent[0] else self._whole

    def _words_without(self, silent: tuple[Place, ...]) -> TokenSequence:
        statement = self._statement
        return TokenSequence(statement.namespace, _without(statement, silent) if silent else statement.token_key)

    @cached_property
    def _silent(self) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
        """The options of a table from which no stored state follows, and those from which no plan follows."""
        options = list(_options_of_kafka(self._definition))
        silent = tuple(place for key, place in options if _is_of_client(key))
        return silent, (*silent, *(place for key, place in options if _is_of_running(key)))

    @property
    def text(self) -> str:
        """The text of the statement."""
        return self._statement.text

    @cached_property
    def plain_columns(self) -> Mapping[str, Place]:
        """The places of the columns of a table that nothing else in its declaration names, by their names."""
        return _plain_columns(self._definition)

    @cached_property
    def plain_names(self) -> frozenset[str]:
        """Their names."""
        return frozenset(self.plain_columns)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of a statement, those of its strings and comments too: more than it can name."""
        return frozenset(_WORD.findall(self._statement.text.casefold()))

    @cached_property
    def takes_whole_rows(self) -> bool:
        return takes_whole_rows(self._statement)


def wordings_of(statement: ParsedStatement, memo: Memo) -> Wordings:
    """The wordings of a statement, made once.

    >>> memo = Memo()
    >>> table = wordings_of(memo.statement("CREATE TABLE t (a INT, b INT, WATERMARK FOR a AS a)"), memo)
    >>> table.plain_names, table is wordings_of(memo.statement(table.text), memo)
    (frozenset({'b'}), True)
    """

    def make() -> Wordings:
        return Wordings(statement, memo.of(define, statement))

    return memo.get_or_compute(Wordings, statement, None, make)


class _Declared:
    """The wordings of the declarations that a query reaches, once for all queries that reach the same."""

    def __init__(self, definitions: Sequence[ParsedStatement], memo: Memo) -> None:
        self._every = [wordings_of(each, memo) for each in definitions]
        self._names = frozenset(each.name for each in self._every)
        self._meanings: dict[tuple[frozenset[str], ...], TokenSequence] = {}
        self._storages: dict[tuple[frozenset[str], ...], TokenSequence] = {}
        self.has_placeholders = any(each.placeholders for each in definitions)

    def read_by(self, sink: str | None) -> TokenSequence:
        """The words for a query that fills ``sink``."""
        return self._read if sink not in self._names else TokenSequence(*(each.of(sink) for each in self._every))

    def are_plain_to(self, query: Wordings, sink: str | None) -> bool:
        """Return whether a query takes single columns of them, fills none of them, and declares none itself."""
        return not (
            self.has_placeholders
            or self._take_whole_rows
            or sink in self._names
            or query.has_placeholders
            or query.takes_whole_rows
            or query.plain_names
        )

    def unread_by(self, query: Wordings) -> tuple[frozenset[str], ...]:
        """The columns of each declaration that neither the query nor another declaration names."""
        words = query.words
        return tuple([names if names.isdisjoint(words) else names - words for names in self._unread])

    def meaning(self, unread: tuple[frozenset[str], ...]) -> TokenSequence:
        """The words without ``unread`` columns and options without a meaning."""
        return recent(self._meanings, unread, _MOST_WORDINGS, lambda: self._sequence(unread, Wordings.without))

    def storage(self, unread: tuple[frozenset[str], ...]) -> TokenSequence:
        """The words in which ``unread`` columns are one mark."""

        def make() -> TokenSequence:
            return TokenSequence(self._sequence(unread, Wordings.stored_without), *map(bool, unread))

        return recent(self._storages, unread, _MOST_WORDINGS, make)

    def _sequence(
        self,
        unread: tuple[frozenset[str], ...],
        words_of: Callable[[Wordings, frozenset[str], str | None], TokenSequence],
    ) -> TokenSequence:
        return TokenSequence(*(words_of(each, names, None) for each, names in zip(self._every, unread, strict=True)))

    @cached_property
    def _read(self) -> TokenSequence:
        return TokenSequence(*(each.of(None) for each in self._every))

    @cached_property
    def _take_whole_rows(self) -> bool:
        return any(each.takes_whole_rows for each in self._every)

    @cached_property
    def _unread(self) -> tuple[frozenset[str], ...]:
        """The columns of each that no other declaration names."""
        words = [each.words for each in self._every]
        return tuple(
            each.plain_names.difference(*words[:number], *words[number + 1 :])
            for number, each in enumerate(self._every)
        )


def _declared_of(definitions: Sequence[ParsedStatement], memo: Memo) -> _Declared:
    return memo.of_group(_Declared, tuple(definitions), lambda: _Declared(definitions, memo))


def _without(statement: ParsedStatement, silent: tuple[Place, ...]) -> tuple[str, ...]:
    """The tokens of a statement without those of items of its lists, each with one comma."""
    spans = sorted(((place.span.start, place.span.end) for place in silent), reverse=True)
    remaining: list[str] = []
    for token, text in zip(statement.tokens[:-1], statement.token_key, strict=True):
        while spans and spans[-1][1] < token.end:
            spans.pop()
        if not (spans and spans[-1][0] <= token.start):
            remaining.append(text)
    result: list[str] = []
    for text in remaining:
        # Commas stand between items: none is left behind an opening bracket, before a closing one, or twice.
        if text == "," and result[-1] in (",", "("):
            continue
        if text == ")" and result[-1] == ",":
            result.pop()
        result.append(text)
    return tuple(result)


def _options_of_kafka(definition: Definition | None) -> Iterator[tuple[str, Place]]:
    if not isinstance(definition, TableDefinition):
        return
    connector = definition.options.get("connector")
    if connector is not None and connector.value in _WITH_CLIENT:
        yield from ((each.key, each.place) for each in definition.options.values() if each.place is not None)


def _is_of_client(key: str) -> bool:
    return key.startswith(_CLIENT) and key not in _REQUIRED and concern_of(key) is None


def _is_of_running(key: str) -> bool:
    return key.startswith(_RUNNING) and concern_of(key) is None


def _plain_columns(definition: Definition | None) -> Mapping[str, Place]:
    if not isinstance(definition, TableDefinition) or definition.query is not None or not definition.complete:
        return {}
    if definition.like is not None or definition.primary_key:
        # Rows of a key are kept whole, and LIKE takes all columns over.
        return {}
    words = Counter(_WORD.findall(definition.statement.text.casefold()))
    return {
        name: column.place
        for column in definition.columns
        if words[name := column.name.casefold()] == 1 and _is_plain(column)
    }


def _is_plain(column: ColumnDefinition) -> bool:
    return column.expression is None and column.metadata is None and _WORD.fullmatch(column.name) is not None


def takes_whole_rows(statement: ParsedStatement) -> bool:
    """Return whether a statement may take columns that it does not name: by ``*``, TABLE, LIKE, columns of an
    alias and their like.

    >>> from keepstate.syntax.statement import parse_statement
    >>> queries = "SELECT COUNT(*) FROM t", "SELECT t.* FROM t", "SELECT a FROM t NATURAL JOIN u"
    >>> [takes_whole_rows(parse_statement(query)) for query in (*queries, "SELECT b FROM t AS z (a, b)")]
    [False, True, True, True]
    """
    tree = statement.tree
    if tree is None:
        return True
    words = [token.word for token in statement.tokens]
    if not _WHOLE_ROWS.isdisjoint(words) or (statement.kind is StatementKind.CREATE_TABLE and "LIKE" in words):
        return True
    if any(map(_takes_table, _around_table(statement.tokens))):
        return True
    if statement.kind is StatementKind.CREATE_TABLE and "SELECT" not in words and not _has_star(statement.tokens):
        # Thousands of columns need no look at each node.
        return False
    if any(alias.args.get("columns") for alias in statement.nodes_of_class(exp.TableAlias)):
        # FROM t AS z (a, b) names columns by their position.
        return True
    stars = len(statement.nodes_of_class(exp.Star))
    return stars > 0 and stars != sum(map(_counts_rows, statement.nodes_of_class(exp.Anonymous)))


def _has_star(tokens: Sequence[Token]) -> bool:
    return any(token.text == "*" for token in tokens)


def _counts_rows(node: exp.Expr) -> bool:
    """Return whether a call is COUNT(*), which reads no column."""
    arguments = node.expressions
    return len(arguments) == 1 and isinstance(arguments[0], exp.Star) and function_name(node) == "COUNT"


def _around_table(tokens: Sequence[Token]) -> Iterator[tuple[str, str, str]]:
    """The two tokens in front of each TABLE, and the one behind it."""
    for number, token in enumerate(tokens):
        if token.word == "TABLE":
            before = ["", "", *(each.word or each.text for each in tokens[max(0, number - 2) : number])]
            yield before[-2], before[-1], tokens[number + 1].text


def _takes_table(around: tuple[str, str, str]) -> bool:
    """Return whether TABLE between these tokens gives whole rows, and no window function cuts them."""
    function, before, behind = around
    if before in _IN_FRONT_OF_NAMED_TABLE or behind == "(":
        return False
    return not (before == "(" and function in _WINDOW_FUNCTIONS)
