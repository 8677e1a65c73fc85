"""All rules, by query kind and by name."""

from __future__ import annotations

from functools import cache

from keepstate.diff.changes import GENERAL, ChangeKind, QueryKind
from keepstate.rules.rule import Page, Rule
from keepstate.rules.rule_pages import PAGES

_BY_CHANGE: dict[tuple[str, ChangeKind | None], Page] = {
    (page.query_kind, page.kind): page for page in PAGES if page.words is not None
}


@cache
def rule_for(query: QueryKind, kind: ChangeKind) -> Rule:
    """Return the rule of a query kind about a kind of change; else a general rule; else the rule for changes without a
    rule.
    """
    rules = (_rule(entry, kind) for entry in (query, *GENERAL))
    rule = next((rule for rule in rules if rule is not None), None)
    if rule is None:
        return rule_for(QueryKind.JOB, ChangeKind.CHANGE_NOT_JUDGED)
    return rule


@cache
def _rule(query: QueryKind, kind: ChangeKind) -> Rule | None:
    page = _BY_CHANGE.get((query.value, kind))
    if page is None or page.words is None:
        return None
    return Rule(kind, query, page.spec, page.title, page.words, page.is_notice)


@cache
def all_rules() -> tuple[Rule, ...]:
    """The rules of all pages, in their order."""
    rules = (_rule(QueryKind(page.query_kind), page.kind) for page in PAGES if page.kind is not None)
    return tuple(rule for rule in rules if rule is not None)


def rules_named(name: str) -> tuple[Rule, ...]:
    """The rules with a rule id (one per query kind that has it) or a spec id; none for an unknown name.

    >>> [rule.query.value for rule in rules_named("session-partition-changed")]
    ['window-tvf', 'window-top-n', 'group-aggregate', 'over-aggregate', 'window-deduplication', 'window-join']
    """
    key = name.strip()
    return _by_name().get(key.lower()) or _by_name().get(key.upper(), ())


@cache
def _by_name() -> dict[str, tuple[Rule, ...]]:
    """The rules by their ids, and by the ids of the specification, which are in upper case."""
    rules: dict[str, list[Rule]] = {}
    for rule in all_rules():
        for name in dict.fromkeys((rule.id, *rule.spec)):
            rules.setdefault(name, []).append(rule)
    return {name: tuple(each) for name, each in rules.items()}
