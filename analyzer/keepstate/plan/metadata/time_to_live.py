"""Time that operators keep state without writes: by a STATE_TTL hint, else by ``table.exec.state.ttl``."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from keepstate.plan.catalog import Option
from keepstate.plan.duration_words import duration_words
from keepstate.plan.expressions import Call, Column, Ordering, is_proctime
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    GroupAggregate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalJoin,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowRank,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.parameters import STATE_TTL, milliseconds
from keepstate.plan.settings import Settings
from keepstate.plan.types.inference import type_of

FOR_EVER = "for ever"


@dataclass(frozen=True)
class TimeToLive:
    """A time to live. ``option`` is its hint or setting; ``None`` if there is none, and state stays for ever."""

    option: Option | None = None

    @property
    def length(self) -> Decimal | None:
        """Milliseconds, 0 for ever; ``None`` for a text that is no length of time."""
        return milliseconds(self.option.value) if self.option is not None else Decimal(0)

    @property
    def meaning(self) -> Decimal | str:
        """Equal for equal times; of a text that is no length of time, its words."""
        length = self.length
        return " ".join(self.words.lower().split()) if length is None else length

    @property
    def words(self) -> str:
        length = self.length
        if length is None:
            assert self.option is not None
            return self.option.value.strip()
        return duration_words(length) if length else FOR_EVER


def times_to_live(operator: Operator, settings: Settings) -> tuple[TimeToLive, ...]:
    """Return the times to live of an operator's state: one for each input of a join, else a single one. Operators that
    expire their state by themselves, as windows and interval joins do, have none.

    >>> hint = "/*+ STATE_TTL('orders' = '1 d') */"
    >>> join = root(f"SELECT {hint} id, city FROM orders JOIN buyers ON name = buyer")
    >>> [time.option and time.option.value for time in times_to_live(join, {})]
    ['1 d', None]
    """
    if not _forgets_by_time(operator):
        return ()
    default = settings.get(STATE_TTL)
    # The planner takes no notice of a hint at a temporal join.
    hints = () if isinstance(operator, TemporalJoin) else operator.ttl_hints
    hints = hints or ((None, None) if isinstance(operator, Join) else (None,))
    return tuple(TimeToLive(hint or default) for hint in hints)


def forgets_by_timer(operator: Operator) -> bool:
    """Return whether an operator drops old state by timers, so that the state has one form with and without a time to
    live: OVER by what is known to be a row time.

    >>> sums = "SELECT SUM(price) OVER (PARTITION BY buyer ORDER BY {}) FROM orders"
    >>> forgets_by_timer(root(sums.format("rowtime"))), forgets_by_timer(root(sums.format("proctime")))
    (True, False)
    """
    if not isinstance(operator, OverAggregate) or not operator.order:
        return False
    time = operator.order[0].expr if isinstance(operator.order[0], Ordering) else operator.order[0]
    return isinstance(time, (Column, Call)) and type_of(time) is not None and not is_proctime(time)


def _forgets_by_time(operator: Operator) -> bool:
    operator = any_operator(operator)
    match operator:
        case GroupAggregate():
            return True
        case Aggregate() | WindowRank():
            return False
        case Rank() | OverAggregate() | Limit() | SetOperation() | Unsupported():
            return True
        case TemporalJoin():
            return operator.stateful
        case Join():
            return type(operator) is Join
        case Match():
            # WITHIN says when partial matches go.
            return False
        case TableSourceScan() | Values() | Calc() | Correlate() | WindowTableFunction() | TemporalSort() | Union():
            return False
        case other:
            unhandled(other)
