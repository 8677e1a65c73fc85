"""The statements of a script, validated in their order against what stands above them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from sqlglot import exp

from keepstate.plan.catalog import Catalog, Definition, define, names_in, table_name
from keepstate.plan.engine_version import EngineVersion
from keepstate.plan.job import Given, plan_of
from keepstate.plan.settings import ScriptSettings
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import Script, Statement
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.declarations import declare
from keepstate.validation.parsing import refusal_of_parser
from keepstate.validation.queries import QueryCheck
from keepstate.validation.sinks import check_insert
from keepstate.validation.statement_sets import refusals_of_sets
from keepstate.validation.streams import refusal_of_planner
from keepstate.validation.surroundings import NEWEST, Declared, Dialect, Surroundings
from keepstate.validation.validity import Problem, Related, Validity
from keepstate.validation.values.scopes import OPEN_ROWS, Refused

_RELATIONS = frozenset({StatementKind.CREATE_TABLE, StatementKind.CREATE_VIEW})
_DECLARING = frozenset({StatementKind.CREATE_TABLE, StatementKind.CREATE_VIEW, StatementKind.CREATE_FUNCTION})

_CERTAIN = frozenset({"sink-columns", "sink-type"})
"""Refusals of the planner that hold whatever is not known of the rest of the statement."""
_RUNTIME_MODE = "execution.runtime-mode"
_FIRM = frozenset(
    """syntax missing-semicolon reserved-word unknown-column ambiguous-column unknown-qualifier unknown-field
    not-grouped duplicate-column duplicate-relation alias-columns subquery-columns set-operation-columns values-columns
    view-columns nested-aggregate aggregate-misplaced used-before-declaration sink-columns""".split()
)
"""Rules that hold on every engine that is made of Flink: names, groups and numbers of columns."""
_ON_CONFLICT = "table.exec.sink.require-on-conflict"


@dataclass(frozen=True, eq=False)
class _Outcome:
    """The outcome of one statement, with spans of its own text."""

    problem: Problem | None = None
    unsure: tuple[Problem, ...] = ()
    declared: Declared | None = None


def validate(
    script: Script,
    engine: str = "flink",
    engine_version: str | None = None,
    parameters: Mapping[str, str] = MappingProxyType({}),
) -> Validity:
    """The answers for all statements of ``script``, as Flink of this version would take them one after the other.

    ``parameters`` are those that hold without a SET in the script. ``engine`` is ``flink`` for open-source Flink. Any
    other one knows more SQL: what Flink refuses there, but for names, groups and numbers of columns, is undecided.

    >>> from keepstate.syntax.script import parse_script
    >>> validate(parse_script("SELECT a FROM (VALUES (1)) AS t (b)")).problems[0].rule
    'unknown-column'
    """
    version = EngineVersion.of(engine_version) if engine_version else None
    dialect = Dialect(version.flink if version is not None and version.flink else NEWEST, engine == "flink")
    return _Walk(script, dialect, parameters).validity()


class _Walk:
    def __init__(self, script: Script, dialect: Dialect, parameters: Mapping[str, str]) -> None:
        self._script = script
        self._memo: Memo = script.memo
        self._dialect = dialect
        self._batch = replace(dialect, is_batch=True)
        self._databases = frozenset(
            table_name(statement.tree.this)
            for statement in script.statements
            if isinstance(statement.tree, exp.Create) and statement.tree.args.get("kind") == "DATABASE"
        )
        self._names: dict[str, Declared] = {}
        self._places: dict[str, Span] = {}
        """Places in the script of the names that are declared so far."""
        self._catalog = Catalog.of((statement.parsed for statement in script.statements), script.memo)
        self._settings = ScriptSettings.of(script, parameters)
        self._reported: set[int] = set()
        """The numbers of the views whose problem is reported."""
        self._problems: list[Problem] = []
        self._undecided: list[Problem] = []

    def validity(self) -> Validity:
        unended = _without_semicolon(self._script)
        of_sets = {problem.statement: problem for problem in reversed(tuple(refusals_of_sets(self._script)))}
        for number, statement in enumerate(self._script.statements, 1):
            if self._refused_by_parser(number, statement, number in unended):
                continue
            if number in of_sets:
                self._add(of_sets[number])
                continue
            self._check(number, statement)
        return Validity(tuple(self._problems), tuple(self._undecided))

    def _add(self, problem: Problem) -> None:
        """Take a refusal; another engine than open-source Flink may know more SQL."""
        if self._dialect.is_open_source or problem.rule in _FIRM:
            self._problems.append(problem)
        else:
            self._undecided.append(replace(problem, depends="engine"))

    def _refused_by_parser(self, number: int, statement: Statement, unended: bool) -> bool:
        parsed = statement.parsed
        read = parsed.kind is not StatementKind.BROKEN
        if read and any(not placeholder.in_string for placeholder in parsed.placeholders):
            return False
        found = refusal_of_parser(parsed, self._dialect.flink)
        following = _first_token(self._script.statements[number]) if unended else None
        if found is not None and following is not None and statement.parsed.stops_at_end:
            found = replace(found, span=following, statement=number)
        elif found is not None:
            found = found.shift(statement.span.start, number)
        elif following is not None:
            message = f"A semicolon is missing in front of {following.of(self._script.text)}."
            found = Problem("missing-semicolon", following, message, number)
        if found is None:
            return False
        self._add(found)
        if found.rule != "missing-semicolon":
            self._declare_broken(statement.parsed, found, statement.span.start)
        return found.rule != "missing-semicolon"

    def _declare_broken(self, statement: ParsedStatement, problem: Problem, start: int) -> None:
        tree = statement.tree
        if isinstance(tree, exp.Create) and statement.kind in _DECLARING:
            target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            name = table_name(target)
            place = Span(*target.meta["span"])
            self._names[name] = Declared(name, statement, place, OPEN_ROWS, problem=problem)
            self._places[name] = place.shift(start)

    def _check(self, number: int, statement: Statement) -> None:
        parsed = statement.parsed
        placeholder = next((placeholder for placeholder in parsed.placeholders if not placeholder.in_string), None)
        if placeholder is not None:
            message = "A template fills in text here, so what Flink will see is not known."
            found = Problem("template", placeholder.span, message, depends="template")
            self._undecided.append(found.shift(statement.span.start, number))
            self._declare_broken(parsed, found, statement.span.start)
            return
        if parsed.kind is StatementKind.DROP and isinstance(parsed.tree, exp.Drop):
            self._names.pop(table_name(parsed.tree.this), None)
            return
        reached = tuple((name, self._names.get(name)) for name in self._memo.of(names_in, parsed))
        functions = frozenset(name for name, found in self._names.items() if found.kind == "function")
        dialect = self._dialect_at(statement)
        databases = self._databases
        key = (dialect, reached, functions, databases)
        definition = self._memo.of(define, parsed)
        outcome = self._memo.kept(_outcome, parsed, key, lambda: _outcome(parsed, definition, *key))
        if statement.kind not in _DECLARING and not outcome.unsure and not dialect.is_batch:
            broken = next((each for _, each in reached if each is not None and each.pending is not None), None)
            if broken is not None and outcome.problem is None:
                self._read_broken(number, statement, broken)
                return
        start = statement.span.start
        duplicate = self._duplicate(outcome.declared)
        problem = outcome.problem or duplicate
        if problem is None and not outcome.unsure:
            problem = self._refused_by_planner(statement)
        if problem is not None:
            self._add(self._related(problem.shift(start, number)))
            self._declare_broken(parsed, problem, start)
        if problem is None:
            early = (self._too_early(number, each) for each in outcome.unsure)
            problem = next((found for found in early if found is not None), None)
            if problem is not None:
                self._add(problem.shift(start, number))
                self._declare_broken(parsed, problem, start)
        if outcome.unsure and problem is None:
            self._undecided.append(self._related(outcome.unsure[0].shift(start, number)))
        kept = outcome.declared is not None and outcome.declared.name in self._names and _may_exist(parsed)
        if outcome.declared is not None and problem is None and not kept:
            self._names[outcome.declared.name] = outcome.declared
            self._places[outcome.declared.name] = outcome.declared.place.shift(start)

    def _dialect_at(self, statement: Statement) -> Dialect:
        mode = self._settings.at(statement).get(_RUNTIME_MODE)
        return self._batch if mode is not None and mode.value.strip().lower() == "batch" else self._dialect

    def _refused_by_planner(self, statement: Statement) -> Problem | None:
        parsed = statement.parsed
        if parsed.kind not in (StatementKind.INSERT, StatementKind.QUERY) or not self._catalog.unambiguous:
            return None
        if self._dialect_at(statement).is_batch:
            return None
        definitions = self._catalog.reached_from(parsed, self._memo)
        plan = plan_of(parsed, Given(definitions), self._memo)
        needed = self._settings.at(statement).get(_ON_CONFLICT)
        demands = needed is None or needed.value.strip().lower() != "false"
        key = (self._dialect, definitions, demands)
        return self._memo.kept(
            refusal_of_planner,
            parsed,
            key,
            lambda: refusal_of_planner(parsed, plan, Catalog.of(definitions, self._memo), self._dialect, demands),
        )

    def _read_broken(self, number: int, statement: Statement, broken: Declared) -> None:
        """Report a view that Flink cannot plan at its first reader; the others read something invalid."""
        assert broken.pending is not None
        owners = enumerate(self._script.statements, 1)
        owner = next(((at, each) for at, each in owners if each.parsed is broken.owner), None)
        if owner is not None and owner[0] not in self._reported:
            self._reported.add(owner[0])
            self._add(broken.pending.shift(owner[1].span.start, owner[0]))
        first = statement.parsed.head_tokens[0]
        span = Span(first.start, first.end).shift(statement.span.start)
        words = f"{broken.name} is refused itself."
        found = Problem("reads-invalid", span, words, number, depends="statement", subject=broken.name)
        self._undecided.append(self._related(found))

    def _too_early(self, number: int, unsure: Problem) -> Problem | None:
        """The problem of a name that is declared here or below: were it in a catalog, that would be refused."""
        if unsure.rule != "unknown-table":
            return None
        for later, statement in enumerate(self._script.statements[number - 1 :], number):
            tree = statement.tree
            if not isinstance(tree, exp.Create) or statement.kind not in _RELATIONS:
                continue
            if any(tree.args.get(each) for each in ("exists", "replace", "temporary")):
                continue
            target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            if table_name(target) != unsure.subject:
                continue
            if later == number:
                message = f"{unsure.subject} reads itself, which no view and no table can."
            else:
                message = f"{unsure.subject} is declared further below: move its declaration up."
            return replace(unsure, rule="used-before-declaration", message=message, depends=None)
        return None

    def _duplicate(self, declared: Declared | None) -> Problem | None:
        if declared is None:
            return None
        known = self._names.get(declared.name)
        tree = declared.statement.tree
        if known is None or tree is None or tree.args.get("exists") or tree.args.get("replace"):
            return None
        if declared.temporary and not known.temporary:
            return None
        message = f"{declared.name} is declared above already."
        return Problem("duplicate-table", declared.place, message, subject=declared.name)

    def _related(self, problem: Problem) -> Problem:
        """The problem with the place of the declaration that it is about."""
        declared, place = self._names.get(problem.subject), self._places.get(problem.subject)
        if declared is None or place is None or place == problem.span:
            return problem
        words = declared.problem.message if declared.problem is not None else f"{problem.subject} is declared here."
        return replace(problem, related=(*problem.related, Related(place, words)))


def _outcome(
    statement: ParsedStatement,
    definition: Definition | None,
    dialect: Dialect,
    reached: tuple[tuple[str, Declared | None], ...],
    functions: frozenset[str],
    databases: frozenset[str],
) -> _Outcome:
    names: Mapping[str, Declared] = {name: found for name, found in reached if found is not None}
    surroundings = Surroundings(names, functions, dialect, databases)
    unsure: list[Problem] = []
    queries = QueryCheck(statement, surroundings, unsure)
    tree = statement.tree
    declared: Declared | None = None
    try:
        if statement.kind in _DECLARING:
            declared = declare(statement, definition, surroundings, queries)
        elif isinstance(tree, exp.Insert):
            check_insert(tree, surroundings, queries)
        elif statement.kind is StatementKind.QUERY and tree is not None:
            queries.outermost(tree)
    except Refused as refused:
        return _Outcome(refused.problem, tuple(unsure))
    except RecursionError:
        # How deep an expression may be depends on how deep the caller is already.
        first = statement.tokens[0]
        message = "This statement is nested too deeply to be validated."
        return _Outcome(None, (Problem("size", Span(first.start, first.end), message, depends="size"),))
    later = [
        problem
        for problem in queries.expressions.later.problems
        if problem.rule in _CERTAIN or not (unsure or dialect.is_batch)
    ]
    if later:
        if declared is not None and declared.kind == "view":
            # A view is planned with the statements that read it.
            return _Outcome(None, (), replace(declared, pending=later[0], owner=statement))
        return _Outcome(later[0], tuple(unsure))
    if declared is not None and declared.kind == "view":
        broken = next((each for each in names.values() if each.pending is not None), None)
        if broken is not None:
            declared = replace(declared, pending=broken.pending, owner=broken.owner)
    return _Outcome(None, tuple(unsure), declared)


def _may_exist(statement: ParsedStatement) -> bool:
    """Return whether a declaration says IF NOT EXISTS, and so leaves what there is."""
    return isinstance(statement.tree, exp.Create) and bool(statement.tree.args.get("exists"))


def _first_token(statement: Statement) -> Span:
    first = statement.parsed.head_tokens[0]
    return Span(first.start, first.end).shift(statement.span.start)


def _without_semicolon(script: Script) -> frozenset[int]:
    """The numbers of the statements behind which another one follows without a semicolon."""
    found = []
    for number, (statement, following) in enumerate(zip(script.statements, script.statements[1:], strict=False), 1):
        if statement.kind is StatementKind.STATEMENT_SET_START:
            continue
        between = Span(statement.span.end, following.span.start)
        if ";" not in between.of(script.text):
            found.append(number)
    return frozenset(found)
