"""Joins: which operator Flink makes of one, and which condition belongs where."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from keepstate.plan.expressions import OF_INPUT, Call, Column, Expr, Literal, WindowField, WindowPart, sort_key
from keepstate.plan.operators import (
    IntervalJoin,
    Join,
    LookupJoin,
    Operator,
    TableSourceScan,
    TemporalJoin,
    WindowJoin,
)
from keepstate.plan.scalars import ScalarLowering
from keepstate.plan.scope import Field, Relation, Scope, Source, sealed

_WINDOW_ENDS = {WindowPart.START, WindowPart.END}


def joined(source: Source, right: Relation, join: exp.Join, scalars: ScalarLowering) -> Source:
    """``source`` joined with ``right`` by the clause ``join``; ``scalars`` sees both."""
    right = _told_apart(source, right)
    relations = (*source.relations, right)
    scalars = replace(scalars, scope=Scope(relations, scalars.scope.parent))
    conditions = _conditions(source, right, join, scalars)
    left_input, right_input = sealed(source), sealed(right)
    place = scalars.place(join)
    depth = max(source.depth, right.depth)
    version = join.this.args.get("version")
    if version is not None:
        as_of = scalars.lower(version.expression if version.args.get("expression") is not None else version.this)
        type_ = LookupJoin if _is_proctime(as_of) else TemporalJoin
        temporal = type_(left_input, right_input, _kind(join), conditions, as_of=as_of, place=place)
        return Source(temporal, relations, (), source.window, depth)
    plain = Join(left_input, right_input, _kind(join), conditions, place=place)
    window = source.window if right.window is not None else None
    return classified(Source(plain, relations, (), window, depth))


def with_conditions(source: Source, conditions: tuple[Expr, ...]) -> Source:
    """An inner join with the conditions of WHERE, where they mean the same as in ON."""
    join = source.input
    assert isinstance(join, Join)
    both = tuple(sorted(dict.fromkeys((*join.conditions, *conditions)), key=sort_key))
    return classified(replace(source, input=replace(join, conditions=both)))


def takes_conditions(source: Source) -> bool:
    """Whether WHERE may join the conditions of the source's join: it is inner, and nothing lies in between."""
    return type(source.input) in (Join, IntervalJoin, WindowJoin) and source.input.kind == "inner"  # type: ignore[attr-defined]


def classified(source: Source) -> Source:
    """The source with its join under the name that Flink gives it by its conditions."""
    join = source.input
    assert isinstance(join, Join)
    windowed = _joins_windows(join.conditions)
    kind: type[Join] = Join
    if windowed and source.window is not None:
        kind = WindowJoin
    elif _bounds_time(join.conditions):
        kind = IntervalJoin
    operator = kind(join.left, join.right, join.kind, join.conditions, join.left_row, join.right_row, place=join.place)
    return replace(source, input=operator)


def _kind(join: exp.Join) -> str:
    side = str(join.args.get("side") or "").lower()
    kind = str(join.args.get("kind") or "").lower()
    if side:
        return side
    return "inner" if kind in ("", "inner", "cross") else kind


def _conditions(source: Source, right: Relation, join: exp.Join, scalars: ScalarLowering) -> tuple[Expr, ...]:
    on = join.args.get("on")
    found = list(scalars.conditions(on)) if on is not None else []
    for column in join.args.get("using") or ():
        left_side = next((field for relation in source.relations if (field := relation.find(column.name))), None)
        right_side = right.find(column.name)
        names = (column.name,)
        pair = [
            side.expr if side is not None else scalars.scope.resolve(names, scalars.place(column))
            for side in (left_side, right_side)
        ]
        found.append(Call("=", tuple(sorted(pair, key=repr)), place=scalars.place(column)))
    return tuple(sorted(dict.fromkeys(found), key=repr))


def _told_apart(source: Source, right: Relation) -> Relation:
    """``right`` with its columns marked when a table is on both sides, so that ``a.x`` and ``b.x`` stay two columns."""
    shared = _tables(source.input) & _tables(right.input)
    if not shared:
        return right
    mark = Literal(str(len(source.relations)), "INPUT")

    def marked(field: Field) -> Field:
        if isinstance(field.expr, WindowField):
            return field
        return replace(field, expr=Call(OF_INPUT, (mark, field.expr), place=field.expr.place, via=field.expr.via))

    fields = tuple(marked(field) for field in right.fields)
    open_tables = tuple(f"{table}#{mark.value}" for table in right.open_tables)
    return replace(right, fields=fields, open_tables=open_tables, beneath=())


def _tables(operator: Operator) -> set[str]:
    return {node.table for node in operator.walk() if isinstance(node, TableSourceScan)}


def _joins_windows(conditions: tuple[Expr, ...]) -> bool:
    parts = {
        condition.args[0].part
        for condition in conditions
        if isinstance(condition, Call)
        and condition.name == "="
        and isinstance(condition.args[0], WindowField)
        and isinstance(condition.args[1], WindowField)
    }
    return parts >= _WINDOW_ENDS


def _bounds_time(conditions: tuple[Expr, ...]) -> bool:
    """Whether a condition compares a column with another one shifted by an interval."""
    return any(
        isinstance(condition, Call)
        and condition.name in ("<", "<=")
        and any(isinstance(node, Literal) and node.type == "INTERVAL DAY" for node in condition.walk())
        and sum(isinstance(node, Column) for node in condition.walk()) > 1
        for condition in conditions
    )


def _is_proctime(expr: Expr) -> bool:
    return any(isinstance(node, Call) and node.name == "PROCTIME" for node in expr.walk())
