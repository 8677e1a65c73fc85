"""A whole script as a job: its pipelines, its declarations, and its configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from sqlglot import exp

from keepstate.plan.catalog import Catalog, TableDefinition, define, keeps_existing
from keepstate.plan.expressions import Expr, Literal
from keepstate.plan.growth import GrowsTooLarge, NestsTooDeeply, bounded_together
from keepstate.plan.lowering.environment import Environment
from keepstate.plan.lowering.queries import Assumed, QueryLowering, select_list
from keepstate.plan.lowering.sink_columns import Target, target_of
from keepstate.plan.lowering.statement_queries import filling_of, query_of
from keepstate.plan.metadata.changelog import updating_tables
from keepstate.plan.metadata.constant_columns import has_constants
from keepstate.plan.names.objects import unreadable_names
from keepstate.plan.operators import (
    Limit,
    LookupJoin,
    Operator,
    OverAggregate,
    Rank,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    rewritten,
)
from keepstate.plan.operators.numbering import numbered, numbered_alike
from keepstate.plan.optimizer.copied_columns import has_same_rows, lone_copies, without_copies
from keepstate.plan.optimizer.fixed_columns import fixed_aggregates
from keepstate.plan.optimizer.held_columns import holds_unread
from keepstate.plan.optimizer.refinement import refined
from keepstate.plan.optimizer.union_order import Order, canonical_order, reordered_unions
from keepstate.plan.predicates import reordered
from keepstate.plan.provenance import Place
from keepstate.plan.scalars.scope import sealed
from keepstate.plan.settings import ScriptSettings, Settings
from keepstate.plan.units.cluster_jobs import JobUnit, Units
from keepstate.syntax.memo import Memo
from keepstate.syntax.namespace import Namespace
from keepstate.syntax.script import ParsedStatement, Script, Statement
from keepstate.text import Span


@dataclass(frozen=True)
class Plan:
    """Plan of one query. ``root`` gives the rows, ``output`` are their columns.

    Equal plans have the same meaning, independent of names and spelling.
    """

    root: Operator
    output: tuple[Expr, ...]
    names: tuple[str, ...] = field(default=(), compare=False)
    output_place: Place | None = field(default=None, compare=False, repr=False)
    """The select list of the outermost query."""
    row: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """The columns as the sink takes them: with a column list in the order of the table, and constants for the rest."""
    held: Operator | None = field(default=None, compare=False, repr=False)
    """Root of the plan with all stored columns, where open-source Flink stores more than ``root``: columns that nothing
    reads any more, below OVER windows (``plan/held_columns``) and dropped aggregates.
    """
    held_columns: tuple[Expr, ...] | None = field(default=None, compare=False, repr=False)
    """``output`` and ``row`` over ``held``, where they are others than over ``root``."""
    starred: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """The tables of which ``*`` stands for columns that no declaration names."""

    def rewritten(self, step: Callable[[Expr], Expr]) -> Plan:
        """The plan with ``step`` applied to every node of every expression, in canonical form again.

        The inputs of unions stay where they are: see ``with_ordered_unions``.

        >>> total = plan("SELECT buyer, SUM(price) FROM orders GROUP BY buyer")
        >>> euro = total.rewritten(lambda node: replace(node, name="euro") if node == expr("price") else node)
        >>> [str(each) for each in euro.output]
        ['buyer', 'SUM(euro)']
        """
        output = tuple(reordered(expr.rewrite(step)) for expr in self.output)
        row = tuple(reordered(expr.rewrite(step)) for expr in self.row)
        held = rewritten(self.held, step) if self.held is not None else None
        own = tuple(expr.rewrite(step) for expr in self.held_columns) if self.held_columns is not None else None
        return replace(self, root=rewritten(self.root, step), output=output, row=row, held=held, held_columns=own)

    def with_fixed_columns(self) -> Plan:
        """The plan with aggregates as they are behind filters that fix their columns; equal ones are planned alike."""
        fixed = fixed_aggregates(self.operators)
        return self.rewritten(lambda node: fixed.get(node, node)) if fixed else self

    def with_ordered_unions(self) -> Plan:
        """The plan with the inputs of its unions in canonical order, as after their tables got other names."""
        return self.with_unions_in(canonical_order)

    def with_unions_in(self, order: Order) -> Plan:
        """The plan with the inputs of each union in the order that ``order`` gives for it.

        >>> from keepstate.plan.optimizer.union_order import written_positions
        >>> both = plan("SELECT buyer FROM orders UNION ALL SELECT city FROM buyers")
        >>> str(both.output[0]), str(both.with_unions_in(written_positions).output[0])
        ('city | buyer', 'buyer | city')
        """
        chosen: dict[int, Sequence[int]] = {}

        def choose(union: Union) -> Sequence[int]:
            chosen[union.number] = order(union)
            return chosen[union.number]

        root, columns = reordered_unions(self.root, (*self.output, *self.row), choose)
        held, own = self.held, self.held_columns
        if held is not None:
            held, ordered = reordered_unions(held, own or (), lambda union: chosen[union.number])
            own = ordered if own is not None else None
        width = len(self.output)
        output, row = columns[:width], columns[width:]
        changed = replace(self, root=root, output=output, row=row, held=held, held_columns=own)
        return self if root is self.root else changed

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        return tuple(self.root.walk())

    @cached_property
    def by_number(self) -> Mapping[int, Operator]:
        """The operators by their numbers (``operators/numbering``)."""
        return {operator.number: operator for operator in self.operators}

    @property
    def as_held(self) -> Plan:
        """The plan that open-source Flink makes of the query, with all that it holds."""
        columns, width = self.held_columns or (*self.output, *self.row), len(self.output)
        as_held = replace(self, output=columns[:width], row=columns[width:], held=None, held_columns=None)
        return replace(as_held, root=self.held) if self.held is not None else self

    @cached_property
    def stateful(self) -> bool:
        return any(operator.stateful for operator in self.operators)

    @cached_property
    def scans(self) -> tuple[TableSourceScan, ...]:
        return tuple(operator for operator in self.operators if isinstance(operator, TableSourceScan))

    @cached_property
    def lookups(self) -> frozenset[int]:
        """Numbers of the tables that lookup joins read."""
        return frozenset(operator.right.number for operator in self.operators if isinstance(operator, LookupJoin))

    @cached_property
    def feeding_state(self) -> frozenset[str]:
        """Names of the tables that it reads as streams and behind which something keeps state."""
        below = (node for operator in self.operators if operator.stateful for node in operator.walk())
        scans = (node for node in below if isinstance(node, TableSourceScan) and node.number not in self.lookups)
        return frozenset(scan.table for scan in scans)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Names of the tables that it reads, in plan order."""
        return tuple(dict.fromkeys(scan.table for scan in self.scans))


