"""What a clause keeps in state, for a reader who points at it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from keepstate.analysis import JobVersion
from keepstate.diff.words import window_words
from keepstate.plan.expressions import Expr, Literal
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.layouts import StateLayout, accumulator, layout_of
from keepstate.plan.operators import Aggregate, Operator, Rank, Window, WindowKind, WindowTableFunction
from keepstate.plan.provenance import Place
from keepstate.report import StateNote
from keepstate.syntax.script import parse_script
from keepstate.text import Span

_SAMPLE = datetime(2026, 1, 1, 8, 4, 30)
"""The row of which the example windows are shown."""


def state_notes(version: JobVersion) -> tuple[StateNote, ...]:
    """A note for every clause that keeps state, and for every window, in text order."""
    job = Job.of(parse_script(version.text), version.parameters, version.engine_version)
    notes = {(note.span, note.title): note for pipeline in job.pipelines for note in _pipeline_notes(job, pipeline)}
    return tuple(sorted(notes.values(), key=lambda note: (note.span, note.title)))


def _pipeline_notes(job: Job, pipeline: Pipeline) -> Iterator[StateNote]:
    for operator in pipeline.plan.operators:
        for place, note in _operator_notes(operator):
            span = job.span_of(place, pipeline)
            if span is not None:
                yield StateNote(span, note.operator, note.title, note.keeps, note.keyed_by, note.until, note.example)


def _operator_notes(operator: Operator) -> Iterator[tuple[Place, StateNote]]:
    if isinstance(operator, WindowTableFunction) and operator.window.place is not None:
        yield operator.window.place, _window_note(operator.window)
    layout = layout_of(operator)
    if layout is None:
        return
    if isinstance(operator, Aggregate):
        window: Window | None = getattr(operator, "window", None)
        if window is not None and window.place is not None:
            yield window.place, _window_note(window)
        for call in operator.aggregates:
            if call.place is not None:
                yield call.place, _note(layout, accumulator(call), keeps=())
        for place in (operator.keys_place, operator.place):
            if place is not None:
                yield place, _note(layout, layout.title)
                break
    elif isinstance(operator, Rank):
        for place in (operator.place, operator.range_place):
            if place is not None:
                yield place, _note(layout, layout.title)
    elif operator.place is not None:
        yield operator.place, _note(layout, layout.title)


def _note(layout: StateLayout, title: str, keeps: tuple[str, ...] | None = None) -> StateNote:
    return StateNote(
        Span(0, 0),
        layout.operator,
        title,
        layout.keeps if keeps is None else keeps,
        layout.keyed_by,
        layout.until,
    )


def _window_note(window: Window) -> StateNote:
    return StateNote(
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
    shown = f"a row at {_SAMPLE:%H:%M:%S} lies in"
    moment = int((_SAMPLE - _EPOCH).total_seconds() * 1000)
    if window.kind is WindowKind.SESSION and gap:
        yield f"{shown} a window that ends at {_clock(moment + gap)} unless another row comes before"
    elif window.kind is WindowKind.TUMBLE and size:
        start = moment - (moment - offset) % size
        yield f"{shown} {_range(start, start + size)}"
    elif window.kind is WindowKind.HOP and size and slide:
        start = moment - (moment - offset) % slide
        found: list[str] = []
        while start > moment - size and len(found) < 4:
            found.append(_range(start, start + size))
            start -= slide
        more = " and more" if start > moment - size else ""
        yield f"{shown} {', '.join(reversed(found))}{more}" if found else f"{shown} no window at all"
    elif window.kind is WindowKind.CUMULATE and size and step:
        start = moment - (moment - offset) % size
        first = start + ((moment - start) // step + 1) * step
        ends = list(range(first, start + size + 1, step))
        more = f" and so on to {_clock(ends[-1])}" if len(ends) > 3 else ""
        yield f"{shown} {', '.join(_range(start, end) for end in ends[:3])}{more}"


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
