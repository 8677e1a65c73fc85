"""Temporal joins: AS OF a time of the left side, on the key of the right one."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from keepstate.plan.catalog import table_name
from keepstate.plan.metadata.connectors import connector_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate.syntax.spans import keyword_span
from keepstate.validation.surroundings import Declared, Surroundings
from keepstate.validation.values import families
from keepstate.validation.values.expressions import Expressions
from keepstate.validation.values.scopes import Refused, Scope, Time, refuse
from keepstate.validation.values.value import Place

_AS_OF = Place("FOR SYSTEM_TIME", aggregates=False, windows=False)
_NO_LOOKUPS = frozenset({"kafka", "upsert-kafka", "datagen"})
"""Connectors whose tables cannot be asked for single rows; those of change data capture cannot either."""


def check_temporal(
    join: exp.Join, left: Scope, both: Scope, expressions: Expressions, surroundings: Surroundings
) -> None:
    """Refuse a temporal join that Flink does not plan.

    Raises:
        Refused: its side, time or condition does not fit.
    """
    version = join.this.args["version"]
    time = version.expression
    value = expressions.value(time, left, _AS_OF)
    span = expressions.span(time)
    if families.family_of(value.type) not in (None, families.TIMESTAMP):
        refuse("temporal-time", span, f"FOR SYSTEM_TIME AS OF takes a time attribute, and this is {value.type}.")
    side = str(join.args.get("side") or "")
    if side in ("RIGHT", "FULL"):
        at = keyword_span(join) or expressions.span(join)
        expressions.later.refuse("temporal-side", at, f"A temporal join is INNER or LEFT, not {side}.")
    if isinstance(time, exp.Anonymous) or (isinstance(time, exp.Cast) and value.type is not None):
        expressions.later.refuse(
            "temporal-time", span, "FOR SYSTEM_TIME AS OF takes a time attribute of the left side itself."
        )
    if not isinstance(time, exp.Column) or value.type is None:
        return
    if value.time is Time.NONE:
        expressions.later.refuse("temporal-time", span, f"{time.name} is no time attribute of the left side.")
    declared = surroundings.find(table_name(join.this)) if isinstance(join.this.this, exp.Identifier) else None
    if declared is None or declared.kind != "table" or declared.problem is not None or not declared.rows.complete:
        return
    if value.time is Time.PROC:
        _check_lookup(join, both, declared, expressions)
    elif value.time is Time.ROW:
        _check_versioned(join, both, declared, expressions)


def _check_lookup(join: exp.Join, both: Scope, declared: Declared, expressions: Expressions) -> None:
    span = expressions.span(join.this)
    connector = connector_of(declared.options)
    if connector in _NO_LOOKUPS or connector.endswith("-cdc"):
        message = f"{declared.name} cannot be asked for single rows, so it is no table for a join by processing time."
        expressions.later.refuse("temporal-table", span, message)
    if not connector:
        return
    compared = list(_compared(join.args.get("on"), both, expressions))
    if all(_differ(ours, theirs) for _, ours, theirs in compared):
        at = expressions.span(join.args["on"]) if join.args.get("on") is not None else span
        expressions.later.refuse(
            "temporal-key", at, f"A lookup join compares a column of {declared.name} with = to a value of its type."
        )


def _check_versioned(join: exp.Join, both: Scope, declared: Declared, expressions: Expressions) -> None:
    span = expressions.span(join.this)
    if not declared.primary_key:
        expressions.later.refuse(
            "temporal-table", span, f"A temporal join needs the primary key of {declared.name}, which has none."
        )
    if not any(column.time is not Time.NONE for column in declared.rows.columns):
        expressions.later.refuse(
            "temporal-table", span, f"A temporal join needs the watermark of {declared.name}, which has none."
        )
    compared = {name for name, _, _ in _compared(join.args.get("on"), both, expressions, constants=False)}
    missing = [name for name in declared.primary_key if name not in compared]
    if missing:
        at = expressions.span(join.args["on"]) if join.args.get("on") is not None else span
        expressions.later.refuse(
            "temporal-key", at, f"ON compares the whole key of {declared.name} with =: {missing[0]} is missing."
        )


def _differ(ours: LogicalType | None, theirs: LogicalType | None) -> bool:
    return (
        ours is not None
        and theirs is not None
        and ours.root != theirs.root
        and {ours.root, theirs.root}
        != {
            "CHAR",
            "VARCHAR",
        }
    )


def _compared(
    on: exp.Expression | None, both: Scope, expressions: Expressions, constants: bool = True
) -> Iterator[tuple[str, LogicalType | None, LogicalType | None]]:
    """The columns of the right side that ON equates with a value of the left one, each with both types."""
    right = len(both.items) - 1
    waiting = [on] if on is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Paren):
            waiting.append(node.this)
        elif isinstance(node, exp.And):
            waiting += (node.this, node.expression)
        elif isinstance(node, exp.EQ):
            for one, other in ((node.this, node.expression), (node.expression, node.this)):
                owners = _owners(other, both, expressions)
                cast = isinstance(one, exp.Cast)
                if cast:
                    # It may change nothing, and then Flink drops it.
                    one = one.this
                if not isinstance(one, exp.Column) or _owners(one, both, expressions) != {right} or right in owners:
                    continue
                if owners or constants:
                    types = [expressions.value(each, both, _AS_OF).type for each in (one, other)]
                    yield one.name, None if cast else types[0], types[1]


def _owners(node: exp.Expression, scope: Scope, expressions: Expressions) -> set[int]:
    """The numbers of the relations whose columns stand in ``node``; -1 for what the script does not tell."""
    owners: set[int] = set()
    for column in node.find_all(exp.Column):
        parts = column.parts
        try:
            found = scope.resolve(tuple(part.name for part in parts), tuple(map(expressions.span, parts)))
        except Refused:
            found = None
        owners.add(found.owner[1] if found is not None and not found.owner[0] else -1)
    return owners
