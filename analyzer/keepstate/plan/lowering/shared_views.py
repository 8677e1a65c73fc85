"""Views of a query, lowered once for all queries of a job that read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from keepstate.plan.catalog import Catalog, ViewDefinition
from keepstate.plan.growth import GrowsTooLarge, NestsTooDeeply
from keepstate.plan.lowering.environment import SharedView
from keepstate.plan.lowering.queries import QueryLowering
from keepstate.plan.names.objects import names_in
from keepstate.syntax.memo import Memo


def shared_views(
    catalog: Catalog, assumed: tuple[tuple[str, tuple[str, ...]], ...], memo: Memo
) -> Mapping[str, SharedView]:
    """The views of a query's catalog by their names, those that others read first. ``assumed`` are columns of tables
    without a declaration. A view is kept in ``memo`` with its statement, by all declarations that it reaches.

    Of views that are read in a circle, were altered, or grow too large, none or a part is there: the query meets these
    by itself.
    """
    found: dict[str, SharedView] = {}
    if catalog.altered:
        # A view may have another name than in its statement.
        return found
    for view in _in_order(catalog, memo):
        key = catalog.reached_from(view.statement, memo), assumed

        def lowered(view: ViewDefinition = view) -> SharedView:
            lowering = QueryLowering(catalog, dict(assumed), found)
            relation = lowering.view(view)
            return SharedView(relation, tuple(lowering.starred))

        try:
            found[view.name] = memo.get_or_compute(shared_views, view.statement, key, lowered)
        except (GrowsTooLarge, NestsTooDeeply, RecursionError):
            break
    return found


def _in_order(catalog: Catalog, memo: Memo) -> list[ViewDefinition]:
    """The views of a catalog, each behind those that it reads; none if some are read in a circle."""
    order: dict[str, ViewDefinition] = {}
    begun: dict[str, Iterator[str]] = {}
    for name in catalog.views:
        # Not by recursion: views may be nested deeper than Python's stack is.
        waiting = [] if name in order else [name]
        while waiting:
            last = waiting[-1]
            if last not in begun:
                begun[last] = (
                    each for each in memo.of(names_in, catalog.views[last].statement) if each in catalog.views
                )
            # CREATE VIEW names the view itself as well.
            read = next((each for each in begun[last] if each not in order and each != last), None)
            if read is None:
                order[last] = catalog.views[last]
                waiting.pop()
            elif read in waiting:
                return []
            else:
                waiting.append(read)
    return list(order.values())
