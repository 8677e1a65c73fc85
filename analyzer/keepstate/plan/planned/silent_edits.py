"""Edits of the declaration of one table that no other statement feels: plans and answers of the others hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from keepstate.plan.catalog import define
from keepstate.plan.lowering.statement_queries import filled_by
from keepstate.plan.names.full_names import names_in
from keepstate.plan.planned.declaration_edits import DeclarationEdit
from keepstate.plan.planned.wordings import Wordings, wordings_of
from keepstate.syntax.contents import Contents
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo
from keepstate.syntax.statement import ParsedStatement

_READERS = frozenset({StatementKind.INSERT, StatementKind.QUERY, StatementKind.CREATE_VIEW})


@dataclass(frozen=True)
class SilentEdit(DeclarationEdit):
    """An edit of columns that no reader of their table names, or of options of a client."""

    keeps_wording: bool
    """Only options of a client differ, and the layout: not even the columns do."""


def silent_edit(edit: DeclarationEdit, contents: Contents, memo: Memo) -> SilentEdit | None:
    """The edit, if no other one of the statements in the script behind it feels it.

    ``None`` does not say that another one does. A first or last column of this kind, for one, is another storage.

    >>> from keepstate.plan.planned.declaration_edits import declaration_edit
    >>> from keepstate.syntax.script import parse_script
    >>> memo, text = Memo(), "CREATE TABLE t (a INT, b {}); SELECT {} FROM t"
    >>> def of_type(was, now, read):
    ...     one, other = (parse_script(text.format(type_, read), memo).contents for type_ in (was, now))
    ...     return silent_edit(declaration_edit(one, other, memo), other, memo)
    >>> of_type("INT", "CHAR(9)", "a").name, of_type("INT", "CHAR(9)", "b"), of_type("INT", "CHAR(9)", "*")
    ('t', None, None)
    """
    if edit.now.kind is not StatementKind.CREATE_TABLE:
        return None
    current = contents.parsed
    company = _company_of((*current[: edit.index], *current[edit.index + 1 :]), edit.name, memo)
    before, after = wordings_of(edit.was, memo), wordings_of(edit.now, memo)
    if not company.reads_plainly or not _is_silent(before, after, company):
        return None
    return SilentEdit(edit.index, edit.was, edit.now, edit.name, before.of(None) == after.of(None))


def _is_silent(was: Wordings, now: Wordings, company: _Company) -> bool:
    """Return whether two versions of a table differ in nothing that its company feels."""
    if any(each.has_placeholders or each.takes_whole_rows for each in (was, now)):
        return False
    removals, additions = _differing(was, now), _differing(now, was)
    # Storage says if a table has unread columns at all.
    if bool(removals) != bool(additions):
        return False
    # A new word may be the name of a column elsewhere, which then counts as read.
    if not (was.words ^ now.words).isdisjoint(company.columns) or not (removals | additions).isdisjoint(company.words):
        return False
    return was.stored_without(removals, None) == now.stored_without(additions, None)


def _differing(one: Wordings, other: Wordings) -> frozenset[str]:
    """The columns that another version of their table does not have, or not in the same words."""
    places = other.plain_columns
    return frozenset(
        name
        for name, place in one.plain_columns.items()
        if name not in places or (places[name].text != place.text and places[name].words != place.words)
    )


class _Company:
    """The statements that read a table, through views too, and the declarations that these reach."""

    def __init__(self, statements: Sequence[ParsedStatement], table: str, memo: Memo) -> None:
        readers = _readers_of(table, statements, memo)
        self._wordings = [wordings_of(each, memo) for each in (*readers, *_reach_of(readers, statements, memo))]
        self.reads_plainly = not any(each.placeholders for each in readers) and all(
            self._takes_columns(each, table, memo) for each in readers if table in memo.of(names_in, each)
        )
        """The statements that name the table take single columns of it."""

    @staticmethod
    def _takes_columns(statement: ParsedStatement, table: str, memo: Memo) -> bool:
        return (
            statement.kind in _READERS
            and filled_by(statement, memo) != table
            and not wordings_of(statement, memo).takes_whole_rows
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of theirs, more than they can name."""
        return frozenset().union(*(each.words for each in self._wordings))

    @cached_property
    def columns(self) -> frozenset[str]:
        """The columns of other tables that nothing else in their declarations names."""
        return frozenset().union(*(each.plain_names for each in self._wordings))


def _readers_of(table: str, statements: Sequence[ParsedStatement], memo: Memo) -> list[ParsedStatement]:
    """The statements that name a table, or what such a statement declares."""
    names, readers, remaining = {table}, list[ParsedStatement](), list(statements)
    while True:
        new = [each for each in remaining if not names.isdisjoint(memo.of(names_in, each))]
        if not new:
            return readers
        readers += new
        remaining = [each for each in remaining if each not in new]
        definitions = (memo.of(define, each) for each in new)
        names |= {definition.name for definition in definitions if definition is not None}


def _reach_of(
    readers: Sequence[ParsedStatement], statements: Sequence[ParsedStatement], memo: Memo
) -> list[ParsedStatement]:
    """The other declarations that readers name, directly or through others."""
    declaring: dict[str, list[ParsedStatement]] = {}
    for each in statements:
        if (definition := memo.of(define, each)) is not None:
            declaring.setdefault(definition.name, []).append(each)
    reach = dict.fromkeys(readers)
    waiting = list(readers)
    while waiting:
        names = memo.of(names_in, waiting.pop())
        new = [each for name in names for each in declaring.get(name, ()) if each not in reach]
        reach.update(dict.fromkeys(new))
        waiting += new
    return [each for each in reach if each not in readers]


def _company_of(statements: tuple[ParsedStatement, ...], table: str, memo: Memo) -> _Company:
    return memo.of_group(_Company, (statements, table), lambda: _Company(statements, table, memo))
