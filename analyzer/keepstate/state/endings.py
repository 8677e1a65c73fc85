"""End of the results that a state makes wrong or incomplete: by windows, intervals and times to live of the query.

The state of an operator ends by itself, or after a time to live, or never. What is wrong in it is over when the last
state that the operator gives rows to has ended as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from keepstate.plan.duration_words import duration_words
from keepstate.plan.job import Plan
from keepstate.plan.metadata.time_to_live import FOR_EVER, times_to_live
from keepstate.plan.operators import (
    IntervalJoin,
    Match,
    Operator,
    OverAggregate,
    TemporalSort,
    Window,
    WindowJoin,
    WindowRank,
)
from keepstate.plan.parameters import STATE_TTL
from keepstate.plan.settings import Settings
from keepstate.state.clauses import window_words


@dataclass(frozen=True)
class Ending:
    """End of a state. ``order`` is 0 where it ends by itself, 1 after a time to live, 2 where nothing ends it."""

    order: int
    wrong: str
    """The sentence about results that are wrong until then."""
    empty: str
    """The sentence about results of a state that began empty."""


def endings(plan: Plan, number: int | None, settings: Settings) -> tuple[Ending, ...]:
    """The ends of the state of an operator and of all states above it, the own one first; none for an operator that is
    not in the plan or keeps no state.

    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> (pipeline,) = Job.of(parse_script("SELECT a, COUNT(*) FROM t GROUP BY a"), {}).pipelines
    >>> len(endings(pipeline.plan, pipeline.plan.root.number, pipeline.settings))
    1
    """
    own = plan.by_number.get(number) if number is not None else None
    if own is None or not own.stateful:
        return ()
    return tuple(_ending(one, settings) for one in (own, *_above(own, plan)) if one.stateful)


def _above(operator: Operator, plan: Plan) -> Iterator[Operator]:
    """The operators above another one, the nearest first."""
    numbers = {operator.number}
    # Inputs come behind the operators that read them, so backwards they come first.
    for one in reversed(plan.operators):
        if any(child.number in numbers for child in one.inputs):
            numbers.add(one.number)
            yield one


def _ending(operator: Operator, settings: Settings) -> Ending:
    match operator:
        case IntervalJoin():
            length = max(-Decimal(operator.lower.value), Decimal(operator.upper.value), Decimal(0))
            passed = f"until {duration_words(length)} have passed, the interval of the join"
            return Ending(0, f"Wrong {passed}.", f"Matches with earlier rows are missing {passed}.")
        case TemporalSort():
            return Ending(0, "Wrong for the rows that wait at the restart.", "Rows that wait at the restart are gone.")
        case Match():
            within = f" (WITHIN {operator.within})" if operator.within is not None else ""
            begun = f"matches that have begun at the restart{within}"
            return Ending(0 if within else 2, f"Wrong for {begun}.", f"Missing are {begun}.")
        case OverAggregate() if operator.frame.start.offset is not None:
            passed = "until all rows of a frame came after the restart"
            return Ending(0, f"Wrong {passed}.", f"Incomplete {passed}.")
    window = _window(operator)
    if window is not None or isinstance(operator, (WindowRank, WindowJoin)):
        window_note = f" ({window_words(window)})" if window is not None else ""
        wrong = f"Windows open at the restart come out wrong, later ones are right{window_note}."
        return Ending(0, wrong, f"Windows open at the restart are incomplete, later ones are right{window_note}.")
    return _by_lifetime(operator, settings)


def _by_lifetime(operator: Operator, settings: Settings) -> Ending:
    times = times_to_live(operator, settings)
    endless = next((time for time in times if time.words == FOR_EVER), None)
    if endless is not None or not times:
        wrong = f"Wrong for good: no {STATE_TTL} of the script ends this state."
        return Ending(2, wrong, "Results count from the restart, for good.")
    longest = max(times, key=lambda time: time.length or Decimal(0))
    setting = STATE_TTL if longest.option is not None and longest.option.key == STATE_TTL else "STATE_TTL"
    ends = f"until the key has not been written to for {longest.words} ({setting})"
    return Ending(1, f"Wrong for each key {ends}.", f"Each key counts from the restart, {ends}.")


def _window(operator: Operator) -> Window | None:
    """The window that an operator closes: its own, or of a ranking or join over windows the one below."""
    own = getattr(operator, "window", None)
    if own is not None or not isinstance(operator, (WindowRank, WindowJoin)):
        return own if isinstance(own, Window) else None
    below = (getattr(one, "window", None) for one in operator.walk())
    return next((window for window in below if isinstance(window, Window)), None)
