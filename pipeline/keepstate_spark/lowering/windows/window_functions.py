"""Windows of the plan, assigned to the rows of a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pyspark.sql import Column, DataFrame

from keepstate.plan.expressions import Expr, Literal, WindowField, WindowPart, is_proctime
from keepstate.plan.operators import GroupWindowAggregate, Operator, Window, WindowKind, WindowTableFunction
from keepstate.plan.types.inference import type_of
from keepstate_spark import windows
from keepstate_spark.errors import WindowError
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.functions.signed_zeros import with_signs
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.windows.late_sessions import sessions_in_time
from keepstate_spark.windows.clock import WallClock, wall_clock


def fields(depth: int, time: Expr) -> tuple[WindowField, ...]:
    """The fields of the window of that depth over ``time``, whose type ``window_time`` has."""
    return tuple(WindowField(part, depth, time=time) for part in WindowPart)


def assigned(
    frame: NamedFrame,
    operator: WindowTableFunction | GroupWindowAggregate,
    lowering: Lowering,
    keys: Sequence[Expr] = (),
) -> NamedFrame:
    """``frame`` with one row for each window that a row lies in; ``keys`` part the sessions of a legacy SESSION."""
    window = operator.window
    clock = clock_of(frame, window, lowering)
    parts = parting(frame, with_signs((*window.partition, *keys)), lowering)

    def rows(names: windows.WindowColumns) -> DataFrame:
        if window.kind is not WindowKind.SESSION:
            return aligned(frame.rows, clock, window, names)
        gap = length(window.gap, window)
        if frame.watermark is not None and gap > 0:
            return sessions_in_time(frame, clock, window, gap, parts, operator, lowering, names)
        return windows.session(frame.rows, clock, gap, parts, names=names)

    result = with_fields(frame, window, operator.depth, lowering, rows)
    # A session takes its rows while they come in time; whatever stands on it need not look again.
    return replace(result, watermark=None) if window.kind is WindowKind.SESSION else result


def with_fields(
    frame: NamedFrame,
    window: Window,
    depth: int,
    lowering: Lowering,
    assign: Callable[[windows.WindowColumns], DataFrame],
) -> NamedFrame:
    """Return ``frame`` with the fields of a window, which ``assign`` adds under the names that it gets."""
    called: dict[Expr, str] = {field: lowering.name(field.part.value) for field in fields(depth, window.time)}
    try:
        return frame.holding(assign(windows.WindowColumns(*called.values())), called)
    except WindowError as error:
        raise NotLowerable(str(error), window.place) from error


def by_start(keys: Sequence[Expr], below: Operator) -> tuple[Expr, ...]:
    """``keys`` of rows of ``below``, without end and time of a window whose start is among them, where windows with
    equal starts have equal ends: of one length, and not on the clock of a zone.
    """
    while len(below.inputs) == 1 and not isinstance(below, WindowTableFunction):
        (below,) = below.inputs
    if not isinstance(below, WindowTableFunction) or below.window.kind not in (WindowKind.TUMBLE, WindowKind.HOP):
        return tuple(keys)
    time = type_of(below.window.time)
    start, *ends = fields(below.depth, below.window.time)
    if time is None or time.root != "TIMESTAMP" or start not in keys:
        return tuple(keys)
    return tuple(key for key in keys if key not in ends)


def clock_of(frame: NamedFrame, window: Window, lowering: Lowering) -> WallClock:
    """The clock that the times of a window are read from."""
    if window.kind is WindowKind.SESSION and not lowering.streams:
        raise NotLowerable("Flink runs SESSION in streaming mode only.", window.place)
    if is_proctime(window.time):
        raise NotLowerable(
            "A window over processing time has no meaning for rows in files.", window.time.place or window.place
        )
    time = lowering.scalars(frame).value(window.time)
    if time.type.root not in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        raise NotLowerable(
            f"{window.time} is a {time.type}, and windows are over TIMESTAMP or TIMESTAMP_LTZ.", window.place
        )
    return wall_clock(frame.rows, time.column, lowering.zone)


def parting(frame: NamedFrame, keys: Sequence[Expr], lowering: Lowering) -> list[Column]:
    """Return the columns that partition sessions."""
    scalars = lowering.scalars(frame)
    return [scalars.column(key) for key in keys]


def aligned(rows: DataFrame, clock: WallClock, window: Window, names: windows.WindowColumns) -> DataFrame:
    """``rows``, once for each window that they lie in, of a window whose bounds no row moves."""
    offset = length(window.offset, window) if window.offset is not None else 0
    match window.kind:
        case WindowKind.TUMBLE:
            return windows.tumble(rows, clock, length(window.size, window), offset, names=names)
        case WindowKind.HOP:
            slide, size = length(window.slide, window), length(window.size, window)
            return windows.hop(rows, clock, slide, size, offset, names=names)
    assert window.kind is WindowKind.CUMULATE
    step, size = length(window.step, window), length(window.size, window)
    return windows.cumulate(rows, clock, step, size, offset, names=names)


def length(length: Expr | None, window: Window) -> int:
    """A constant length in milliseconds."""
    if not isinstance(length, Literal) or length.type != "INTERVAL DAY":
        place = length.place if length is not None and length.place is not None else window.place
        raise NotLowerable(f"{length} is no constant length of days, hours, minutes or seconds.", place)
    return int(float(length.value))


_SETS = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})


def refuse_set_operands(operators: Iterable[Operator]) -> None:
    """Refuse windows over a UNION, INTERSECT or EXCEPT that is written within their call: of it Flink reads the first
    query alone.
    """
    for operator in operators:
        if not isinstance(operator, WindowTableFunction) or operator.window.place is None:
            continue
        depth = own = 0
        for word in operator.window.place.words:
            if word in _SETS and 1 < depth <= own:
                raise NotLowerable(
                    f"Of a {word} that is written within {operator.window.kind.value} Flink reads the first query "
                    "alone. Make a view of it.",
                    operator.window.place,
                )
            depth += (word == "(") - (word == ")")
            if word == "SELECT" and not own:
                own = depth
