"""Wordings of a query and the declarations that it reaches, without the parts from which nothing follows.

A wording begins with all tokens of all statements that a plan is made of. A part is left out only by a rule of this
module, so an input of a plan that no rule names counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from sqlglot import exp

from keepstate.plan.catalog import ColumnDefinition, TableDefinition, define
from keepstate.plan.metadata.connectors import concern_of
from keepstate.plan.names.objects import function_name
from keepstate.plan.provenance import Place
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import Token

_WORD = re.compile(r"\w+")
_WINDOW_FUNCTIONS = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})
_IN_FRONT_OF_NAMED_TABLE = frozenset({"CREATE", "TEMPORARY", "REPLACE", "INTO", "OVERWRITE"})
_WHOLE_ROWS = frozenset({"NATURAL", "MATCH_RECOGNIZE", "CORRESPONDING"})
"""Words of queries that take all columns of a table without naming them."""
_CLIENT = "properties."
"""Options of this prefix go to the client of a connector. None of them shapes a plan or what is stored."""
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
    every = (statement, *definitions)
    if any(each.placeholders for each in every):
        return None
    return tuple(_words(each, _silent_options(each, sink, memo), memo) for each in every)


def meaning_of(
    statement: ParsedStatement, definitions: Sequence[ParsedStatement], sink: str | None, memo: Memo
) -> Hashable | None:
    """The wording without the columns of tables that no statement of the plan names. Equal meanings have equal plans;
    what is stored for them may differ, since connectors give whole rows.

    >>> from keepstate.syntax.memo import Memo
    >>> texts = "CREATE TABLE t (a INT)", "CREATE TABLE t (a INT, b INT)", "CREATE TABLE t (a INT, b INT, c INT)"
    >>> query, *tables = map(Memo().statement, ("SELECT b FROM t", *texts))
    >>> first, other, third = (meaning_of(query, (table,), None, Memo()) for table in tables)
    >>> first == other, other == third
    (False, True)
    """
    every = (statement, *definitions)
    if any(each.placeholders for each in every):
        return None
    if any(memo.of(takes_whole_rows, each) for each in every):
        return wording_of(statement, definitions, sink, memo)
    words_of_each = [memo.of(_said, each) for each in every]
    meanings: list[Hashable] = []
    for number, each in enumerate(every):
        columns = memo.of(_plain_columns, each) if _name(each, memo) != sink else ()
        other_words = frozenset[str]().union(*words_of_each[:number], *words_of_each[number + 1 :]) if columns else ()
        unread = (place for name, place in columns if name not in other_words)
        meanings.append(_words(each, (*_silent_options(each, sink, memo), *unread), memo))
    return tuple(meanings)


def _words(statement: ParsedStatement, silent: tuple[Place, ...], memo: Memo) -> Hashable:
    if not silent:
        return statement.namespace, statement.token_key
    without = memo.get_or_compute(_words, statement, silent, lambda: _without(statement, silent))
    return statement.namespace, without


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


def _silent_options(statement: ParsedStatement, sink: str | None, memo: Memo) -> tuple[Place, ...]:
    """The options of a table that is read from which neither a plan nor a stored state follows."""
    return memo.of(_options_of_clients, statement) if _name(statement, memo) != sink else ()


def _options_of_clients(statement: ParsedStatement) -> tuple[Place, ...]:
    definition = define(statement)
    if not isinstance(definition, TableDefinition):
        return ()
    connector = definition.options.get("connector")
    if connector is None or connector.value not in _WITH_CLIENT:
        return ()
    silent = (each for each in definition.options.values() if _is_silent(each.key))
    return tuple(each.place for each in silent if each.place is not None)


def _is_silent(key: str) -> bool:
    return key.startswith(_CLIENT) and key not in _REQUIRED and concern_of(key) is None


def _plain_columns(statement: ParsedStatement) -> tuple[tuple[str, Place], ...]:
    """The columns of a table that nothing else in its declaration names."""
    definition = define(statement)
    if not isinstance(definition, TableDefinition) or definition.query is not None or not definition.complete:
        return ()
    if definition.like is not None or definition.primary_key:
        # Rows of a key are kept whole, and LIKE takes all columns over.
        return ()
    words = Counter(_WORD.findall(statement.text.casefold()))
    return tuple(
        (column.name.casefold(), column.place)
        for column in definition.columns
        if _is_plain(column) and words[column.name.casefold()] == 1
    )


def _is_plain(column: ColumnDefinition) -> bool:
    return column.expression is None and column.metadata is None and _WORD.fullmatch(column.name) is not None


def _said(statement: ParsedStatement) -> frozenset[str]:
    """All words of a statement, those of its strings and comments too: more than it can name."""
    return frozenset(_WORD.findall(statement.text.casefold()))


def _name(statement: ParsedStatement, memo: Memo) -> str | None:
    definition = memo.of(define, statement)
    return definition.name if definition is not None else None


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
    nodes = list(tree.walk())
    if any(isinstance(node, exp.TableAlias) and node.args.get("columns") for node in nodes):
        # FROM t AS z (a, b) names columns by their position.
        return True
    return sum(isinstance(node, exp.Star) for node in nodes) != sum(map(_counts_rows, nodes))


def _counts_rows(node: exp.Expr) -> bool:
    """Return whether a node is COUNT(*), which reads no column."""
    if not isinstance(node, exp.Anonymous) or function_name(node) != "COUNT":
        return False
    return len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Star)


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
