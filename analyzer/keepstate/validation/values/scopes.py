"""Names that an expression sees: the columns of the relations in its FROM, and of the queries around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NoReturn

from keepstate.plan.types.logical_types import LogicalType
from keepstate.report import RelatedInformation
from keepstate.text import Span
from keepstate.validation.validity import ValidityProblem
from keepstate.validation.values.declared_symbols import DeclaredSymbol
from keepstate.value_class import value_class


class StatementRefused(Exception):
    """Flink refuses the statement here; raised where it is found, so that the first refusal ends the search."""

    def __init__(self, problem: ValidityProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def refuse(rule: str, span: Span, message: str, related: tuple[RelatedInformation, ...] = ()) -> NoReturn:
    """Stop at ``span``.

    Raises:
        Refused: always.
    """
    raise StatementRefused(ValidityProblem(rule, span, message, related=related))


@dataclass
class PlannerRefusals:
    """Refusals of Flink's planner, which speaks only when its validator is done with the whole statement."""

    problems: list[ValidityProblem] = field(default_factory=list)

    def refuse(self, rule: str, span: Span, message: str) -> None:
        """Note a refusal and go on."""
        self.problems.append(ValidityProblem(rule, span, message))


class TimeRole(Enum):
    """The role of a column in event time and processing time."""

    NONE = "none"
    ROW = "event time"
    PROC = "processing time"
    UNKNOWN = "unknown"
    """It was a time attribute, and a join may have taken that from it."""
    END = "end of a window"
    CAST = "cast of a time attribute"
    """A plain timestamp by which Flink sorts all the same."""
    PAST_ROW = "past event time"
    """It has the type of a time attribute, and the planner makes a plain timestamp of it."""
    PAST_PROC = "past processing time"

    @property
    def is_past(self) -> bool:
        return self in (TimeRole.PAST_ROW, TimeRole.PAST_PROC)

    @property
    def is_lost(self) -> bool:
        """Return whether nothing that goes by time takes it, except for what looks at types alone."""
        return self not in (TimeRole.ROW, TimeRole.PROC, TimeRole.UNKNOWN)

    @property
    def is_plain(self) -> bool:
        """Return whether its type is that of a plain timestamp. Group windows and temporal joins look at that alone."""
        return self in (TimeRole.NONE, TimeRole.END, TimeRole.CAST)

    def materialized(self) -> TimeRole:
        """The role behind an operator that makes plain timestamps of time attributes."""
        return _MATERIALIZED.get(self, self)


_NARROW = 40
"""Columns up to which a look at each is as quick as an index."""
_CASELESS = None
"""The key of columns without a case, which no name has."""
_MATERIALIZED = {
    TimeRole.ROW: TimeRole.PAST_ROW,
    TimeRole.UNKNOWN: TimeRole.PAST_ROW,
    TimeRole.PROC: TimeRole.PAST_PROC,
}


@value_class(frozen=True, slots=True)
class RelationColumn:
    """A column of a relation; ``type`` is ``None`` where the script does not tell it."""

    name: str
    type: LogicalType | None = None
    time: TimeRole = TimeRole.NONE
    nullable: bool | None = None
    caseless: bool = False
    """True if it was a field of a ROW type, of which the case is not known: types are in upper case."""
    origin: DeclaredSymbol | None = field(default=None, compare=False)
    """The declaration of its name, where names are kept."""

    def is_named(self, name: str) -> bool:
        return self.name == name or (self.caseless and self.name == name.upper())


@value_class(frozen=True, slots=True)
class RelationColumns:
    """Columns that a query or a table gives. ``complete`` says whether ``columns`` are all that there are."""

    columns: tuple[RelationColumn, ...] = ()
    complete: bool = True
    window: ValidityProblem | None = None
    """Why Flink refuses to aggregate the windows of these rows."""
    origin: DeclaredSymbol | None = field(default=None, compare=False)
    """The declaration of the table, view or common table that these are, where names are kept."""
    _places_by_name: dict[str | None, list[int]] = field(init=False, repr=False, compare=False, default_factory=dict)
    """Places of columns by name, and those of caseless ones; empty until it is asked for."""
    timed: tuple[RelationColumn, ...] = field(init=False, repr=False, compare=False)
    """Time attributes and ends of windows: the joins of a long chain look for these alone, each at all relations."""

    def __post_init__(self) -> None:
        timed = tuple(column for column in self.columns if column.time is TimeRole.END or not column.time.is_lost)
        object.__setattr__(self, "timed", timed)

    def columns_of(self, name: str) -> list[RelationColumn]:
        """The columns of a name; of a wide table, by an index that its first column makes."""
        if len(self.columns) <= _NARROW:
            return [column for column in self.columns if column.is_named(name)]
        if not self._places_by_name:
            for place, column in enumerate(self.columns):
                self._places_by_name.setdefault(column.name, []).append(place)
            self._places_by_name[_CASELESS] = [place for place, column in enumerate(self.columns) if column.caseless]
        places = {*self._places_by_name.get(name, ())}
        places.update(place for place in self._places_by_name[_CASELESS] if self.columns[place].is_named(name))
        return [self.columns[place] for place in sorted(places)]

    def renamed(self, names: tuple[str, ...], origins: tuple[DeclaredSymbol | None, ...] = ()) -> RelationColumns:
        """The rows with other names for the first columns; ``origins`` are the declarations of these names."""
        origins = origins or (None,) * len(names)
        columns = tuple(
            replace(column, name=names[index], caseless=False, origin=origins[index]) if index < len(names) else column
            for index, column in enumerate(self.columns)
        )
        missing = zip(names[len(columns) :], origins[len(columns) :], strict=True) if not self.complete else ()
        return replace(self, columns=(*columns, *(RelationColumn(name, origin=origin) for name, origin in missing)))


