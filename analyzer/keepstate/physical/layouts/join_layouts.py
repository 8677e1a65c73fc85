"""State of joins for either input, and of INTERSECT and EXCEPT, which are joins and aggregations."""

from __future__ import annotations

from dataclasses import replace

from keepstate.physical.layouts.accumulators import ROW_COUNT
from keepstate.physical.layouts.fields import column_field, nullable, row_of, untyped
from keepstate.physical.layouts.layout_context import LayoutContext, window_in
from keepstate.plan.expressions import Expr, is_proctime
from keepstate.plan.metadata.equi_join_keys import equated, equations_of
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.operators import IntervalJoin, Join, Operator, SetOperation, TemporalJoin, WindowJoin
from keepstate.plan.references import ColumnOfUnion
from keepstate.plan.upsert_keys import Keys, keys_of_right, upsert_keys
from keepstate.state.stored_operators import Fields, StatePart, StoredField, StoredOperator, StoredState

_LEFT, _RIGHT = "left-records", "right-records"


def join_layout(operator: Join, context: LayoutContext) -> StoredOperator:
    """The layout of a join of any kind that keeps state."""
    sides = JoinSides.of(operator)
    left_key, right_key = equated(operator, sides)
    left, right = (row_of(row, operator.unread_columns) for row in (operator.left_row, operator.right_row))
    kind = operator.kind_in_plan
    unknown = ""
    meanings: list[tuple[StatePart, object]] = [(StatePart.KEY, (left_key, right_key)), (StatePart.KIND, kind)]
    match operator:
        case WindowJoin():
            states = [
                StoredState(_LEFT, StatePart.ROWS, left, "list"),
                StoredState(_RIGHT, StatePart.ROWS, right, "list"),
            ]
            meanings += [(StatePart.WINDOW, tuple(window_in(child) for child in operator.inputs))]
        case IntervalJoin():
            form = "map of lists by time"
            states = [
                StoredState("IntervalJoinLeftCache", StatePart.ROWS, left, form),
                StoredState("IntervalJoinRightCache", StatePart.ROWS, right, form),
            ]
            meanings += [(StatePart.BOUNDS, (operator.lower.value, operator.upper.value))]
        case TemporalJoin():
            states = [
                StoredState("left", StatePart.ROWS, left, "map of rows by number"),
                StoredState("right", StatePart.ROWS, right, "map of rows by time"),
            ]
            meanings += [(StatePart.ORDER, operator.as_of)]
            if operator.as_of is None or is_proctime(operator.as_of):
                unknown = "what Flink stores for a temporal join by processing time is not modelled"
        case _:
            keys = upsert_keys(operator.left, context.catalog), keys_of_right(operator, sides, context.catalog)
            held = tuple(_unread_columns(operator, child, context) for child in operator.inputs)
            states = [
                _records(
                    _LEFT, operator.left_row, keys[0], left_key, kind in ("left", "full", "semi", "anti"), held[0]
                ),
                _records(_RIGHT, operator.right_row, keys[1], right_key, kind in ("right", "full"), held[1]),
            ]
            if None in keys:
                unknown = "an input may have a unique key, by which Flink would store its rows"
    # IS NOT DISTINCT FROM makes the same key, and matches NULL as well.
    equations = frozenset(repr(each) for each in equations_of(operator, sides) if each.name == "=")
    meanings += [(StatePart.CONDITION, frozenset(map(repr, operator.conditions)) - equations)]
    return StoredOperator(
        operator.title,
        key=tuple(column_field(expr) for expr in left_key),
        states=tuple(states),
        namespace="end of the slice" if isinstance(operator, WindowJoin) else "",
        meanings=tuple(meanings),
        unknown_reason=unknown,
    )


def _unread_columns(operator: Join, input_: Operator, context: LayoutContext) -> tuple[Expr, ...]:
    """The columns of stored rows that nothing reads. A retraction finds its row by all of the row's columns."""
    return () if context.updates(input_) else operator.unread_columns


