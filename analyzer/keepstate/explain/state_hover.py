"""State that a clause keeps, for a hover on the clause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from decimal import Decimal

from keepstate.engines import PROFILES, EngineProfile
from keepstate.explain.clauses_at import pipelines_at
from keepstate.explain.operator_states import OperatorState, states_of
from keepstate.explain.parameter_hover import parameter_hovers
from keepstate.plan.expressions import Expr, Literal
from keepstate.plan.job import Job, Pipeline, Plan
from keepstate.plan.operators import (
    Aggregate,
    IntervalJoin,
    Join,
    Operator,
    OverAggregate,
    Window,
    WindowKind,
    WindowTableFunction,
)
from keepstate.plan.provenance import Place
from keepstate.plan.spelling import Spell, spelling_of
from keepstate.report import StateHover
from keepstate.state.clauses import window_words
from keepstate.state.state_text import field_words, key_words, state_words
from keepstate.state.stored_operators import StatePart, StoredField
from keepstate.state.stored_queries import StoredQuery
from keepstate.text import Span

_SAMPLE = datetime(2026, 1, 1, 8, 4, 30)
"""The row of which the example windows are shown."""
_SELECT_LISTS = frozenset({"select_place", "left_place", "right_place"})


def state_hovers(job: Job, engine: str, at: int | None = None) -> tuple[StateHover, ...]:
    """A note for every clause that keeps state, and for every window, in text order; with ``at``, those that a cursor
    there touches.

    >>> from keepstate.syntax.script import parse_script
    >>> job = Job.of(parse_script("INSERT INTO s SELECT a, COUNT(*) FROM t GROUP BY a"), {})
    >>> [hover.title for hover in state_hovers(job, "vvr")]
    ['COUNT(*): a count', 'one row of accumulators per group']

    Raises:
        KeyError: there is no profile for ``engine``.
    """
    profile = PROFILES[engine]
    pipelines = job.pipelines if at is None else pipelines_at(job, at)
    queries = zip(pipelines, profile.stored_of(job, pipelines), strict=True)
    hovers = (
        note for pipeline, stored_query in queries for note in _pipeline_notes(job, pipeline, stored_query, profile, at)
    )
    notes = {(note.span, note.title): note for note in (*hovers, *parameter_hovers(job, profile, pipelines, at))}
    return tuple(sorted(notes.values(), key=lambda note: (note.span, note.title)))


def _pipeline_notes(
    job: Job, pipeline: Pipeline, stored_query: StoredQuery, profile: EngineProfile, at: int | None
) -> Iterator[StateHover]:
    memo, key = job.script.memo, _Stored(pipeline.plan, stored_query, profile)
    # Queries that no edit reached keep their notes, at other places of the text.
    placed = memo.get_or_compute(
        _Stored, pipeline.statement, key, lambda: tuple(_placed(pipeline.plan, stored_query, profile))
    )
    for place, note in placed:
        span = job.span_of(place, pipeline)
        if span is not None and (at is None or span.touches(at)):
            yield replace(note, span=span)


@dataclass(frozen=True, eq=False)
class _Stored:
    """Key of a cache: the stored state of a query, which profiles keep as long as it is the same."""

    plan: Plan
    stored_query: StoredQuery
    profile: EngineProfile

    def __hash__(self) -> int:
        # Each statement has the few results of its own.
        return 0

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Stored)
            and other.plan is self.plan
            and other.stored_query is self.stored_query
            and other.profile is self.profile
        )


def _placed(plan: Plan, stored_query: StoredQuery, profile: EngineProfile) -> Iterator[tuple[Place, StateHover]]:
    """The notes of a query at the clauses of its statements."""
    states = states_of(plan, stored_query, profile)
    spell = spelling_of(plan.operators)
    for operator in plan.operators:
        state = states.get(operator.number)
        own = _notes(operator, state, spell) if state is not None else ()
        yield from (*_window_notes(operator), *own, *_removal_notes(operator, stored_query))


def _removal_notes(operator: Operator, stored_query: StoredQuery) -> Iterator[tuple[Place, StateHover]]:
    if operator.number in stored_query.removals:
        note = StateHover(Span(0, 0), operator.title, f"no state: {stored_query.removals[operator.number]}")
        yield from ((place, note) for place in _clauses(operator))


def _window_notes(operator: Operator) -> Iterator[tuple[Place, StateHover]]:
    window: Window | None = getattr(operator, "window", None)
    if isinstance(operator, (Aggregate, WindowTableFunction)) and window is not None and window.place is not None:
        yield window.place, _window_note(window)


def _notes(operator: Operator, state: OperatorState, spell: Spell) -> Iterator[tuple[Place, StateHover]]:
    """Yield a hover for each clause that determines an operator's state, and one for each accumulator."""
    clauses = _clauses(operator)
    # Written once: a query may have any number of clauses and parts, and the text names all parts.
    whole = _note(state, spell)
    for place in clauses:
        yield place, whole
    accumulated: dict[Place, list[StoredField]] = {}
    for part, field in state.stored_operator.fields:
        if part is StatePart.ACCUMULATORS and field.place is not None and field.place not in clauses:
            accumulated.setdefault(field.place, []).append(field)
    for place, fields_ in accumulated.items():
        title = ", ".join(field_words(field, spell, state.stored_operator.is_typed) for field in fields_)
        words = state.words_about(StatePart.ACCUMULATORS, fields_[0])
        yield place, replace(whole, title=title, keeps=(), migration=words)


