"""Window assignments as Flink writes them: table-valued functions, and functions in GROUP BY."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlglot import exp

from keepstate.plan.expressions import Expr, Literal
from keepstate.plan.names.full_names import function_name
from keepstate.plan.operators import Window, WindowKind, WindowSyntax
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.types.builtin_functions import LEGACY_WINDOWS, WINDOW_FUNCTIONS
from keepstate.syntax import syntax_nodes

_PARAMETERS = {
    WindowKind.TUMBLE: ("DATA", "TIMECOL", "SIZE", "OFFSET"),
    WindowKind.HOP: ("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    WindowKind.CUMULATE: ("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    WindowKind.SESSION: ("DATA", "TIMECOL", "GAP"),
}
_LEGACY_PARAMETERS = {
    WindowKind.TUMBLE: ("TIMECOL", "SIZE", "OFFSET"),
    WindowKind.HOP: ("TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    WindowKind.SESSION: ("TIMECOL", "GAP"),
}


@dataclass(frozen=True)
class WindowArguments:
    """The arguments of a window function by parameter name, whether they were given by name or by position."""

    kind: WindowKind
    values: dict[str, exp.Expression]

    @staticmethod
    def of(call: syntax_nodes.TableFunction) -> WindowArguments | None:
        """The arguments of a window table-valued function; ``None`` for any other function or for odd arguments."""
        name = function_name(call)
        if name not in WINDOW_FUNCTIONS:
            return None
        kind = WindowKind(name)
        return _bound(kind, _PARAMETERS[kind], call.expressions)

    @property
    def data(self) -> exp.Expression:
        return self.values["DATA"]


def _bound(kind: WindowKind, parameters: tuple[str, ...], arguments: list[exp.Expression]) -> WindowArguments | None:
    values: dict[str, exp.Expression] = {}
    for position, argument in enumerate(arguments):
        if isinstance(argument, syntax_nodes.NamedArgument):
            values[argument.this.name.upper()] = argument.expression
        elif position < len(parameters):
            values[parameters[position]] = argument
        else:
            return None
    required = set(parameters) - {"OFFSET"}
    return WindowArguments(kind, values) if required <= set(values) <= set(parameters) else None


def table_function_window(
    call: syntax_nodes.TableFunction, arguments: WindowArguments, scalars: ScalarLowering
) -> Window | None:
    """The window of a table-valued function; ``scalars`` sees the columns of its input."""
    descriptor = arguments.values["TIMECOL"]
    if not isinstance(descriptor, syntax_nodes.Descriptor) or len(descriptor.expressions) != 1:
        return None
    column = descriptor.expressions[0]
    time = scalars.lower(column).used_at(scalars.place(descriptor), None)
    data = arguments.data
    keys = data.args.get("partition_by") if isinstance(data, syntax_nodes.TableArgument) else None
    partition = tuple(scalars.lower(key) for key in keys.expressions) if keys is not None else ()
    lengths = {
        name.lower(): scalars.lower(value)
        for name, value in arguments.values.items()
        if name not in ("DATA", "TIMECOL")
    }
    return Window(
        arguments.kind,
        time,
        **_without_idle_offset(arguments.kind, lengths),
        partition=partition,
        syntax=WindowSyntax.TVF,
        place=scalars.place(call),
        partition_place=scalars.place(keys) if keys is not None else None,
    )


def group_window(key: exp.Expression, scalars: ScalarLowering) -> Window | None:
    """The window of a legacy ``TUMBLE(...)``, ``HOP(...)`` or ``SESSION(...)`` in GROUP BY; ``None`` for other keys."""
    if not isinstance(key, exp.Anonymous) or function_name(key) not in LEGACY_WINDOWS:
        return None
    kind = WindowKind(function_name(key))
    arguments = _bound(kind, _LEGACY_PARAMETERS[kind], key.expressions)
    if arguments is None:
        return None
    place = scalars.place(key)
    lengths = {
        name.lower(): scalars.lower(value).used_at(place, None)
        for name, value in arguments.values.items()
        if name != "TIMECOL"
    }
    time = scalars.lower(arguments.values["TIMECOL"]).used_at(place, None)
    return Window(kind, time, **_without_idle_offset(kind, lengths), syntax=WindowSyntax.LEGACY, place=place)


def _without_idle_offset(kind: WindowKind, lengths: dict[str, Expr]) -> dict[str, Any]:
    """The lengths with the offset brought into one grid cell, and left out when it moves nothing (spec windows.md)."""
    offset = lengths.get("offset")
    cell = lengths.get("slide" if kind is WindowKind.HOP else "size")
    if not (isinstance(offset, Literal) and isinstance(cell, Literal)) or {offset.type, cell.type} != {"INTERVAL DAY"}:
        return lengths
    length = Decimal(cell.value)
    shift = (Decimal(offset.value) % length + length) % length if length else Decimal(offset.value)
    rest = {name: value for name, value in lengths.items() if name != "offset"}
    return {**rest, "offset": Literal(str(shift), offset.type, place=offset.place, via=offset.via)} if shift else rest
