"""Former walks over the statements of a script: where one query alone was edited, the others need no second look."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import compress
from operator import attrgetter, sub

from keepstate.plan.catalog import Catalog
from keepstate.plan.names.full_names import names_in
from keepstate.plan.planned.declaration_edits import DeclarationEdit, declaration_edit, indexes_of_readers
from keepstate.plan.planned.silent_edits import silent_edit
from keepstate.plan.settings import Settings
from keepstate.syntax.contents import Contents
from keepstate.syntax.kinds import QUERYING
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import Script, Statement
from keepstate.text import Span
from keepstate.validation.statement_context import DeclaredNames, Dialect
from keepstate.validation.validity import ValidityProblem
from keepstate.value_class import value_class

_REMEMBERED = 4


@dataclass(frozen=True)
class Rules:
    """The facts beside statements that all answers of a walk follow from."""

    dialect: Dialect
    databases: frozenset[str]
    settings: Settings


@value_class(frozen=True, eq=False)
class Walk:
    """A walk in which each statement but perhaps the one of ``doubted`` was taken, some with ``doubts``."""

    statements: tuple[Statement, ...]
    contents: Contents
    catalog: Catalog
    rules: Rules
    names: DeclaredNames
    numbers: dict[str, int]
    """The numbers of the statements that declare the names."""
    last_function: int
    """The number of the last statement that declares a function; 0 if none does."""
    doubted: int | None
    doubts: Mapping[int, ValidityProblem]
    """Doubts that follow from single statements and what these reach, by their numbers."""

    def edited(self, contents: Contents) -> int | None:
        """The index of the only query that has another answer, since it was edited or is in doubt; -1 if there is
        none, ``None`` if more differs.
        """
        indexes = contents.edits_since(self.contents)
        if indexes is None or len(indexes) > 1:
            return None
        doubted = -1 if self.doubted is None else self.doubted - 1
        index = indexes[0] if indexes else doubted
        if index >= 0 and not {each.parsed[index].kind for each in (self.contents, contents)} <= QUERYING:
            return None
        return index if doubted in (-1, index) else None

    def declares_alone(self, edit: DeclarationEdit) -> bool:
        """Return whether the table or view of an edit is what its statement says, and hides no other one."""
        declared = self.names.get(edit.name)
        return declared is not None and declared.statement is edit.was and edit.name not in self.names.beneath

    def shows(self, number: int, script: Script, memo: Memo) -> bool:
        """Return whether all names of a statement, and all functions, mean there what they mean at the end."""
        if not number:
            return True
        names = memo.of(names_in, script.statements[number - 1].parsed)
        return self.last_function < number and not any(self.numbers.get(name, 0) > number for name in names)

    def carried(self, script: Script, numbers: Collection[int]) -> dict[int, ValidityProblem]:
        """The doubts about all statements but those of some numbers, at their places in ``script``."""
        indexes = [number - 1 for number in self.doubts]
        now, was = (map(_START, map(side.__getitem__, indexes)) for side in (script.statements, self.statements))
        shifts = list(map(sub, now, was))
        found = {**self.doubts}
        for index, shift in compress(zip(indexes, shifts, strict=True), shifts):
            found[index + 1] = found[index + 1].shift(shift, index + 1)
        for number in numbers:
            found.pop(number, None)
        return found

    def place_in(self, script: Script, name: str) -> Span | None:
        """The place in ``script``, which has the statements of the walk, where a name is declared."""
        number = self.numbers.get(name)
        if number is None:
            return None
        return self.names[name].place.shift(script.statements[number - 1].span.start)


_START = attrgetter("span.start")


@dataclass(frozen=True)
class FormerWalk:
    """A walk over the same statements but for a declaration."""

    walk: Walk
    edit: DeclarationEdit
    is_silent: bool
    """No other statement feels the edit, unless the declaration is refused."""

    def affected(self, script: Script, memo: Memo) -> list[int]:
        """The numbers of the statements that may have another answer, in their order."""
        return [index + 1 for index in indexes_of_readers(self.edit.name, script.contents, memo)]


class Walks:
    """The last walks of a memo."""

    def __init__(self) -> None:
        self._last: list[Walk] = []

    def like(self, script: Script, catalog: Catalog, rules: Rules) -> tuple[Walk, int] | None:
        """A former walk over the same statements but for one query at most, and its number or 0."""
        for walk in self._last:
            if walk.catalog is catalog and walk.rules == rules:
                edited = walk.edited(script.contents)
                if edited is not None:
                    return walk, edited + 1
        return None

    def but_for_declaration(self, script: Script, rules: Rules, memo: Memo) -> FormerWalk | None:
        """A former walk in which nothing was in doubt by more than itself, over the same statements but for a
        declaration.
        """
        for walk in self._last:
            edit = None
            if walk.doubted is None and walk.rules == rules:
                edit = declaration_edit(walk.contents, script.contents, memo)
            if edit is not None and walk.declares_alone(edit):
                is_silent = silent_edit(edit, script.contents, memo) is not None
                return FormerWalk(walk, edit, is_silent)
        return None

    def keep(self, walk: Walk) -> None:
        self._last = [walk, *self._last][:_REMEMBERED]


def walks_of(memo: Memo) -> Walks:
    """The walks that ``memo`` keeps."""
    return memo.of_group(Walks, (), Walks)
