"""Differences of one pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from keepstate.diff.aggregations import AggregationDiff, query_kind
from keepstate.diff.changes import Change, ChangeKind, Presence, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.inputs import branches, input_changes
from keepstate.diff.pairing import Match, match_operators, skeleton
from keepstate.diff.ranks import RankDiff, rank_kind
from keepstate.diff.unions import with_common_inputs
from keepstate.plan.expressions import AggregateCall, Expr, Literal, RankNumber, WindowField
from keepstate.plan.job import Pipeline, Plan
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    GroupWindowAggregate,
    Join,
    Limit,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
)
from keepstate.plan.operators import Match as PatternMatch
from keepstate.plan.provenance import Place
from keepstate.text import Span


@dataclass(frozen=True)
class PipelineDiff:
    """What differs between two versions of one pipeline.

    ``modified`` is true as soon as anything differs that is more than another spelling or a stateless expression over
    what the query has anyway (spec section 5): some verdicts depend on there being a modification at all.
    """

    baseline: Pipeline
    current: Pipeline
    changes: tuple[Change, ...] = field(default=())
    modified: bool = False

    @property
    def group_windows(self) -> tuple[GroupWindowAggregate, ...]:
        """The legacy group windows of the current version, or of the baseline where it has none."""
        for pipeline in (self.current, self.baseline):
            found = tuple(op for op in pipeline.plan.operators if isinstance(op, GroupWindowAggregate))
            if found:
                return found
        return ()


def compare_pipelines(baseline: Pipeline, current: Pipeline, locator: Locator) -> PipelineDiff:
    """All changes of a pipeline, bottom-up."""
    if baseline.plan == current.plan:
        return PipelineDiff(baseline, current)
    was, now = with_common_inputs(baseline.plan, current.plan)
    comparison = _Comparison(was, now, locator, _whole(current))
    changes = tuple(comparison.changes())
    modified = bool(changes) or _reads(baseline.plan) != _reads(current.plan)
    if modified:
        changes = (*comparison.kept_features(), *changes)
    return PipelineDiff(baseline, current, changes, modified)


def state_changes(pipeline: Pipeline) -> tuple[str, ...]:
    """The titles of a pipeline's stateful operators."""
    return tuple(operator.title for operator in pipeline.plan.operators if operator.stateful)


