"""Statements that Flink refuses, and the queries that need them: none of these is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from keepstate.plan.catalog import define
from keepstate.plan.job import Job
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.script import Script
from keepstate.text import Encoding, LineIndex, Span
from keepstate.validation import ValidityProblem, validate

_BATCH = {"execution.runtime-mode": "batch"}
_NOT_READ = "syntax"
_NEEDS_REFUSED = "reads-invalid"
_SET = "statement-set"
_OF_STREAMS = frozenset({"sort", "rank-function", "over-order", "over-function"})
"""Rules about queries that Flink computes in batch mode, unless it refuses them there for another reason."""


@dataclass(frozen=True)
class RefusedStatement:
    """A statement of the script, by its number from 1, that is not run: the rule and the reason."""

    statement: int
    span: Span
    """The place in the script that the reason is about."""
    rule: str
    reason: str


def refusals_of_flink(
    script: Script, versions: Sequence[str | None], parameters: Mapping[str, str]
) -> tuple[RefusedStatement, ...]:
    """Return what all of the ``versions`` of open-source Flink refuse, in the order of the script; ``None`` is the
    newest version. Statements that Keepstate cannot read are among them.

    >>> from keepstate.syntax.script import parse_script
    >>> [refusal.rule for refusal in refusals_of_flink(parse_script("SELECT 1 +; SELECT MAX(MAX(1))"), [None], {})]
    ['syntax', 'nested-aggregate']
    """
    first_problems, *other_versions = (validate(script, "flink", version, parameters).problems for version in versions)
    refused_by_others = [{problem.statement for problem in each} for each in other_versions]
    problems = [
        problem for problem in first_problems if all(problem.statement in numbers for numbers in refused_by_others)
    ]
    refused = {problem.statement for problem in problems}
    refusals = list(_refusals(script, problems, versions[0], parameters))
    for unread in script.problems:
        span = unread.span or Span(0, 0)
        number = sum(statement.span.start <= span.start for statement in script.statements)
        if number not in refused:
            refusals.append(RefusedStatement(number, span, _NOT_READ, unread.message))
    return tuple(sorted(refusals, key=lambda refusal: (refusal.span.start, refusal.statement)))


def _refusals(
    script: Script, problems: Sequence[ValidityProblem], version: str | None, parameters: Mapping[str, str]
) -> Iterator[RefusedStatement]:
    if not problems:
        return
    in_batch = {each.statement for each in validate(script, "flink", version, {**parameters, **_BATCH}).problems}
    for problem in problems:
        takes = problem.rule in _OF_STREAMS and problem.statement not in in_batch
        hint = " Batch mode takes it (execution.runtime-mode = batch)." if takes else ""
        yield RefusedStatement(problem.statement, problem.span, problem.rule, problem.message + hint)


def refusals_of_needs(job: Job, refusals: Sequence[RefusedStatement]) -> Iterator[RefusedStatement]:
    """Return a refusal for each query that needs what is refused: a declaration, or the statement set around it.

    Queries with a refusal of their own are left out.
    """
    own = {refusal.statement for refusal in refusals}
    in_sets = frozenset(_in_refused_sets(job.script, refusals))
    declared = {job.script.statements[number - 1].parsed: number for number in sorted(own - {0}, reverse=True)}
    index = LineIndex(job.script.text)
    for pipeline in job.pipelines:
        number = pipeline.number + 1
        first = pipeline.statement.head_tokens[0]
        span = Span(first.start, first.end).shift(job.statement_of(pipeline).span.start)
        if number in own:
            continue
        if number in in_sets:
            yield RefusedStatement(number, span, _SET, "The statement set around it is refused.")
            continue
        statement_number = next((declared[each] for each in pipeline.definitions if each in declared), None)
        definition = (
            define(job.script.statements[statement_number - 1].parsed) if statement_number is not None else None
        )
        if statement_number is not None and definition is not None:
            line = index.position(job.script.statements[statement_number - 1].span.start, Encoding.UTF32).line + 1
            yield RefusedStatement(
                number, span, _NEEDS_REFUSED, f"It needs {definition.name} of line {line}, which is refused."
            )
            continue
        unread = next((scan.table for scan in pipeline.plan.scans if scan.table in job.unreadable_names), None)
        if unread is not None:
            yield RefusedStatement(number, span, _NEEDS_REFUSED, f"It needs {unread}, which is refused.")


def _in_refused_sets(script: Script, refusals: Sequence[RefusedStatement]) -> Iterator[int]:
    """The numbers of the statements that stand in statement sets whose form is refused."""
    refused = {refusal.statement for refusal in refusals if refusal.rule == _SET}
    start: int | None = None
    for number, statement in enumerate(script.statements, 1):
        if statement.kind is StatementKind.STATEMENT_SET_START:
            start = number
        is_last = number == len(script.statements)
        if start is not None and (is_last or statement.kind is StatementKind.STATEMENT_SET_END):
            within = range(start, number + 1)
            if not refused.isdisjoint(within):
                yield from within
            start = None
