"""A whole script as a job: its pipelines, its declarations, and its configuration."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import compress, repeat
from operator import attrgetter, is_
from weakref import ref

from keepstate.plan.catalog import Catalog, TableDefinition, keeps_existing
from keepstate.plan.hashed_value import QuickCopy, with_fields
from keepstate.plan.lowering.sink_columns import InsertTarget
from keepstate.plan.lowering.statement_queries import filling_of
from keepstate.plan.names.full_names import unreadable_names
from keepstate.plan.planned.declaration_edits import DeclarationEdit, declaration_edit, indexes_of_readers
from keepstate.plan.planned.declarations_in_force import DeclarationsInForce
from keepstate.plan.planned.deferred import DeferredPlan
from keepstate.plan.planned.query_plan import Plan
from keepstate.plan.planned.query_planning import PlanningInputs, plan_later, plan_of, planned_of, written_plan
from keepstate.plan.planned.silent_edits import SilentEdit, silent_edit
from keepstate.plan.provenance import Place
from keepstate.plan.settings import ScriptSettings, Settings
from keepstate.plan.units.cluster_jobs import JobUnit, Units
from keepstate.syntax.kinds import QUERYING
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import ParsedStatement, Script, Statement, StatementKind
from keepstate.text import Span

__all__ = ["Job", "Pipeline", "Plan", "PlanningInputs", "plan_of", "planned_of", "written_plan"]


@dataclass(frozen=True)
class Pipeline(QuickCopy):
    """One INSERT (or CREATE TABLE AS, or top-level SELECT) with all that it reads."""

    name: str
    statement: ParsedStatement
    number: int
    """The number of the statement in its script, from 0: its place in the text is a fact of the script."""
    sink: str | None
    planned: DeferredPlan[Plan]
    definitions: tuple[ParsedStatement, ...] = ()
    settings: Settings = field(default_factory=dict, compare=False)
    """The parameters that hold for it."""
    target: InsertTarget | None = field(default=None, compare=False, repr=False)
    """The table that it fills, as its statement names it."""
    unit: int = field(default=0, compare=False, repr=False)
    """The number of the job that runs it, among those of its script."""

    @property
    def plan(self) -> Plan:
        """The plan of the query, made when it is asked for first."""
        return self.planned.plan

    @property
    def equivalent_plan(self) -> Plan:
        """An equal plan, which may have places in other texts: for questions in which no place counts."""
        return self.planned.equivalent_plan

    def with_plan(self, plan: Plan) -> Pipeline:
        """The pipeline with another plan.

        >>> one = job("SELECT id FROM orders").pipelines[0]
        >>> one.with_plan(plan("SELECT 1")).plan.sources
        ()
        """
        return replace(self, planned=DeferredPlan[Plan](lambda: plan))


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
    sets: Mapping[int, ParsedStatement] = field(default_factory=dict)
    """The beginnings of statement sets, by the numbers of the jobs that they are."""

    @cached_property
    def unreadable_names(self) -> frozenset[str]:
        """Names of relations whose declaration cannot be read."""
        return unreadable_names([statement.parsed for statement in self.script.of_kind(StatementKind.BROKEN)])

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
        catalog = Catalog.of_script(script)
        settings = ScriptSettings.of(script, parameters)
        pipelines: list[Pipeline] = []
        queries = 0
        units = Units(unit)
        in_force = DeclarationsInForce(script, catalog)
        for number, statement in enumerate(script.statements):
            parsed = statement.parsed
            units.meet(parsed)
            filling = memo.of(filling_of, parsed)
            if filling is None:
                continue
            sink, name, target = filling
            definitions = in_force.at(number).reached_from(parsed, memo)
            planned = planned_of(parsed, definitions, memo)
            if sink is None:
                queries += 1
                name = f"SELECT #{queries}"
            settled, own = settings.at(statement), units.of_query()
            pipelines.append(Pipeline(name, parsed, number, sink, planned, definitions, settled, target, own))
        resets = settings.resets
        return Job(script, catalog, settings.final, tuple(pipelines), engine_version, resets, unit, units.sets)

    def moved_to(self, script: Script) -> Job | None:
        r"""The job of a script with the same statements at other places; ``None``: of other ones.

        >>> from keepstate.syntax.script import parse_script
        >>> one = job("SELECT id FROM orders")
        >>> moved = one.moved_to(parse_script(f"-- Typed.\n{one.script.text}", one.script.memo))
        >>> starts = [each.statement_of(each.pipelines[0]).span.start for each in (one, moved)]
        >>> moved.pipelines is one.pipelines, starts[1] - starts[0]
        (True, 10)
        """
        return replace(self, script=script) if script.contents is self.script.contents else None

    def after_query_edit(self, script: Script) -> Job | None:
        """The job of a script in which one query differs, or a statement that cannot be read: the others keep their
        plans, and all that they reach. ``None``: it differs otherwise.

        >>> from keepstate.syntax.script import parse_script
        >>> one = Job.of(parse_script("SELECT a FROM t; SELECT b FROM t"), {})
        >>> now = one.after_query_edit(parse_script("SELECT a FROM t; SELECT c FROM t", one.script.memo))
        >>> [was.planned is now.planned for was, now in zip(one.pipelines, now.pipelines)]
        [True, False]
        """
        index, memo = script.contents.only_edit_since(self.script.contents), script.memo
        if index is None or not self.catalog.unambiguous:
            return None
        was, parsed = (side.contents.parsed[index] for side in (self.script, script))
        if not {was.kind, parsed.kind} <= QUERYING:
            return None
        before, after = (memo.of(filling_of, side) for side in (was, parsed))
        if (before is None) is not (after is None) or (
            before and after and (before[0] is None) is not (after[0] is None)
        ):
            # A query more or less: those behind it have other numbers.
            return None
        if after is None and not (was.tree is None and parsed.tree is None):
            return None
        pipelines = list(self.pipelines)
        at = bisect_left(pipelines, index, key=_NUMBER)
        if after is not None and at < len(pipelines) and pipelines[at].number == index:
            former, (sink, name, target) = pipelines[at], after
            reach = self.catalog.reached_from(parsed, memo)
            planned = planned_of(parsed, reach, memo)
            pipelines[at] = with_fields(
                former,
                name=former.name if sink is None else name,
                statement=parsed,
                sink=sink,
                planned=planned,
                definitions=reach,
                target=target,
            )
        return replace(self, script=script, pipelines=tuple(pipelines))

    def after_declaration_edit(self, script: Script) -> Job | None:
        """The job of a script in which one declaration differs: the queries that do not reach it keep their plans, and
        so do those that do not feel it (``silent_edits``). ``None``: it differs otherwise.

        >>> from keepstate.syntax.script import parse_script
        >>> text = "CREATE TABLE t (a INT, b INT); SELECT a FROM t; SELECT a FROM s"
        >>> one = Job.of(parse_script(text), {})
        >>> now = one.after_declaration_edit(parse_script(text.replace("a INT", "a BIGINT"), one.script.memo))
        >>> [was.planned is now.planned for was, now in zip(one.pipelines, now.pipelines)]
        [False, True]
        >>> silent = one.after_declaration_edit(parse_script(text.replace("b INT", "b STRING"), one.script.memo))
        >>> silent.pipelines[0].planned.means(one.pipelines[0].planned)
        True
        """
        memo = script.memo
        edit = declaration_edit(self.script.contents, script.contents, memo)
        if edit is None or not self.catalog.unambiguous:
            return None
        edited = partial(self.catalog.with_edit, edit.was, edit.now, memo)
        catalog = script.contents.following(Catalog, QUERYING, edited)
        silent = silent_edit(edit, script.contents, memo)
        pipelines = self._with_former_meaning(silent, memo) if silent is not None else None
        if pipelines is None:
            pipelines = [*self.pipelines]
            for number in self._readers(edit, memo):
                pipelines[number] = _planned_anew(pipelines[number], catalog, memo)
        return replace(self, script=script, catalog=catalog, pipelines=tuple(pipelines))

    def _readers(self, edit: DeclarationEdit | SilentEdit, memo: Memo) -> list[int]:
        """The indexes of the queries that reach the edited declaration."""
        numbers = indexes_of_readers(edit.name, self.script.contents, memo)
        indexes = [bisect_left(self.pipelines, number, key=_NUMBER) for number in numbers]
        return [
            index
            for index, number in zip(indexes, numbers, strict=True)
            if index < len(self.pipelines)
            and self.pipelines[index].number == number
            and edit.was in self.pipelines[index].definitions
        ]

    def _with_former_meaning(self, edit: SilentEdit, memo: Memo) -> list[Pipeline] | None:
        """The queries behind an edit that none of them feels, with plans that wait to be made; ``None`` if the storage
        of one is not known.
        """
        reached: dict[tuple[ParsedStatement, ...], tuple[ParsedStatement, ...]] = {}
        # A plan that waits to be made must not keep the memo alive.
        owner = ref(memo)
        pipelines = [*self.pipelines]
        for index in self._readers(edit, memo):
            was = pipelines[index]
            former, definitions = was.planned, was.definitions
            if former.storage is None:
                return None
            if definitions not in reached:
                reached[definitions] = tuple([edit.now if each is edit.was else each for each in definitions])
            reach = reached[definitions]
            planned: DeferredPlan[Plan] = DeferredPlan(
                partial(plan_later, was.statement, reach, owner),
                former.wording if edit.keeps_wording else None,
                former.meaning,
                former.storage,
            )
            pipelines[index] = with_fields(was, planned=planned, definitions=reach)
        return pipelines

    def statement_of(self, pipeline: Pipeline) -> Statement:
        """The statement of one of the pipelines, with its place in the script."""
        return self.script.statements[pipeline.number]

    def span_of(self, place: Place, pipeline: Pipeline | None = None) -> Span | None:
        """Return the span of a place in the script; ``None`` for a statement that is not part of the script.

        A statement text that occurs twice means its last occurrence, the one in effect, unless it is the pipeline's
        own.

        >>> one = job("SELECT id FROM orders WHERE id > 1")
        >>> span = one.span_of(one.pipelines[0].plan.root.place)
        >>> one.script.text[span.start : span.end]
        'id > 1'
        """
        if pipeline is not None and pipeline.statement is place.statement:
            return place.span.shift(self.statement_of(pipeline).span.start)
        start = self._start_of(place.statement)
        return place.span.shift(start) if start is not None else None

    def _start_of(self, statement: ParsedStatement) -> int | None:
        """Start of the last occurrence of a statement text in its namespace; of a declaration that says IF NOT EXISTS,
        of the first.
        """
        if statement not in self._starts:
            parsed = self.script.contents.parsed
            places = list(compress(self.script.statements, map(is_, parsed, repeat(statement))))
            if not places:
                # One of another memo, or one that is too long to be shared, is no less the same statement.
                key = statement.text, statement.namespace
                places = [each for each in self.script.statements if (each.parsed.text, each.parsed.namespace) == key]
            starts = [place.span.start for place in places]
            self._starts[statement] = starts[0 if keeps_existing(statement) else -1] if starts else None
        return self._starts[statement]

    @cached_property
    def _starts(self) -> dict[ParsedStatement, int | None]:
        """The places of the statements that were asked for."""
        return {}

    def source(self, name: str) -> TableDefinition | None:
        """The declaration of a table; ``None`` for one that the script does not declare.

        >>> job("").source("orders").name, job("").source("elsewhere")
        ('orders', None)
        """
        return self.catalog.tables.get(name)


_NUMBER = attrgetter("number")


def patched(script: Script, former: Iterable[Job]) -> Job | None:
    """The job of a script, made of the first of the ``former`` ones that hardly differs; ``None``: each differs more.
    They have the same parameters, engine and unit.

    >>> from keepstate.syntax.script import parse_script
    >>> one = Job.of(parse_script("SELECT a FROM t"), {})
    >>> now = patched(parse_script("SELECT a FROM t -- Typed.", one.script.memo), [one])
    >>> now.pipelines[0].planned is one.pipelines[0].planned
    True
    """
    jobs = list(former)
    ways = (Job.moved_to, Job.after_query_edit, Job.after_declaration_edit)
    results = (way(job, script) for way in ways for job in jobs)
    return next((job for job in results if job is not None), None)


def _planned_anew(pipeline: Pipeline, catalog: Catalog, memo: Memo) -> Pipeline:
    definitions = catalog.reached_from(pipeline.statement, memo)
    return with_fields(pipeline, planned=planned_of(pipeline.statement, definitions, memo), definitions=definitions)
