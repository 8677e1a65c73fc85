"""Emission of a query's rows: when each of them comes out for good, and how far back the rows lie that it is made of.

A query can hand over to another one at a boundary in event time only if each of its rows comes out once the watermark
has passed a time that the row shows: the end of its window, or its own time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from keepstate.cutover.times import Grid, Order
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Call, Expr, Frame, Literal, Ordering, is_proctime
from keepstate.plan.job import Pipeline
from keepstate.plan.metadata.changelog import updating_tables
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Deduplicate,
    GroupAggregate,
    GroupWindowAggregate,
    IntervalJoin,
    Join,
    Limit,
    LookupJoin,
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
    Window,
    WindowAggregate,
    WindowJoin,
    WindowKind,
    WindowRank,
    WindowSyntax,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.parameters.aggregation_parameters import ALLOW_LATENESS, EARLY_FIRE, LATE_FIRE
from keepstate.plan.parameters.parameter_values import milliseconds
from keepstate.plan.settings import Settings
from keepstate.plan.types.inference import type_of


@dataclass(frozen=True)
class Emission:
    """Rows come out when the watermark passes ``order``: the end of their window, or their own event time ``time``.

    ``windows`` are those at ``depth`` of a cascade, the last ones; several for inputs of UNION ALL and of joins.
    ``reach`` is the length in milliseconds, before the first row of such a window or before a boundary between rows, of
    the rows that it is made of. ``from_beginning`` are tables that are read from their first row in any case.
    """

    order: Order
    time: Expr
    depth: int = 0
    windows: tuple[Window, ...] = ()
    reach: int = 0
    from_beginning: frozenset[str] = frozenset()
    lateness: int = 0
    """Milliseconds behind the end of a window in which late rows still change its result."""
    may_be_null: bool = False
    """The window of one side of an outer join is NULL in rows that the other side has alone."""
    notes: tuple[str, ...] = ()
    """Sentences on what the results depend on besides the rows."""
    flaws: tuple[str, ...] = ()
    """Sentences on results that may be wrong around the boundary."""
    is_early: bool = False
    """Results of open windows stand in the sink as well."""

    @property
    def grid(self) -> Grid | None:
        """The ends of windows behind which no open window has rows; ``None`` where rows or sessions end at any time.

        Of CUMULATE these are the ends of the whole windows.
        """
        grids = [_grid(window) for window in self.windows]
        result = grids[0] if grids else None
        for grid in grids[1:]:
            result = result.common(grid) if result is not None and grid is not None else None
        return result

    @property
    def next_end(self) -> Grid | None:
        """The ends of all windows, if they lie on one grid."""
        ends = {_ends(window) for window in self.windows}
        return ends.pop() if len(ends) == 1 else None

    @property
    def has_sessions(self) -> bool:
        return any(map(_is_session, self.windows))

    @property
    def gap(self) -> int:
        """The longest gap of its sessions, in milliseconds; 0 without sessions."""
        return max((_milliseconds(window.gap) or 0 for window in self.windows if _is_session(window)), default=0)

    @property
    def fixed_length(self) -> int | None:
        """The length of each window in milliseconds, if all have the same one."""
        kinds = {window.kind for window in self.windows}
        lengths = {_milliseconds(window.size) for window in self.windows}
        return lengths.pop() if len(lengths) == 1 and kinds <= {WindowKind.TUMBLE, WindowKind.HOP} else None

    def first_row(self, boundary: int) -> int | None:
        """The time of the first row that results behind ``boundary`` need; ``None`` if any row may be one.

        >>> from keepstate.plan.expressions import Column
        >>> hour = Literal("3600000", "INTERVAL DAY")
        >>> window = Window(WindowKind.TUMBLE, Column("t", "ts"), size=hour)
        >>> Emission(Order.WINDOW_END, window.time, 1, (window,)).first_row(5_400_000)
        3600000
        """
        starts = [_first_start(window, boundary) for window in self.windows]
        known_starts = [start for start in starts if start is not None]
        return None if len(known_starts) < len(starts) else min(known_starts, default=boundary) - self.reach

    @property
    def is_local(self) -> bool:
        """Return whether the times are those of the session time zone."""
        type_ = type_of(self.time)
        return type_ is not None and type_.root == "TIMESTAMP_LTZ"


@dataclass(frozen=True)
class NoBoundary:
    """A query cannot hand over at a boundary. ``reason`` is a sentence that says why."""

    reason: str


def emission_of(pipeline: Pipeline, catalog: Catalog) -> Emission | NoBoundary:
    """The emission of a query under its own settings.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> job = job_of(JobVersion("INSERT INTO s SELECT b, SUM(a) FROM t GROUP BY b"))
    >>> emission_of(job.pipelines[0], job.catalog).reason
    'GROUP BY keeps a state without end: a result is made of all rows since the start.'
    """
    collected = _Collected(catalog, updating_tables(catalog, pipeline.plan.sources))
    if reason := next(collected.obstacles(pipeline.plan.root), ""):
        return NoBoundary(reason)
    return collected.emission(pipeline.settings)


@dataclass
class _Collected:
    """Facts about the emission of one query, collected from its operators."""

    catalog: Catalog
    updating: frozenset[str]
    windows: list[tuple[int, Window]] = field(default_factory=list)
    times: list[Expr] = field(default_factory=list)
    """Event times that rows come out by, the last operator's first."""
    reach: int = 0
    from_beginning: set[str] = field(default_factory=set)
    outer: bool = False
    notes: dict[str, None] = field(default_factory=dict)

    def obstacles(self, operator: Operator) -> Iterator[str]:
        """The reasons against a boundary, from the sink to the sources."""
        yield from self._own(operator)
        for below in operator.inputs:
            yield from self.obstacles(below)

    def _own(self, top: Operator) -> Iterator[str]:
        operator = any_operator(top)
        match operator:
            case TableSourceScan():
                if operator.table in self.updating and operator.table not in self.from_beginning:
                    yield f"{operator.table} sends changes of rows, and its changes since a time are not its rows."
            case Calc() | Correlate() | Values():
                pass
            case Union():
                if len({_is_windowed(branch) for branch in operator.branches}) > 1:
                    yield "Some inputs of UNION ALL have windows and others have none."
            case WindowTableFunction():
                yield from self._window(operator.window, operator.depth)
            case WindowAggregate() | GroupWindowAggregate():
                yield from self._window(operator.window, operator.depth)
            case GroupAggregate() | Aggregate():
                yield "GROUP BY keeps a state without end: a result is made of all rows since the start."
            case OverAggregate():
                yield from self._over(operator)
            case WindowRank():
                pass
            case Deduplicate() | Rank():
                yield "A ranking without windows keeps a state without end: its rows are those since the start."
            case TemporalSort():
                yield from self._by_time(_ordered(operator.order[0]) if operator.order else None)
            case LookupJoin():
                pass
            case TemporalJoin():
                # The versions that hold at the boundary may be as old as the table.
                self.from_beginning |= {
                    scan.table for scan in operator.right.walk() if isinstance(scan, TableSourceScan)
                }
                if operator.as_of is None or is_proctime(operator.as_of):
                    yield "A join by processing time gives other rows each time that it runs."
                else:
                    yield from self._by_time(operator.as_of)
            case WindowJoin():
                self.outer |= operator.kind.upper() in _OUTER
            case IntervalJoin():
                yield "A join by an interval of times gives rows as they come, in no order of time."
            case Join():
                yield "A regular join keeps a state without end: each row meets all rows of the other table."
            case SetOperation():
                yield f"{operator.kind.upper()} keeps a state without end: it counts rows since the start."
            case Limit():
                yield "LIMIT keeps a state without end: its rows are the first ones since the start."
            case Match():
                yield "MATCH_RECOGNIZE may be in the middle of a match at any time."
            case Unsupported():
                yield f"It has a construct that is not analysed: {operator.construct}."
            case other:
                unhandled(other)

    def _window(self, window: Window, depth: int) -> Iterator[str]:
        if is_proctime(window.time):
            yield "Windows over processing time depend on when the job reads its rows."
        elif not _has_lengths(window):
            yield "The lengths of its windows are no constants."
        self.windows.append((depth, window))

    def _over(self, operator: OverAggregate) -> Iterator[str]:
        frame: Frame = operator.frame
        length = _milliseconds(frame.start.offset)
        if frame.start.offset is None:
            yield "OVER keeps a state without end: a result is made of all rows of its key since the start."
        elif frame.unit != "RANGE" or length is None:
            yield "OVER counts rows: how long ago the first one of a frame came is not known."
        else:
            self.reach += length
            yield from self._by_time(_ordered(operator.order[0]) if operator.order else None)

    def _by_time(self, time: Expr | None) -> Iterator[str]:
        if time is None or is_proctime(time):
            yield "It goes by processing time: its rows depend on when the job reads them."
        else:
            self.times.append(time)

    def emission(self, settings: Settings) -> Emission | NoBoundary:
        notes = tuple(self.notes)
        if not self.windows:
            if not self.times:
                return NoBoundary("It keeps no state, and its rows come out as they come in, in no order of time.")
            read_whole = frozenset(self.from_beginning)
            return Emission(
                Order.ROW_TIME,
                self.times[0],
                reach=self.reach,
                from_beginning=read_whole,
                notes=notes,
                flaws=(_LATE_ROWS,),
            )
        if self.times:
            return NoBoundary("Windows and operators by the time of rows stand in one query.")
        depth = max(depth for depth, _ in self.windows)
        ending = tuple(dict.fromkeys(window for each, window in self.windows if each == depth))
        below = [window for each, window in dict.fromkeys(self.windows) if each < depth]
        if any(map(_is_session, below)) or (len(ending) > 1 and any(map(_is_session, ending))):
            return NoBoundary("Its sessions are input of other windows, or stand beside other sessions.")
        last = ending[0]
        is_legacy = last.syntax is WindowSyntax.LEGACY
        early, late = (is_legacy and _is_on(settings, switch) for switch in (EARLY_FIRE, LATE_FIRE))
        return Emission(
            Order.WINDOW_END,
            last.time,
            depth,
            ending,
            _deepest(below) + self.reach,
            frozenset(self.from_beginning),
            _lateness(settings) if late else 0,
            self.outer,
            notes,
            tuple(flaw for switch, flaw in ((early, _EARLY), (late, _LATE)) if switch),
            early or late,
        )


