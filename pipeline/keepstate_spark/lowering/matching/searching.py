"""The search for matches among the rows of one partition, sorted by time.

Runs of the automaton follow the rows in parallel. A complete match waits while a run with an earlier first row is
alive; then it is sent out, and AFTER MATCH SKIP removes runs and waiting matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from keepstate_spark.lowering.matching.automaton import FINAL, Automaton, Edge
from keepstate_spark.lowering.matching.waiting import NEVER, PartialMatch, PartialMatchQueue

Condition = Callable[[int, tuple[int, ...], int], bool]
"""Return whether a variable takes a row: the number of the variable, the begins of a run, the row."""


class Skip(NamedTuple):
    """The row at which the search goes on behind a match: ``word`` is ``PAST``, ``NEXT``, or ``FIRST`` or ``LAST``
    with a ``variable``.
    """

    word: str
    variable: int = 0
    name: str = ""


class PatternMatch(NamedTuple):
    """A match: ``begins`` has the first row of each variable, and the row behind the match. ``emit_row`` is the row at
    which it was sent out; ``None`` if it waited for a time to pass.
    """

    begins: tuple[int, ...]
    emit_row: int | None


class SkipError(Exception):
    """Error of a match behind which the search cannot go on, at which Flink stops as well."""


class Search:
    """A search in one partition; ``within`` are the milliseconds of WITHIN, 0 for none. In batch mode (``is_batch``) no
    watermark passes between the rows.
    """

    def __init__(
        self, automaton: Automaton, variables: int, condition: Condition, within: int, skip: Skip, is_batch: bool
    ) -> None:
        self._edges = automaton.edges
        self._variables = variables
        self._condition = condition
        self._within = within
        self._skip = skip
        self._is_batch = is_batch
        self._start = PartialMatch(automaton.start, NEVER, ())
        self._partial = PartialMatchQueue()
        self._partial.add(self._start)
        self._complete = PartialMatchQueue()

    def matches(self, times: Sequence[int]) -> Iterator[PatternMatch]:
        """Yield the matches among rows with these ``times``, in the order in which they are sent out."""
        last: int | None = None
        for row, time in enumerate(times):
            if self._within and time != last:
                self._let_pass(time, times)
                # In a stream it may be a watermark that ends the wait.
                yield from self._emit(row if self._is_batch else None)
                last = time
            yield from self._of_row(row)
        if self._within:
            self._let_pass(None, times)
            yield from self._emit(None)

    def _let_pass(self, time: int | None, times: Sequence[int]) -> None:
        """Let the time pass up to ``time``, or to the end of all times: runs that are too long end."""
        earliest = self._partial.top()
        while earliest is not None and earliest.first != NEVER:
            if time is not None and time - times[earliest.first] < self._within:
                break
            self._partial.keep(earliest.first + 1)
            earliest = self._partial.top()

    def _of_row(self, row: int) -> Iterator[PatternMatch]:
        following, complete = PartialMatchQueue(), PartialMatchQueue()
        for run in self._partial:
            for step in self._steps(run, row):
                if step.state == FINAL:
                    complete.add(step)
                else:
                    following.add(step)
        self._partial = following
        for run in complete:
            self._complete.add(run)
        yield from self._emit(row)

    def _emit(self, row: int | None) -> Iterator[PatternMatch]:
        """Yield the complete matches for which no earlier run is alive."""
        while (match := self._complete.top()) is not None:
            earliest = self._partial.top()
            if earliest is not None and match.first > earliest.first:
                return
            self._complete.take()
            begin = self._next_row(match.begins)
            for runs in (self._partial, self._complete):
                runs.keep(begin)
            yield PatternMatch(match.begins, row)

    def _next_row(self, begins: tuple[int, ...]) -> int:
        """Return the first row at which another match may begin."""
        if self._skip.word == "PAST":
            return begins[-1]
        if self._skip.word == "NEXT":
            return begins[0] + 1
        first, end = begins[self._skip.variable : self._skip.variable + 2]
        row = first if self._skip.word == "FIRST" else end - 1
        if first == end:
            raise SkipError(f"AFTER MATCH SKIP TO {self._skip.name}: the match has no such row, at which Flink stops.")
        if row == begins[0]:
            raise SkipError(
                f"AFTER MATCH SKIP TO {self._skip.name} leads to the first row of the match, at which Flink stops."
            )
        return row

    def _steps(self, run: PartialMatch, row: int) -> Iterator[PartialMatch]:
        """Yield the runs that ``run`` goes on as with ``row``, complete matches among them."""
        for edge in self._open(run.state, run.begins, row):
            assert edge.takes is not None
            begun = len(run.begins)
            begins = run.begins + (row,) * (edge.takes + 1 - begun)
            first = row if run.first == NEVER else run.first
            yield self._run(edge.target, first, begins, row)
            if edge.target != FINAL and self._ends_at(edge.target, run.begins, row):
                yield self._run(FINAL, first, begins, row)
        if run.first == NEVER:
            yield run

    def _run(self, state: int, first: int, begins: tuple[int, ...], row: int) -> PartialMatch:
        if state == FINAL:
            begins += (row + 1,) * (self._variables + 1 - len(begins))
        return PartialMatch(state, first, begins)

    def _open(self, state: int, begins: tuple[int, ...], row: int) -> Iterator[Edge]:
        """Yield the edges that take ``row``, of the state and of those that are reached without a row."""
        pending = [state]
        while pending:
            for edge in self._edges[pending.pop()]:
                if self._is_open(edge, begins, row):
                    if edge.takes is None:
                        pending.append(edge.target)
                    else:
                        yield edge

    def _ends_at(self, state: int, begins: tuple[int, ...], row: int) -> bool:
        """Return whether the end is reached from ``state`` without a further row."""
        pending = [state]
        while pending:
            for edge in self._edges[pending.pop()]:
                if edge.takes is None and self._is_open(edge, begins, row):
                    if edge.target == FINAL:
                        return True
                    pending.append(edge.target)
        return False

    def _is_open(self, edge: Edge, begins: tuple[int, ...], row: int) -> bool:
        if edge.takes is not None and not self._condition(edge.takes, begins, row):
            return False
        return not any(self._condition(variable, begins, row) for variable in edge.unless)
