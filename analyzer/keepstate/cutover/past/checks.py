"""Checks of a plan's conditions with the rows of the past: each one is held or broken by them, or not shown."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from keepstate.cutover.cutover_plan import Assumption, CutoverPlan
from keepstate.cutover.past.row_facts import RowOccurrences, TableFacts
from keepstate.cutover.times import moment_words, rough_words


class Status(Enum):
    """The outcome of a check."""

    HELD = "held"
    """All rows keep the condition."""
    BROKEN = "broken"
    """A row breaks the condition."""
    NOT_CHECKED = "not checked"
    """The rows do not show it."""


@dataclass(frozen=True)
class Check:
    """The outcome for one condition. ``words`` say why; ``row`` is the number of the row that breaks it, if a
    single one does.
    """

    assumption: Assumption
    status: Status
    words: str
    row: int | None = None


@dataclass(frozen=True)
class Past:
    """The facts about all tables with rows, by the names that the plan has for them."""

    tables: Mapping[str, TableFacts]

    def of(self, table: str) -> TableFacts | None:
        """The facts about a table. One of the same last name in another database is another table.

        >>> past = Past({"d1.orders": TableFacts("d1.orders", 1, True)})
        >>> past.of("d1.orders").rows, past.of("d2.orders")
        (1, None)
        """
        return self.tables.get(table)


def checks_of(plan: CutoverPlan, past: Past) -> tuple[Check, ...]:
    """The checks of all conditions of a plan, in their order.

    >>> from array import array
    >>> from keepstate.cutover.cutover_plan import Approach
    >>> condition = Assumption("lateness", "t: no row comes more than 5 seconds behind a later one.", "t", 5_000)
    >>> plan = CutoverPlan((), Approach.BOUNDARY, assumptions=(condition,))
    >>> facts = TableFacts("t", 9, True, times=array("q", [0]), late=RowOccurrences(1, 7, 8_000))
    >>> [(check.status.value, check.words) for check in checks_of(plan, Past({"t": facts}))]
    [('broken', 'row 7 comes 8 seconds behind a later one')]
    """
    return tuple(_check(assumption, plan, past) for assumption in plan.assumptions)


_Found = tuple[Status, str, "int | None"]
_Checker = Callable[[Assumption, TableFacts, CutoverPlan], _Found]


def _check(assumption: Assumption, plan: CutoverPlan, past: Past) -> Check:
    if assumption.check == "sessions":
        return Check(assumption, *_sessions(assumption, plan, past))
    if assumption.check == "zone":
        return Check(assumption, *_zone(plan, past))
    checker = _CHECKERS.get(assumption.check)
    if checker is None:
        return Check(assumption, Status.NOT_CHECKED, _UNSEEN.get(assumption.check, "rows do not show it"))
    facts = past.of(assumption.table)
    if facts is None:
        return Check(assumption, Status.NOT_CHECKED, f"no rows of {assumption.table} are given")
    return Check(assumption, *checker(assumption, facts, plan))


_NEXT_ZONE = 900_000
"""The smallest difference between two time zones, in milliseconds."""
_UNSEEN = {
    "functions": "rows do not show what a function gives",
    "other-source": "rows do not show the place that they come from",
    "bound": "rows do not show where the source ends",
}
"""Conditions that no rows show."""


def _untimed(facts: TableFacts) -> str:
    """The reason why the rows of a table show no times; empty where they do."""
    if not facts.is_timed:
        return "the script computes its event time, so the rows do not have it"
    return "" if facts.times else "no row has an event time"


def _none(words: str) -> _Found:
    return Status.NOT_CHECKED, words, None


def _held_up_to(observation: RowOccurrences, most: int, held: str, broken: str) -> _Found:
    """Held where no row has more than ``most``; ``{row}`` and ``{by}`` in the words are those of the worst row."""
    if observation.by <= most:
        return Status.HELD, held.format(by=rough_words(observation.by)), None
    return Status.BROKEN, broken.format(row=observation.row, by=rough_words(observation.by)), observation.row


def _record_time(assumption: Assumption, facts: TableFacts, plan: CutoverPlan) -> _Found:
    if reason := _untimed(facts):
        return _none(reason)
    if facts.nearest is None:
        return _none("the rows do not have the timestamps of their records (a column METADATA FROM 'timestamp')")
    words = "row {row} has a timestamp {by} before its event time"
    return _held_up_to(facts.ahead, assumption.length, "at most {by} before", words)


def _lateness(assumption: Assumption, facts: TableFacts, plan: CutoverPlan) -> _Found:
    if reason := _untimed(facts):
        return _none(reason)
    if not facts.late.count:
        return Status.HELD, f"at most {rough_words(facts.behind.by)} behind", None
    return Status.BROKEN, f"row {facts.late.row} comes {rough_words(facts.late.by)} behind a later one", facts.late.row


def _idle(assumption: Assumption, facts: TableFacts, plan: CutoverPlan) -> _Found:
    if reason := _untimed(facts):
        return _none(reason)
    if not facts.partitions:
        return _none("the rows do not have the partitions of their records (a column METADATA FROM 'partition')")
    words = "row {row} comes after its partition was quiet for {by}"
    if facts.ended.by > facts.quiet.by:
        words = "nothing follows row {row} in its partition, while others go on for {by}"
    longest = max(facts.quiet, facts.ended, key=lambda fact: fact.by)
    text = f"{facts.partitions} partition{'' if facts.partitions == 1 else 's'}, quiet for {{by}} at most"
    return _held_up_to(longest, assumption.length, text, words)


def _retention(assumption: Assumption, facts: TableFacts, plan: CutoverPlan) -> _Found:
    if facts.first is None or facts.last is None:
        return _none(_untimed(facts))
    starts = [each.millis for each in plan.positions if each.table == assumption.table and each.millis is not None]
    if not starts:
        return _none("the start is set by hand")
    start = min(starts)
    if facts.last < start:
        # Rows of another time show nothing about what the source still has.
        return _none(f"the rows end at {moment_words(facts.last)}, before the start")
    begins = f"the rows begin at {moment_words(facts.first)}"
    if facts.first <= start:
        return Status.HELD, begins, None
    return Status.BROKEN, f"{begins}, {rough_words(facts.first - start)} after the start", None


def _whole_history(assumption: Assumption, facts: TableFacts, plan: CutoverPlan) -> _Found:
    if facts.first is None:
        return _none("rows do not show when the job began")
    return _none(f"rows do not show when the job began; they begin at {moment_words(facts.first)}")


def _history(assumption: Assumption, facts: TableFacts, plan: CutoverPlan) -> _Found:
    boundary = plan.boundary_epoch or 0
    if facts.first is None or facts.last is None:
        return _none(_untimed(facts))
    if facts.first >= boundary:
        return Status.BROKEN, f"the rows begin at {moment_words(facts.first)}, and none of them is former", None
    if facts.last < boundary:
        return _none(f"the rows end at {moment_words(facts.last)}, before that time")
    begins = f"rows do not show when the job began; they begin at {moment_words(facts.first)}"
    return _none(f"{begins}, and come {rough_words(facts.behind.by)} late at most")


def _nulls(observation: RowOccurrences, column: str) -> _Found:
    if not observation.count:
        return Status.HELD, "no NULL in the rows", None
    more = f", and {observation.count - 1} more" if observation.count > 1 else ""
    return Status.BROKEN, f"row {observation.row} has no {column}{more}", observation.row


def _no_null_time(assumption: Assumption, facts: TableFacts, plan: CutoverPlan) -> _Found:
    return _nulls(facts.untimed, "event time") if facts.is_timed else _none(_untimed(facts))


def _keys(assumption: Assumption, facts: TableFacts, plan: CutoverPlan) -> _Found:
    return _nulls(facts.nulls.get(assumption.column, RowOccurrences()), assumption.column)


_CHECKERS: Mapping[str, _Checker] = {
    "record-time": _record_time,
    "lateness": _lateness,
    "idle": _idle,
    "retention": _retention,
    "whole-history": _whole_history,
    "history": _history,
    "no-null-time": _no_null_time,
    "keys": _keys,
}


def _zone(plan: CutoverPlan, past: Past) -> _Found:
    """Times of another zone are a quarter of an hour or more away from the timestamps of their records."""
    tables = [past.of(source.table) for source in plan.sources if not source.is_local]
    near = [None if facts is None else facts.nearest for facts in tables]
    distances = [distance for distance in near if distance is not None]
    if not distances or len(distances) < len(near):
        return _none("the rows do not have the timestamps of their records (a column METADATA FROM 'timestamp')")
    worst = max(distances)
    if worst >= _NEXT_ZONE:
        return _none(f"event times are {rough_words(worst)} or more away from the timestamps of their records")
    return Status.HELD, f"an event time is {rough_words(worst)} away from the timestamp of its record", None


def _sessions(assumption: Assumption, plan: CutoverPlan, past: Past) -> _Found:
    """Sessions of any key around the boundary: none is open where no row came for the length of a gap."""
    tables = [past.of(each.table) for each in plan.positions]
    known_facts = [facts for facts in tables if facts is not None and facts.times]
    if not known_facts or len(known_facts) < len(tables):
        return _none("not all tables have rows with event times")
    boundary, gap = plan.boundary_epoch or 0, assumption.length
    times = (
        known_facts[0].times if len(known_facts) == 1 else sorted(time for facts in known_facts for time in facts.times)
    )
    quiet = _last_quiet(times, gap)
    hint = "no time in the rows is without an open session"
    if quiet is not None:
        hint = f"the last time without one was after {moment_words(quiet[0])}, until {moment_words(quiet[1])}"
    ended = min(facts.times[-1] for facts in known_facts)
    if ended < boundary:
        return _none(f"the rows end at {moment_words(ended)}; {hint}")
    place = bisect_left(times, boundary)
    if place and times[place - 1] >= boundary - gap:
        return Status.BROKEN, f"a session is open at the boundary; {hint}", None
    begun = max(facts.times[0] for facts in known_facts)
    if begun >= boundary - gap:
        return _none(f"the rows begin at {moment_words(begun)}, too late to show what is open at the boundary")
    return Status.HELD, f"no row came for {rough_words(gap)} before the boundary", None


def _last_quiet(times: Sequence[int], gap: int) -> tuple[int, int] | None:
    """The last time between rows in which no session is open: its begin and its end."""
    for place in range(len(times) - 1, 0, -1):
        if times[place] - times[place - 1] > gap:
            return times[place - 1] + gap, times[place]
    return None
