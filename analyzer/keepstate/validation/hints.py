"""Hints: their names, the relations that they name, and the values that Flink reads. Measured on 1.20 and 2.3."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.parameters import milliseconds
from keepstate.syntax.placeholders import is_filled_in
from keepstate.text import Span
from keepstate.validation.statements.setting_values import DURATION, NUMBER, SWITCH, SettingForm, one_of, whole
from keepstate.validation.values.scopes import PlannerRefusals, ValidationScope, refuse

_OF_QUERIES = frozenset("BROADCAST SHUFFLE_HASH SHUFFLE_MERGE NEST_LOOP LOOKUP MULTI_JOIN STATE_TTL".split())
_OF_TABLES = frozenset({"OPTIONS"})
_OF_PAIRS = frozenset({"OPTIONS", "STATE_TTL"})
_OF_RELATIONS = frozenset({"BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP"})
_OF_JOINS = _OF_RELATIONS | {"MULTI_JOIN"}
_RETRY = ("retry-predicate", "retry-strategy", "fixed-delay", "max-attempts")
"""Options of LOOKUP that are set together, or not at all."""
_LOOKUP_VALUES: dict[str, SettingForm] = {
    "async": SWITCH,
    "timeout": DURATION,
    "capacity": NUMBER,
    "output-mode": one_of("ORDERED", "ALLOW_UNORDERED"),
    "retry-predicate": one_of("LOOKUP_MISS"),
    "retry-strategy": one_of("FIXED_DELAY"),
    "fixed-delay": DURATION,
    "max-attempts": whole("a whole number from 1 on", 32, 1),
}
_ANY_VERSION = (2, 3)
"""A version for forms that are the same in each one, but for durations like PT1H."""
_KNOWN = _OF_QUERIES | _OF_TABLES | {"ALIAS", "JSON_AGGREGATE_WRAPPED"}


def check_hints(node: exp.Expression, later: PlannerRefusals, scope: ValidationScope | None = None) -> None:
    """Refuse hints that Flink does not know, and note those that its planner refuses.

    ``scope`` has the relations of the query, if they stand at one.
    """
    hints = [node.args.get("hint"), *(node.args.get("hints") or ())]
    for item in (item for hint in hints if hint is not None for item in hint.expressions):
        name = item.name.upper()
        span = Span(*item.meta["span"])
        if name not in _KNOWN:
            refuse("hint", span, f"Flink has no hint {item.name}.")
        if name in _OF_PAIRS and not (
            item.expressions and all(isinstance(each, exp.Property) for each in item.expressions)
        ):
            refuse("hint", span, f"{name} takes pairs: 'key' = 'value'.")
        if name in _OF_RELATIONS and not item.expressions:
            refuse("hint", span, f"{name} names a table or view at least.")
        if name == "STATE_TTL":
            _check_lifetimes(item, later, scope)
        if name == "LOOKUP":
            _check_lookup(item, node, later)
        if name in _OF_JOINS and scope is not None and node.args.get("joins"):
            _check_names(item, later, scope)


def _check_names(item: exp.Expression, later: PlannerRefusals, scope: ValidationScope) -> None:
    """Refuse a hint of a join that names none of its relations: the name is that of an alias, if there is one."""
    names = {each.name for each in scope.items}
    for entry in item.expressions:
        if entry.name not in names and not is_filled_in(entry.name):
            message = f"{item.name.upper()} names {entry.name}, which is no relation of this FROM."
            later.refuse("hint", Span(*item.meta["span"]), message)


def _check_lookup(item: exp.Expression, node: exp.Expression, later: PlannerRefusals) -> None:
    span = Span(*item.meta["span"])
    pairs = [each for each in item.expressions if isinstance(each, exp.Property)]
    options = {each.this.name: each.args["value"].name for each in pairs}
    if "table" not in options or len(pairs) != len(item.expressions):
        later.refuse("hint", span, "LOOKUP takes pairs, and 'table' = 'name' is one of them.")
        return
    for key, form in _LOOKUP_VALUES.items():
        if key in options and not (is_filled_in(options[key]) or form.takes(options[key], _ANY_VERSION)):
            later.refuse("hint", span, f"{key} of LOOKUP takes {form.words}, and not '{options[key]}'.")
            return
    if 0 < len([key for key in _RETRY if key in options]) < len(_RETRY):
        later.refuse("hint", span, f"LOOKUP takes all of {', '.join(_RETRY)}, or none.")
        return
    table, right = options["table"], [join.this.alias_or_name for join in node.args.get("joins") or ()]
    if right and table not in right and not is_filled_in(table):
        message = f"LOOKUP names {table}, and on the right of the joins stands {', '.join(right)}."
        later.refuse("hint", span, message)


def _check_lifetimes(item: exp.Expression, later: PlannerRefusals, scope: ValidationScope | None) -> None:
    for entry in item.expressions:
        if not isinstance(entry, exp.Property):
            continue
        span, key, value = Span(*entry.meta["span"]), entry.this.name, entry.args["value"].name
        if is_filled_in(key) or is_filled_in(value):
            continue
        if milliseconds(value) is None:
            later.refuse("hint", span, f"'{value}' is no length of time.")
        elif scope is not None and key not in {item.name for item in scope.items}:
            later.refuse("hint", span, f"STATE_TTL names {key}, which is no relation of this FROM.")
