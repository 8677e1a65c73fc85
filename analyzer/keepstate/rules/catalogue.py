"""All rules, by query kind and by name."""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind, QueryKind
from keepstate.rules import group_aggregate, group_window, job, window_top_n, window_tvf
from keepstate.rules.rule import Rule

MODULES = (window_tvf, group_window, window_top_n, group_aggregate, job)
RULES: tuple[Rule, ...] = tuple(rule for module in MODULES for rule in module.RULES)

_BY_KIND = {(rule.query, rule.kind): rule for rule in RULES}


def rule_for(query: QueryKind, kind: ChangeKind) -> Rule:
    """The rule of a query kind about a kind of change; that of the job as a whole where it has none; the rule that
    says so where neither has one.
    """
    found = _BY_KIND.get((query, kind)) or _BY_KIND.get((QueryKind.JOB, kind))
    return found or _BY_KIND[QueryKind.JOB, ChangeKind.NOT_JUDGED]


def rules_named(name: str) -> tuple[Rule, ...]:
    """The rules with a rule id (one per query kind that has it) or a spec id; none for an unknown name."""
    wanted = name.strip()
    by_id = tuple(rule for rule in RULES if rule.id == wanted.lower())
    return by_id or tuple(rule for rule in RULES if wanted.upper() in rule.spec)
