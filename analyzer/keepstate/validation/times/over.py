"""OVER windows as streams can compute them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from keepstate.text import Span
from keepstate.validation.outputs.sorting import check_sort
from keepstate.validation.times.over_clauses import OverClauses, OverFrame, Shape, shape_of
from keepstate.validation.values import families
from keepstate.validation.values.declared_symbols import DeclaredSymbol
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.scopes import ValidationScope, refuse
from keepstate.validation.values.value import ExpressionContext, ValueFacts

_RANKS = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK"})
_UNFRAMED = frozenset({*_RANKS, "PERCENT_RANK", "CUME_DIST", "LAG", "LEAD"})
"""Functions whose window has no frame of its own, in streaming and in batch mode."""
_BATCH_ONLY = frozenset({"PERCENT_RANK", "CUME_DIST", "NTILE", "LEAD"})


@dataclass
class OverWindows:
    """Checks the calls with OVER of one query."""

    expressions: ExpressionCheck
    window_clause: Mapping[str, exp.Window]
    """The windows of its WINDOW clause."""
    origins: Mapping[str, DeclaredSymbol | None]
    """The declarations of their names."""
    checked: dict[Span, OverClauses] = field(default_factory=dict)
    """The windows of the calls that were checked, by the places of the calls."""

    def check(self, node: exp.Window, name: str, scope: ValidationScope, place: ExpressionContext) -> None:
        """Refuse a window that a stream cannot have; ``name`` is the function in upper case.

        Raises:
            Refused: it is such a window.
        """
        span = self.expressions.span(node)
        if name in _BATCH_ONLY:
            self.expressions.later.refuse("over-function", span, f"{name} is not supported on streams.")
        alias = node.args.get("alias")
        if alias is not None and alias.name not in self.window_clause:
            refuse("unknown-window", self.expressions.span(alias), f"No WINDOW clause declares {alias.name}.")
        if alias is not None:
            self.expressions.names.use(alias, self.origins[alias.name])
        for key in self._clause(node, "partition_by") or ():
            if isinstance(key.unnest(), exp.Query):
                refuse("over-misplaced", self.expressions.span(key), "PARTITION BY takes no query.")
            self.expressions.refuse_null(key, self.expressions.value(key, scope, place))
        order = self._clause(node, "order")
        keys = [(item, self.expressions.value(item.this, scope, place)) for item in order.expressions] if order else []
        spec = self._clause(node, "spec")
        at = self.expressions.span(alias) if alias is not None else span
        if spec is not None and name in _UNFRAMED:
            refuse("over-frame", at, f"{name} takes no ROWS or RANGE in its window.")
        self._check_order(keys, name, at)
        for key, value in keys:
            check_sort(key, value.type, self.expressions)
        for part in (node.this, *(self._clause(node, "partition_by") or ()), *(key for key, _ in keys)):
            if part.find(exp.Query) is not None:
                message = "Flink plans no query within a call with OVER."
                self.expressions.later.refuse("over-misplaced", self.expressions.span(part), message)
        orders = [value for _, value in keys if not value.constant]
        if spec is not None and orders:
            self._check_frame(spec, orders[0], scope, place)
        self.checked[span] = self._clauses(node, name, [item for item, _ in keys], scope)

    def _check_order(self, keys: list[tuple[exp.Expression, ValueFacts]], name: str, span: Span) -> None:
        if name in _RANKS:
            if not any(not value.constant for _, value in keys):
                self.expressions.later.refuse("over-order", span, f"{name} needs ORDER BY inside of OVER.")
            return
        # The planner leaves constants out.
        keys = [each for each in keys if not each[1].constant]
        if not keys:
            self.expressions.later.refuse("over-order", span, "On streams OVER needs ORDER BY, by one time column.")
            return
        other_keys = [key for key, _ in keys[1:] if key.this.unnest() != keys[0][0].this.unnest()]
        if other_keys:
            self.expressions.later.refuse(
                "over-order", self.expressions.span(other_keys[0]), "On streams OVER is ordered by one column only."
            )
        if keys[0][0].args.get("desc"):
            self.expressions.later.refuse(
                "over-order", self.expressions.span(keys[0][0]), "On streams OVER is ordered ascending only."
            )

    def _check_frame(
        self, spec: exp.Expression, first: ValueFacts, scope: ValidationScope, place: ExpressionContext
    ) -> None:
        span = self.expressions.span
        start, end = spec.args.get("start"), spec.args.get("end")
        at = Span(*spec.meta["span"])
        if spec.args.get("start_side") == "FOLLOWING" or (end is not None and end != "CURRENT ROW"):
            self.expressions.later.refuse("over-frame", at, "On streams a frame ends at CURRENT ROW.")
        elif start == "CURRENT ROW":
            self.expressions.later.refuse("over-frame", at, "On streams a frame begins with rows PRECEDING.")
        if not isinstance(start, exp.Expression):
            return
        bound = self.expressions.value(start, scope, place)
        whole = isinstance(start, exp.Literal) and not start.is_string and start.name.isdecimal()
        if spec.args.get("kind") == "ROWS" and isinstance(start, (exp.Literal, exp.Neg)) and not whole:
            refuse("over-frame", span(start), "ROWS counts whole rows.")
        is_number = families.family_of(bound.type) == families.NUMBER
        if spec.args.get("kind") == "RANGE" and is_number and families.family_of(first.type) == families.TIMESTAMP:
            refuse("over-frame", span(start), "RANGE over a time needs an interval, such as INTERVAL '5' MINUTE.")
        if first.time.is_lost and first.type is not None:
            self.expressions.later.refuse("over-order", at, "A bounded frame is ordered by a time attribute.")

    def same(self, calls: list[exp.Window]) -> None:
        """Refuse calls over different windows in one query.

        Raises:
            Refused: there are two windows.
        """
        first: OverClauses | None = None
        for call in calls:
            span = self.expressions.span(call)
            window = self.checked.get(span)
            if window is None:
                continue
            if first is not None and window.differs_from(first):
                self.expressions.later.refuse("over-windows", span, "All OVER of one query need the same window.")
            first = first or window

    def _clauses(self, node: exp.Window, name: str, keys: list[exp.Expression], scope: ValidationScope) -> OverClauses:
        def column(node: exp.Column) -> Shape | None:
            parts = node.parts
            resolution = scope.resolve(tuple(part.name for part in parts), tuple(map(self.expressions.span, parts)))
            return (resolution.owner, resolution.column.name, resolution.rest) if resolution is not None else None

        spec = self._clause(node, "spec")
        return OverClauses(
            frozenset(
                shape_of(key, column)
                for key in self._clause(node, "partition_by") or ()
                if key.find(exp.Column, exp.Anonymous) is not None
            ),
            shape_of(keys[0].this, column) if keys else None,
            bool(keys and keys[0].args.get("nulls_last")),
            OverFrame.of(spec, column) if spec is not None else OverFrame("ROWS" if name == "ROW_NUMBER" else "RANGE"),
        )

    def _clause(self, node: exp.Window, name: str, seen: frozenset[str] = frozenset()) -> Any:
        """A clause of a window, its own or that of the window that it names."""
        own, base = node.args.get(name), node.args.get("alias")
        if own or base is None or base.name in seen or base.name not in self.window_clause:
            return own
        return self._clause(self.window_clause[base.name], name, seen | {base.name})
