"""Group windows: TUMBLE, HOP and SESSION in GROUP BY, and the functions of their properties."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from keepstate.plan.types.builtin_functions import LEGACY_WINDOWS
from keepstate.plan.types.logical_types import timestamp
from keepstate.validation.functions.json_calls import JsonCallCheck
from keepstate.validation.values import families
from keepstate.validation.values.intervals import is_months, milliseconds
from keepstate.validation.values.scopes import TimeRole, ValidationScope, refuse
from keepstate.validation.values.value import NULL_TEST, UNKNOWN, ExpressionContext, ValueFacts


class GroupWindowCheck(JsonCallCheck):
    """Group windows; other calls are in ``CallCheck``."""

    def _group_window(
        self, node: exp.Expression, name: str, scope: ValidationScope, place: ExpressionContext
    ) -> ValueFacts:
        if name in LEGACY_WINDOWS and place.clause != "GROUP BY":
            refuse("group-window", self.span(node), f"The group window {name} stands in GROUP BY only.")
        inner = replace(place, aggregates=False, windows=False)
        values = [self.value(argument, scope, inner) for argument in node.expressions]
        if place.clause == NULL_TEST:
            return UNKNOWN
        window = name.partition("_")[0]
        counts = {"HOP": (3, 4)}.get(window, (2, 3))
        if not counts[0] <= len(values) <= counts[1]:
            refuse("argument-count", self.span(node), f"{name} takes {counts[0]} arguments, not {len(values)}.")
        self._check_window_sizes(node, name, window)
        dated = (None, families.DATE, families.TIME, families.TIMESTAMP)
        fits = families.family_of(values[0].type) in dated
        lengths = (None, families.TIME, families.INTERVAL)
        if not fits or any(families.family_of(value.type) not in lengths for value in values[1:]):
            refuse("argument-type", self.span(node), f"{name} takes a time attribute and intervals.")
        if name in LEGACY_WINDOWS:
            time = node.expressions[0]
            if values[0].time.is_plain and values[0].type is not None:
                text = self.span(time).of(self.statement.text)
                self.later.refuse("window-time", self.span(time), f"{text} is no time attribute, which a window needs.")
        elif self.meaning is not None and place.clause != "GROUP BY":
            meaning = ("call", window, tuple(self.meaning(argument, scope) for argument in node.expressions))
            if meaning not in place.group_windows:
                message = f"{name} needs the same {window} with the same arguments in GROUP BY."
                refuse("group-window", self.span(node), message)
        if name.endswith("_ROWTIME") and values[0].time is TimeRole.PROC:
            self.later.refuse("group-window", self.span(node), "A window of processing time has no event time.")
        if name.endswith("_PROCTIME"):
            return ValueFacts(None, TimeRole.PROC)
        if name.endswith("_ROWTIME"):
            return ValueFacts(values[0].type, values[0].time)
        return ValueFacts(timestamp(3))

    def _check_window_sizes(self, node: exp.Expression, name: str, window: str) -> None:
        """Note a group window whose lengths Flink does not plan."""
        if name not in LEGACY_WINDOWS:
            return
        lengths = node.expressions[1 : 3 if window == "HOP" else 2]
        if len(node.expressions) > len(lengths) + 1:
            at = self.span(node.expressions[-1])
            self.later.refuse("window-size", at, f"{window} takes no alignment.")
        for length in lengths:
            value = milliseconds(length)
            if is_months(length):
                message = f"{window} takes days, hours, minutes or seconds."
                self.later.refuse("window-size", self.span(length), message)
            elif value is not None and value <= 0:
                self.later.refuse("window-size", self.span(length), f"{window} has a size of more than nothing.")
