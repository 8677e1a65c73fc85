"""Plans to be proved: the sets of rows and the boundaries of their trials, whichever engine runs them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from keepstate.cutover.cutover_plan import Approach, CutoverPlan, Share
from keepstate.cutover.table_names import last_name
from keepstate.cutover.times import Order
from keepstate_flink.errors import NotRunnable
from keepstate_flink.handovers.timed_rows import TimedTable, TrialBoundary, disordered
from keepstate_flink.row_files import given_records, rows_of_files
from keepstate_flink.script_pair_rows import made_rows
from keepstate_lsp.cli.commands.cutover.named_plan import NotRun, Proof, Runner, Trial
from keepstate_lsp.cli.commands.verify.measuring import declared_types

if TYPE_CHECKING:
    from keepstate import JobVersion
    from keepstate_flink.restarts import RowsOf

_PLACES = (0.45, 0.75)
"""The boundaries of the trials, as parts of the time that the rows take."""
_NO_BOUNDARY = "The rows have no boundary in their midst."

PlanAt = Callable[[int], CutoverPlan]
"""The plan for a boundary."""


@dataclass(frozen=True)
class ProofCase:
    """A plan to be run: ``plan_at`` makes the same plan for other boundaries, which the rows have."""

    plan: CutoverPlan
    plan_at: PlanAt
    current: JobVersion
    baseline: JobVersion
    zone: tzinfo

    @property
    def timed_tables(self) -> Mapping[str, TimedTable]:
        """The event time of each source by its last name, where it is among the rows."""
        return {
            last_name(source.table): TimedTable(source.column, source.delay)
            for source in self.plan.sources
            if source.column is not None and source.delay is not None
        }

    def sinks(self, share: Share) -> frozenset[str]:
        """The sinks, by their last names, into which the new job writes this share of the results."""
        moves = (each for each in self.plan.pipelines if each.approach is not Approach.RESTART)
        return frozenset(last_name(each.sink) for each in moves if each.share is share)

    def boundary(self, watermarks: Sequence[int]) -> TrialBoundary | None:
        """A boundary at the last of some watermarks: the end of windows of both versions, where one is near enough."""
        if not watermarks:
            return None
        last = watermarks[-1]
        plan = self.plan_at(last)
        # A row comes out at its time, a window at its last millisecond.
        by_rows = any(each.order is Order.ROW_TIME for each in plan.pipelines)
        anywhere = TrialBoundary(last, last if by_rows else last + 1)
        if plan.at_any_time or not plan.ends:
            return anywhere
        common = plan.ends[0]
        for ends in plan.ends[1:]:
            grid = common.common(ends)
            if grid is None:
                return anywhere
            common = grid
        wall = common.at_or_before(last + 1)
        end = next((watermark for watermark in watermarks if watermark >= wall - 1), last)
        if any(ends.at_or_before(end + 1) > wall for ends in plan.ends):
            return anywhere
        return TrialBoundary(end, wall)

    def boundaries(self, watermarks: Sequence[int], places: Sequence[float]) -> Iterator[TrialBoundary]:
        """Boundaries at some places of the rows, each once."""
        boundaries = (self.boundary(watermarks[: int(len(watermarks) * place) + 1]) for place in places)
        yield from dict.fromkeys(each for each in boundaries if each is not None)


class Trials(Protocol):
    """An engine that runs the trials of one plan."""

    def at_boundary(self, words: str, rows: RowsOf, places: Sequence[float]) -> Iterator[Trial]:
        """The trials of a boundary at some places of the rows.

        Raises:
            NotRunnable: a job does not run.
        """

    def computed(self, words: str, rows: RowsOf) -> Iterator[Trial]:
        """The trial of a computed state.

        Raises:
            NotRunnable: a job does not run.
        """


def obstacle(case: ProofCase) -> str:
    """The reason against a proof of the plan, whatever its rows; empty if there is none."""
    if case.plan.approach is Approach.REPLAY:
        return "The new job reads all rows: there is nothing to hold its results against."
    counts = Counter(last_name(each.table) for each in case.plan.sources)
    alike = sorted(name for name, count in counts.items() if count > 1)
    return f"Several tables have the last name {alike[0]}, by which rows are handed out." if alike else ""


def proved(case: ProofCase, data: Sequence[tuple[str, str]], trials: Trials, runner: Runner, most: int | None) -> Proof:
    """The trials of a plan with ``data``, or with ``most`` sets of generated rows (``None``: all)."""
    results: list[Trial] = []
    not_run: list[NotRun] = []
    at_boundary = case.plan.approach is Approach.BOUNDARY
    for number, (words, rows) in enumerate(islice(_row_sets(case, data), most)):
        # Of generated rows there are several sets, of given ones a single one.
        places = _PLACES if data else (_PLACES[number % len(_PLACES)],)
        before = len(results)
        try:
            results += trials.at_boundary(words, rows, places) if at_boundary else trials.computed(words, rows)
        except NotRunnable as error:
            not_run.append(NotRun(words, error.sentence))
        else:
            if len(results) == before:
                not_run.append(NotRun(words, _NO_BOUNDARY))
    reason = "" if results or not not_run else not_run[-1].reason
    return Proof(runner, tuple(results), reason, tuple(not_run))


def _row_sets(case: ProofCase, data: Sequence[tuple[str, str]]) -> Iterator[tuple[str, RowsOf]]:
    baseline, current = case.baseline, case.current
    generated = made_rows(baseline.text, current.text, (declared_types(baseline), declared_types(current)))
    if data:
        records = given_records({last_name(table): Path(path) for table, path in data})
        yield "given rows", rows_of_files(records, generated[0])
        return
    # Of two sources, the row that comes too late depends on which of them is ahead: no two runs are alike.
    alone = len(case.plan.sources) == 1
    for number, rows in enumerate(generated, 1):
        yield f"generated rows {number}", disordered(rows) if alone else rows