_OUTER = frozenset({"LEFT", "RIGHT", "FULL"})
_LATE_ROWS = (
    "Rows that come behind the watermark around the boundary may lack their result: such a row is taken as long as no "
    "later row of its key is complete (measured on Flink 2.3.0)"
)
_EARLY = (
    "Early results of windows that are open at the stop stay in the sink where the new query writes no row of the "
    "same key"
)
_LATE = (
    "Rows that come late for windows before the boundary change their results no more after the stop, and results of "
    "windows behind it stay in the sink where the new query writes no row of the same key"
)


def _is_session(window: Window) -> bool:
    return window.kind is WindowKind.SESSION


def _is_on(settings: Settings, switch: str) -> bool:
    option = settings.get(switch)
    return option is not None and option.value.strip().lower() == "true"


def _lateness(settings: Settings) -> int:
    option = settings.get(ALLOW_LATENESS)
    length = None if option is None else milliseconds(option.value.strip())
    return 0 if length is None else int(length)


def _has_lengths(window: Window) -> bool:
    lengths = (window.size, window.slide, window.step, window.gap)
    present_lengths = [length for length in lengths if length is not None]
    return (
        bool(present_lengths)
        and all(_milliseconds(length) for length in present_lengths)
        and (window.offset is None or _milliseconds(window.offset) is not None)
    )


