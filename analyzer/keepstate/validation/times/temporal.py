"""Temporal joins: AS OF a time of the left side, on the key of the right one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.metadata.connectors import connector_of
from keepstate.plan.names.full_names import table_name
from keepstate.plan.types.logical_types import LogicalType
from keepstate.syntax.spans import keyword_span
from keepstate.validation.statement_context import DeclaredObject, StatementContext
from keepstate.validation.values import families
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.scopes import StatementRefused, TimeRole, ValidationScope, refuse
from keepstate.validation.values.value import ExpressionContext

_AS_OF = ExpressionContext("FOR SYSTEM_TIME", aggregates=False, windows=False)
_NO_LOOKUPS = frozenset({"kafka", "upsert-kafka", "datagen", "filesystem"})
"""Connectors whose tables cannot be asked for single rows; those of change data capture cannot either."""


def check_temporal(
    join: exp.Join,
    left: ValidationScope,
    both: ValidationScope,
    expressions: ExpressionCheck,
    surroundings: StatementContext,
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
    # The right side only answers with versions: it sends no rows of its own.
    if side in ("RIGHT", "FULL"):
        at = keyword_span(join) or expressions.span(join)
        expressions.later.refuse("temporal-side", at, f"A temporal join is INNER or LEFT, not {side}.")
    if isinstance(time, exp.Anonymous) or (isinstance(time, exp.Cast) and value.type is not None):
        expressions.later.refuse(
            "temporal-time", span, "FOR SYSTEM_TIME AS OF takes a time attribute of the left side itself."
        )
    if not isinstance(time, exp.Column) or value.type is None:
        return
    if value.time.is_plain:
        expressions.later.refuse("temporal-time", span, f"{time.name} is no time attribute of the left side.")
    declared = surroundings.find(table_name(join.this)) if isinstance(join.this.this, exp.Identifier) else None
    if declared is None or declared.kind != "table" or declared.problem is not None or not declared.rows.complete:
        return
    if value.time is TimeRole.PROC:
        _check_lookup(join, both, declared, expressions)
    elif value.time is TimeRole.ROW:
        _check_versioned(join, both, declared, expressions)


def _check_lookup(
    join: exp.Join, both: ValidationScope, declared: DeclaredObject, expressions: ExpressionCheck
) -> None:
    span = expressions.span(join.this)
    connector = connector_of(declared.options)
    if connector in _NO_LOOKUPS or connector.endswith("-cdc"):
        message = f"{declared.name} cannot be asked for single rows, so it is no table for a join by processing time."
        expressions.later.refuse("temporal-table", span, message)
    if not connector:
        return
    condition = join.args.get("on")
    if condition is None or isinstance(condition, exp.Boolean):
        # The comparison may stand in WHERE.
        return
    compared = _Equalities(both, expressions, constants=True, null_safe=False).of(condition)
    if all(_differ(one, other) for _, one, other in compared):
        at = expressions.span(join.args["on"]) if join.args.get("on") is not None else span
        expressions.later.refuse(
            "temporal-key", at, f"A lookup join compares a column of {declared.name} with = to a value of its type."
        )


def _check_versioned(
    join: exp.Join, both: ValidationScope, declared: DeclaredObject, expressions: ExpressionCheck
) -> None:
    span = expressions.span(join.this)
    if not declared.primary_key:
        expressions.later.refuse(
            "temporal-table", span, f"A temporal join needs the primary key of {declared.name}, which has none."
        )
    if all(column.time is TimeRole.NONE for column in declared.rows.columns):
        expressions.later.refuse(
            "temporal-table", span, f"A temporal join needs the watermark of {declared.name}, which has none."
        )
    # The state has the versions of whole keys: a part of a key names no version.
    condition, equalities = join.args.get("on"), _Equalities(both, expressions, constants=False, null_safe=True)
    compared = {name for name, _, _ in equalities.of(condition)} if condition is not None else set()
    missing = [name for name in declared.primary_key if name not in compared]
    if missing:
        at = expressions.span(join.args["on"]) if join.args.get("on") is not None else span
        expressions.later.refuse(
            "temporal-key", at, f"ON compares the whole key of {declared.name} with =: {missing[0]} is missing."
        )


def _differ(one: LogicalType | None, other: LogicalType | None) -> bool:
    return (
        one is not None
        and other is not None
        and one.root != other.root
        and {one.root, other.root}
        != {
            "CHAR",
            "VARCHAR",
        }
    )


Compared = tuple[str, LogicalType | None, LogicalType | None]
"""A column of the right side that equals a value of the left one, with both types."""


@dataclass(frozen=True)
class _Equalities:
    """The columns of the right side that a condition equates with a value of the left one, however it is spelled.

    Flink's planner simplifies a condition before it looks for them. What it may simplify to an equality counts as one.
    """

    both: ValidationScope
    expressions: ExpressionCheck
    constants: bool
    """Constants are values, too."""
    null_safe: bool
    """``IS NOT DISTINCT FROM`` is an equality, too."""

    def of(self, node: exp.Expression, holds: bool = True) -> list[Compared]:
        """The equalities that follow if the condition ``node`` is true, or false without ``holds``."""
        match node:
            case exp.Paren() | exp.Cast():
                return self.of(node.this, holds)
            case exp.Not() if not isinstance(node.this, exp.Is):
                return self.of(node.this, not holds)
            case exp.And() | exp.Or():
                return self._connected(node, holds)
            case exp.Is(expression=exp.Boolean() as truth) if holds:
                return self.of(node.this, bool(truth.this))
            case exp.EQ() | exp.NEQ():
                return self._of_comparison(node.this, node.expression, isinstance(node, exp.EQ), holds)
            case exp.NullSafeEQ() | exp.NullSafeNEQ() if self.null_safe:
                return self._pair(node.this, node.expression) if isinstance(node, exp.NullSafeEQ) is holds else []
            # Calcite writes a short IN as equations: of one value there is one.
            case exp.In() if holds and len(node.expressions) == 1:
                return self._pair(node.this, node.expressions[0])
            case exp.Case():
                return [each for when in node.args["ifs"] for each in self.of(when.this)]
        return []

    def _connected(self, node: exp.Expression, holds: bool) -> list[Compared]:
        """All equalities of an AND, or those that both sides of an OR have; a denied OR is an AND."""
        sides = [side for side in (node.this, node.expression) if not isinstance(side.unnest(), exp.Boolean)]
        groups = [self.of(side, holds) for side in sides]
        if len(groups) < 2 or isinstance(node, exp.And) is holds:
            return [each for side in groups for each in side]
        names = {name for name, _, _ in groups[1]}
        return [each for each in groups[0] if each[0] in names]

    def _of_comparison(self, one: exp.Expression, other: exp.Expression, equal: bool, holds: bool) -> list[Compared]:
        for condition, truth in ((one, other.unnest()), (other, one.unnest())):
            if isinstance(truth, exp.Boolean):
                return self.of(condition, holds is (equal is bool(truth.this)))
        return self._pair(one, other) if equal is holds else []

    def _pair(self, one: exp.Expression, other: exp.Expression) -> list[Compared]:
        own_fields, other_fields = _fields(one), _fields(other)
        if own_fields is not None and other_fields is not None:
            return [each for fields in zip(own_fields, other_fields, strict=False) for each in self._pair(*fields)]
        return [*self._sided(one, other), *self._sided(other, one)]

    def _sided(self, own_side: exp.Expression, other_side: exp.Expression) -> Iterator[Compared]:
        right = len(self.both.items) - 1
        owners = _owners(other_side, self.both, self.expressions)
        cast = isinstance(own_side, exp.Cast)
        if cast:
            # It may change nothing, and then Flink drops it.
            own_side = own_side.this
        if not isinstance(own_side, exp.Column) or _owners(own_side, self.both, self.expressions) != {right}:
            return
        if right not in owners and (owners or self.constants):
            types = [self.expressions.value(each, self.both, _AS_OF).type for each in (own_side, other_side)]
            yield own_side.name, None if cast else types[0], types[1]


def _fields(node: exp.Expression) -> list[exp.Expression] | None:
    """The fields of a row that is written as one."""
    row = node.unnest()
    is_row = isinstance(row, exp.Tuple) or (isinstance(row, exp.Anonymous) and row.name.upper() == "ROW")
    return list(row.expressions) if is_row else None


def _owners(node: exp.Expression, scope: ValidationScope, expressions: ExpressionCheck) -> set[int]:
    """The numbers of the relations whose columns stand in ``node``; -1 for what the script does not tell."""
    owners: set[int] = set()
    for column in node.find_all(exp.Column):
        parts = column.parts
        try:
            resolution = scope.resolve(tuple(part.name for part in parts), tuple(map(expressions.span, parts)))
        except StatementRefused:
            resolution = None
        owners.add(resolution.owner[1] if resolution is not None and not resolution.owner[0] else -1)
    return owners