OPEN_ROWS = RelationColumns((), complete=False)
"""The rows of something of which nothing is known."""


@value_class(frozen=True, slots=True)
class FromItem:
    """One relation in FROM under its name; ``path`` are the names by which a qualified column may call it."""

    name: str | None
    rows: RelationColumns
    path: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    """Columns that USING or NATURAL made one with those of a relation on the left."""
    merged: frozenset[str] = frozenset()
    """The hidden columns whose bare name means the one on the left: of USING, as long as no other join follows."""
    origin: DeclaredSymbol | None = field(default=None, compare=False)
    """The declaration of its name, where names are kept."""

    def is_called(self, parts: tuple[str, ...]) -> bool:
        if not parts:
            return False
        if len(parts) == 1:
            return self.name == parts[0]
        return bool(self.path) and self.path[-len(parts) :] == parts

    def columns_named(self, name: str) -> list[RelationColumn]:
        return self.rows.columns_of(name)


@value_class(frozen=True)
class ResolvedColumn:
    """A column with the names behind it that go into its fields, and where it belongs."""

    column: RelationColumn
    rest: tuple[str, ...] = ()
    owner: tuple[int, int] = (0, 0)
    """The number of queries outwards, and the number of the relation there."""
    qualified: tuple[int, DeclaredSymbol | None] = field(default=(0, None), compare=False)
    """The number of leading names that call the relation, and the declaration of its name."""