def _clauses(operator: Operator) -> dict[Place, None]:
    """Return the clauses that determine an operator, in order: its own, and all that its fields name besides select
    lists.
    """
    places = [operator.place]
    places += [
        getattr(operator, spec.name)
        for spec in fields(operator)
        if spec.name.endswith("_place") and spec.name not in _SELECT_LISTS
    ]
    if isinstance(operator, Join):
        bounds = operator.time_conditions if isinstance(operator, IntervalJoin) else ()
        places += [condition.place for condition in (*operator.conditions, *bounds)]
    if isinstance(operator, OverAggregate):
        places += [place for call in operator.calls for place in (call.place, call.partition_place, call.order_place)]
    return dict.fromkeys(place for place in places if place is not None)


def _note(state: OperatorState, spell: Spell) -> StateHover:
    stored_operator = state.stored_operator
    return StateHover(
        Span(0, 0),
        stored_operator.title,
        stored_operator.summary,
        tuple(words for stored_state in stored_operator.states for words in state_words(stored_state, spell)),
        tuple(key_words(stored_operator, spell)),
        stored_operator.until,
        migration=state.migration_words,
    )


def _window_note(window: Window) -> StateHover:
    return StateHover(
        Span(0, 0),
        "WindowTableFunction" if window.syntax.name == "TVF" else "GroupWindowAggregate",
        f"{window_words(window)} on {window.time}",
        until=_alignment(window),
        example=tuple(_examples(window)),
    )


def _alignment(window: Window) -> str:
    if window.kind is WindowKind.SESSION:
        return "a window begins with its first row and ends when no row came for the gap"
    offset = f", shifted by {window.offset}" if window.offset is not None else ""
    return f"windows are aligned to 1970-01-01 00:00{offset}"


def _examples(window: Window) -> Iterator[str]:
    """The windows in which the sample row lies (spec windows.md)."""
    size, offset = _milliseconds(window.size), _milliseconds(window.offset) or 0
    slide, step, gap = _milliseconds(window.slide), _milliseconds(window.step), _milliseconds(window.gap)
    opening = f"a row at {_SAMPLE:%H:%M:%S} lies in"
    moment = int((_SAMPLE - _EPOCH).total_seconds() * 1000)
    if window.kind is WindowKind.SESSION and gap:
        yield f"{opening} a window that ends at {_clock(moment + gap)} unless another row comes before"
    elif window.kind is WindowKind.TUMBLE and size:
        start = moment - (moment - offset) % size
        yield f"{opening} {_range(start, start + size)}"
    elif window.kind is WindowKind.HOP and size and slide:
        start = moment - (moment - offset) % slide
        ranges: list[str] = []
        while start > moment - size and len(ranges) < 4:
            ranges.append(_range(start, start + size))
            start -= slide
        more = " and more" if start > moment - size else ""
        yield f"{opening} {', '.join(reversed(ranges))}{more}" if ranges else f"{opening} no window at all"
    elif window.kind is WindowKind.CUMULATE and size and step:
        start = moment - (moment - offset) % size
        first = start + ((moment - start) // step + 1) * step
        ends = list(range(first, start + size + 1, step))
        more = f" and so on to {_clock(ends[-1])}" if len(ends) > 3 else ""
        yield f"{opening} {', '.join(_range(start, end) for end in ends[:3])}{more}"


_EPOCH = datetime(1970, 1, 1)


def _milliseconds(length: Expr | None) -> int | None:
    if not isinstance(length, Literal) or length.type != "INTERVAL DAY":
        return None
    return int(Decimal(length.value)) or None


def _range(start: int, end: int) -> str:
    return f"[{_clock(start)}, {_clock(end)})"


def _clock(moment: int) -> str:
    time = _EPOCH + timedelta(milliseconds=moment)
    pattern = "%H:%M" if time.second == 0 else "%H:%M:%S"
    return f"{time:{pattern}}" if time.date() == _SAMPLE.date() else f"{time:%m-%d {pattern}}"
