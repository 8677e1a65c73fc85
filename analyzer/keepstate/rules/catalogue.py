"""All rules, by query kind and by name."""

from __future__ import annotations

from keepstate.diff.changes import GENERAL, ChangeKind, QueryKind
from keepstate.rules import (
    configuration,
    deduplication,
    group_aggregate,
    group_window,
    interval_join,
    job,
    limit,
    over_aggregate,
    pattern_recognition,
    regular_join,
    set_operation,
    sink,
    source,
    temporal_join,
    temporal_sort,
    top_n,
    union_all,
    where,
    window_deduplication,
    window_join,
    window_top_n,
    window_tvf,
)
from keepstate.rules.rule import Rule

MODULES = (
    window_tvf,
    group_window,
    window_top_n,
    group_aggregate,
    over_aggregate,
    deduplication,
    top_n,
    window_deduplication,
    regular_join,
    interval_join,
    temporal_join,
    window_join,
    pattern_recognition,
    temporal_sort,
    limit,
    set_operation,
    where,
    union_all,
    source,
    sink,
    configuration,
    job,
)
RULES: tuple[Rule, ...] = tuple(rule for module in MODULES for rule in module.RULES)

_BY_KIND = {(rule.query, rule.kind): rule for rule in RULES}


def rule_for(query: QueryKind, kind: ChangeKind) -> Rule:
    """The rule of a query kind about a kind of change; a general one where it has none; the rule that says so where
    there is none at all.
    """
    found = (_BY_KIND.get((entry, kind)) for entry in (query, *GENERAL))
    return next((rule for rule in found if rule is not None), _BY_KIND[QueryKind.JOB, ChangeKind.NOT_JUDGED])


def rules_named(name: str) -> tuple[Rule, ...]:
    """The rules with a rule id (one per query kind that has it) or a spec id; none for an unknown name."""
    wanted = name.strip()
    by_id = tuple(rule for rule in RULES if rule.id == wanted.lower())
    return by_id or tuple(rule for rule in RULES if wanted.upper() in rule.spec)
