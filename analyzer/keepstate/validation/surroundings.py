"""The surroundings of a statement when it runs: the tables, views and functions that stand above it, and the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from keepstate.plan.catalog import Option
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.validity import Problem
from keepstate.validation.values.scopes import Rows

NEWEST = (2, 3)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The engine that runs the script: its version of Flink, and whether it is open-source Flink."""

    flink: tuple[int, int] = NEWEST
    is_open_source: bool = True
    is_batch: bool = False
    """True if the statement runs on bounded data, where what a stream cannot compute does not count."""


@dataclass(frozen=True, eq=False)
class Declared:
    """A table, view or function that the script declares; compared by identity, one for each statement and what it
    reaches.
    """

    name: str
    statement: ParsedStatement
    place: Span
    rows: Rows
    kind: str = "table"
    primary_key: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    partition_keys: tuple[str, ...] = ()
    persisted: tuple[str, ...] = ()
    """The columns that an INSERT fills."""
    has_watermark: bool = False
    temporary: bool = False
    pending: Problem | None = None
    """Why Flink refuses to plan a view as soon as a statement reads it; ``owner`` is the view that this is about."""
    owner: ParsedStatement | None = None
    problem: Problem | None = None
    """The problem for which Flink refuses the declaration; its rows are unknown then."""


@dataclass(frozen=True)
class Surroundings:
    """Tables, views and functions that a statement may read."""

    names: Mapping[str, Declared]
    functions: frozenset[str] = frozenset()
    dialect: Dialect = Dialect()
    databases: frozenset[str] = frozenset()
    """Databases that the script creates, and the catalog with its name for those in it."""

    def find(self, name: str) -> Declared | None:
        return self.names.get(name)


def parts_of(node: exp.Expression) -> tuple[str, ...]:
    """The words of a table's name."""
    parts = node.parts if isinstance(node, exp.Table) else [node]
    return tuple(part.name for part in parts)
