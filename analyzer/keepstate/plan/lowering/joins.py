"""Joins, from their syntax to operators.

Conditions stay where they are written. ``predicate_pushdown`` assigns them to joins, and determines the kinds of the
joins, once the whole query is known. Only a join of windows is recognized by its words alone, since the rest of the
query depends on its window.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from sqlglot import exp

from keepstate.plan.expressions import Call, Column, Expr, WindowField, WindowPart, is_proctime, sort_key
from keepstate.plan.growth import bounded_together
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.metadata.join_sides import with_marks
from keepstate.plan.operators import (
    Join,
    LookupJoin,
    TableSourceScan,
    TemporalJoin,
    Window,
    WindowJoin,
)
from keepstate.plan.operators.window_properties import bears_windows
from keepstate.plan.predicates import commutative, reordered
from keepstate.plan.provenance import Place
from keepstate.plan.references import ColumnOfRight
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.scalars.name_scope import Field, Relation, Scope, Source, maybe_missing, sealed
from keepstate.text import Span

_WINDOW_ENDS = frozenset({WindowPart.START, WindowPart.END})


def join_source(left: Source, right: Source, join: exp.Join, scalars: ScalarLowering) -> Source:
    """Return ``left`` joined with ``right`` by the clause ``join``. ``scalars`` has the scope of the query around them.

    Raises:
        GrowsTooLarge: they are too large together.
    """
    bounded_together((left.input, right.input))
    kind = _kind(join)
    apart, mark = with_marks(left, right, keeps_constants=kind in ("left", "full"))
    names = _common_names(left, apart, join)
    relations = (*left.relations, *(_merged(relation, names) for relation in apart.relations))
    scalars = with_fields(scalars, scope=Scope(relations, scalars.scope.parent))
    values: dict[str, Any] = {
        "left": sealed(left),
        "right": sealed(right),
        "kind": kind,
        "conditions": _conditions(left, apart, join, names, scalars),
        "left_fields": left.row,
        "right_fields": apart.row,
        "mark": mark,
        "kind_place": Place(scalars.statement, Span(*join.meta["keyword"])),
        "place": scalars.place(join),
    }
    # Above the join a side whose rows may be missing gives NULL for them; ON sees rows that are there.
    relations = (
        *(_missing(relation, kind in ("right", "full")) for relation in relations[: len(left.relations)]),
        *(_missing(relation, kind in ("left", "full")) for relation in relations[len(left.relations) :]),
    )
    common = _common_fields(left, relations, kind, names)
    version = join.this.args.get("version")
    if version is not None:
        as_of = scalars.lower(version.expression if version.args.get("expression") is not None else version.this)
        type_ = LookupJoin if _asks_a_table(as_of, values["right"], scalars) else TemporalJoin
        temporal = type_(**values, as_of=as_of, as_of_place=scalars.place(version))
        return Source(temporal, relations, (), left.window, max(left.depth, right.depth), common=common)
    source = Source(Join(**values), relations, (), None, max(left.depth, right.depth), common=common)
    return _by_windows(source, left.window, left.depth, right.window) or source


def _missing(relation: Relation, may_be: bool) -> Relation:
    return maybe_missing(relation) if may_be else relation


def windows_joined(source: Source, conditions: tuple[Expr, ...]) -> tuple[Source, tuple[Expr, ...]]:
    """A comma join whose WHERE joins windows, and the conditions that are left of WHERE."""
    join = source.input
    if type(join) is not Join or join.kind != "inner" or source.filters:
        return source, conditions
    windowed = [relation for relation in source.relations if relation.window is not None]
    if len(windowed) != len(source.relations) or len(windowed) != 2:
        return source, conditions
    pairs = tuple(condition for condition in conditions if _paired_part(condition, join) is not None)
    together = with_fields(source, input=with_fields(join, conditions=(*join.conditions, *pairs)))
    left, right = windowed
    window_join = _by_windows(together, left.window, left.depth, right.window)
    if window_join is None:
        return source, conditions
    rest = (condition for condition in conditions if condition not in pairs)
    return window_join, tuple(_of_left_window(condition, join, left.depth) for condition in rest)


def joined_by_windows(source: Source, right: Relation) -> Source:
    """``source``, just joined with ``right``, as a join of windows if it is one."""
    return _by_windows(source, source.window, source.depth, right.window) or source


def _by_windows(source: Source, left: Window | None, depth: int, right: Window | None) -> Source | None:
    """``source`` as a join of windows, if its join is one: of table-valued functions that assign the same windows, on
    both ends of these.
    """
    join = source.input
    if not isinstance(join, Join) or left is None or right is None or not left.assigns_as(right):
        return None
    if not all(map(bears_windows, join.inputs)):
        return None
    pairs = {condition: part for condition in join.conditions if (part := _paired_part(condition, join)) is not None}
    # Flink joins windows only where both their starts and their ends are equated.
    if not set(pairs.values()) >= _WINDOW_ENDS:
        return None
    conditions = tuple(condition for condition in join.conditions if condition not in pairs)
    relations, common = source.relations, source.common
    if join.kind == "inner":
        # The window of the one side is that of the other.
        conditions = tuple(_of_left_window(condition, join, depth) for condition in conditions)
        relations = tuple(_with_left_window(relation, join, depth) for relation in relations)
        common = _with_left_window(Relation(join, common), join, depth).fields
    values = {part.name: getattr(join, part.name) for part in fields(join)}
    operator = WindowJoin(**{**values, "conditions": conditions}, window_conditions=tuple(pairs))
    return with_fields(source, input=operator, relations=relations, window=left, depth=depth, common=common)


def _paired_part(condition: Expr, join: Join) -> WindowPart | None:
    """The window field that a condition equates with that of the other input."""
    if not isinstance(condition, Call) or condition.name != "=":
        return None
    sides = {}
    for operand in condition.args:
        field = _right_window_field(operand, join)
        if field is not None:
            sides["right"] = field.part
        elif isinstance(operand, WindowField):
            sides["left"] = operand.part
    return sides["left"] if len(sides) == 2 and sides["left"] is sides["right"] else None


def _right_window_field(expr: Expr, join: Join) -> WindowField | None:
    if isinstance(expr, ColumnOfRight) and expr.mark == join.mark:
        return expr.column if isinstance(expr.column, WindowField) else None
    return None


def _of_left_window(expr: Expr, join: Join, depth: int) -> Expr:
    def step(node: Expr) -> Expr:
        field = _right_window_field(node, join)
        return with_fields(field, depth=depth, place=node.place, via=node.via) if field is not None else node

    return reordered(expr.rewrite(step))


def _with_left_window(relation: Relation, join: Join, depth: int) -> Relation:
    columns = (with_fields(column, expr=_of_left_window(column.expr, join, depth)) for column in relation.fields)
    return with_fields(relation, fields=tuple(columns))


def _kind(join: exp.Join) -> str:
    side = str(join.args.get("side") or "").lower()
    kind = str(join.args.get("kind") or "").lower()
    if side:
        return side
    return kind if kind in ("semi", "anti") else "inner"


def _common_names(left: Source, right: Source, join: exp.Join) -> dict[str, exp.Expression]:
    """The columns that USING or NATURAL joins on."""
    if str(join.args.get("method") or "") == "NATURAL":
        left_names = dict.fromkeys(column.name for relation in left.relations for column in relation.fields)
        right_names = {column.name for relation in right.relations for column in relation.fields}
        return {name: join for name in left_names if name in right_names}
    return {column.name: column for column in join.args.get("using") or ()}


def _common_fields(left: Source, relations: tuple[Relation, ...], kind: str, names: Iterable[str]) -> tuple[Field, ...]:
    """The columns that a join, and those on its left, made of two: the value of a side that has a row."""
    may_miss = kind in ("right", "full")
    former = _missing(Relation(left.input, left.common), may_miss)
    left_scope, right_scope = Scope(relations[: len(left.relations)]), Scope(relations[len(left.relations) :])
    common: list[Field] = []
    for name in names:
        own, other = former.find(name) or left_scope.column(name), right_scope.column(name)
        if own is None or other is None:
            continue
        if kind == "full":
            own = with_fields(own, expr=Call("COALESCE", (own.expr, other.expr)))
        common.append(other if kind == "right" else own)
    own_names = {column.name for column in common}
    return (*common, *(column for column in former.fields if column.name not in own_names))


def _merged(relation: Relation, names: Iterable[str]) -> Relation:
    """A right relation whose common columns ``*`` shows as those of the left one."""
    return with_fields(relation, merged=relation.merged | frozenset(names)) if names else relation


def _conditions(
    left: Source, right: Source, join: exp.Join, names: dict[str, exp.Expression], scalars: ScalarLowering
) -> tuple[Expr, ...]:
    on = join.args.get("on")
    conditions = list(scalars.conditions(on)) if on is not None else []
    for name, node in names.items():
        place = scalars.place(node)
        pair = [Scope(source.relations).resolve((name,), place) for source in (left, right)]
        conditions.append(with_fields(commutative("=", pair), place=place))
    return tuple(sorted(dict.fromkeys(conditions), key=sort_key))


def _asks_a_table(as_of: Expr, right: object, scalars: ScalarLowering) -> bool:
    """Return whether FOR SYSTEM_TIME AS OF looks rows up in a table outside of the job.

    It does at a processing time. If the script does not declare the kind of the time, the table decides, and at last
    the name of the column.
    """
    if any(is_proctime(node) for node in as_of.walk()):
        return True
    if not isinstance(as_of, Column) or as_of.type is not None or not isinstance(right, TableSourceScan):
        return False
    table = scalars.catalog.tables.get(right.table)
    if table is None:
        return "proc" in as_of.name.lower()
    # A versioned table has a time attribute.
    return not scalars.catalog.time_attributes_of(table)
