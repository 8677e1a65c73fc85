"""Jobs with the answers of the validation, and the jobs that are compared in their place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from operator import attrgetter, itemgetter, not_

from keepstate.diff.reverting import paired_statements
from keepstate.job_version import JobVersion, job_of
from keepstate.plan.catalog import define
from keepstate.plan.job import Job, Pipeline, patched
from keepstate.plan.names.full_names import names_in, unreadable_names
from keepstate.report import Problem, Refusal
from keepstate.syntax.kinds import QUERYING
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import Script, Statement
from keepstate.text import Span
from keepstate.validation import Validity, validate
from keepstate.validation import ValidityProblem as Invalid
from keepstate.value_class import value_class

_CLEAR = frozenset(
    "reserved-word missing-semicolon statement-set interval-value not-equal primary-key-enforced upsert-key".split()
)
"""Refusals for which the meaning of the statement is clear all the same: quotes, a semicolon or a digit is missing."""
_ENGINE = "engine"
_ROUNDS = 3
"""Validations of a text in which declarations of the baseline stand in: another one may be refused beside them."""


@value_class(frozen=True, eq=False)
class ValidatedJob:
    """A version of a job, with the statements that the engine refuses."""

    version: JobVersion
    job: Job
    engine: str
    validity: Validity

    @staticmethod
    def of(version: JobVersion, job: Job, engine: str) -> ValidatedJob:
        """Validate ``job``, which was made of ``version``."""
        return ValidatedJob(version, job, engine, _validity(version, job.script, engine))

    @cached_property
    def unclear(self) -> frozenset[int]:
        """The numbers of the refused statements whose meaning is not clear."""
        return frozenset(problem.statement for problem in self.validity.problems if problem.rule not in _CLEAR)

    @cached_property
    def refused_starts(self) -> frozenset[int]:
        """The offsets of the refused statements: no savepoint has their state, be their meaning clear or not."""
        statements = self.job.script.statements
        return frozenset(statements[problem.statement - 1].span.start for problem in self.validity.problems)

    @cached_property
    def doubts(self) -> tuple[Invalid, ...]:
        """Refusals of open-source Flink that this engine may not share."""
        return tuple(problem for problem in self.validity.undecided if problem.depends == _ENGINE)

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The statements that are certainly refused."""
        return tuple(map(refusal_of, self.validity.problems))

    def new_doubts(self, baseline: ValidatedJob) -> tuple[Invalid, ...]:
        """The doubts that ``baseline`` does not have: that one ran, so the engine takes what both have."""
        messages = {(doubt.rule, doubt.message) for doubt in baseline.doubts}
        return tuple(doubt for doubt in self.doubts if (doubt.rule, doubt.message) not in messages)

    def unread(self) -> tuple[Problem, ...]:
        """The problems of the script without those of refused statements, which the refusals are about."""
        statements = self.job.script.statements
        refused = [statements[problem.statement - 1].span for problem in self.validity.problems]
        refused += (problem.span for problem in self.validity.problems)
        return tuple(
            problem
            for problem in self.job.script.problems
            if problem.span is None or not any(span.contains(problem.span) for span in refused)
        )


