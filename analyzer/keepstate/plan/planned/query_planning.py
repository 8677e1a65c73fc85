"""Plans of queries as Flink plans them, kept in a memo by the statements that they are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from weakref import ReferenceType, ref

from sqlglot import exp

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Expr, Literal
from keepstate.plan.growth import GrowsTooLarge, NestsTooDeeply, bounded_together
from keepstate.plan.lowering.environment import Environment
from keepstate.plan.lowering.filter_placement import without_projections
from keepstate.plan.lowering.queries import Assumed, QueryLowering
from keepstate.plan.lowering.select_lists import select_list
from keepstate.plan.lowering.sink_columns import target_of
from keepstate.plan.lowering.statement_queries import filled_by, query_of
from keepstate.plan.metadata.changelog import updating_tables
from keepstate.plan.metadata.constant_columns import has_constants
from keepstate.plan.metadata.time_attributes import Rowtimes
from keepstate.plan.operators import (
    Aggregate,
    Correlate,
    Limit,
    Operator,
    OverAggregate,
    Rank,
    RankStrategy,
    TemporalSort,
    Unsupported,
)
from keepstate.plan.operators.numbering import numbered, numbered_alike
from keepstate.plan.optimizer.copied_columns import has_same_rows, lone_copies, without_copies
from keepstate.plan.optimizer.empty_inputs import without_empty_inputs
from keepstate.plan.optimizer.held_columns import holds_unread
from keepstate.plan.optimizer.planners import NEWEST_GENERATION, OLDER_GENERATIONS, PlannerContext, PlannerGeneration
from keepstate.plan.optimizer.refinement import refined
from keepstate.plan.optimizer.removed_joins import may_go
from keepstate.plan.planned.deferred import DeferredPlan, EquivalenceClass
from keepstate.plan.planned.query_plan import Plan
from keepstate.plan.planned.wordings import meaning_of, storage_of, wording_of
from keepstate.plan.provenance import Place
from keepstate.plan.scalars.name_scope import sealed
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import ParsedStatement
from keepstate.text import Span


def planned_of(statement: ParsedStatement, definitions: tuple[ParsedStatement, ...], memo: Memo) -> DeferredPlan[Plan]:
    """The plan of a statement's query with the declarations that it reaches. Queries of one memo that say the same
    (``planned.wordings``) share what does not depend on places.

    >>> from keepstate.syntax.memo import Memo
    >>> memo = Memo()
    >>> texts = "SELECT b, SUM(a) FROM t GROUP BY b", "SELECT b, SUM(a) /* Ours. */ FROM t GROUP BY b"
    >>> first, second = (planned_of(memo.statement(text), (), memo) for text in texts)
    >>> first.means(second), first.plan is second.plan
    (True, False)
    """
    return memo.get_or_compute(planned_of, statement, definitions, lambda: _planned(statement, definitions, memo))


def _planned(statement: ParsedStatement, definitions: tuple[ParsedStatement, ...], memo: Memo) -> DeferredPlan[Plan]:
    # A memo has this object, which must not keep the memo alive.
    make = partial(plan_later, statement, definitions, ref(memo))
    sink = filled_by(statement, memo)
    wording = wording_of(statement, definitions, sink, memo)
    meaning = meaning_of(statement, definitions, sink, memo)
    if wording is None or meaning is None:
        return DeferredPlan[Plan](make)
    storage = storage_of(statement, definitions, sink, memo)
    return DeferredPlan[Plan](
        make,
        memo.shared((wording_of, wording), _new_class),
        memo.shared((meaning_of, meaning), _new_class),
        memo.shared((storage_of, storage), _new_class) if storage is not None else None,
    )


def plan_later(statement: ParsedStatement, definitions: tuple[ParsedStatement, ...], memo: ReferenceType[Memo]) -> Plan:
    """The plan of a query that waited to be made: without its memo, if that has gone.

    >>> from keepstate.syntax.statement import parse_statement
    >>> memo = Memo()
    >>> plan_later(parse_statement("SELECT a FROM t"), (), ref(memo)).names
    ('a',)
    """
    return plan_of(statement, PlanningInputs(definitions), memo() or Memo())


def _new_class() -> EquivalenceClass[Plan]:
    return EquivalenceClass()


@dataclass(frozen=True)
class PlanningInputs:
    """Inputs of the planning of a query: the declarations that it reaches, and the columns assumed for tables without a
    declaration.
    """

    definitions: tuple[ParsedStatement, ...]
    assumed: tuple[tuple[str, tuple[str, ...]], ...] = ()


def plan_of(statement: ParsedStatement, context: PlanningInputs, memo: Memo) -> Plan:
    """The plan of a statement's query; kept in ``memo``, since a keystroke in one statement leaves the plans of all the
    others as they are.

    >>> from keepstate.syntax.script import parse_script
    >>> script = parse_script("SELECT b, SUM(a) FROM t GROUP BY b")
    >>> plan = plan_of(script.statements[0].parsed, PlanningInputs(()), script.memo)
    >>> [operator.title for operator in plan.operators]
    ['GroupAggregate', 'TableSourceScan']
    """
    return memo.get_or_compute(plan_of, statement, context, lambda: _plan_of(statement, context, memo))


def _plan_of(statement: ParsedStatement, context: PlanningInputs, memo: Memo) -> Plan:
    definitions = context.definitions
    try:
        catalog = Catalog.of(definitions, memo, of_query=True)
        plan = written_plan(statement, catalog, dict(context.assumed), memo)
        plan = replace(plan, root=without_empty_inputs(plan.root))
        times = Rowtimes.of(catalog)
        updating = updating_tables(catalog)
        reads = plan.row
        may_lose_joins = any(may_go(each, catalog) for each in plan.root.walk())
        if may_lose_joins:
            # By their numbers joins are the same in all plans that follow.
            plan = replace(plan, root=numbered(plan.root))

        def stored_by(planner: PlannerGeneration) -> Operator:
            return refined(plan.root, reads, times, updating, PlannerContext(planner, catalog))

        root = refined(without_projections(plan.root), reads, times, updating)
        counts = any(isinstance(each, Aggregate) and each.counts_rows for each in plan.root.walk())
        holds = any(
            isinstance(each, (Correlate, OverAggregate, Rank, TemporalSort, Limit)) for each in plan.root.walk()
        )
        holds = holds or any(map(has_constants, plan.root.walk()))
        has_own_storage = holds or counts or may_lose_joins or any(map(holds_unread, root.walk()))
        newest = stored_by(NEWEST_GENERATION) if has_own_storage else None
        ranks = sum(isinstance(each, Rank) for each in plan.root.walk())
        # Counts, joins and rankings of rankings alone are planned in several ways.
        in_ways = counts or may_lose_joins or ranks > 1
        older = {each: stored_by(each) for each in OLDER_GENERATIONS} if in_ways else {}
        for every in (root, newest, *older.values()):
            if every is not None:
                bounded_together((every,))
        if copies := lone_copies(root):
            plain = plan.rewritten(without_copies(copies))
            plain_root = refined(without_projections(plain.root), plain.row, times, updating)
            if has_same_rows(root, plain_root, copies):
                plan, root = replace(plain, storage_columns=(*plan.output, *plan.row)), plain_root
        others = {planner: each for planner, each in older.items() if each != newest}
        held = newest if newest is not None and (newest, _strategies(newest)) != (root, _strategies(root)) else None
        plan = _numbered_anew(replace(plan, root=root, storage_root=held, older_roots=others))
        ordered = plan.with_ordered_unions()
        return ordered if ordered is plan else _numbered_anew(ordered)
    except (NestsTooDeeply, RecursionError):
        return _not_planned("query nested too deeply", statement, definitions)
    except GrowsTooLarge:
        return _not_planned("query that grows too large", statement, definitions)


def _strategies(root: Operator) -> list[tuple[RankStrategy, tuple[Expr, ...]]]:
    """The strategies of the rankings and the columns that reach them. They are no part of their values, since documents
    name none.
    """
    return [(each.strategy, each.input_columns) for each in root.walk() if isinstance(each, Rank)]


def _numbered_anew(plan: Plan) -> Plan:
    """A plan whose operators changed places, with numbers in the order of the new ones."""
    root = numbered(plan.root)
    held = numbered_alike(plan.storage_root, plan.root, root) if plan.storage_root is not None else None
    older = {planner: numbered_alike(each, plan.root, root) for planner, each in plan.older_roots.items()}
    return replace(plan, root=root, storage_root=held, older_roots=older)


def _not_planned(why: str, statement: ParsedStatement, definitions: tuple[ParsedStatement, ...]) -> Plan:
    """A plan that is like another one only if its query, and all that it reads, is written the same."""
    places = (Place(each, Span(0, len(each.text))) for each in (statement, *definitions))
    words = tuple(word for place in places for word in place.words)
    return Plan(numbered(Unsupported(why, words, place=Place(statement, Span(0, len(statement.text))))), ())


def written_plan(
    statement: ParsedStatement, catalog: Catalog, assumed: Assumed = MappingProxyType({}), memo: Memo | None = None
) -> Plan:
    """Return the plan of a statement's query as written, before the planner drops and moves anything.

    ``assumed`` are columns of tables without a declaration. This plan describes the results of a query; ``plan_of``
    describes the state that Flink keeps for it.

    >>> from keepstate.syntax.script import parse_script
    >>> script = parse_script("SELECT a FROM (SELECT a, b FROM t)")
    >>> written_plan(script.statements[0].parsed, Catalog.of(())).names
    ('a',)

    Raises:
        NestsTooDeeply, RecursionError: the query is nested too deeply.
        GrowsTooLarge: nested views make the plan too large to run.
    """
    query = query_of(statement)
    assert query is not None
    target = target_of(statement)
    environment = Environment(
        statement, outermost=True, select_order=target.order_taken(catalog) if target is not None else ()
    )
    lowering = QueryLowering(catalog, assumed, memo)
    relation = lowering.query(query, environment)
    output = tuple(column.expr for column in relation.fields)
    names = tuple(column.name for column in relation.fields)
    row = tuple(column.expr for column in environment.as_taken(relation).fields)
    if target is not None and target.leaves_out(catalog):
        row = (*row, Literal("NULL", "NULL"))
    starred = tuple(lowering.starred)
    return Plan(sealed(relation), output, names, _output_place(statement, query), row, starred=starred)


def _output_place(statement: ParsedStatement, query: exp.Expression) -> Place | None:
    outermost = query
    while isinstance(outermost, (exp.Subquery, exp.SetOperation)):
        outermost = outermost.this
    return select_list(outermost, Environment(statement)) if isinstance(outermost, exp.Select) else None
