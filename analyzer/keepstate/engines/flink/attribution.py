"""Attribution of differences in stored state to the changes of a query: by value, never by words.

A change explains a difference if it can concern that part of state, and is at the operator, below it, or at a table
that the operator reads. A difference without an explanation stays unexplained: no change is blamed for lack of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, Presence, QueryKind
from keepstate.diff.job_differences import PairDiff
from keepstate.diff.statements.table_declarations import Aspect, DeclaredDifference
from keepstate.diff.subjects import ItemKind
from keepstate.engines.flink.affected_parts import touch_of
from keepstate.engines.flink.recovery_words import DECLARE_AS_BEFORE
from keepstate.engines.lookup import kinds_of
from keepstate.physical.stored_pairing import PairOfPipelines, spot
from keepstate.physical.stored_query import SINK
from keepstate.plan.expressions import Column, Expr
from keepstate.state.difference import StateDifference
from keepstate.state.stored_operators import StatePart, StoredField
from keepstate.state.stored_queries import Numbers

_ColumnName = tuple[str, str]
"""A column: the table, and its name there."""
_WINDOWS = kinds_of(ItemKind.WINDOW)
"""Changes of windows; those of a session are found at the operator that reads them."""
_TYPED = frozenset({StatePart.KEY, StatePart.ROWS, StatePart.ACCUMULATORS, StatePart.ORDER})
"""Parts that are rows of fields."""
_STATE_PARTS = {StatePart.ROWS: "stored rows", StatePart.ID: "shape of the job graph"}
"""Parts of a state that need other words."""
_ORDER_OF_ASPECTS = (
    Aspect.COLUMNS,
    Aspect.COMPUTATION,
    Aspect.WATERMARK,
    Aspect.NULLABILITY,
    Aspect.TYPE,
    Aspect.TASKS,
)


@dataclass(frozen=True)
class Attribution:
    """Causes of a difference: changes, and differing declarations that no change is about. Unknown if both are
    empty.
    """

    changes: tuple[Change, ...] = ()
    declared: tuple[DeclaredDifference, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.declared)


@dataclass(frozen=True)
class Scene:
    """All differences between two versions of a query, apart from those of the stored state.

    ``own`` are the changes of its operators, ``at_sink`` those of its sink, ``settings`` those of its parameters and
    its engine, ``sources`` those of the tables of the job. ``updating`` are the tables whose rows can be taken back on
    one side only.
    """

    stored_pair: PairOfPipelines
    own: tuple[Change, ...] = ()
    at_sink: tuple[Change, ...] = ()
    settings: tuple[Change, ...] = ()
    sources: tuple[Change, ...] = ()
    declared: tuple[DeclaredDifference, ...] = ()
    updating: frozenset[str] = frozenset()

    def explanation(self, difference: StateDifference, numbers: Numbers) -> Attribution:
        """Return the causes of a difference of the operator ``numbers``. Its id plays no role here."""
        parts = frozenset({difference.part, StatePart.KIND} if difference.part is StatePart.ID else {difference.part})
        nullable = self._nullability(difference)
        if nullable and self._is_all(difference):
            return nullable
        changes = self._own(difference, parts, numbers)
        of_tables = self._of_tables(parts, numbers)
        if changes and self._keeps_other_books(difference, numbers):
            changes += [change for change in of_tables if change not in changes]
        changes = changes or of_tables or self._above(parts, numbers) or about(self.settings, parts)
        if changes or nullable:
            return Attribution((*changes, *nullable.changes), nullable.declared)
        return Attribution(declared=self.declarations(difference, numbers))

    def of_settings(self, difference: StateDifference) -> Attribution:
        """The job parameters that bring a difference."""
        return Attribution(tuple(about(self.settings, frozenset({difference.part}))))

    def _own(self, difference: StateDifference, parts: frozenset[StatePart], numbers: Numbers) -> list[Change]:
        """The changes at the operator; where there is none, those below it."""
        at_sink = self.at_sink if SINK in numbers else ()
        own = [
            *(change for change in self.own if is_at(change, numbers) or self._is_window_of(change, numbers)),
            *at_sink,
        ]
        below = [change for change in self.own if self.stored_pair.is_below(change.operators, numbers)]
        tables = frozenset(table for table, _ in _columns(difference))
        # A row of a join is that of one input; what is below the other one has nothing to do with it.
        near = [change for change in below if not tables.isdisjoint(self._tables_of(change))]
        return first_about((own, near, below), parts)

    def _is_window_of(self, change: Change, numbers: Numbers) -> bool:
        """Return whether a change found further up is about the windows that an operator makes."""
        is_above = change.kind in _WINDOWS and self.stored_pair.is_below(numbers, change.operators)
        return is_above and self.stored_pair.makes_windows(numbers)

    def _tables_of(self, change: Change) -> frozenset[str]:
        return change.tables or self.stored_pair.tables(change.operators)

    def _of_tables(self, parts: frozenset[StatePart], numbers: Numbers) -> list[Change]:
        tables = self.stored_pair.tables(numbers)
        both = (*self.sources, *(change for change in self.own if change.tables))
        return about((change for change in both if not change.tables.isdisjoint(tables)), parts)

    def _above(self, parts: frozenset[StatePart], numbers: Numbers) -> list[Change]:
        """Return the changes of operators above that can determine what this operator keeps."""
        return about((change for change in self.own if self.stored_pair.is_below(numbers, change.operators)), parts)

    def _keeps_other_books(self, difference: StateDifference, numbers: Numbers) -> bool:
        """Return whether accumulators differ in their counters for retractions, because a table's rows can be retracted
        on one side only.
        """
        if self.updating.isdisjoint(self.stored_pair.tables(numbers)):
            return False
        was, now = (frozenset(field for field in row if _counts(field)) for row in difference.fields)
        return was != now

    def _nullability(self, difference: StateDifference) -> Attribution:
        """The declarations by which columns are stored as before, but for being NULL or not: of the columns, or of the
        primary keys that they belong to.
        """
        before = {field.meaning: field.type for field in difference.fields[0]}
        retyped = (one for one in difference.fields[1] if before.get(one.meaning, one.type) != one.type)
        names = frozenset(name for field in retyped for name in _columns_of(field.meaning))
        declarations = [one for one in self._nullabilities if (one.table, one.column) in names]
        keys = tuple(
            change
            for change in self.sources
            if change.kind is ChangeKind.SOURCE_PRIMARY_KEY_CHANGED
            and any(one.table in change.tables and one.column in change.columns for one in declarations)
        )
        at_keys = {(change.current, change.baseline) for change in keys}
        return Attribution(keys, tuple(one for one in declarations if (one.current, one.baseline) not in at_keys))

    @cached_property
    def _nullabilities(self) -> tuple[DeclaredDifference, ...]:
        return tuple(one for one in self.declared if one.aspect is Aspect.NULLABILITY)

    def _is_all(self, difference: StateDifference) -> bool:
        """Return whether the difference consists of nothing but the nullability of such columns."""
        before, after = difference.fields
        names = {(one.table, one.column) for one in self._nullabilities}
        return len(before) == len(after) and all(
            was.meaning == now.meaning and _bare(was) == _bare(now) and not names.isdisjoint(_columns_of(now.meaning))
            for was, now in zip(before, after, strict=True)
        )

    def declarations(self, difference: StateDifference, numbers: Numbers) -> tuple[DeclaredDifference, ...]:
        """The declarations that may bring a difference which no change of the query explains."""
        tables = self.stored_pair.tables(numbers)
        declarations = [one for one in self.declared if one.table in tables]
        if difference.part is StatePart.WATERMARK:
            return tuple(one for one in declarations if one.aspect is Aspect.WATERMARK)
        names = _columns(difference)
        if difference.part in _TYPED and names:
            return tuple(one for one in declarations if (one.table, one.column) in names)
        if difference.part is not StatePart.ID:
            return ()
        aspects = (aspect for aspect in _ORDER_OF_ASPECTS if any(one.aspect is aspect for one in declarations))
        likeliest = next(aspects, None)
        return tuple(one for one in declarations if one.aspect is likeliest)


def is_at(change: Change, numbers: Numbers) -> bool:
    """Return whether a change was found at an operator."""
    return any(own is not None and own == other for own, other in zip(change.operators, numbers, strict=True))


def is_made(change: Change) -> bool:
    """Return whether a change was made, as opposed to a feature that both sides have."""
    return change.presence is not Presence.KEPT


def about(changes: Iterable[Change], parts: frozenset[StatePart]) -> list[Change]:
    """Return the changes that concern one of the parts; without any, the changes that may concern one."""
    return first_about((list(changes),), parts)


def first_about(groups: Sequence[Sequence[Change]], parts: frozenset[StatePart]) -> list[Change]:
    """The changes about one of the parts in the first group that has any."""
    certain = [[change for change in group if is_made(change)] for group in groups]
    for group in certain:
        matches = [change for change in group if not parts.isdisjoint(touch_of(change).parts)]
        if matches:
            return matches
    for group in certain:
        matches = [change for change in group if not parts.isdisjoint(touch_of(change).also)]
        if matches:
            return matches
    return []


def _bare(field: StoredField) -> str | None:
    return field.type.removesuffix(" NOT NULL") if field.type is not None else None


def _counts(field: StoredField) -> bool:
    """Return whether a field exists to handle retractions."""
    name = field.meaning[0] if isinstance(field.meaning, tuple) and field.meaning else ""
    arguments = field.meaning[1] if isinstance(field.meaning, tuple) and len(field.meaning) > 1 else None
    return name == "COUNT of" or (name == "COUNT" and not arguments) or "Retract" in (field.type or "")


def _columns(difference: StateDifference) -> frozenset[_ColumnName]:
    """The columns that the fields are made of which differ."""
    return frozenset(name for row in difference.fields for field in row for name in _columns_of(field.meaning))


def _columns_of(meaning: object) -> Iterator[_ColumnName]:
    if isinstance(meaning, Column):
        yield meaning.table.partition("#")[0], meaning.name
    elif isinstance(meaning, Expr):
        yield from (name for child in meaning.children() for name in _columns_of(child))
    elif isinstance(meaning, tuple):
        yield from (name for part in meaning for name in _columns_of(part))


def unexplained_change(
    difference: StateDifference, pair: PairDiff, numbers: Numbers, declared: DeclaredDifference | None
) -> Change:
    """A change for a difference that no other one brings: at the declaration that does, else at the operator."""
    assert pair.baseline is not None and pair.current is not None
    kind = ChangeKind.OPERATOR_IDS_CHANGED if difference.part is StatePart.ID else ChangeKind.STORED_STATE_CHANGED
    was, now = numbers
    known = declared.current if declared is not None else None
    return Change(
        kind,
        QueryKind.JOB,
        known or spot(pair.current, now),
        declared.baseline if declared is not None else spot(pair.baseline, was),
        removed=declared is not None and declared.removed,
        subject=_another_part(difference.part) if declared is None else declared.words,
        baseline_text=declared.texts[0] if declared is not None else "",
        current_text=declared.texts[1] if declared is not None else "",
        reason=difference.reason,
        advice=DECLARE_AS_BEFORE if declared is not None else "",
        tables=frozenset({declared.table}) if declared is not None else frozenset(),
        columns=frozenset({declared.column} - {""}) if declared is not None else frozenset(),
        operators=numbers,
    )


def _another_part(part: StatePart) -> str:
    return f"{_STATE_PARTS.get(part, f'{part.value} of the state')} changed"
