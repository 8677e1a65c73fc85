"""Edits of one declaration that leave its name: only the statements that name it, or what reads it, feel them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from keepstate.plan.catalog import TableDefinition, ViewDefinition, define
from keepstate.plan.names.full_names import names_in
from keepstate.syntax.contents import Contents
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo
from keepstate.syntax.statement import ParsedStatement

_KINDS = frozenset({StatementKind.CREATE_TABLE, StatementKind.CREATE_VIEW})


@dataclass(frozen=True)
class DeclarationEdit:
    """Two versions of the declaration of one table or view, in scripts that are alike otherwise."""

    index: int
    """The index of the statement in both scripts."""
    was: ParsedStatement
    now: ParsedStatement
    name: str


def declaration_edit(was: Contents, now: Contents, memo: Memo) -> DeclarationEdit | None:
    """The edit that makes the statements of ``was`` those of ``now``, if it is one of a declaration that keeps its name
    and kind; ``None`` for any other one, and for tables of a query, which run one.

    >>> from keepstate.syntax.script import parse_script
    >>> memo, text = Memo(), "CREATE VIEW v AS SELECT {} FROM t; SELECT {} FROM v"
    >>> def edit(*fillings):
    ...     return declaration_edit(*(parse_script(text.format(*each), memo).contents for each in fillings), memo)
    >>> edit(("a", "a"), ("b", "a")).name, edit(("a", "a"), ("a", "b"))
    ('v', None)
    """
    index = now.only_edit_since(was)
    if index is None:
        return None
    one, two = was.parsed[index], now.parsed[index]
    if one.kind is not two.kind or one.kind not in _KINDS or one.namespace != two.namespace:
        return None
    definition, other = memo.of(define, one), memo.of(define, two)
    if isinstance(definition, TableDefinition) and isinstance(other, TableDefinition):
        # A table of a query runs it, and has a plan with places in the statement.
        is_plain = definition.query is None and other.query is None
    else:
        is_plain = isinstance(definition, ViewDefinition) and isinstance(other, ViewDefinition)
    if not is_plain or definition is None or other is None:
        return None
    if (definition.name, definition.temporary) != (other.name, other.temporary):
        return None
    return DeclarationEdit(index, one, two, definition.name)


def indexes_of_readers(name: str, contents: Contents, memo: Memo) -> list[int]:
    """The indexes of the statements that name a table or view, or what such a statement declares, in their order.

    >>> from keepstate.syntax.script import parse_script
    >>> script = parse_script("CREATE VIEW v AS SELECT a FROM t; SELECT a FROM v; SELECT a FROM s")
    >>> indexes_of_readers("t", script.contents, script.memo)
    [0, 1]
    """
    names, readers = {name}, set[int]()
    while True:
        # Of a long script nearly all statements name others.
        new = contents.holders(names_in, partial(memo.of, names_in), names) - readers
        if not new:
            return sorted(readers)
        readers.update(new)
        definitions = memo.of_each(define, [contents.parsed[index] for index in new])
        names = {definition.name for definition in definitions if definition is not None}
