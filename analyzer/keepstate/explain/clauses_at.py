"""The queries with a clause at a place of the text: found before anything is worked out about their state."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import fields, is_dataclass
from operator import attrgetter

from keepstate.plan.expressions import Call, Column, Literal, WindowField
from keepstate.plan.job import Job, Pipeline, Plan
from keepstate.plan.operators import Operator
from keepstate.plan.provenance import Place
from keepstate.syntax.script import ParsedStatement, StatementKind
from keepstate.text import Span


def pipelines_at(job: Job, at: int) -> tuple[Pipeline, ...]:
    """The queries of which some part of the plan is written at an offset: all that can have a note there.

    >>> from keepstate.job_version import JobVersion, job_of
    >>> text = "CREATE VIEW v AS SELECT id FROM orders WHERE id > 1; SELECT SUM(id) FROM v"
    >>> job = job_of(JobVersion(text))
    >>> [len(pipelines_at(job, at)) for at in (3, text.index("1;"), text.index("SUM"))]
    [0, 1, 1]
    """
    numbers = job.script.indexes_at(at)
    touched = [job.script.statements[number] for number in numbers]
    # Clauses of a query stand in its own statement, and in the views that it reads.
    views = {(each.text, each.parsed.namespace) for each in touched if each.kind is StatementKind.CREATE_VIEW}
    if views:
        candidates = [
            each
            for each in job.pipelines
            if each.number in numbers or any((one.text, one.namespace) in views for one in each.definitions)
        ]
    else:
        places = [bisect_left(job.pipelines, number, key=_NUMBER) for number in numbers]
        candidates = [each for place in places for each in job.pipelines[place : place + 1] if each.number in numbers]
    return tuple([pipeline for pipeline in candidates if _has_clause(job, pipeline, at)])


_NUMBER = attrgetter("number")


def _has_clause(job: Job, pipeline: Pipeline, at: int) -> bool:
    clauses = job.script.memo.get_or_compute(
        _clauses, pipeline.statement, pipeline.definitions, lambda: _clauses(pipeline.plan)
    )
    for statement, spans in clauses.items():
        whole = job.span_of(Place(statement, Span(0, len(statement.text))), pipeline)
        if whole is not None and whole.touches(at):
            offset = at - whole.start
            if any(start <= offset <= end for start, end in spans):
                return True
    return False


def _clauses(plan: Plan) -> dict[ParsedStatement, set[tuple[int, int]]]:
    """The first and the last offset of all places that the operators of a plan name, with those of their calls and
    conditions; by statement. What these compute with is written within them.
    """
    clauses: dict[ParsedStatement, set[tuple[int, int]]] = {}
    pending: list[object] = []
    for operator in plan.operators:
        pending += [getattr(operator, name) for name in _fields_of(type(operator))]
    while pending:
        part = pending.pop()
        names = _NAMES.get(type(part))
        if names:
            pending += [getattr(part, name) for name in names]
        elif isinstance(part, Place):
            clauses.setdefault(part.statement, set()).add((part.span.start, part.span.end))
        elif isinstance(part, (tuple, list, frozenset)):
            pending += part
        elif names is None:
            _NAMES[type(part)] = _names_of(type(part))
            pending.append(part)
    return clauses


_SCALARS = (Column, Literal, Call, WindowField)
_NAMES: dict[type, tuple[str, ...]] = {}
"""The fields of classes in which places may be: a plan has hundreds of values of a few classes."""


def _names_of(kind: type) -> tuple[str, ...]:
    """These fields; none of an operator, which is met by itself, and of a value of a row only its own places."""
    if issubclass(kind, (Operator, ParsedStatement)):
        return ()
    names = _fields_of(kind)
    return tuple(name for name in names if name.endswith("place")) if issubclass(kind, _SCALARS) else names


def _fields_of(kind: type) -> tuple[str, ...]:
    """The fields of a class; none of one that is no dataclass."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