@dataclass(frozen=True)
class _Comparison:
    baseline: Plan
    current: Plan
    locator: Locator
    whole: Place

    @cached_property
    def _matches(self) -> tuple[Match, ...]:
        return match_operators(self.baseline.root, self.current.root)

    def changes(self) -> Iterator[Change]:
        found: list[Change] = []
        for match in self._matches:
            own = list(self._of_match(match))
            if isinstance(match.baseline, Rank) and isinstance(match.current, Rank):
                own += self._of_ranked_rows(match.baseline, match.current, found, own)
            found += own
            yield from own

    def kept_features(self) -> Iterator[Change]:
        """Features of aggregations that did not change themselves: they speak once anything in the pipeline did."""
        ours = [operator for operator in self.baseline.operators if isinstance(operator, Aggregate)]
        for current in self.current.operators:
            baseline = next((operator for operator in ours if operator == current), None)
            if baseline is not None and isinstance(current, Aggregate):
                diff = AggregationDiff(baseline, current, self.baseline, self.current, self.locator)
                kept = [*diff.features(), *input_changes(baseline, current, diff.query, self.locator, current.place)]
                yield from kept
                for rank in self.current.operators:
                    if isinstance(rank, Rank) and current in rank.walk():
                        yield from _inherited(kept, rank_kind(rank))

    def _of_ranked_rows(
        self, baseline: Rank, current: Rank, below: list[Change], own: list[Change]
    ) -> Iterator[Change]:
        """What changes below a ranking do to the rows that it stores."""
        inherited = list(_inherited(below, rank_kind(baseline)))
        yield from inherited
        if baseline.row != current.row and not inherited and not own:
            yield self._not_judged(baseline, current)

    def _is_other_syntax(self) -> bool:
        """Whether legacy windows became table-valued functions or the reverse: ranks above follow in kind."""
        kinds = [
            {type(operator) for operator in plan.operators if isinstance(operator, Aggregate)}
            for plan in (self.baseline, self.current)
        ]
        return sum(GroupWindowAggregate in found for found in kinds) == 1

    def _of_match(self, match: Match) -> Iterator[Change]:
        if match.baseline is None and match.current is not None:
            yield from self._lonely(match.current, ChangeKind.STATE_ADDED, ChangeKind.INPUT_ADDED)
        elif match.current is None and match.baseline is not None:
            yield from self._lonely(match.baseline, ChangeKind.STATE_REMOVED, ChangeKind.INPUT_REMOVED)
        elif match.baseline is not None and match.current is not None:
            yield from self._of_pair(match.baseline, match.current)

    def _lonely(self, operator: Operator, state: ChangeKind, source: ChangeKind) -> Iterator[Change]:
        added = state is ChangeKind.STATE_ADDED
        place = (
            operator.place if operator.stateful else _input_place(operator, self.current if added else self.baseline)
        )
        plan = self.current if added else self.baseline
        at_top = any(node.operator == operator for node in skeleton(plan.root))
        if not operator.stateful and at_top:
            # Nothing stateful reads this input (spec UA-03).
            return
        kind = state if operator.stateful else source
        yield Change(
            kind,
            operator_kind(operator),
            place if added else self.locator.stood_at(place, self.whole),
            None if added else place,
            removed=not added,
            subject=operator.title if operator.stateful else f"input {getattr(operator, 'table', '')}".strip(),
        )
        if isinstance(operator, Aggregate):
            yield from self._opaque_calls(operator, added)

    def _opaque_calls(self, operator: Aggregate, added: bool) -> Iterator[Change]:
        """Aggregates that may run in Python leave a pipeline open wherever they stand (spec C-01)."""
        for call in operator.aggregates:
            if call.opaque:
                yield Change(
                    ChangeKind.PYTHON_AGGREGATE,
                    operator_kind(operator),
                    call.place if added else self.locator.stood_at(call.place, self.whole),
                    None if added else call.place,
                    removed=not added,
                    presence=Presence.ADDED if added else Presence.REMOVED,
                    subject=str(call),
                )

    def _of_pair(self, baseline: Operator, current: Operator) -> Iterator[Change]:
        if baseline == current:
            return
        own: list[Change] = []
        query = operator_kind(baseline)
        match baseline, current:
            case TableSourceScan(), TableSourceScan():
                yield Change(
                    ChangeKind.SOURCE_RENAMED,
                    QueryKind.JOB,
                    current.place,
                    baseline.place,
                    subject="source table",
                    baseline_text=baseline.table,
                    current_text=current.table,
                )
                return
            case Unsupported(), _:
                yield self._unsupported(baseline, current)
                return
            case Aggregate(), Aggregate():
                diff = AggregationDiff(baseline, current, self.baseline, self.current, self.locator)
                query = diff.query
                own += diff.changes()
            case Rank(), Rank():
                own += RankDiff(baseline, current, self.baseline, self.current, self.locator).changes()
        own += input_changes(baseline, current, query, self.locator, current.place)
        if not own and self._differ(baseline, current):
            own.append(self._not_judged(baseline, current))
        yield from own

    def _differ(self, baseline: Operator, current: Operator) -> bool:
        """Whether two operators differ in themselves, or in how their inputs are put together."""
        if isinstance(baseline, Rank) and isinstance(current, Rank):
            # The stored row follows from what is below; see _of_ranked_rows.
            baseline, current = replace(baseline, row=()), replace(current, row=())
            if self._is_other_syntax():
                return False
        # Inputs of a union that came or went are told by themselves.
        told = any(match.baseline is None or match.current is None for match in self._matches)
        inputs_differ = len(branches(baseline)) != len(branches(current)) and not told
        return _bare(baseline) != _bare(current) or inputs_differ

    def _not_judged(self, baseline: Operator, current: Operator) -> Change:
        return Change(
            ChangeKind.NOT_JUDGED,
            operator_kind(current),
            current.place or self.whole,
            baseline.place,
            subject=current.title,
        )

    def _unsupported(self, baseline: Unsupported, current: Operator) -> Change:
        return Change(
            ChangeKind.CONSTRUCT_NOT_SUPPORTED,
            QueryKind.JOB,
            current.place or self.whole,
            baseline.place,
            subject=baseline.construct,
        )


def _input_place(scan: Operator, plan: Plan) -> Place | None:
    """The input of a UNION ALL that reads a source, or the source where there is no union."""
    for operator in plan.operators:
        if isinstance(operator, Union):
            for branch, place in zip(operator.branches, operator.places, strict=False):
                if scan in branch.walk():
                    return place
    return scan.place


def operator_kind(operator: Operator) -> QueryKind:
    match operator:
        case Aggregate():
            return query_kind(operator)
        case Rank():
            return rank_kind(operator)
        case OverAggregate():
            return QueryKind.OVER_AGGREGATE
        case Join():
            return QueryKind.JOIN
        case PatternMatch():
            return QueryKind.PATTERN
        case TemporalSort():
            return QueryKind.SORT
        case Limit():
            return QueryKind.LIMIT
        case SetOperation():
            return QueryKind.SET_OPERATION
    return QueryKind.JOB


def _inherited(below: list[Change], query: QueryKind) -> Iterator[Change]:
    """A ranking stores the rows of its input, so it has its own opinion on every change below it (spec C-03)."""
    for change in below:
        if change.query in (QueryKind.WINDOW_TVF, QueryKind.GROUP_WINDOW, QueryKind.GROUP_AGGREGATE):
            yield change.under(query)


def _bare(operator: Operator) -> Operator:
    return operator.with_inputs(tuple(Values() for _ in operator.inputs))


def _whole(pipeline: Pipeline) -> Place:
    parsed = pipeline.statement.parsed
    return Place(parsed, Span(0, len(parsed.text)))


def _reads(plan: Plan) -> tuple[object, ...]:
    """What the output reads of the topmost state, column by column: expressions around it keep none of their own."""
    top = plan.root
    while isinstance(top, Calc):
        top = top.input
    return (replace_inputs(top), tuple(_atoms(expr) for expr in plan.output))


def replace_inputs(operator: Operator) -> Operator:
    return _bare(operator) if operator.stateful else operator


def _atoms(expr: Expr) -> tuple[Expr, ...]:
    if isinstance(expr, (AggregateCall, WindowField, RankNumber)) or not expr.children():
        return () if isinstance(expr, Literal) else (expr,)
    return tuple(atom for child in expr.children() for atom in _atoms(child))
