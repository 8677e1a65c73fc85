"""Orders that Flink does not take: of values that it cannot sort, and of a stream by something else than time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.types.logical_types import LogicalType
from keepstate.validation.outputs.items import is_computed
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.families import TIMESTAMP, family_of, without_order
from keepstate.validation.values.scopes import RelationColumn, RelationColumns, TimeRole
from keepstate.validation.values.value import ValueFacts


def check_sort(ordered: exp.Expression, type_: LogicalType | None, expressions: ExpressionCheck) -> None:
    """Refuse an item of ORDER BY with a MAP, a MULTISET or a VARIANT in it."""
    other = without_order(type_)
    if other is not None:
        message = f"Flink sorts no values of type {other}: order by a part of them."
        expressions.later.refuse("order-type", expressions.span(ordered), message)


@dataclass(frozen=True)
class FirstSortKey:
    """The first item of ORDER BY of a whole stream, with its ``value``, if it is no number of a column.

    ``hidden`` holds the column that it names, be it selected or not.
    """

    item: exp.Expression
    value: ValueFacts | None
    hidden: Mapping[str, RelationColumn]

    def check(self, rows: RelationColumns, expressions: ExpressionCheck) -> None:
        """Note a refusal if the rows are not sorted by ascending time first."""
        span, later = expressions.span(self.item), expressions.later
        if self._is_no_time():
            message = "A stream is sorted by a time attribute first, and this is none: add LIMIT, or sort later."
            later.refuse("sort", span, message)
            return
        column = self._column(rows)
        if column is None:
            return
        if column.type is not None and column.time.is_lost and column.time is not TimeRole.CAST:
            message = f"A stream is sorted by a time attribute first, not by {column.name}: add LIMIT, or sort later."
            later.refuse("sort", span, message)
        if not column.time.is_lost and self.item.args.get("desc"):
            later.refuse("sort", span, "A stream is sorted by ascending time only, unless it has LIMIT.")

    def _is_no_time(self) -> bool:
        """Return whether the key surely is no time attribute: a constant is none, nor is what is computed of one."""
        node = self.item.this.unnest()
        if isinstance(node, exp.Column) or (isinstance(node, exp.Literal) and not node.is_string):
            return False
        name = node.name.upper() if isinstance(node, exp.Anonymous) else ""
        if not is_computed(node):
            return name != "PROCTIME"
        if self.value is None:
            return False
        is_moment = self.value.type is None or family_of(self.value.type) == TIMESTAMP
        return not is_moment or isinstance(node, (exp.Add, exp.Sub)) or name == "COALESCE"

    def _column(self, rows: RelationColumns) -> RelationColumn | None:
        """The column that the key names, by its name or its number."""
        node = self.item.this
        if isinstance(node, exp.Literal) and rows.complete and node.name.isdecimal():
            return rows.columns[int(node.name) - 1]
        if not isinstance(node, exp.Column):
            return None
        if len(node.parts) > 1:
            return self.hidden.get(node.name)
        if not rows.complete:
            return None
        namesakes = [each for each in rows.columns if each.name == node.name]
        return namesakes[0] if len(namesakes) == 1 else self.hidden.get(node.name)
