"""Functions that a job calls and whose class, language or archive changed: the check cannot look into them (OL-02)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.plan.catalog import FunctionDefinition
from keepstate.plan.job import Job
from keepstate.plan.names.full_names import names_in, upper
from keepstate.plan.provenance import Place
from keepstate.syntax.namespace import display_name


class _Part(NamedTuple):
    """A part of a declaration in words; without a place it is a default, or not there."""

    text: str = ""
    place: Place | None = None


def function_changes(baseline: Job, current: Job) -> Iterator[Change]:
    """Changes of the declarations of functions that both sides call, in queries with state: each is one, shown at the
    part that differs.
    """
    declared = {*baseline.catalog.functions, *current.catalog.functions}
    if not declared:
        return
    stateful = _function_names(baseline, stateful=True) | _function_names(current, stateful=True)
    for name in sorted(declared & _function_names(baseline) & _function_names(current) & stateful):
        baseline_function, current_function = baseline.catalog.functions.get(name), current.catalog.functions.get(name)
        was, now = _difference(baseline_function, current_function)
        if was.text == now.text:
            continue
        yield Change(
            ChangeKind.FUNCTION_IMPLEMENTATION_CHANGED,
            QueryKind.JOB,
            now.place or (current_function.place if current_function is not None else None),
            was.place or (baseline_function.place if baseline_function is not None else None),
            removed=now.place is None,
            subject=f"function {display_name(name).lower()}",
            baseline_text=was.text or "no archive",
            current_text=now.text or "no archive",
        )


def _function_names(job: Job, stateful: bool = False) -> set[str]:
    """The names of all functions that the pipelines of a job call, in upper case; with ``stateful`` only of pipelines
    that keep state.
    """
    calling = (pipeline for pipeline in job.pipelines if pipeline.equivalent_plan.stateful or not stateful)
    statements = {statement for pipeline in calling for statement in (pipeline.statement, *pipeline.definitions)}
    names = {name for statement in statements for name in job.script.memo.of(names_in, statement)}
    functions = (job.catalog.function(upper(name)) for name in names)
    return {function.name for function in functions if function is not None} | names


def _difference(
    baseline_function: FunctionDefinition | None, current_function: FunctionDefinition | None
) -> tuple[_Part, _Part]:
    """The first parts that differ; a function that a side does not declare comes from elsewhere."""
    if baseline_function is None or current_function is None:
        whole = [
            _Part("declared elsewhere") if side is None else _Part(*_parts(side)[0])
            for side in (baseline_function, current_function)
        ]
        return whole[0], whole[1]
    pairs = zip_longest(_parts(baseline_function), _parts(current_function), fillvalue=_Part())
    return next(((was, now) for was, now in pairs if was.text != now.text), (_Part(), _Part()))


def _parts(function: FunctionDefinition) -> tuple[_Part, ...]:
    return (
        _Part(function.implementation, function.class_place),
        _Part(function.language, function.language_place),
        *map(_Part, function.jars, function.jar_places),
    )
