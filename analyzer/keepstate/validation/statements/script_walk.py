"""One walk over the statements of a script: the answer for each follows from what stands above it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property
from operator import attrgetter

from sqlglot import exp

from keepstate.plan.catalog import Catalog, define, keeps_existing
from keepstate.plan.job import PlanningInputs, plan_of
from keepstate.plan.lowering.statement_queries import filling_of
from keepstate.plan.names.full_names import names_in, table_name, upper
from keepstate.plan.settings import ScriptSettings
from keepstate.report import RelatedInformation
from keepstate.syntax.kinds import FILLING, StatementKind
from keepstate.syntax.memo import Memo
from keepstate.syntax.namespace import DEFAULT
from keepstate.syntax.script import Script, Statement
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.engine_refusals import deciding_part
from keepstate.validation.grammar.parsing import (
    beyond_limits,
    conflict_marker,
    first_token,
    refusal_of_parser,
    without_semicolon,
)
from keepstate.validation.grammar.statement_sets import refusals_of_sets
from keepstate.validation.statement_context import (
    DeclaredNames,
    DeclaredObject,
    Dialect,
    database_in,
    declared_at,
    is_batch,
)
from keepstate.validation.statements.alter_refusals import Alterations
from keepstate.validation.statements.answer_cache import CachedAnswer, Setting
from keepstate.validation.statements.outcome_cache import OutcomeCache
from keepstate.validation.statements.setting_refusals import with_refused_settings
from keepstate.validation.statements.statement_outcomes import DECLARING, StatementOutcome
from keepstate.validation.statements.walks import FormerWalk, Rules, Walk, walks_of
from keepstate.validation.stream_refusals import PlannerSettings, refusal_of_planner
from keepstate.validation.validity import Validity, ValidityProblem
from keepstate.validation.values.scopes import OPEN_ROWS


class ScriptWalk:
    """A walk over the statements of a script, with the declarations that stand above each."""

    def __init__(self, script: Script, dialect: Dialect, parameters: Mapping[str, str]) -> None:
        self._script = script
        self._memo: Memo = script.memo
        self._dialect = dialect
        self._batch = replace(dialect, is_batch=True)
        self._databases = frozenset(
            [
                database_in(parsed.namespace, parsed.tree.this)
                for parsed in [statement.parsed for statement in script.of_kind(StatementKind.CREATE_OTHER)]
                if isinstance(parsed.tree, exp.Create) and parsed.tree.args.get("kind") == "DATABASE"
            ]
        )
        self._names = DeclaredNames()
        self._numbers: dict[str, int] = {}
        self._last_function = 0
        self._outcomes = OutcomeCache(script.memo)
        self._former: Walk | None = None
        self._carried: dict[int, ValidityProblem] = {}
        """Doubts about statements that follow from the statement alone and what it reaches."""
        self._places: dict[str, Span] = {}
        """Places in the script of the names that are declared so far."""
        self._catalog = Catalog.of_script(script)
        self._dropped: set[str] = set()
        """The names that mean nothing any more, those of renamed tables and views too (``_renamed``)."""
        self._renamed: set[str] = set()
        self._alterations = Alterations()
        self._settings = ScriptSettings.of(script, parameters)
        self._rules = Rules(dialect, self._databases, self._settings.final)
        self._reported: set[int] = set()
        """The numbers of the views whose problem is reported."""
        self._conflicts: set[Span] = set()
        """Markers of merge conflicts that are reported."""
        self._problems: list[ValidityProblem] = []
        self._undecided: list[ValidityProblem] = []

    def validity(self) -> Validity:
        unended = without_semicolon(self._script)
        of_sets = {problem.statement: problem for problem in reversed(tuple(refusals_of_sets(self._script)))}
        only = None if of_sets else self._only_edited(unended)
        if only is None and not of_sets and not unended:
            only = self._only_affected()
        for number, statement in enumerate(self._script.statements, 1) if only is None else only:
            is_plain = number not in unended and number not in of_sets
            if is_plain and self._is_settled(number, statement):
                continue
            if self._refused_by_parser(number, statement, number in unended):
                continue
            if number in of_sets:
                self._add(of_sets[number])
                continue
            self._check(number, statement)
        self._undecided.sort(key=attrgetter("statement"))
        self._remember()
        own = Validity(tuple(self._problems), tuple(self._undecided))
        return with_refused_settings(own, self._script, self._dialect, self._settings)

    def _only_edited(self, unended: frozenset[int]) -> list[tuple[int, Statement]] | None:
        """The query that was edited since a walk in which no other was refused; ``None`` where the others may have
        other answers now.
        """
        plain = self._catalog.unambiguous and self._settings.is_uniform
        like = walks_of(self._memo).like(self._script, self._catalog, self._rules) if plain else None
        if like is None:
            return None
        walk, number = like
        if not unended <= {number} or not walk.shows(number, self._script, self._memo):
            return None
        self._go_on(walk, [number], walk.names)
        return [(number, self._script.statements[number - 1])] if number else []

    def _go_on(self, walk: Walk, numbers: Collection[int], names: DeclaredNames) -> None:
        """Take what a former walk found of all statements but those of some numbers."""
        self._former, self._names, self._numbers = walk, names, walk.numbers
        self._last_function = walk.last_function
        self._carried = walk.carried(self._script, numbers)
        self._undecided = list(self._carried.values())

    def _only_affected(self) -> list[tuple[int, Statement]] | None:
        """The statements that may have another answer than in a former walk, since when one declaration was edited;
        ``None`` where any may.
        """
        plain = self._catalog.unambiguous and self._settings.is_uniform
        like = walks_of(self._memo).but_for_declaration(self._script, self._rules, self._memo) if plain else None
        if like is None:
            return None
        if like.is_silent and self._has_same_answers(like):
            return []
        walk, statements = like.walk, self._script.statements
        numbers = like.affected(self._script, self._memo)
        if not all(walk.shows(number, self._script, self._memo) for number in numbers):
            return None
        definitions = (self._memo.of(define, statements[number - 1].parsed) for number in numbers)
        names = [definition.name for definition in definitions if definition is not None]
        self._go_on(walk, numbers, walk.names.without(names))
        return [(number, statements[number - 1]) for number in numbers]

    def _has_same_answers(self, like: FormerWalk) -> bool:
        """Take the answers of a former walk, if the other statements do not feel an edit of a declaration that is not
        refused.
        """
        walk, edit = like.walk, like.edit
        number, statement = edit.index + 1, self._script.statements[edit.index]
        if number in walk.doubts or not walk.shows(number, self._script, self._memo):
            return False
        if refusal_of_parser(statement.parsed, self._dialect.flink) is not None:
            return False
        names = walk.names.without([edit.name])
        outcome = self._outcome(statement, names)
        if outcome.problem is not None or outcome.unsure or outcome.declared is None:
            return False
        self._go_on(walk, [number], names)
        self._accept(number, statement, outcome.declared, ())
        return True

    def _remember(self) -> None:
        """Keep the walk for the next one, if at most one statement was refused, or in doubt by more than itself."""
        told = {problem.statement for problem in (*self._problems, *self._undecided)} - self._carried.keys()
        plain = self._catalog.unambiguous and self._settings.is_uniform
        if len(told) <= 1 and plain and not (self._dropped or self._renamed or self._alterations.names):
            names = self._names, self._numbers, self._last_function
            unsure = next(iter(told), None), self._carried
            walk = Walk(self._script.statements, self._script.contents, self._catalog, self._rules, *names, *unsure)
            walks_of(self._memo).keep(walk)

    def _setting(self, statement: Statement) -> Setting:
        """The facts that the answer for a statement follows from, apart from its text."""
        parsed = statement.parsed
        return Setting(
            tuple(map(self._names.get, self._memo.of(names_in, parsed))),
            frozenset(self._names.callable_in(parsed.namespace)),
            self._settings.at(statement),
            self._catalog,
            (self._dialect, self._databases),
        )

    def _is_settled(self, number: int, statement: Statement) -> bool:
        """Return whether the statement was not refused in this setting before, as nearly none is at nearly every
        keystroke; what it declares then holds.
        """
        entry = self._memo.of(CachedAnswer, statement.parsed)
        if entry.setting is None or self._alterations.names or not entry.holds_in(self._setting(statement), self._memo):
            return False
        declared, unsure = entry.declared, entry.unsure
        if declared is not None and declared.name in self._names:
            return False
        if unsure and any(self._too_early(number, each) is not None for each in unsure):
            return False
        self._accept(number, statement, declared, unsure)
        return True

    def _accept(
        self, number: int, statement: Statement, declared: DeclaredObject | None, unsure: tuple[ValidityProblem, ...]
    ) -> None:
        """Take a statement that is not refused."""
        if unsure:
            self._undecided.append(self._related(unsure[0].shift(statement.span.start, number)))
            if not self._undecided[-1].related:
                self._carried[number] = self._undecided[-1]
        if declared is not None:
            self._take(declared, statement)
            self._numbers[declared.name] = number
            if declared.kind == "function":
                self._last_function = number

    def _take(self, declared: DeclaredObject, statement: Statement) -> None:
        """Let a declaration hold from here on."""
        self._names.declare(declared, keeps_existing(statement.parsed))
        if self._names.get(declared.name) is declared:
            self._dropped.discard(declared.name)
            self._places[declared.name] = declared.place.shift(statement.span.start)

    def _add(self, problem: ValidityProblem) -> None:
        """Take a refusal; another engine than open-source Flink may know more SQL."""
        part = None if self._dialect.is_open_source else deciding_part(problem.rule)
        if part is None:
            self._problems.append(problem)
        else:
            self._undecided.append(replace(problem, depends=part))

    def _refused_by_parser(self, number: int, statement: Statement, unended: bool) -> bool:
        parsed = statement.parsed
        if any(not placeholder.in_string for placeholder in parsed.placeholders):
            return False
        if parsed.beyond_limits:
            self._undecided.append(beyond_limits(parsed).shift(statement.span.start, number))
            return True
        if parsed.kind is StatementKind.BROKEN and not parsed.problems:
            self._refuse_conflict(number, statement)
            return True
        problem = refusal_of_parser(parsed, self._dialect.flink)
        following = first_token(self._script.statements[number]) if unended else None
        if problem is not None and following is not None and statement.parsed.stops_at_end:
            problem = replace(problem, span=following, statement=number)
        elif problem is not None:
            problem = problem.shift(statement.span.start, number)
        elif following is not None:
            message = f"A semicolon is missing in front of {following.of(self._script.text)}."
            problem = ValidityProblem("missing-semicolon", following, message, number)
        if problem is None:
            return False
        self._add(problem)
        if problem.rule != "missing-semicolon":
            self._declare_broken(statement.parsed, problem, statement.span.start)
        return problem.rule != "missing-semicolon"

    def _refuse_conflict(self, number: int, statement: Statement) -> None:
        """Refuse the first statement of a merge conflict at its marker; the others are not read."""
        marker, message = conflict_marker(self._script, statement)
        problem = ValidityProblem("syntax", marker, message, number)
        if marker in self._conflicts:
            self._undecided.append(replace(problem, span=statement.span, depends="statement"))
            return
        self._conflicts.add(marker)
        self._add(problem)

    def _declare_broken(self, statement: ParsedStatement, problem: ValidityProblem, start: int) -> None:
        tree = statement.tree
        if isinstance(tree, exp.Create) and statement.kind in DECLARING:
            target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            name = table_name(target)
            place = Span(*target.meta["span"])
            self._names[name] = DeclaredObject(name, statement, place, OPEN_ROWS, problem=problem)
            self._places[name] = place.shift(start)

    def _check(self, number: int, statement: Statement) -> None:
        parsed = statement.parsed
        placeholder = next((placeholder for placeholder in parsed.placeholders if not placeholder.in_string), None)
        if placeholder is not None:
            message = "A template fills in text here, so what Flink will see is not known."
            obstacle = ValidityProblem("template", placeholder.span, message, depends="template")
            self._undecided.append(obstacle.shift(statement.span.start, number))
            self._declare_broken(parsed, obstacle, statement.span.start)
            return
        if parsed.kind is StatementKind.DROP and isinstance(parsed.tree, exp.Drop):
            self._drop(number, statement, parsed.tree)
            return
        if parsed.kind is StatementKind.USE:
            return
        if isinstance(parsed.tree, exp.Alter) and parsed.tree.args.get("kind") in ("TABLE", "VIEW"):
            self._alter(number, statement, parsed.tree)
            return
        outcome, is_batch = self._outcome(statement, self._names), self._dialect_at(statement).is_batch
        if statement.kind not in DECLARING and not outcome.unsure and not is_batch:
            declarations = map(self._names.get, self._memo.of(names_in, parsed))
            broken = next((each for each in declarations if each is not None and each.pending is not None), None)
            if broken is not None and outcome.problem is None:
                self._read_broken(number, statement, broken)
                return
        start, setting = statement.span.start, self._setting(statement)
        problem = outcome.problem or self._duplicate(outcome.declared)
        if problem is None and not outcome.unsure:
            problem = self._refused_by_planner(statement)
        if problem is not None:
            self._add(self._related(problem.shift(start, number)))
            self._declare_broken(parsed, problem, start)
        if problem is None:
            early = (self._too_early(number, each) for each in outcome.unsure)
            problem = next((obstacle for obstacle in early if obstacle is not None), None)
            if problem is not None:
                self._add(problem.shift(start, number))
                self._declare_broken(parsed, problem, start)
        if problem is None:
            self._accept(number, statement, outcome.declared, outcome.unsure)
            if not self._alterations.names:
                self._memo.of(CachedAnswer, parsed).settle(setting, outcome.declared, outcome.unsure, self._memo)

    def _outcome(self, statement: Statement, names: DeclaredNames) -> StatementOutcome:
        """The answer for a statement below the declarations of ``names``, apart from the planner's."""
        parsed, databases = statement.parsed, self._databases
        declarations = tuple((name, names.get(name)) for name in self._memo.of(names_in, parsed))
        if parsed.namespace != DEFAULT:
            # USE is refused where there is no such database.
            databases |= {database_in(parsed.namespace)}
        functions = frozenset(names.callable_in(parsed.namespace))
        return self._outcomes.of(parsed, self._dialect_at(statement), declarations, functions, databases)

    def _drop(self, number: int, statement: Statement, tree: exp.Drop) -> None:
        name, kind = table_name(tree.this), str(tree.args.get("kind")).lower()
        name = upper(name) if kind == "function" else name
        declared = self._names.get(name)
        if declared is not None and {kind, declared.kind} == {"table", "view"}:
            place = Span(*tree.this.this.meta["span"]).shift(statement.span.start)
            self._add(
                ValidityProblem("dropped", place, f"{name} is a {declared.kind}, and no {kind}.", number, subject=name)
            )
            return
        self._names.drop(name)
        if declared is not None and not declared.temporary:
            self._dropped.add(name)
            self._renamed.discard(name)

    def _alter(self, number: int, statement: Statement, tree: exp.Alter) -> None:
        """Forget what a table or view is like, unless it only gets another name."""
        name, action = table_name(tree.this), tree.args["actions"][0]
        declared = self._names.get(name)
        refusal = self._alterations.follow(statement.parsed, self._names)
        if refusal is not None:
            problem = self._too_early(number, refusal) or refusal
            take = self._add if problem.depends is None else self._undecided.append
            take(problem.shift(statement.span.start, number))
            return
        if isinstance(action, exp.AlterRename):
            new = table_name(action.this)
            self._names.rename(name, new)
            if declared is not None and not declared.temporary:
                self._dropped = (self._dropped | {name}) - {new}
                self._renamed.add(name)
            if name in self._places:
                self._places[new] = self._places[name]
        elif declared is not None:
            self._names[name] = declared.behind_alter()

    def _dialect_at(self, statement: Statement) -> Dialect:
        return self._batch if is_batch(self._settings.at(statement)) else self._dialect

    def _refused_by_planner(self, statement: Statement) -> ValidityProblem | None:
        parsed = statement.parsed
        if parsed.kind not in FILLING or self._memo.of(filling_of, parsed) is None or not self._catalog.unambiguous:
            return None
        definitions = self._catalog.reached_from(parsed, self._memo)
        declared = (self._memo.of(define, definition) for definition in definitions)
        if any(each is not None and each.name in self._alterations.names for each in declared):
            return None
        plan = plan_of(parsed, PlanningInputs(definitions), self._memo)
        dialect, settings = self._dialect_at(statement), PlannerSettings.of(self._settings.at(statement))
        key = (dialect, definitions, settings)
        return self._memo.get_or_compute(
            refusal_of_planner,
            parsed,
            key,
            lambda: refusal_of_planner(
                parsed, plan, Catalog.of(definitions, self._memo, of_query=True), dialect, settings
            ),
        )

    def _read_broken(self, number: int, statement: Statement, broken: DeclaredObject) -> None:
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
        problem = ValidityProblem("reads-invalid", span, words, number, depends="statement", subject=broken.name)
        self._undecided.append(self._related(problem))

    def _too_early(self, number: int, unsure: ValidityProblem) -> ValidityProblem | None:
        """The problem of a name that is declared here or below: were it in a catalog, that would be refused."""
        if unsure.rule != "unknown-table":
            return None
        if unsure.subject in self._dropped:
            fate = "renamed" if unsure.subject in self._renamed else "dropped"
            return replace(unsure, rule="dropped", message=f"{unsure.subject} is {fate} above.", depends=None)
        for later in self._declared_at.get(unsure.subject, ()):
            if later < number:
                continue
            if later == number:
                message = f"{unsure.subject} reads itself, which no view and no table can."
            else:
                message = f"{unsure.subject} is declared further below: move its declaration up."
            return replace(unsure, rule="used-before-declaration", message=message, depends=None)
        return None

    @cached_property
    def _declared_at(self) -> Mapping[str, list[int]]:
        """The numbers of the statements that declare a name which no catalog may have before."""
        return declared_at(self._script)

    def _duplicate(self, declared: DeclaredObject | None) -> ValidityProblem | None:
        if declared is None:
            return None
        rival = self._names.get(declared.name)
        if rival is not None and rival.temporary and not declared.temporary:
            rival = self._names.beneath.get(declared.name)
        tree = declared.statement.tree
        # OR REPLACE is written, but does not replace a view.
        replaces = tree is not None and tree.args.get("replace") and declared.kind != "view"
        if rival is None or tree is None or tree.args.get("exists") or replaces:
            return None
        if declared.temporary and not rival.temporary:
            return None
        message = f"{declared.name} is declared above already."
        return ValidityProblem("duplicate-table", declared.place, message, subject=declared.name)

    def _related(self, problem: ValidityProblem) -> ValidityProblem:
        """The problem with the place of the declaration that it is about."""
        declared, place = self._names.get(problem.subject), self._places.get(problem.subject)
        if place is None and self._former is not None:
            place = self._former.place_in(self._script, problem.subject)
        if declared is None or place is None or place == problem.span:
            return problem
        words = declared.problem.message if declared.problem is not None else f"{problem.subject} is declared here."
        return replace(problem, related=(*problem.related, RelatedInformation(place, words)))
