"""Differences of one pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.operator_pairing import OperatorPair, match_operators, skeleton
from keepstate.diff.operators.aggregations import AggregationDiff
from keepstate.diff.operators.inputs import input_changes
from keepstate.diff.operators.joined_rows import JoinedRowDiff
from keepstate.diff.operators.joins import JoinDiff
from keepstate.diff.operators.ordering import OrderingDiff
from keepstate.diff.operators.overs import OverDiff
from keepstate.diff.operators.patterns import PatternDiff
from keepstate.diff.operators.ranked_rows import RankedRowDiff, changes_at_window_top_n
from keepstate.diff.operators.ranks import RankDiff, window_below
from keepstate.diff.operators.reference_changes import RenamedReferences
from keepstate.diff.operators.set_operations import SetOperationDiff
from keepstate.diff.operators.unions import unmatched_inputs, with_common_inputs
from keepstate.diff.operators.windows import rows_read, session_row_changes
from keepstate.diff.query_kinds import operator_kind
from keepstate.diff.unpaired import UnpairedDiff
from keepstate.plan.expressions import AggregateCall, Expr, Literal, RankNumber, WindowField
from keepstate.plan.job import Pipeline, Plan
from keepstate.plan.operators import (
    Aggregate,
    AggregatedSubquery,
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
    Unsupported,
    Values,
)
from keepstate.plan.operators import Match as PatternMatch
from keepstate.plan.provenance import Place
from keepstate.state.clauses import clause_words
from keepstate.syntax.namespace import display_name
from keepstate.text import Span


@dataclass(frozen=True)
class PipelineDiff:
    """Differences between two versions of one pipeline.

    ``modified`` is true for any difference that is more than another spelling or a stateless expression over columns
    that the query has anyway (spec section 5). Some verdicts depend on the existence of a modification.
    """

    baseline: Pipeline
    current: Pipeline
    changes: tuple[Change, ...] = field(default=())
    modified: bool = False

    @property
    def group_windows(self) -> tuple[GroupWindowAggregate, ...]:
        """The legacy group windows of the current version, or of the baseline where it has none."""
        for pipeline in (self.current, self.baseline):
            windows = tuple(op for op in pipeline.plan.operators if isinstance(op, GroupWindowAggregate))
            if windows:
                return windows
        return ()


def compare_pipelines(baseline: Pipeline, current: Pipeline, locator: Locator) -> PipelineDiff:
    """All changes of a pipeline, bottom-up.

    >>> from keepstate.diff.text_alignment import Counterparts
    >>> from keepstate.job_version import JobVersion, job_of
    >>> texts = (f"SELECT b, {call} FROM t GROUP BY b" for call in ("SUM(a)", "MAX(a)"))
    >>> was, now = (job_of(JobVersion(text)).pipelines[0] for text in texts)
    >>> compare_pipelines(was, now, Locator(Counterparts({}, {}))).modified
    True
    """
    baseline_plan, current_plan = baseline.plan, current.plan
    if baseline_plan == current_plan or baseline_plan.with_fixed_columns() == current_plan.with_fixed_columns():
        return PipelineDiff(baseline, current)
    # A branch that came or went is a change of its own. Every operator above the union would differ by it as well.
    was, now = with_common_inputs(baseline_plan, current_plan)
    comparison = _Comparison(was, now, locator, _whole(current))
    references = RenamedReferences(baseline, current, locator.counterparts)
    changes = tuple(map(references.located, comparison.changes()))
    modified = bool(changes) or _reads(baseline_plan) != _reads(current_plan)
    if modified:
        changes = (*comparison.kept_features(), *changes)
    return PipelineDiff(baseline, current, changes, modified)


@dataclass(frozen=True)
class _Comparison:
    baseline: Plan
    current: Plan
    locator: Locator
    whole: Place

    @cached_property
    def _matches(self) -> tuple[OperatorPair, ...]:
        return match_operators(self.baseline.root, self.current.root)

    def changes(self) -> tuple[Change, ...]:
        result: list[Change] = []
        # From the bottom up, as they were matched: a stored row is judged by the changes of what gives its columns.
        for match in self._matches:
            own = list(self._of_match(match))
            if isinstance(match.baseline, Rank) and isinstance(match.current, Rank):
                rows = RankedRowDiff(match.baseline, match.current, self.baseline, self.current, self.locator)
                result = list(self._with_upsert_key(rows, match, result))
                own += self._of_ranked_rows(rows, match, result, own)
            elif (ordering := self._ordering(match)) is not None:
                own += self._of_ordered_rows(ordering, match, result, own)
            elif isinstance(match.baseline, Join) and isinstance(match.current, Join):
                own += self._of_joined_rows(match.baseline, match.current, result, own)
            result += [self._found_at(match, change) for change in own]
        result += session_row_changes(self.baseline, self.current, self.locator)
        return tuple(result) or tuple(self._read_through_unsupported())

    def _read_through_unsupported(self) -> Iterator[Change]:
        """Yield a construct that is not analysed and did not change, if other columns or rows are read through it:
        whether it stores them is not known.
        """
        if rows_read(self.baseline) == rows_read(self.current):
            return
        former = {operator: operator for operator in self.baseline.operators if type(operator) is Unsupported}
        for operator in self.current.operators:
            if type(operator) is Unsupported and operator in former:
                yield self._found_at(
                    OperatorPair(former[operator], operator), self._unsupported(former[operator], operator)
                )

    def _found_at(self, match: OperatorPair, change: Change) -> Change:
        was, now = match.baseline, match.current
        return replace(change, operators=(was.number if was else None, now.number if now else None))

    def kept_features(self) -> Iterator[Change]:
        """Features of aggregations that did not change themselves: they speak once anything in the pipeline did."""
        baseline_aggregates = [
            operator for operator in self.baseline.operators if isinstance(operator, (Aggregate, OverAggregate))
        ]
        for current in self.current.operators:
            baseline = next((operator for operator in baseline_aggregates if operator == current), None)
            if isinstance(baseline, OverAggregate) and isinstance(current, OverAggregate):
                over = OverDiff(baseline, current, self.baseline, self.current, self.locator)
                yield from (self._found_at(OperatorPair(baseline, current), change) for change in over.features())
            elif isinstance(baseline, Aggregate) and isinstance(current, Aggregate):
                diff = AggregationDiff(baseline, current, self.baseline, self.current, self.locator)
                features = [
                    *diff.features(),
                    *input_changes(baseline, current, diff.query, self.locator, current.place),
                ]
                match = OperatorPair(baseline, current)
                yield from (self._found_at(match, change) for change in features)
                for rank in self.current.operators:
                    if isinstance(rank, Rank) and current in rank.walk():
                        yield from (self._found_at(match, change) for change in changes_at_window_top_n(features, rank))

    def _of_ranked_rows(
        self, rows: RankedRowDiff, match: OperatorPair, lower_changes: list[Change], own: list[Change]
    ) -> Iterator[Change]:
        """Yield the differences of the rows that a ranking stores: its own, and those that changes below cause."""
        below = self._given_by(rows.baseline, rows.current, lower_changes)
        row_changes = list(rows.changes(below))
        yield from row_changes
        # A difference without any explanation must not pass in silence.
        if rows.differ() and not (row_changes or own or below):
            yield self._not_judged(rows.baseline, rows.current)

    def _with_upsert_key(
        self, rows: RankedRowDiff, match: OperatorPair, lower_changes: list[Change]
    ) -> Iterator[Change]:
        """Yield the changes in ``lower_changes``. Before a change of a key by which a ranking stores its rows, yield
        its cost there.
        """
        below = self._given_by(rows.baseline, rows.current, lower_changes)
        for change in lower_changes:
            key = rows.upsert_key_change(change) if change in below else None
            if key is None:
                yield change
            else:
                yield self._found_at(match, key)
                yield replace(change, current=key.current, baseline=key.baseline)

    def _given_by(self, baseline: Operator, current: Operator, lower_changes: list[Change]) -> list[Change]:
        """The changes of the operators whose columns reach ``baseline`` and ``current``."""
        baseline_numbers, current_numbers = (
            {operator.number for operator in _giving(top)} for top in (baseline, current)
        )
        return [
            change
            for change in lower_changes
            if change.operators[0] in baseline_numbers or change.operators[1] in current_numbers
        ]

    def _ordering(self, match: OperatorPair) -> OrderingDiff | None:
        was, now = match.baseline, match.current
        if not isinstance(was, (TemporalSort, Limit)) or not isinstance(now, (TemporalSort, Limit)):
            return None
        return OrderingDiff(was, now, self.baseline, self.current, self.locator)

    def _of_ordered_rows(
        self, ordering: OrderingDiff, match: OperatorPair, lower_changes: list[Change], own: list[Change]
    ) -> Iterator[Change]:
        """Yield the effects of changes below a sort or a limit on its stored rows."""
        below = self._found_below(ordering.baseline, ordering.current, lower_changes)
        row_changes = list(ordering.row_changes_below(below))
        yield from row_changes
        if ordering.rows_differ() and not (below or row_changes or own):
            yield self._not_judged(ordering.baseline, ordering.current)

    def _of_joined_rows(
        self, baseline: Join, current: Join, lower_changes: list[Change], own: list[Change]
    ) -> Iterator[Change]:
        """Yield the columns added to and removed from the rows that a join stores, and the effects of changes below the
        join on the rows.
        """
        joins = JoinDiff(baseline, current, self.locator)
        come = frozenset(match.current.number for match in self._matches if match.current and match.baseline is None)
        rows = JoinedRowDiff(joins, self.baseline, self.current, self.locator, come)
        below = self._found_below(baseline, current, lower_changes)
        row_changes = list(rows.changes(below))
        yield from row_changes
        if below or row_changes or own:
            return
        if joins.is_of_other_class:
            yield joins.other_class()
        elif rows.differ:
            yield self._not_judged(baseline, current)

    def _found_below(self, baseline: Operator, current: Operator, lower_changes: list[Change]) -> list[Change]:
        """The changes that were found at operators below these two."""
        baseline_numbers, current_numbers = (
            {operator.number for operator in top.walk()} for top in (baseline, current)
        )
        return [
            change
            for change in lower_changes
            if change.operators[0] in baseline_numbers or change.operators[1] in current_numbers
        ]

    def _is_other_syntax(self) -> bool:
        """Return whether legacy windows became table-valued functions or the reverse: then the kind of a rank above
        changes too.
        """
        kinds = [
            {type(operator) for operator in plan.operators if isinstance(operator, Aggregate)}
            for plan in (self.baseline, self.current)
        ]
        return sum(GroupWindowAggregate in side for side in kinds) == 1

    def _of_match(self, match: OperatorPair) -> Iterator[Change]:
        if match.baseline is not None and match.current is not None:
            yield from self._of_pair(match.baseline, match.current)
        else:
            yield from self._unpaired.changes(match)

    @cached_property
    def _moved_scans(self) -> frozenset[int]:
        """Return the numbers of scans below joins with other inputs, of tables that the baseline reads as well."""
        joins = (
            match.current
            for match in self._matches
            if isinstance(match.baseline, Join)
            and isinstance(match.current, Join)
            and JoinDiff(match.baseline, match.current, self.locator).takes_other_inputs
        )
        scans = (node for join in joins for node in join.walk() if isinstance(node, TableSourceScan))
        return frozenset(scan.number for scan in scans if scan.table in self.baseline.sources)

    @cached_property
    def _unpaired(self) -> UnpairedDiff:
        return UnpairedDiff(self._matches, self.baseline, self.current, self.locator, self.whole)

    def _of_pair(self, baseline: Operator, current: Operator) -> Iterator[Change]:
        if baseline == current:
            return
        own: list[Change] = []
        query = operator_kind(baseline)
        match baseline, current:
            case TableSourceScan(), TableSourceScan():
                if current.number in self._moved_scans:
                    return
                yield Change(
                    ChangeKind.SOURCE_RENAMED,
                    QueryKind.JOB,
                    current.place,
                    baseline.place,
                    subject="source table",
                    baseline_text=display_name(baseline.table),
                    current_text=display_name(current.table),
                )
                return
            case AggregatedSubquery(), AggregatedSubquery() if _asks_alike(baseline, current):
                # Its rows are those of a join.
                query = QueryKind.REGULAR_JOIN
            case Unsupported(), _:
                yield self._unsupported(baseline, current)
                return
            case Aggregate(), Aggregate():
                diff = AggregationDiff(baseline, current, self.baseline, self.current, self.locator)
                query = diff.query
                own += diff.changes()
            case OverAggregate(), OverAggregate():
                own += OverDiff(baseline, current, self.baseline, self.current, self.locator).changes()
            case PatternMatch(), PatternMatch():
                own += PatternDiff.of(baseline, current, self.locator).changes()
            case Rank(), Rank():
                own += RankDiff(baseline, current, self.locator).changes()
            case TemporalSort() | Limit(), TemporalSort() | Limit():
                own += OrderingDiff(baseline, current, self.baseline, self.current, self.locator).changes()
            case Join(), Join():
                joins = JoinDiff(baseline, current, self.locator)
                if joins.takes_other_inputs:
                    yield from joins.changes()
                    was, now = joins.same_inputs
                    yield from map(window_below, input_changes(was, now, query, self.locator, current.place))
                    return
                own += joins.changes()
            case SetOperation(), SetOperation():
                own += SetOperationDiff(baseline, current, self.locator).changes()
        own += map(window_below, input_changes(baseline, current, query, self.locator, current.place))
        # Equal operators returned above. What no detector explains is said to be undecided, rather than nothing.
        if not own and self._differ(baseline, current):
            own.append(self._not_judged(baseline, current))
        yield from own

    def _differ(self, baseline: Operator, current: Operator) -> bool:
        """Return whether two operators differ in themselves, or in how their inputs are combined."""
        if isinstance(baseline, Rank) and isinstance(current, Rank):
            # The stored row follows from what is below; see _of_ranked_rows.
            baseline, current = replace(baseline, row=()), replace(current, row=())
            if self._is_other_syntax():
                return False
        if isinstance(baseline, (TemporalSort, Limit)) and isinstance(current, (TemporalSort, Limit)):
            # Likewise; see _of_ordered_rows.
            baseline, current = replace(baseline, row=()), replace(current, row=())
        if isinstance(baseline, PatternMatch) and isinstance(current, PatternMatch):
            # A column of the same type that nothing reads may be computed in any way.
            baseline, current = replace(baseline, row=()), replace(current, row=())
        if isinstance(baseline, Join) and isinstance(current, Join):
            # Likewise; see _of_joined_rows.
            if type(baseline) is not type(current):
                return False
            baseline, current = _without_rows(baseline), _without_rows(current)
        # An input that came without a change of its own, as constant rows do, would otherwise leave no trace here.
        inputs = (*baseline.walk(), *current.walk())
        return _bare(baseline) != _bare(current) or any(input_ in inputs for input_ in self._unreported_inputs)

    @cached_property
    def _unreported_inputs(self) -> tuple[Operator, ...]:
        """Inputs of unions that came or went without a change of their sources or their state, as constant rows do."""
        changed_operators = {
            operator
            for match in self._matches
            if match.baseline != match.current
            for operator in (match.baseline, match.current)
        }
        inputs = (input_ for input_, _ in unmatched_inputs(self.baseline, self.current))
        return tuple(
            input_ for input_ in inputs if changed_operators.isdisjoint(node.operator for node in skeleton(input_))
        )

    def _not_judged(self, baseline: Operator, current: Operator) -> Change:
        return Change(
            ChangeKind.CHANGE_NOT_JUDGED,
            operator_kind(current),
            current.place or self.whole,
            baseline.place,
            subject=clause_words(current.title),
        )

    def _unsupported(self, baseline: Unsupported, current: Operator) -> Change:
        return Change(
            ChangeKind.CONSTRUCT_NOT_SUPPORTED,
            QueryKind.JOB,
            current.place or self.whole,
            baseline.place,
            subject=baseline.construct,
        )


def _giving(operator: Operator) -> Iterator[Operator]:
    """``operator`` and those whose columns reach it: below an aggregation there are none."""
    yield operator
    for child in operator.inputs if not isinstance(operator, Aggregate) else ():
        yield from _giving(child)


def _asks_alike(baseline: AggregatedSubquery, current: AggregatedSubquery) -> bool:
    """Return whether two queries in expressions differ in nothing but their rows."""
    return (baseline.construct, baseline.tokens) == (current.construct, current.tokens)


def _without_rows(join: Join) -> Join:
    return replace(join, left_row=(), right_row=())


def _bare(operator: Operator) -> Operator:
    return operator.with_inputs(tuple(Values() for _ in operator.inputs))


def _whole(pipeline: Pipeline) -> Place:
    parsed = pipeline.statement
    return Place(parsed, Span(0, len(parsed.text)))


def _reads(plan: Plan) -> tuple[object, ...]:
    """Return the state that each output column reads. Expressions around that state keep none of their own."""
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
