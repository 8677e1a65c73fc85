"""Hints: the names that Flink knows, and lifetimes that are lengths of time."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.parameters import milliseconds
from keepstate.text import Span
from keepstate.validation.values.scopes import PlannerRefusals, ValidationScope, refuse

_OF_QUERIES = frozenset("BROADCAST SHUFFLE_HASH SHUFFLE_MERGE NEST_LOOP LOOKUP MULTI_JOIN STATE_TTL".split())
_OF_TABLES = frozenset({"OPTIONS"})
_OF_PAIRS = frozenset({"OPTIONS", "STATE_TTL"})
_OF_RELATIONS = frozenset({"BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP"})
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


def _check_lifetimes(item: exp.Expression, later: PlannerRefusals, scope: ValidationScope | None) -> None:
    for entry in item.expressions:
        if not isinstance(entry, exp.Property):
            continue
        span, key, value = Span(*entry.meta["span"]), entry.this.name, entry.args["value"].name
        if milliseconds(value) is None:
            later.refuse("hint", span, f"'{value}' is no length of time.")
        elif scope is not None and key not in {item.name for item in scope.items}:
            later.refuse("hint", span, f"STATE_TTL names {key}, which is no relation of this FROM.")