@dataclass(frozen=True)
class Pipeline:
    """One INSERT (or CREATE TABLE AS, or top-level SELECT) with all that it reads."""

    name: str
    statement: Statement
    sink: str | None
    plan: Plan
    definitions: tuple[ParsedStatement, ...] = ()
    settings: Settings = field(default_factory=dict, compare=False)
    """The parameters that hold for it."""
    target: Target | None = field(default=None, compare=False, repr=False)
    """The table that it fills, as its statement names it."""
    unit: int = field(default=0, compare=False, repr=False)
    """The number of the job that runs it, among those of its script."""


@dataclass(frozen=True)
class Job:
    """One side of a comparison: a script, which the cluster may run as several jobs (``unit``)."""

    script: Script
    catalog: Catalog
    settings: Settings
    """Settings at the end of the script. The settings of a single query may differ."""
    pipelines: tuple[Pipeline, ...]
    engine_version: str | None = None
    resets: Mapping[str, Place] = field(default_factory=dict)
    """RESET statements by the parameters that they put back."""
    unit: JobUnit = JobUnit.SCRIPT
    sets: Mapping[int, Statement] = field(default_factory=dict)
    """The beginnings of statement sets, by the numbers of the jobs that they are."""

    @cached_property
    def unreadable_names(self) -> frozenset[str]:
        """Names of relations whose declaration cannot be read."""
        return unreadable_names(statement.parsed for statement in self.script.statements)

    @staticmethod
    def of(
        script: Script,
        parameters: Mapping[str, str],
        engine_version: str | None = None,
        unit: JobUnit = JobUnit.SCRIPT,
    ) -> Job:
        """Plan the queries of a script under the job parameters that are set outside of it.

        >>> from keepstate.syntax.script import parse_script
        >>> job = Job.of(parse_script("INSERT INTO s SELECT b, SUM(a) FROM t GROUP BY b"), {})
        >>> [(pipeline.name, pipeline.plan.sources, pipeline.plan.stateful) for pipeline in job.pipelines]
        [('INSERT INTO s', ('t',), True)]
        """
        memo = script.memo
        catalog = Catalog.of((statement.parsed for statement in script.statements), memo)
        settings = ScriptSettings.of(script, parameters)
        pipelines: list[Pipeline] = []
        queries = 0
        units = Units(unit)
        for statement in script.statements:
            parsed = statement.parsed
            units.meet(statement)
            filling = memo.of(filling_of, parsed)
            if filling is None:
                continue
            definitions, plan = _planned(parsed, _in_force(script, statement, catalog), memo)
            sink, name, target = filling
            if sink is None:
                queries += 1
                name = f"SELECT #{queries}"
            settled, own = settings.at(statement), units.of_query()
            pipelines.append(Pipeline(name, statement, sink, plan, definitions, settled, target, own))
        resets = settings.resets
        return Job(script, catalog, settings.final, tuple(pipelines), engine_version, resets, unit, units.sets)

    def span_of(self, place: Place, pipeline: Pipeline | None = None) -> Span | None:
        """Return the span of a place in the script; ``None`` for a statement that is not part of the script.

        A statement text that occurs twice means its last occurrence, the one in effect, unless it is the pipeline's
        own.

        >>> one = job("SELECT id FROM orders WHERE id > 1")
        >>> span = one.span_of(one.pipelines[0].plan.root.place)
        >>> one.script.text[span.start : span.end]
        'id > 1'
        """
        if pipeline is not None and pipeline.statement.parsed is place.statement:
            return place.span.shift(pipeline.statement.span.start)
        start = self._starts.get((place.statement.text, place.statement.namespace))
        return place.span.shift(start) if start is not None else None

    @cached_property
    def _starts(self) -> dict[tuple[str, Namespace], int]:
        """Start of the last occurrence of each statement text in a namespace; of a declaration that says IF NOT EXISTS,
        of the first.
        """
        found: dict[tuple[str, Namespace], int] = {}
        for each in self.script.statements:
            key = each.text, each.parsed.namespace
            if key not in found or not keeps_existing(each.parsed):
                found[key] = each.span.start
        return found

    def source(self, name: str) -> TableDefinition | None:
        """The declaration of a table; ``None`` for one that the script does not declare.

        >>> job("").source("orders").name, job("").source("elsewhere")
        ('orders', None)
        """
        return self.catalog.tables.get(name)


