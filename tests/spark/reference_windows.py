"""Windows by their definitions, in plain Python and as slowly as need be.

Times are whole microseconds on the wall clock, lengths milliseconds, windows pairs of start and end in microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

Span = tuple[int, int]
MS = 1000
EPOCH = datetime(1970, 1, 1)


def tumbles(time: int, size: int, offset: int) -> list[Span]:
    return [span for span in _grid(time, size, size, offset) if _covers(span, time)]


def hops(time: int, slide: int, size: int, offset: int) -> list[Span]:
    return [span for span in _grid(time, slide, size, offset) if _covers(span, time)]


def cumulations(time: int, step: int, size: int, offset: int) -> list[Span]:
    grown = (
        (start, start + number * step * MS)
        for start, _ in _grid(time, size, size, offset)
        for number in range(1, size // step + 1)
    )
    return [span for span in grown if _covers(span, time)]


def sessions(times: Sequence[int], gap: int) -> dict[int, Span]:
    """The session of each of the times of one key: spans that overlap or touch are one."""
    merged: list[Span] = []
    for start in sorted(time // MS * MS for time in times):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], start + gap * MS))
        else:
            merged.append((start, start + gap * MS))
    return {time: next(span for span in merged if span[0] <= time < span[1]) for time in times}


def local(instant: int, zone: str) -> int:
    """The wall clock in ``zone`` at an instant."""
    there = (EPOCH + timedelta(microseconds=instant)).replace(tzinfo=timezone.utc).astimezone(ZoneInfo(zone))
    return (there.replace(tzinfo=None) - EPOCH) // timedelta(microseconds=1)


def moment(wall_clock: int, zone: str) -> int:
    """The first instant at which it shows this, or what it shows instead."""
    there = (EPOCH + timedelta(microseconds=wall_clock)).replace(tzinfo=ZoneInfo(zone))
    return (there.astimezone(timezone.utc).replace(tzinfo=None) - EPOCH) // timedelta(microseconds=1)


def _grid(time: int, slide: int, size: int, offset: int) -> Iterator[Span]:
    """All windows that could cover ``time``, and a few that do not."""
    first = (time - (size + offset) * MS) // (slide * MS) - 1
    last = (time - offset * MS) // (slide * MS) + 1
    for number in range(first, last + 1):
        start = (offset + number * slide) * MS
        yield start, start + size * MS


def _covers(span: Span, time: int) -> bool:
    return span[0] <= time < span[1]


def counted(keys: Sequence[int], count: int, every: int) -> list[list[int]]:
    """The rows, by number, of each full window of ``count`` rows that begins with every ``every``-th row of a key."""
    full = []
    for key in sorted(set(keys)):
        of_key = [row for row, other in enumerate(keys) if other == key]
        for first in range(0, len(of_key), every):
            window = of_key[first : first + count]
            if len(window) == count:
                full.append(window)
    return full


def rows_before(kind: str, keys: Sequence[int], times: Sequence[int], row: int, before: int, after: int) -> set[int]:
    """The rows of the row window of ``row``; rows are in order. Lengths are rows, or milliseconds."""
    time = times[row]
    of_key = [other for other, key in enumerate(keys) if key == keys[row]]
    place = of_key.index(row)
    earlier = of_key[: place + 1]
    if kind == "tumble time":
        (window,) = tumbles(time, before, after)
        return {other for other in earlier if _covers(window, times[other])}
    if kind == "tumble rows":
        return set(earlier[place // before * before :])
    if kind == "slide rows":
        return set(of_key[max(0, place - before) : place + after + 1])
    if kind == "slide range":
        return {other for other in of_key if -before * MS <= times[other] - time <= after * MS}
    spans = sessions([times[other] for other in of_key], before)
    return {other for other in earlier if spans[times[other]] == spans[time]}
