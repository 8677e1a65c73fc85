"""Hints: the names that Flink knows, and lifetimes that are lengths of time."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.parameters import milliseconds
from keepstate.text import Span
from keepstate.validation.values.scopes import PlannerRefusals, ValidationScope

_OF_QUERIES = frozenset("BROADCAST SHUFFLE_HASH SHUFFLE_MERGE NEST_LOOP LOOKUP MULTI_JOIN STATE_TTL".split())
_OF_TABLES = frozenset({"OPTIONS"})
_KNOWN = _OF_QUERIES | _OF_TABLES | {"ALIAS", "JSON_AGGREGATE_WRAPPED"}


def check_hints(node: exp.Expression, later: PlannerRefusals, scope: ValidationScope | None = None) -> None:
    """Note hints of a query or of a table that Flink refuses; ``scope`` has the relations of the query."""
    hints = [node.args.get("hint"), *(node.args.get("hints") or ())]
    for item in (item for hint in hints if hint is not None for item in hint.expressions):
        name = item.name.upper()
        span = Span(*item.meta["span"])
        if name not in _KNOWN:
            later.refuse("hint", span, f"Flink has no hint {item.name}.")
        elif name == "STATE_TTL":
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