def _in_force(script: Script, statement: Statement, catalog: Catalog) -> Catalog:
    """The declarations that ``statement`` sees: of a name declared twice the last one before it, else the next one."""
    if catalog.unambiguous:
        return catalog
    position = script.statements.index(statement)
    before, after = script.statements[:position], script.statements[position + 1 :]
    memo = script.memo
    known = Catalog.of((other.parsed for other in before), memo, of_query=True)
    # What comes later hides nothing, however temporary it is.
    later: dict[str, ParsedStatement] = {}
    for other in after:
        definition = memo.of(define, other.parsed)
        if definition is not None and known.declaration(definition.name) is None:
            later.setdefault(definition.name, other.parsed)
    return Catalog.of((*later.values(), *(other.parsed for other in before)), memo)


def _planned(statement: ParsedStatement, catalog: Catalog, memo: Memo) -> tuple[tuple[ParsedStatement, ...], Plan]:
    """The declarations that a statement reaches, and its plan."""

    def planned() -> tuple[tuple[ParsedStatement, ...], Plan]:
        definitions = catalog.reached_from(statement, memo)
        return definitions, plan_of(statement, Given(definitions), memo)

    # Most statements and declarations stay as they are from one keystroke to the next.
    return memo.get_or_compute(_planned, statement, catalog, planned)


