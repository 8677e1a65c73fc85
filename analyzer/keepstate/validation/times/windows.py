"""Window table functions: their arguments, and the columns that they add."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from keepstate.plan.types.logical_types import timestamp
from keepstate.syntax import syntax_nodes
from keepstate.text import Span
from keepstate.validation.validity import ValidityProblem
from keepstate.validation.values import families
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.intervals import is_months, milliseconds
from keepstate.validation.values.scopes import (
    FromItem,
    RelationColumn,
    RelationColumns,
    TimeRole,
    ValidationScope,
    refuse,
)
from keepstate.validation.values.value import WINDOW, ExpressionContext

_PARAMETERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "TUMBLE": (("DATA", "TIMECOL", "SIZE"), ("OFFSET",)),
    "HOP": (("DATA", "TIMECOL", "SLIDE", "SIZE"), ("OFFSET",)),
    "CUMULATE": (("DATA", "TIMECOL", "STEP", "SIZE"), ("OFFSET", "EMITONLYONUPDATE")),
    "SESSION": (("DATA", "TIMECOL", "GAP"), ()),
}
"""The parameters of each function in their order: those that it needs, and those that may be left out."""


def is_window(call: syntax_nodes.TableFunction) -> bool:
    return isinstance(call.this, exp.Identifier) and call.this.name.upper() in _PARAMETERS


def window_rows(
    call: syntax_nodes.TableFunction,
    relation: Callable[[exp.Expression], FromItem],
    expressions: ExpressionCheck,
    scope: ValidationScope,
) -> RelationColumns:
    """The rows of a window table function.

    Raises:
        Refused: its arguments do not fit.
    """
    name = call.this.name.upper()
    required, optional = _PARAMETERS[name]
    arguments = _by_name(call, (*required, *optional))
    span = expressions.span(call)
    if arguments is None or not set(required) <= set(arguments):
        listed = ", ".join(required)
        refuse("window-arguments", span, f"{name} takes {listed}{' and an offset' if optional else ''}.")
    data = arguments["DATA"]
    first = call.expressions[0]
    if isinstance(first, syntax_nodes.NamedArgument) and first.this.name.upper() != "DATA":
        expressions.later.refuse("window-arguments", span, f"{name} reads its table first: write DATA in front.")
    if isinstance(data, (exp.Subquery, exp.Select, exp.SetOperation)):
        item = relation(data)
    elif isinstance(data, syntax_nodes.TableArgument):
        item = relation(data.this)
        inner = ValidationScope((item,), scope.parent)
        keys = data.args.get("partition_by")
        order = data.args.get("order_by")
        if name != "SESSION" and (keys is not None or order is not None):
            words = "PARTITION BY" if keys is not None else "ORDER BY"
            refuse("window-arguments", span, f"{name} takes no {words}: group its rows instead.")
        if order is not None:
            expressions.later.refuse("window-arguments", span, "SESSION takes no ORDER BY.")
        with expressions.names.guard():
            for key in keys.expressions if keys is not None else ():
                expressions.value(key, inner, ExpressionContext("PARTITION BY", aggregates=False, windows=False))
        expressions.names.rest(keys, inner)
    else:
        expressions.value(data, ValidationScope(), ExpressionContext("FROM", aggregates=False, windows=False))
        refuse("window-arguments", span, f"{name} reads TABLE and the name of a table first.")
    time: RelationColumn | None = None
    problem: ValidityProblem | None = None
    with expressions.names.guard():
        time = _time_of(name, call, arguments["TIMECOL"], item, expressions)
    expressions.names.rest(arguments["TIMECOL"], ValidationScope((item,)))
    with expressions.names.guard():
        _check_kinds(name, arguments, span, expressions)
        problem = _check_sizes(name, arguments, expressions)
    kind = time.time if time is not None else TimeRole.UNKNOWN
    type_ = time.type if time is not None else None
    own = (
        RelationColumn("window_start", timestamp(3), TimeRole.END),
        RelationColumn("window_end", timestamp(3), TimeRole.END),
        RelationColumn("window_time", type_, kind),
    )
    return RelationColumns((*item.rows.columns, *own), item.rows.complete, problem)


def _check_kinds(name: str, arguments: dict[str, exp.Expression], span: Span, expressions: ExpressionCheck) -> None:
    for key, value in arguments.items():
        if key in ("DATA", "TIMECOL"):
            continue
        content = expressions.value(
            value, ValidationScope(), ExpressionContext(WINDOW, aggregates=False, windows=False)
        )
        expressions.refuse_null(value, content)
        if families.family_of(content.type) == families.INTERVAL and not isinstance(value.unnest(), exp.Interval):
            message = f"{key} of {name} has to be a constant, and this is computed."
            expressions.later.refuse("window-size", expressions.span(value), message)
        if families.family_of(content.type) not in (None, families.INTERVAL) and key != "EMITONLYONUPDATE":
            refuse("window-arguments", span, f"{key} of {name} has to be an interval, not {content.type}.")


def _check_sizes(
    name: str, arguments: dict[str, exp.Expression], expressions: ExpressionCheck
) -> ValidityProblem | None:
    """Refuse windows of lengths that do not go together; of those of HOP only an aggregation is refused."""
    for key, value in arguments.items():
        if isinstance(value, exp.Interval) and not value.this.is_string and not isinstance(value.this, exp.Neg):
            later_message = f"{key} of {name} has to be a constant in quotes, such as INTERVAL '5' MINUTE."
            expressions.later.refuse("window-size", expressions.span(value), later_message)
        if key not in ("DATA", "TIMECOL") and is_months(value):
            expressions.later.refuse(
                "window-size", expressions.span(value), f"{key} of {name} has to be in days, hours, minutes or seconds."
            )
    size, offset = (milliseconds(arguments.get(key)) for key in ("SIZE", "OFFSET"))
    step_key = {"HOP": "SLIDE", "CUMULATE": "STEP"}.get(name)
    for key in ("SIZE", "SLIDE", "STEP", "GAP"):
        length = milliseconds(arguments.get(key))
        if length is not None and length <= 0:
            expressions.later.refuse(
                "window-size", expressions.span(arguments[key]), f"{key} of {name} has to be more than nothing."
            )
    if name == "TUMBLE" and size is not None and offset is not None and abs(offset) >= size:
        expressions.later.refuse(
            "window-size", expressions.span(arguments["OFFSET"]), "The offset of TUMBLE has to be less than its size."
        )
    step = milliseconds(arguments.get(step_key)) if step_key is not None else None
    if step_key is not None and step is not None and size is not None and step > 0 and size % step:
        message = f"The size of {name} has to be a multiple of its {step_key.lower()}."
        problem = ValidityProblem("window-size", expressions.span(arguments["SIZE"]), message)
        if name == "HOP":
            return problem
        expressions.later.problems.append(problem)
    return None


def _by_name(call: syntax_nodes.TableFunction, names: tuple[str, ...]) -> dict[str, exp.Expression] | None:
    """The arguments by their parameters; ``None`` where one fits none."""
    arguments: dict[str, exp.Expression] = {}
    are_named = [isinstance(argument, syntax_nodes.NamedArgument) for argument in call.expressions]
    if any(are_named) and not all(are_named):
        return None
    for index, argument in enumerate(call.expressions):
        if isinstance(argument, syntax_nodes.NamedArgument):
            name = argument.this.name
            if name not in names or (name == "DATA" and name in arguments):
                return None
            arguments[name] = argument.expression
        elif index >= len(names):
            return None
        else:
            arguments[names[index]] = argument
    return arguments


def _time_of(
    name: str, call: syntax_nodes.TableFunction, argument: exp.Expression, item: FromItem, expressions: ExpressionCheck
) -> RelationColumn | None:
    span = expressions.span(call)
    if not isinstance(argument, syntax_nodes.Descriptor):
        expressions.value(argument, ValidationScope((item,)), ExpressionContext("a window"))
        refuse("window-arguments", span, f"{name} takes DESCRIPTOR(time column) second.")
    if not argument.expressions:
        refuse("window-arguments", span, "DESCRIPTOR names the time column here.")
    for each in argument.expressions:
        name_of = each.this if isinstance(each, exp.ColumnDef) else each
        if isinstance(name_of, exp.Column) and len(name_of.parts) > 1:
            refuse("window-arguments", expressions.span(name_of), "DESCRIPTOR names a column without its table.")
    for each in argument.expressions[1:]:
        if isinstance(each, exp.Column):
            ValidationScope((item,)).resolve((each.name,), (expressions.span(each),))
    column = argument.expressions[0]
    resolution = ValidationScope((item,)).resolve((column.name,), (expressions.span(column),))
    if resolution is None:
        return None
    time = resolution.column
    family = families.family_of(time.type)
    if family not in (None, families.TIMESTAMP):
        refuse("window-time", span, f"{name} needs a time attribute, and {time.name} is {time.type}.")
    if family == families.TIMESTAMP and time.time.is_lost:
        words = "a join or a grouping made a plain timestamp of it" if time.time.is_past else "it has no watermark here"
        message = f"{time.name} is no time attribute: {words}."
        expressions.later.refuse("window-time", expressions.span(column), message)
    return time