def _deepest(windows: list[Window]) -> int:
    """The length of windows below others, one in another at worst."""
    return sum(_milliseconds(window.size) or 0 for window in windows)


def _grid(window: Window) -> Grid | None:
    ends = _ends(window)
    if ends is None or window.kind is not WindowKind.CUMULATE:
        return ends
    size = _milliseconds(window.size)
    return None if size is None else Grid(size, (_milliseconds(window.offset) or 0) % size)


def _ends(window: Window) -> Grid | None:
    """The ends of a window; ``None`` for sessions."""
    period = _milliseconds(window.slide or window.step or window.size)
    if period is None:
        return None
    # Windows of HOP begin on the grid of its slide: of a size that is no multiple, the ends lie beside it.
    shift = (_milliseconds(window.size) or 0) if window.slide is not None else 0
    return Grid(period, ((_milliseconds(window.offset) or 0) + shift) % period)


def _first_start(window: Window, boundary: int) -> int | None:
    """The start of the first window that ends behind ``boundary``; ``None`` for sessions."""
    ends, size = _ends(window), _milliseconds(window.size)
    if ends is None or size is None:
        return None
    if window.kind is WindowKind.CUMULATE:
        return Grid(size, (_milliseconds(window.offset) or 0) % size).at_or_before(boundary)
    return ends.at_or_after(boundary + 1) - size


def _is_windowed(operator: Operator) -> bool:
    kinds = (WindowTableFunction, WindowAggregate, GroupWindowAggregate)
    return any(isinstance(each, kinds) for each in operator.walk())


def _ordered(element: Expr) -> Expr:
    """The expression that an element of ORDER BY orders by."""
    return element.expr if isinstance(element, Ordering) else element


def _milliseconds(length: Expr | None) -> int | None:
    """A constant length; ``None`` for months, which are not all alike, and for what is no constant."""
    if not isinstance(length, Literal) or length.type != "INTERVAL DAY":
        return None
    exact = Decimal(length.value)
    return int(exact) if exact == exact.to_integral_value() else None


def watermark_delay(watermark: Expr | None) -> int | None:
    """The milliseconds that a watermark stays behind the time of rows; ``None`` for another kind of watermark."""
    if isinstance(watermark, Call) and watermark.name == "-" and len(watermark.args) == 2:
        return _milliseconds(watermark.args[1])
    return 0 if watermark is not None and not watermark.children() else None
