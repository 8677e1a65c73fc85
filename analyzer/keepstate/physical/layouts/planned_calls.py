"""The aggregate calls that the planner is left with: some are merged, and some taken apart.

Equal calls over one operand are merged when a query is translated (``plan/translated_operands``). Later sums, means and
variances may be taken apart (``AggregateReduceFunctionsRule``): a mean into a sum and a count, a sum that may be NULL
into one that starts with zero and a count. Of all ways that the rule finds, the planner takes the one with the fewest
calls, the first of several; a variance it has to take apart. On the way a projection that only chooses columns is
merged into the aggregation (``AggregateProjectMergeRule``), so that aliases of one column become equal. Seen in the
plans of Flink 1.20 and 2.3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from keepstate.physical.layouts.fields import is_nullable
from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, WindowField
from keepstate.plan.hashed_value import asked_once, with_fields
from keepstate.plan.operators import Aggregate, WindowAggregate
from keepstate.plan.provenance import declarations_of

_VARIANCES = frozenset({"STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP", "STDDEV", "VARIANCE"})
_SAME_SET = frozenset({"MIN", "MAX"})
"""Functions that give the same over distinct values: the planner drops the word."""
_KEEPS_MOMENTS = (2, 3)
"""First version in which a variance stores the state of Welford's algorithm; earlier ones store a sum of squares."""
_FROM_ZERO = "SUM0"

Calls = tuple[AggregateCall, ...]


@dataclass(frozen=True)
class PlannedCalls:
    """Aggregate calls as planned. With ``is_reduced`` calls were split; then a projection behind them combines the
    parts.
    """

    calls: Calls
    is_reduced: bool = False

    @staticmethod
    def of(operator: Aggregate, flink: tuple[int, int], calls: Calls | None = None) -> PlannedCalls:
        """The calls of an aggregation in a version of Flink; of ``calls`` if only these are of interest."""
        all_calls = merged(operator.translated or operator.aggregates)
        reductions = _reductions(operator)
        if flink not in reductions:
            reductions[flink] = _Reduction.of(operator, all_calls, flink)
        reduction = reductions[flink]
        own = all_calls if calls is None else merged(calls)
        if reduction is None:
            return PlannedCalls(own)
        return PlannedCalls(reduction.applied(own), True)


@asked_once
def _reductions(_: Aggregate) -> dict[tuple[int, int], _Reduction | None]:
    """The reductions of an aggregation by version of Flink, as far as they are known."""
    return {}


def merged(calls: Iterable[AggregateCall]) -> Calls:
    """Each call once, in canonical form."""
    merged_calls: dict[tuple[AggregateCall, tuple[str, ...]], AggregateCall] = {}
    for call in map(_simplified, calls):
        merged_calls.setdefault((call, call.operands), call)
    return tuple(merged_calls.values())


def _simplified(call: AggregateCall) -> AggregateCall:
    if call.function in _SAME_SET and call.distinct:
        return with_fields(call, distinct=False)
    if call.function == "COUNT" and not call.distinct and call.args and all(map(_never_null, call.args)):
        # COUNT of what is never NULL counts rows.
        return with_fields(call, args=(), operands=call.operands[len(call.args) :])
    return call


def _never_null(expr: Expr) -> bool:
    return is_nullable(expr) is False


@dataclass(frozen=True)
class _Reduction:
    """A way to split calls. With ``again`` the resulting sums are split as well; ``by_column`` if all operands are
    columns, so that aliases of one column are equal.
    """

    again: bool
    by_column: bool
    is_global: bool
    flink: tuple[int, int]

    @staticmethod
    def of(operator: Aggregate, calls: Calls, flink: tuple[int, int]) -> _Reduction | None:
        """The way that the planner takes for all ``calls`` of an aggregation; ``None`` if it leaves them be."""
        if not any(map(_is_reducible, calls)):
            return None
        operands = [operand for call in calls for operand in call.children()]
        by_column = all(isinstance(expr, (Column, WindowField, AggregateCall)) for expr in (*operands, *operator.keys))
        # The projection that a table-valued window stands on is merged into nothing.
        by_column = by_column and not isinstance(operator, WindowAggregate)
        ways = [_Reduction(again, by_column, not operator.keys, flink) for again in (False, True)]
        costs = [len(way.applied(calls)) for way in ways]
        has_to = any(call.function in _VARIANCES for call in calls)
        best = ways[costs.index(min(costs))]
        return best if has_to or min(costs) < len(calls) else None

    def applied(self, calls: Calls) -> Calls:
        parts = [part for call in calls for part in self._apart(call)]
        if self.again:
            parts = [part for one in parts for part in self._apart(one)]
        part_by_identity: dict[tuple[AggregateCall, object], AggregateCall] = {}
        for part in map(_simplified, parts):
            part_by_identity.setdefault((part, self._identity(part)), part)
        return tuple(
            with_fields(part, function="SUM") if part.function == _FROM_ZERO else part
            for part in part_by_identity.values()
        )

    def _apart(self, call: AggregateCall) -> Calls:
        # While a call is typed it may have no arguments yet.
        if not call.args or not _is_reducible(call):
            return (call,)
        count = with_fields(call, function="COUNT")
        if call.function == "SUM":
            always = not self.is_global and call.filter is None and _never_null(call.args[0])
            total = with_fields(call, function=_FROM_ZERO)
            return (total,) if always else (total, count)
        if call.function == "AVG":
            return with_fields(call, function="SUM"), count
        if self.flink >= _KEEPS_MOMENTS:
            return with_fields(call, function="$WELFORD_M2"), count
        square = Call("*", (call.args[0], call.args[0]))
        return with_fields(call, function="SUM", args=(square,)), with_fields(call, function="SUM"), count

    def _identity(self, call: AggregateCall) -> object:
        return tuple(declarations_of(arg.via) for arg in call.args) if self.by_column else call.operands


def _is_reducible(call: AggregateCall) -> bool:
    return call.function in ("SUM", "AVG") or call.function in _VARIANCES
