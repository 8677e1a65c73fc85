"""Windows of the plan, assigned to the rows of a frame."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import functions as fn

from keepstate.plan.expressions import Expr, Literal, WindowField, WindowPart, is_proctime
from keepstate.plan.operators import Window, WindowKind
from keepstate_spark import windows
from keepstate_spark.errors import WindowError
from keepstate_spark.lowering.frames import Frame, Lowering
from keepstate_spark.lowering.refusals import Refused


def fields(depth: int) -> tuple[WindowField, ...]:
    """The fields of the window of that depth."""
    return tuple(WindowField(part, depth) for part in WindowPart)


def assigned(frame: Frame, window: Window, depth: int, lowering: Lowering, keys: Sequence[Expr] = ()) -> Frame:
    """``frame`` with one row for each window that a row lies in; ``keys`` part the sessions of a legacy SESSION."""
    scalars = lowering.scalars(frame)
    if is_proctime(window.time):
        raise Refused(
            "A window over processing time has no meaning for rows in files.", window.time.place or window.place
        )
    time = scalars.text(window.time)
    if time.type.root not in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        raise Refused(f"{window.time} is a {time.type}, and windows are over TIMESTAMP or TIMESTAMP_LTZ.", window.place)
    column, rows = fn.expr(time.sql), frame.rows
    own = fields(depth)
    called: dict[Expr, str] = {field: lowering.name(field.part.value) for field in own}
    names = windows.WindowColumns(*(called[field] for field in own))
    parts = [fn.expr(scalars.text(key).sql) for key in (*window.partition, *keys)]
    offset = _length(window.offset, window) if window.offset is not None else 0
    try:
        match window.kind:
            case WindowKind.TUMBLE:
                rows = windows.tumble(
                    rows, column, _length(window.size, window), offset, zone=lowering.zone, names=names
                )
            case WindowKind.HOP:
                slide, size = _length(window.slide, window), _length(window.size, window)
                rows = windows.hop(rows, column, slide, size, offset, zone=lowering.zone, names=names)
            case WindowKind.CUMULATE:
                step, size = _length(window.step, window), _length(window.size, window)
                rows = windows.cumulate(rows, column, step, size, offset, zone=lowering.zone, names=names)
            case WindowKind.SESSION:
                rows = windows.session(
                    rows, column, _length(window.gap, window), parts, zone=lowering.zone, names=names
                )
    except WindowError as error:
        raise Refused(str(error), window.place) from error
    return frame.holding(rows, called)


def _length(length: Expr | None, window: Window) -> int:
    """A constant length in milliseconds."""
    if not isinstance(length, Literal) or length.type != "INTERVAL DAY":
        place = length.place if length is not None and length.place is not None else window.place
        raise Refused(f"{length} is no constant length of days, hours, minutes or seconds.", place)
    return int(float(length.value))