@value_class(frozen=True)
class ValidationScope:
    """The relations of one FROM inside of the scope of the query around it."""

    items: tuple[FromItem, ...] = ()
    parent: ValidationScope | None = None
    aliases: dict[str, RelationColumn] = field(default_factory=dict)
    """Names of select items, for the ORDER BY of their query."""
    common: tuple[str, ...] = ()
    """The columns that USING and NATURAL made of two. ``*`` begins with them, in their order."""

    def with_items(self, items: tuple[FromItem, ...]) -> ValidationScope:
        return replace(self, items=(*self.items, *items))

    def apart(self) -> ValidationScope:
        """The scope of clauses in which Flink does not take the columns of USING for one."""
        if not any(item.merged for item in self.items):
            return self
        return replace(self, items=tuple(replace(item, merged=frozenset()) for item in self.items))

    @property
    def complete(self) -> bool:
        own = all(item.rows.complete for item in self.items)
        return own and (self.parent is None or self.parent.complete)

    def relations_of(self, parts: tuple[str, ...]) -> list[tuple[int, FromItem]]:
        """The relations that these leading names of a column call, with their numbers."""
        if len(parts) == 1:
            # In a loop without calls: a chain of thousands of joins asks for each of its columns.
            name = parts[0]
            return [(number, item) for number, item in enumerate(self.items) if item.name == name]
        return [(number, item) for number, item in enumerate(self.items) if item.is_called(parts)]

    def columns(self) -> Iterator[RelationColumn]:
        visible = [column for item in self.items for column in item.rows.columns if column.name not in item.hidden]
        for name in self.common:
            # The first column of the name is the common one.
            place = next((index for index, column in enumerate(visible) if column.name == name), None)
            if place is not None:
                yield visible.pop(place)
        yield from visible

    def resolve(self, parts: tuple[str, ...], spans: tuple[Span, ...]) -> ResolvedColumn | None:
        """The column that a name means; ``None`` where the script does not tell.

        Raises:
            Refused: there is no such column, or more than one.
        """
        whole = spans[0].union(spans[-1])
        if len(parts) == 1 and parts[0] in self.aliases:
            return ResolvedColumn(self.aliases[parts[0]], (), (-1, 0))
        if len(parts) > 1:
            self._refuse_other_case(parts[0], spans[0])
        scope: ValidationScope | None = self
        depth = 0
        is_certain = True
        while scope is not None:
            for length in range(min(len(parts) - 1, 3), 0, -1):
                called = scope.relations_of(parts[:length])
                if not called:
                    continue
                number, item = called[0]
                columns = item.columns_named(parts[length])
                if not columns and (not item.rows.complete or _rows_holding(item, parts[length])):
                    return None
                if not columns:
                    name = ".".join(parts[:length])
                    if self._is_column(scope, parts[0]):
                        break
                    refuse(
                        "unknown-column",
                        spans[length] if length + 1 == len(parts) else whole,
                        f"{name} has no column {parts[length]}{_similar(parts[length], item.rows)}.",
                    )
                if len(columns) > 1:
                    refuse("ambiguous-column", whole, f"{'.'.join(parts)} may be one of several columns.")
                return ResolvedColumn(columns[0], parts[length + 1 :], (depth, number), (length, item.origin))
            candidates: list[ResolvedColumn] = []
            for number, item in enumerate(scope.items if not _is_called_outside(scope, parts) else ()):
                direct = [] if parts[0] in item.merged else item.columns_named(parts[0])
                candidates += (ResolvedColumn(column, parts[1:], (depth, number)) for column in direct)
                if not direct and parts[0] not in item.merged:
                    # Fields of a ROW may be named without the column that they are of, however deep they are.
                    candidates += (
                        ResolvedColumn(column, parts, (depth, number)) for column in _rows_holding(item, parts[0])
                    )
            if len({each.owner for each in candidates}) > 1:
                refuse("ambiguous-column", whole, f"{parts[0]} may be a column of several relations: qualify it.")
            if candidates:
                nearest, depth_within = _nearest(candidates, len(parts))
                if len(nearest) > 1:
                    refuse("ambiguous-column", whole, f"{parts[0]} may be one of several columns.")
                # The path into deeper fields is not followed.
                return nearest[0] if depth_within <= 1 else None
            is_certain = is_certain and all(
                item.rows.complete and all(column.type is not None for column in item.rows.columns)
                for item in scope.items
            )
            scope, depth = scope.parent, depth + 1
        if not is_certain:
            return None
        if len(parts) > 1:
            refuse(
                "unknown-qualifier",
                spans[0].union(spans[-2]),
                f"No relation and no column in this FROM is called {'.'.join(parts[:-1])}.",
            )
        near = next((text for item in self.items if (text := _similar(parts[0], item.rows))), "")
        refuse("unknown-column", whole, f"No table in this FROM has a column {parts[0]}{near}.")

    def _refuse_other_case(self, name: str, span: Span) -> None:
        """Refuse a qualifier that is the name of a relation in another case: Flink looks for no ROW then."""
        near: str | None = None
        scope: ValidationScope | None = self
        while scope is not None:
            for item in scope.items:
                if item.name == name:
                    return
                if near is None and item.name is not None and item.name.lower() == name.lower():
                    near = item.name
            scope = scope.parent
        if near is not None:
            message = f"No relation is called {name}, but one is called {near}: names are case-sensitive."
            refuse("unknown-qualifier", span, message)

    @staticmethod
    def _is_column(scope: ValidationScope, name: str) -> bool:
        return any(item.columns_named(name) for item in scope.items)


def _is_called_outside(scope: ValidationScope, parts: tuple[str, ...]) -> bool:
    """Return whether a name calls a relation of a query further out, which no column hides."""
    outer = scope.parent if len(parts) > 1 else None
    while outer is not None:
        if outer.relations_of(parts[:1]):
            return True
        outer = outer.parent
    return False


def _rows_holding(item: FromItem, name: str) -> list[RelationColumn]:
    """The columns with a field of this name, and those that may have one."""
    return [column for column in item.rows.columns if column.type is not None and has_field(column.type, name)]


def has_field(type_: LogicalType, name: str) -> bool:
    """Return whether a ROW has a field of this name, or a ROW in it has."""
    return any(_depths(type_, name))


def _depths(type_: LogicalType, name: str) -> Iterator[int]:
    """The depths at which a ROW has fields of this name: 1 for one of its own."""
    if type_.root == "ROW":
        if type_.has_exactly(name):
            yield 1
        yield from (depth + 1 for element in type_.elements for depth in _depths(element, name))


def _nearest(candidates: list[ResolvedColumn], names: int) -> tuple[list[ResolvedColumn], int]:
    """The candidates of one relation that are least deep, one for each field, and their depth: 0 for columns."""
    fields = [
        (depth, each)
        for each in candidates
        for depth in (_depths(each.column.type, each.rest[0]) if len(each.rest) == names and each.column.type else (0,))
    ]
    least = min(depth for depth, _ in fields)
    return [each for depth, each in fields if depth == least], least


def _similar(name: str, rows: RelationColumns) -> str:
    """The column that differs in case only, in words."""
    same = [column.name for column in rows.columns if column.name.lower() == name.lower()]
    return f", but {same[0]}: names are case-sensitive" if same else ""
