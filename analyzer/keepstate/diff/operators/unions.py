"""UNION ALL: pairing of the inputs of two versions.

A column of a union is written input by input, in a canonical order that follows the meaning of the inputs. So a changed
input may stand elsewhere, and an added or removed input changes every column. Before anything else is compared, the
baseline is put into the order of the current version (``aligned``), and columns of unions with added or removed inputs
are reduced to the inputs that both versions have (``with_common_inputs``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from keepstate.plan.expressions import Expr
from keepstate.plan.job import Plan
from keepstate.plan.metadata.join_sides import tables_of
from keepstate.plan.operators import Calc, Operator, Union, expressions_of
from keepstate.plan.provenance import Place
from keepstate.plan.references import ColumnOfUnion, united

_EQUAL, _SAME_ROW, _SAME_TABLES = 3.0, 3.0, 1.0
_LEAST_LIKENESS = 0.5
"""Inputs that share neither half of their tables nor half of their columns are two inputs: one went, the other came."""


@dataclass(frozen=True)
class Input:
    """One input of a union: ``position`` in the plan, ``rank`` in the text."""

    position: int
    rank: int
    operator: Operator
    row: tuple[Expr, ...]
    tables: frozenset[str]
    conditions: frozenset[Expr]

    def likeness(self, other: Input) -> float:
        """From 0, nothing in common, to 7, equal."""
        row = 1.0 if self.row == other.row else _overlap(frozenset(self.row), frozenset(other.row)) / 3
        tables = _overlap(self.tables, other.tables) * (1 + _overlap(self.conditions, other.conditions)) / 2
        return _EQUAL * (self.operator == other.operator) + _SAME_ROW * row + _SAME_TABLES * tables


def inputs_of(union: Union) -> list[Input]:
    both = zip(union.branches, union.rows, strict=True)
    return [
        Input(position, union.text_ranks[position], branch, row, tables_of(branch), _conditions(branch))
        for position, (branch, row) in enumerate(both)
    ]


def matched_inputs(baseline: Union, current: Union) -> tuple[tuple[int, int], ...]:
    """The positions of the inputs of two versions of a union that are counterparts, in the order of ``current``.

    Equal inputs go together, then the most alike. Among equals the order of the text decides: where ``a WHERE p UNION
    ALL b WHERE q`` becomes ``a WHERE q UNION ALL b WHERE p``, two filters changed, not two select lists.
    """
    baseline_inputs, current_inputs = inputs_of(baseline), inputs_of(current)
    pairs: dict[int, int] = {}
    waiting: dict[tuple[Operator, tuple[Expr, ...]], list[Input]] = {}
    for was in baseline_inputs:
        waiting.setdefault((was.operator, was.row), []).append(was)
    for now in current_inputs:
        equals = waiting.get((now.operator, now.row))
        if equals:
            pairs[now.position] = equals.pop(0).position
    removed_inputs = [was for was in baseline_inputs if was.position not in pairs.values()]
    added_inputs = [now for now in current_inputs if now.position not in pairs]
    scored = sorted(
        (-likeness, abs(was.rank - now.rank), now.rank, was.rank, was.position, now.position)
        for was in removed_inputs
        for now in added_inputs
        if (likeness := was.likeness(now)) >= _LEAST_LIKENESS
    )
    taken_positions: set[int] = set()
    for *_, position, counterpart in scored:
        if counterpart not in pairs and position not in taken_positions:
            taken_positions.add(position)
            pairs[counterpart] = position
    return tuple((pairs[now], now) for now in sorted(pairs))


def _conditions(operator: Operator) -> frozenset[Expr]:
    return frozenset(operator.conditions) if isinstance(operator, Calc) else frozenset()


def _overlap(before: frozenset[object], after: frozenset[object]) -> float:
    every = before | after
    return len(before & after) / len(every) if every else 1.0


def matched_unions(baseline: Plan, current: Plan) -> tuple[tuple[Union | None, Union | None], ...]:
    """The unions of two plans, each with its counterpart: the one that shares the most inputs, or else tables."""
    baseline_unions, current_unions = _unions(baseline), _unions(current)
    scored = sorted(
        (
            (-_shared(was, now), abs(first - second), second, first)
            for first, was in enumerate(baseline_unions)
            for second, now in enumerate(current_unions)
        ),
    )
    pairs: list[tuple[Union | None, Union | None]] = []
    taken_unions: tuple[set[int], set[int]] = set(), set()
    for shared, _, second, first in scored:
        if shared and first not in taken_unions[0] and second not in taken_unions[1]:
            taken_unions[0].add(first)
            taken_unions[1].add(second)
            pairs.append((baseline_unions[first], current_unions[second]))
    pairs += [(was, None) for position, was in enumerate(baseline_unions) if position not in taken_unions[0]]
    pairs += [(None, now) for position, now in enumerate(current_unions) if position not in taken_unions[1]]
    return tuple(pairs)


def _unions(plan: Plan) -> list[Union]:
    return [operator for operator in plan.operators if isinstance(operator, Union)]


def _shared(was: Union, now: Union) -> float:
    return len({*was.branches} & {*now.branches}) + _overlap(tables_of(was), tables_of(now))


def aligned(baseline: Plan, current: Plan) -> Plan:
    """The baseline with the inputs of its unions in the order of their counterparts; those that went come last."""
    orders: dict[int, list[int]] = {}
    for was, now in matched_unions(baseline, current):
        if was is not None and now is not None:
            stay = [position for position, _ in matched_inputs(was, now)]
            removed_branches = (position for position in range(len(was.branches)) if position not in stay)
            orders[was.number] = [*stay, *removed_branches]
    if all(order == sorted(order) for order in orders.values()):
        return baseline
    return baseline.with_unions_in(lambda union: orders.get(union.number) or range(len(union.branches)))


def with_common_inputs(baseline: Plan, current: Plan) -> tuple[Plan, Plan]:
    """Both plans, with columns of unions whose inputs came or went reduced to the inputs that both versions have.

    >>> two = "SELECT id AS n FROM orders UNION ALL SELECT 1 FROM buyers"
    >>> was, now = (plan(f"SELECT SUM(n) FROM ({sql})") for sql in (two, f"{two} UNION ALL SELECT 2 FROM others"))
    >>> str(was.output[0]), str(now.output[0])
    ('SUM(1 | id)', 'SUM(1 | id | 2)')
    >>> [str(each.output[0]) for each in with_common_inputs(was, now)]
    ['SUM(1 | id)', 'SUM(1 | id)']
    """
    for_baseline: dict[Expr, Expr] = {}
    for_current: dict[Expr, Expr] = {}
    for was, now in matched_unions(baseline, current):
        if was is not None and now is not None:
            pairs = matched_inputs(was, now)
            if pairs and len(pairs) < max(len(was.branches), len(now.branches)):
                for_baseline |= _reduced(was, [position for position, _ in pairs])
                for_current |= _reduced(now, [position for _, position in pairs])
        elif was is not None:
            for_baseline |= _single(was, current)
        elif now is not None:
            for_current |= _single(now, baseline)
    if not for_baseline and not for_current:
        return baseline, current
    return baseline.rewritten(_substituting(for_baseline)), current.rewritten(_substituting(for_current))


def _reduced(union: Union, positions: Sequence[int]) -> dict[Expr, Expr]:
    """Map the columns of a union to those that the inputs at ``positions`` give."""
    reduced = map(united, zip(*(union.rows[position] for position in positions), strict=True))
    return {was: now for was, now in zip(union.columns, reduced, strict=True) if was != now}


def _single(union: Union, other: Plan) -> dict[Expr, Expr]:
    """The columns of a union that the ``other`` plan does not have, by the input that it reads without a union."""
    position = counterpart_of(union, other.root)
    return _reduced(union, [position]) if position is not None else {}


def counterpart_of(union: Union, other: Operator) -> int | None:
    """The position of the input that was, or becomes, ``other`` without a union; ``None`` if none shares a table."""
    operators = tuple(other.walk())
    operator_set, tables = set(operators), tables_of(other)
    nodes = {node for operator in operators for expr in expressions_of(operator) for node in expr.walk()}
    likeness = {
        each.position: (
            each.operator in operator_set,
            len(tables & each.tables),
            sum(expr in nodes for expr in each.row),
        )
        for each in inputs_of(union)
    }
    best = max(likeness, key=lambda position: likeness[position])
    return best if tables & tables_of(union.branches[best]) else None


def _substituting(columns: Mapping[Expr, Expr]) -> Callable[[Expr], Expr]:
    def step(expr: Expr) -> Expr:
        column = columns.get(expr) if isinstance(expr, ColumnOfUnion) else None
        return expr if column is None else replace(column, place=expr.place, via=expr.via)

    return step


def unmatched_inputs(baseline: Plan, current: Plan) -> Iterator[tuple[Operator, Place | None]]:
    """The inputs of unions of either version that have no counterpart in the other one, each with its query."""
    for was, now in matched_unions(baseline, current):
        if was is None or now is None:
            continue
        pairs = matched_inputs(was, now)
        for union, paired_positions in ((was, {one for one, _ in pairs}), (now, {other for _, other in pairs})):
            both = enumerate(zip(union.branches, union.places, strict=True))
            yield from (input_ for position, input_ in both if position not in paired_positions)