@dataclass(frozen=True)
class Given:
    """Inputs of the planning of a query: the declarations that it reaches, and the columns assumed for tables without a
    declaration.
    """

    definitions: tuple[ParsedStatement, ...]
    assumed: tuple[tuple[str, tuple[str, ...]], ...] = ()


def plan_of(statement: ParsedStatement, given: Given, memo: Memo) -> Plan:
    """The plan of a statement's query; kept in ``memo``, since a keystroke in one statement leaves the plans of all the
    others as they are.

    >>> from keepstate.syntax.script import parse_script
    >>> script = parse_script("SELECT b, SUM(a) FROM t GROUP BY b")
    >>> plan = plan_of(script.statements[0].parsed, Given(()), script.memo)
    >>> [operator.title for operator in plan.operators]
    ['GroupAggregate', 'TableSourceScan']
    """
    return memo.get_or_compute(plan_of, statement, given, lambda: _plan_of(statement, given, memo))


def _plan_of(statement: ParsedStatement, given: Given, memo: Memo) -> Plan:
    definitions = given.definitions
    try:
        catalog = Catalog.of(definitions, memo, of_query=True)
        plan = written_plan(statement, catalog, dict(given.assumed))
        times = frozenset(
            (table.name, column) for table in catalog.tables.values() for column in catalog.time_attributes_of(table)
        )
        updating = updating_tables(catalog)
        reads = plan.row
        root, held = refined(plan.root, reads, times, updating), None
        holds = any(isinstance(each, (OverAggregate, Rank, TemporalSort, Limit)) for each in plan.root.walk())
        holds = holds or any(map(has_constants, plan.root.walk()))
        if holds or any(map(holds_unread, root.walk())):
            held = refined(plan.root, reads, times, updating, as_planned=True)
        bounded_together((root,))
        if held is not None:
            bounded_together((held,))
        if copies := lone_copies(root):
            plain = plan.rewritten(without_copies(copies))
            plain_root = refined(plain.root, plain.row, times, updating)
            if has_same_rows(root, plain_root, copies):
                plan, root = replace(plain, held_columns=(*plan.output, *plan.row)), plain_root
        root = numbered(root)
        held = numbered_alike(held, root) if held is not None and held != root else None
        ordered = replace(plan, root=root, held=held).with_ordered_unions()
        return ordered if ordered.root is root else _numbered_anew(ordered)
    except (NestsTooDeeply, RecursionError):
        return _not_planned("query nested too deeply", statement, definitions)
    except GrowsTooLarge:
        return _not_planned("query that grows too large", statement, definitions)


def _numbered_anew(plan: Plan) -> Plan:
    """A plan whose operators changed places, with numbers in the order of the new ones."""
    root = numbered(plan.root)
    return replace(plan, root=root, held=numbered_alike(plan.held, root) if plan.held is not None else None)


def _not_planned(why: str, statement: ParsedStatement, definitions: tuple[ParsedStatement, ...]) -> Plan:
    """A plan that is like another one only if its query, and all that it reads, is written the same."""
    written = (Place(each, Span(0, len(each.text))) for each in (statement, *definitions))
    words = tuple(word for place in written for word in place.words)
    return Plan(numbered(Unsupported(why, words, place=Place(statement, Span(0, len(statement.text))))), ())


def written_plan(statement: ParsedStatement, catalog: Catalog, assumed: Assumed = MappingProxyType({})) -> Plan:
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
        statement, outermost=True, taken=target.order_taken(catalog) if target is not None else ()
    )
    lowering = QueryLowering(catalog, assumed)
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
