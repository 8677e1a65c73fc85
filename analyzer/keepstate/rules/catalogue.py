"""All rules, by query kind and by name."""

from __future__ import annotations

from keepstate.diff.changes import GENERAL, ChangeKind, QueryKind
from keepstate.rules.rule import Page, Rule
from keepstate.rules.table import PAGES

_QUERIES = {query.value: query for query in QueryKind}


def _rule(page: Page) -> Rule | None:
    if page.words is None or page.kind is None:
        return None
    return Rule(page.kind, _QUERIES[page.query_kind], page.spec, page.title, page.words, page.is_notice)


RULES: tuple[Rule, ...] = tuple(rule for page in PAGES if (rule := _rule(page)) is not None)

_BY_KIND = {(rule.query, rule.kind): rule for rule in RULES}


def rule_for(query: QueryKind, kind: ChangeKind) -> Rule:
    """The rule of a query kind about a kind of change; a general one where it has none; the rule that says so where
    there is none at all.
    """
    found = (_BY_KIND.get((entry, kind)) for entry in (query, *GENERAL))
    return next((rule for rule in found if rule is not None), _BY_KIND[QueryKind.JOB, ChangeKind.CHANGE_NOT_JUDGED])


def rules_named(name: str) -> tuple[Rule, ...]:
    """The rules with a rule id (one per query kind that has it) or a spec id; none for an unknown name."""
    wanted = name.strip()
    by_id = tuple(rule for rule in RULES if rule.id == wanted.lower())
    return by_id or tuple(rule for rule in RULES if wanted.upper() in rule.spec)
