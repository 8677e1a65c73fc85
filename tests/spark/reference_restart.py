"""A restart as a stream lives through it: rows one by one into keyed state, a savepoint, and on with what is left.

Plain Python and nothing of Keepstate: what a replay computes, and what a verdict claims, is held against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

Row = Mapping[str, Any]
Span = tuple[datetime, datetime] | None
"""A window; ``None`` for a query without windows."""
Signature = tuple[str, str]
"""Function and column: aggregates that have the same one have the same state."""

EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class Spec:
    """A query: ``window`` is empty for GROUP BY without windows, else its kind and lengths in minutes."""

    window: tuple[Any, ...]
    keys: tuple[str, ...]
    metrics: tuple[Signature, ...]
    least: int | None = None
    """Only rows whose v is larger."""

    def spans(self, time: datetime) -> list[Span]:
        """The windows that a row lies in; of sessions a span of its own, to be merged with others."""
        if not self.window:
            return [None]
        kind, *lengths = self.window
        spans = [timedelta(minutes=length) for length in lengths]
        if kind == "SESSION":
            return [(time, time + spans[0])]
        slide, size = (spans[0], spans[0]) if kind == "TUMBLE" else (spans[0], spans[1])
        begin = time - (time - EPOCH) % (size if kind == "CUMULATE" else slide)
        found: list[Span] = []
        if kind == "CUMULATE":
            end = begin + slide
            while end <= begin + size:
                if end > time:
                    found.append((begin, end))
                end += slide
            return found
        while begin + size > time:
            found.append((begin, begin + size))
            begin -= slide
        return found

    def takes(self, row: Row) -> bool:
        return self.least is None or (row["v"] is not None and row["v"] > self.least)

    def keeps_state_of(self, other: Spec, ignore_filter: bool) -> bool:
        """Return whether state that ``other`` wrote is about the same groups of the same rows, or of rows that were
        filtered otherwise if that does not matter. Sets of distinct values come or go with everything else.
        """
        if (self.window, self.keys) != (other.window, other.keys):
            return False
        ours, theirs = set(self.metrics), set(other.metrics)
        distinct = {signature for signature in ours ^ theirs if signature[0] == "COUNT DISTINCT"}
        return bool(ours & theirs) and not distinct and (ignore_filter or self.least == other.least)


Group = tuple[tuple[Any, ...], Span]


class Job:
    """The state of a running query: for each group and aggregate the values that it has seen."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.state: dict[Group, dict[Signature, list[Any]]] = {}
        self.out: dict[Group, tuple[Any, ...]] = {}
        """The last result of each group."""

    def take(self, row: Row) -> None:
        if not self.spec.takes(row):
            return
        key = tuple(row[name] for name in self.spec.keys)
        for span in self.spec.spans(row["ts"]):
            group = self._merged(key, span)
            values = self.state.setdefault(group, {})
            for signature in self.spec.metrics:
                values.setdefault(signature, []).append(row[signature[1]])
            if span is None:
                self.emit(group)

    def _merged(self, key: tuple[Any, ...], span: Span) -> Group:
        """The group of a row; of sessions that it brings together, one."""
        if not self.spec.window or self.spec.window[0] != "SESSION" or span is None:
            return key, span
        begin, end = span
        touched = [
            group
            for group in self.state
            if group[0] == key and group[1] is not None and group[1][0] <= end and begin <= group[1][1]
        ]
        parts = [self.state.pop(group) for group in touched]
        spans = [span, *(group[1] for group in touched if group[1] is not None)]
        merged: dict[Signature, list[Any]] = {}
        for part in parts:
            for signature, values in part.items():
                merged.setdefault(signature, []).extend(values)
        group = key, (min(begin for begin, _ in spans), max(end for _, end in spans))
        self.state[group] = merged
        return group

    def close(self, watermark: datetime | None) -> None:
        """Send the results of windows that the watermark has passed; of all of them without one."""
        for group in list(self.state):
            if group[1] is not None and (watermark is None or group[1][1] - timedelta(milliseconds=1) <= watermark):
                self.emit(group)
                del self.state[group]

    def emit(self, group: Group) -> None:
        values = self.state[group]
        self.out[group] = tuple(FUNCTIONS[name](values.get((name, column), [])) for name, column in self.spec.metrics)

    def run(self, rows: Iterable[Row], delay: timedelta) -> Job:
        for row in rows:
            self.take(row)
            self.close(row["ts"] - delay)
        return self


def restored(spec: Spec, former: Job, reuse: bool) -> Job:
    """``spec`` started from the savepoint of ``former``: aggregates that it does not know start empty."""
    job = Job(spec)
    if reuse:
        for group, values in former.state.items():
            job.state[group] = {signature: list(values[signature]) for signature in spec.metrics if signature in values}
        job.out = dict(former.out) if not spec.window else {}
    return job


def _known(values: Sequence[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def _average(values: Sequence[Any]) -> int | None:
    known = _known(values)
    if not known:
        return None
    total = sum(known)
    return abs(total) // len(known) * (1 if total >= 0 else -1)


FUNCTIONS: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "SUM": lambda values: sum(_known(values)) if _known(values) else None,
    "COUNT": lambda values: len(_known(values)),
    "COUNT DISTINCT": lambda values: len(set(_known(values))),
    "MIN": lambda values: min(_known(values), default=None),
    "MAX": lambda values: max(_known(values), default=None),
    "AVG": _average,
    "FIRST_VALUE": lambda values: next(iter(_known(values)), None),
    "LAST_VALUE": lambda values: next(reversed(_known(values)), None),
}
"""Flink's aggregates of whole numbers."""