@dataclass(frozen=True, eq=False)
class ComparedJobs:
    """The two jobs as they are compared: where a statement is refused, that of the other side stands in.

    So an invalid statement brings no findings, and each other one is judged as ever.
    """

    current: Job
    baseline: Job
    open_spans: frozenset[Span] = frozenset()
    """Places in the current text of the statements that the baseline stands in for, or whose validity is in doubt."""
    open_statements: frozenset[str] = frozenset()
    """The texts of declarations that stand there in the comparison, and of those that stood there."""

    @staticmethod
    def of(current: ValidatedJob, baseline: ValidatedJob, former: Iterable[Job] = ()) -> ComparedJobs:
        """Put statements of the other side in the place of refused ones. ``former`` are jobs that were compared with
        the same surroundings: of one that hardly differs the current one is made.
        """
        script = current.job.script
        doubted = {script.statements[doubt.statement - 1] for doubt in current.new_doubts(baseline)}
        if not current.unclear and not baseline.unclear:
            clear = {script.statements[problem.statement - 1] for problem in current.validity.problems}
            refused = baseline.refused_starts
            pairs = _paired(baseline, current) if refused else ()
            clear |= {statement for was, statement in pairs if was is not None and was.span.start in refused}
            return ComparedJobs(current.job, baseline.job, *_open(clear | doubted))
        pairs = _paired(baseline, current)
        now, refused_numbers = _standing_in(current, list(map(itemgetter(0), pairs)))
        was: list[Statement | None] = [*baseline.job.script.statements]
        if baseline.unclear:
            partners = {was.span.start: stated for (was, _), stated in zip(pairs, now, strict=True) if was is not None}
            was, _ = _standing_in(baseline, [partners.get(each.span.start) for each in baseline.job.script.statements])
        if any(now[number - 1] is None and pairs[number - 1][1].kind in QUERYING for number in refused_numbers):
            # The refused query without a counterpart may be a new version of one that seems to be removed.
            starts = _starts_before(pairs)
            was = [each for each in was if each is None or each.span.start in starts or each.kind not in QUERYING]
        numbers = {number for number in refused_numbers if _is_replaced(pairs[number - 1][1], now[number - 1])}
        numbers |= {problem.statement for problem in current.validity.problems}
        if refused := baseline.refused_starts:
            both = enumerate(pairs, 1)
            numbers |= {number for number, (before, _) in both if before is not None and before.span.start in refused}
        touched = {each for number in numbers for each in (pairs[number - 1][1], now[number - 1]) if each is not None}
        return ComparedJobs(_job(current, now, former), _job(baseline, was), *_open(touched | doubted))

    def are_of(self, current: ValidatedJob, baseline: ValidatedJob) -> bool:
        """Return whether the jobs are compared as they are: no statement is refused, or in doubt."""
        return not self.has_open and self.current is current.job and self.baseline is baseline.job

    @property
    def has_open(self) -> bool:
        """Return whether a statement is refused or in doubt."""
        return bool(self.open_spans or self.open_statements)

    def is_open(self, pipeline: Pipeline) -> bool:
        """Return whether a current pipeline is, or reads, a statement that is refused or in doubt."""
        return pipeline.number in self._open_numbers

    @cached_property
    def open_places(self) -> frozenset[int]:
        """The places, among the current pipelines, of those that are, or read, such a statement."""
        pipelines = self.current.pipelines
        places = {number: bisect_left(pipelines, number, key=_NUMBER) for number in self._open_numbers}
        return frozenset(
            place for number, place in places.items() if place < len(pipelines) and pipelines[place].number == number
        )

    @cached_property
    def _open_numbers(self) -> frozenset[int]:
        """The numbers, from 0, of the open statements, and of the queries that read one."""
        statements = self.current.script.statements
        indexes = (bisect_left(statements, span.start, key=_START) for span in self.open_spans)
        numbers = {index for index in indexes if index < len(statements) and statements[index].span in self.open_spans}
        if self.open_statements:
            numbers.update(
                pipeline.number
                for pipeline in self.current.pipelines
                if not self.open_statements.isdisjoint(map(_TEXT, pipeline.definitions))
            )
        return frozenset(numbers)


_TEXT = attrgetter("text")
_NUMBER = attrgetter("number")
_START = attrgetter("span.start")


def _open(statements: Iterable[Statement]) -> tuple[frozenset[Span], frozenset[str]]:
    """The places of statements, and the texts of those that declare something."""
    statement_list = list(statements)
    declarations = (each.text for each in statement_list if each.kind not in QUERYING)
    return frozenset(each.span for each in statement_list), frozenset(declarations)


def _validity(version: JobVersion, script: Script, engine: str) -> Validity:
    return validate(script, engine, version.engine_version, version.parameters)


def _is_replaced(statement: Statement, stated: Statement | None) -> bool:
    return stated is None or stated.parsed is not statement.parsed


def _standing_in(
    side: ValidatedJob, others: Sequence[Statement | None]
) -> tuple[list[Statement | None], frozenset[int]]:
    """The statements of a side, each refused one with the content of its counterpart, or ``None`` where it has none;
    and the numbers of these. ``others`` are the counterparts of all statements.
    """
    script = side.job.script
    stated: list[Statement | None] = list(script.statements)
    refused = side.unclear
    for _ in range(_ROUNDS):
        for number in refused:
            statement = script.statements[number - 1]
            other = others[number - 1]
            stated[number - 1] = None if other is None else Statement(statement.span, other.parsed)
        numbers: Sequence[int] = range(1, len(stated) + 1)
        if not all(stated):
            numbers = [number for number, each in enumerate(stated, 1) if each is not None]
        text = replace(script, statements=_remaining(stated))
        again = _validity(side.version, text, side.engine)
        newly = {numbers[problem.statement - 1] for problem in again.problems if problem.rule not in _CLEAR}
        still = {numbers[problem.statement - 1] for problem in again.problems} & refused
        newly |= {number for each in still for number in _changed_declarations(each, script, stated, others)}
        newly |= set(_readers_of_gone(script, stated))
        newly -= refused
        if not newly:
            break
        refused = refused | newly
    return stated, refused


