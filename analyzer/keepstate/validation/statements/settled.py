"""Statements that are not refused, which need no new answer as long as all that the answer follows from is the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keepstate.plan.catalog import Catalog
from keepstate.plan.settings import Settings
from keepstate.syntax.memo import Memo
from keepstate.syntax.statement import ParsedStatement
from keepstate.validation.surroundings import Declared
from keepstate.validation.validity import Problem


@dataclass(frozen=True, eq=False, slots=True)
class Setting:
    """The facts that the answer for a statement follows from, apart from its text."""

    reached: tuple[Declared | None, ...]
    """The meanings of the names of the statement above it."""
    functions: frozenset[str]
    settings: Settings
    catalog: Catalog
    """The declarations of the whole script: the planner asks about those that the statement reaches."""
    dialect: Any


class Settled:
    """The last setting in which a statement was not refused, with its declaration and what was not sure there."""

    __slots__ = ("_definitions", "_statement", "declared", "setting", "unsure")

    def __init__(self, statement: ParsedStatement) -> None:
        self._statement = statement
        self.setting: Setting | None = None
        self.declared: Declared | None = None
        self.unsure: tuple[Problem, ...] = ()
        self._definitions: tuple[ParsedStatement, ...] = ()

    def settle(self, setting: Setting, declared: Declared | None, unsure: tuple[Problem, ...], memo: Memo) -> None:
        """Remember a setting in which the statement is not refused."""
        self.setting, self.declared, self.unsure = setting, declared, unsure
        if declared is None and setting.catalog.unambiguous:
            self._definitions = setting.catalog.reached_from(self._statement, memo)

    def holds_in(self, other: Setting, memo: Memo) -> bool:
        """Return whether the answer in another setting is the same."""
        own = self.setting
        if own is None or own.reached != other.reached or own.functions != other.functions:
            return False
        if own.dialect != other.dialect or own.settings != other.settings:
            return False
        if own.catalog is other.catalog or self.declared is not None:
            return True
        if other.catalog.unambiguous is not own.catalog.unambiguous:
            return False
        if other.catalog.unambiguous and other.catalog.reached_from(self._statement, memo) != self._definitions:
            return False
        # Sooner or later the former catalog goes.
        self.setting = other
        return True