def _records(
    name: str,
    row: tuple[Expr, ...],
    keys: Keys | None,
    joined_by: tuple[Expr, ...],
    counts: bool,
    held: tuple[Expr, ...] = (),
) -> StoredState:
    """Return the state for the rows of one input (``JoinInputSideSpec``).

    It holds a single row if the join key identifies a row, rows by a unique key if there is another one, else each row
    with the number of its occurrences. With ``counts`` partners are counted too; ``held`` are columns that nothing
    reads.
    """
    fields = row_of(row, held)
    partners = " and partners" if counts else ""
    own = sorted((key for key in keys or () if key.issubset(row)), key=len)
    if any(key.issubset(joined_by) for key in own):
        return StoredState(name, StatePart.ROWS, fields, f"row{partners}")
    if own:
        unique = tuple(expr for expr in row if expr in own[0])
        form = f"map of rows{partners} by a key of {len(unique)}"
        return StoredState(name, StatePart.ROWS, (*row_of(unique), *fields), form)
    return StoredState(name, StatePart.ROWS, fields, f"map of counts{partners}")


def set_operation_layout(operator: SetOperation, context: LayoutContext) -> StoredOperator:
    """The aggregation of INTERSECT or EXCEPT: it leaves each row once, with ALL it counts the rows of both inputs."""
    retracting = [context.updates(child) for child in operator.inputs]
    fields: list[StoredField] = []
    if operator.every:
        names = ("left rows", "right rows") if operator.kind == "INTERSECT" else ("left rows less right rows",)
        fields += [StoredField(name, "BIGINT") for name in names]
        if any(retracting):
            # A sum that takes rows back counts them; counts do not have to.
            fields += [StoredField("rows of the sum", "BIGINT")] if operator.kind == "EXCEPT" else []
            fields.append(ROW_COUNT)
    elif operator.kind == "EXCEPT" or any(retracting):
        fields.append(ROW_COUNT)
    state = StoredState("accState", StatePart.ACCUMULATORS, tuple(fields))
    key = _of_either(operator) if operator.every else _whole_rows(operator)
    meanings = ((StatePart.KIND, operator.words),)
    updating = operator.kind == "EXCEPT" or any(retracting)
    summary = "how often each row came from the inputs" if operator.every else "the rows that were given, each once"
    return StoredOperator(
        "GroupAggregate",
        key=key,
        states=(state,),
        meanings=meanings,
        updating_input=updating,
        clause=operator.words,
        summary=summary,
    )


def set_join_layout(operator: SetOperation, context: LayoutContext) -> StoredOperator:
    """The semi or anti join below the aggregation of INTERSECT or EXCEPT."""
    left, right = operator.left_row, operator.right_row
    keys = upsert_keys(operator.left, context.catalog), upsert_keys(operator.right, context.catalog)
    states = (_records(_LEFT, left, keys[0], left, True), _records(_RIGHT, right, keys[1], right, False))
    unknown = "an input may have a unique key, by which Flink would store its rows" if None in keys else ""
    kind = "semi" if operator.kind == "INTERSECT" else "anti"
    meanings = ((StatePart.KEY, (left, right)), (StatePart.KIND, kind))
    return StoredOperator(
        "Join",
        key=_whole_rows(operator),
        states=states,
        meanings=meanings,
        unknown_reason=unknown,
        clause=operator.words,
        summary="all rows of both inputs, with the number of partners of each left row",
    )


def _of_either(operator: SetOperation) -> Fields:
    """Return whole rows as keys of the operator behind a union of both inputs."""
    pairs = zip(_whole_rows(operator), operator.left_row, operator.right_row, strict=False)
    return tuple(replace(field, meaning=ColumnOfUnion((left, untyped(right)))) for field, left, right in pairs)


def _whole_rows(operator: SetOperation) -> Fields:
    """Whole rows as keys; a column may be NULL if it may be so in either input."""
    both = zip(row_of(operator.left_row), row_of(operator.right_row), strict=False)
    return tuple(left if left.type == right.type else nullable(left) for left, right in both)