def _changed_declarations(
    number: int, script: Script, stated: list[Statement | None], others: Sequence[Statement | None]
) -> Iterator[int]:
    """The numbers of the declarations that a statement reads and that were edited: for one of them it is refused still,
    although the statement of the other side stands in.
    """
    memo, each = script.memo, stated[number - 1]
    names = frozenset(memo.of(names_in, each.parsed)) if each is not None else frozenset()
    for at, (statement, other) in enumerate(zip(script.statements, others, strict=True), 1):
        definition = memo.of(define, statement.parsed)
        edited = other is None or other.parsed is not statement.parsed
        if definition is not None and definition.name in names and edited:
            yield at


def _paired(baseline: ValidatedJob, current: ValidatedJob) -> list[tuple[Statement | None, Statement]]:
    """The current statements with their counterparts; a refused one without a counterpart gets the one that begins as
    it does: ``CREATE VIEW v``, ``INSERT INTO s``.
    """
    pairs = paired_statements(baseline.job.script, current.job.script)
    if all(pairs[number - 1][0] is not None for number in current.unclear):
        return pairs
    statements = baseline.job.script.statements
    starts = _starts_before(pairs)
    lonely = compress(statements, map(not_, map(starts.__contains__, map(_START, statements))))
    waiting: dict[tuple[str, ...], list[Statement]] = {}
    for statement in lonely:
        waiting.setdefault(_beginning(statement), []).append(statement)
    for number in sorted(current.unclear):
        was, now = pairs[number - 1]
        rivals = waiting.get(_beginning(now)) if was is None else None
        if rivals:
            pairs[number - 1] = rivals.pop(0), now
    return pairs


def _starts_before(pairs: Iterable[tuple[Statement | None, Statement]]) -> frozenset[int]:
    """The offsets of the statements of the baseline that have a counterpart."""
    return frozenset(map(_START, filter(None, map(itemgetter(0), pairs))))


_FILLING_WORDS = frozenset("OR REPLACE TEMPORARY IF NOT EXISTS OVERWRITE TABLE INTO".split())


def _beginning(statement: Statement) -> tuple[str, ...]:
    """The first words of a statement up to the name that it declares or fills."""
    words = [token.word or token.text.strip("`") for token in statement.parsed.head_tokens[:12]]
    return tuple(word for word in words if word not in _FILLING_WORDS)[: 2 if words[:1] == ["INSERT"] else 3]


def _readers_of_gone(script: Script, stated: list[Statement | None]) -> Iterator[int]:
    """The numbers of the statements that read a refused declaration in whose place none stands, and whose name no other
    statement declares.
    """
    memo = script.memo
    if all(stated):
        return
    removed_names = {
        definition.name
        for statement, each in zip(script.statements, stated, strict=True)
        if each is None and (definition := memo.of(define, statement.parsed)) is not None
    }
    removed_names |= unreadable_names(
        statement.parsed for statement, each in zip(script.statements, stated, strict=True) if each is None
    )
    removed_names -= {
        definition.name
        for each in stated
        if each is not None and (definition := memo.of(define, each.parsed)) is not None
    }
    if not removed_names:
        return
    for number, each in enumerate(stated, 1):
        if each is not None and not removed_names.isdisjoint(memo.of(names_in, each.parsed)):
            yield number


def _remaining(statements: Sequence[Statement | None]) -> tuple[Statement, ...]:
    return tuple(filter(None, statements))


def _job(side: ValidatedJob, statements: list[Statement | None], former: Iterable[Job] = ()) -> Job:
    remaining = _remaining(statements)
    if remaining == side.job.script.statements:
        return side.job
    version = side.version
    script = replace(side.job.script, statements=remaining)
    return patched(script, former) or Job.of(script, version.parameters, version.engine_version, version.jobs)


def refusal_of(problem: Invalid, certain: bool = True) -> Refusal:
    """A problem of the validation as reports have it.

    >>> from keepstate.text import Span
    >>> refusal_of(Invalid("unknown-table", Span(0, 1), "No table t is declared above.")).message
    'No table t is declared above.'
    """
    return Refusal(problem.rule, problem.message, problem.span, problem.related, certain)


def validated(
    version: JobVersion, engine: str, memo: Memo | None = None, like: ValidatedJob | None = None
) -> ValidatedJob:
    """The job that a version is, with the answers of the validation. ``like`` is one that may hardly differ.

    >>> validated(JobVersion("SELECT 1 + TRUE"), "flink").validity.answer.value
    'invalid'
    """
    former = [like.job] if like is not None and like.version.surroundings == version.surroundings else []
    return ValidatedJob.of(version, job_of(version, memo, former), engine)
