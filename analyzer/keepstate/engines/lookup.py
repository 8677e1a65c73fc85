"""Facts of the rule pages by kind of query and kind of change."""

from __future__ import annotations

from collections.abc import Mapping

from keepstate.diff.changes import ChangeKind, QueryKind
from keepstate.diff.subjects import ItemKind
from keepstate.engines.change_facts import KINDS
from keepstate.engines.page_table import PAGES
from keepstate.engines.rule_facts import EffectCase, PageFacts, Touch
from keepstate.report import Effect

_QUERIES = {query.value: query for query in QueryKind}
_BY_CHANGE: Mapping[tuple[QueryKind, ChangeKind], PageFacts] = {
    (_QUERIES[page.query_kind], page.kind): page for page in PAGES if page.kind is not None
}
_BY_NAME = {(page.query_kind, page.name): page for page in PAGES}


def kinds_of(*items: ItemKind) -> frozenset[ChangeKind]:
    """The kinds of changes of items of some kinds.

    >>> sorted(kind.value for kind in kinds_of(ItemKind.DISTINCT_AGGREGATE))
    ['distinct-aggregate-added', 'distinct-aggregate-changed', 'distinct-aggregate-removed']
    """
    return frozenset(kind for kind, facts in KINDS.items() if facts.item in items)


def touch(query: QueryKind, kind: ChangeKind) -> Touch:
    """The parts of stored state that a kind of change can be about in queries of a kind.

    >>> sorted(part.name for part in touch(QueryKind.GROUP_AGGREGATE, ChangeKind.GROUP_KEY_ADDED).parts)
    ['KEY', 'ROWS']
    """
    page = _BY_CHANGE.get((query, kind))
    return page.touch if page is not None and page.touch is not None else KINDS[kind].touch


def cases(query: QueryKind, kind: ChangeKind) -> tuple[EffectCase, ...]:
    """The effects that a kind of change can have in open-source Flink, in queries of a kind."""
    page = _BY_CHANGE.get((query, kind))
    return page.cases if page is not None and page.cases is not None else KINDS[kind].cases


def page_facts(query_kind: str, name: str) -> PageFacts:
    """The facts of one page.

    >>> page_facts("group-aggregate", "group-key-added").vvr
    <Effect.STATE_LOST: 'state-lost'>

    Raises:
        KeyError: there is no such page.
    """
    return _BY_NAME[query_kind, name]


def page_cases(page: PageFacts) -> tuple[EffectCase, ...]:
    """The cases of a page, its own or those of its kind of change.

    >>> [case.when for case in page_cases(page_facts("group-aggregate", "group-key-added"))]
    ['the operator stays: the keys get another type', 'a window table-valued function becomes an operator of its own']
    """
    if page.cases is not None or page.kind is None:
        return page.cases or ()
    return KINDS[page.kind].cases


def vvr_effects() -> dict[QueryKind, dict[ChangeKind, Effect]]:
    """The effects in the profile vvr."""
    return _by_query({key: page.vvr for key, page in _BY_CHANGE.items() if page.vvr is not None})


def flink_effects() -> dict[QueryKind, dict[ChangeKind, Effect]]:
    """The loudest effect of each change in open-source Flink."""
    of_kinds = {kind: loudest(facts.cases) for kind, facts in KINDS.items()}
    return _by_query(
        {
            (query, kind): loudest(page.cases) if page.cases is not None else of_kinds[kind]
            for (query, kind), page in _BY_CHANGE.items()
        }
    )


def loudest(cases: tuple[EffectCase, ...]) -> Effect:
    """The effect of which readers have to be warned most.

    >>> loudest((EffectCase(Effect.EXACT, "it stays", ""), EffectCase(Effect.WRONG_RESULTS, "it changes", "")))
    <Effect.WRONG_RESULTS: 'wrong-results'>
    """
    return max((case.effect for case in cases), key=lambda effect: effect.precedence)


def _by_query(effects: Mapping[tuple[QueryKind, ChangeKind], Effect]) -> dict[QueryKind, dict[ChangeKind, Effect]]:
    table: dict[QueryKind, dict[ChangeKind, Effect]] = {}
    for (query, kind), effect in effects.items():
        table.setdefault(query, {})[kind] = effect
    return table
