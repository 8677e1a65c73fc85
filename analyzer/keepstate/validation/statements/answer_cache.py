"""Statements that are not refused, which need no new answer as long as all that the answer follows from is the same."""

from __future__ import annotations

from typing import Any

from keepstate.plan.catalog import Catalog
from keepstate.plan.job import planned_of
from keepstate.plan.lowering.statement_queries import filled_by
from keepstate.plan.planned.wordings import meaning_of
from keepstate.plan.settings import Settings
from keepstate.syntax.memo import Memo
from keepstate.syntax.statement import ParsedStatement
from keepstate.validation.statement_context import DeclaredObject
from keepstate.validation.validity import ValidityProblem
from keepstate.value_class import value_class


@value_class(frozen=True, eq=False, slots=True)
class Setting:
    """The facts that the answer for a statement follows from, apart from its text."""

    objects: tuple[DeclaredObject | None, ...]
    """The meanings of the names of the statement above it."""
    functions: frozenset[str]
    settings: Settings
    catalog: Catalog
    """The declarations of the whole script: the planner asks about those that the statement reaches."""
    dialect: Any


class CachedAnswer:
    """The last setting in which a statement was not refused, with its declaration and what was not sure there."""

    __slots__ = ("_definitions", "_statement", "declared", "setting", "unsure")

    def __init__(self, statement: ParsedStatement) -> None:
        self._statement = statement
        self.setting: Setting | None = None
        self.declared: DeclaredObject | None = None
        self.unsure: tuple[ValidityProblem, ...] = ()
        self._definitions: tuple[ParsedStatement, ...] = ()

    def settle(
        self, setting: Setting, declared: DeclaredObject | None, unsure: tuple[ValidityProblem, ...], memo: Memo
    ) -> None:
        """Remember a setting in which the statement is not refused."""
        self.setting, self.declared, self.unsure = setting, declared, unsure
        if declared is None and setting.catalog.unambiguous:
            self._definitions = setting.catalog.reached_from(self._statement, memo)

    def holds_in(self, other: Setting, memo: Memo) -> bool:
        """Return whether the answer in another setting is the same."""
        own = self.setting
        if own is None or own.functions != other.functions:
            return False
        if own.objects != other.objects and not self._reads_alike(own, other, memo):
            return False
        if own.dialect != other.dialect or own.settings != other.settings:
            return False
        if own.catalog is not other.catalog and self.declared is None:
            if other.catalog.unambiguous is not own.catalog.unambiguous:
                return False
            if other.catalog.unambiguous and not self._reaches_alike(other.catalog, memo):
                return False
        # Sooner or later the former catalog goes.
        self.setting = other
        return True

    def _reads_alike(self, own: Setting, other: Setting, memo: Memo) -> bool:
        """Return whether names of other declarations mean the same to the statement."""
        if not (own.catalog.unambiguous and other.catalog.unambiguous):
            return False
        return len(own.objects) == len(other.objects) and all(
            was is now or (was is not None and now is not None and self._is_alike(was, now, memo))
            for was, now in zip(own.objects, other.objects, strict=True)
        )

    def _is_alike(self, was: DeclaredObject, now: DeclaredObject, memo: Memo) -> bool:
        """Return whether two declarations give the statement the same columns and facts. One that is not as its
        statement says, or is in doubt, is like no other.
        """
        if was.is_altered or now.is_altered or (was.name, was.kind) != (now.name, now.kind):
            return False
        if was.temporary is not now.temporary or was.rows.complete is not now.rows.complete:
            return False
        if any(each is not None for side in (was, now) for each in (side.problem, side.pending, side.owner)):
            return False
        if any(map(_takes_over, (was, now))) and _facts(was) != _facts(now):
            return False
        sink = filled_by(self._statement, memo)
        meanings = [meaning_of(self._statement, (each.statement,), sink, memo) for each in (was, now)]
        return meanings[0] is not None and meanings[0] == meanings[1]

    def _reaches_alike(self, catalog: Catalog, memo: Memo) -> bool:
        """Return whether the planner has the same answer about the declarations that the statement reaches."""
        definitions = catalog.reached_from(self._statement, memo)
        if definitions == self._definitions:
            return True
        was, now = (planned_of(self._statement, each, memo) for each in (self._definitions, definitions))
        if not now.says_as(was):
            return False
        self._definitions = definitions
        return True


def _takes_over(declared: DeclaredObject) -> bool:
    """Return whether facts of a declaration come from other ones than its own."""
    tree = declared.statement.tree
    return declared.kind != "table" or tree is None or any(tree.args.get(each) for each in ("like", "expression"))


def _facts(declared: DeclaredObject) -> tuple[object, ...]:
    options = {key: option.value for key, option in declared.options.items()}
    keys = declared.primary_key, declared.partition_keys, declared.persisted
    return declared.rows, options, keys, declared.has_watermark
