"""Flink's join by an interval of times, written after its operator: one row or watermark after another.

It shows what a join gives at a certain pace of its inputs. Times and lengths are milliseconds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

NEVER = -(10**18)
END = 10**18


class TimedRow(NamedTuple):
    """A row of one input, and the ``mark``, the watermark of this input when the row comes."""

    time: int
    key: int
    name: str
    mark: int


def with_marks(rows: Sequence[tuple[int, int, str]], delay: int) -> list[TimedRow]:
    """Rows with the largest watermark of the rows before, ``delay`` behind a time. Up to 1970 there is none."""
    mark, result = NEVER, []
    for time, key, name in rows:
        result.append(TimedRow(time, key, name, mark))
        if time - delay > 0:
            mark = max(mark, time - delay)
    return result


@dataclass
class _Kept:
    name: str
    is_joined: bool


@dataclass
class IntervalJoinOperator:
    """The operator. Rows of side 0 and 1 wait ``reaches[side]`` behind their time; ``pads`` are the outer sides."""

    reaches: tuple[int, int]
    pads: tuple[bool, bool]
    results: list[tuple[str | None, str | None]] = field(default_factory=list)
    _mark: int = NEVER
    _expired: list[int] = field(default_factory=lambda: [0, 0])
    _kept: tuple[dict[int, dict[int, list[_Kept]]], ...] = field(default_factory=lambda: ({}, {}))
    _timers: tuple[dict[int, int], ...] = field(default_factory=lambda: ({}, {}))

    def take(self, side: int, row: TimedRow) -> None:
        other = 1 - side
        first, last = row.time - self.reaches[other], row.time + self.reaches[side]
        is_joined = False
        if self._expired[other] < last:
            self._expired[other] = self._expiration(other)
            of_key = self._kept[other].get(row.key, {})
            for time in list(of_key):
                if first <= time <= last:
                    for kept in of_key[time]:
                        self._send(side, row.name, kept.name)
                        is_joined = kept.is_joined = True
                if time <= self._expired[other]:
                    self._let_go(other, of_key, time)
        if max(self._mark, 0) < last:
            self._kept[side].setdefault(row.key, {}).setdefault(row.time, []).append(_Kept(row.name, is_joined))
            if row.key not in self._timers[side]:
                self._timers[side][row.key] = row.time + self.reaches[side] + 1
        elif not is_joined and self.pads[side]:
            self._send(side, row.name, None)

    def advance(self, mark: int) -> None:
        """Let the watermark of the operator go on to ``mark``."""
        if mark <= self._mark:
            return
        self._mark = mark
        for side in (1, 0):
            while due := [key for key, timer in self._timers[side].items() if timer <= mark]:
                for key in due:
                    self._clean(side, key)

    def _clean(self, side: int, key: int) -> None:
        self._expired[side] = self._expiration(side)
        of_key = self._kept[side].get(key, {})
        for time in [time for time in of_key if time <= self._expired[side]]:
            self._let_go(side, of_key, time)
        earliest = -1
        for time in of_key:
            if time < earliest or earliest < 0:
                earliest = time
        if earliest > 0:
            self._timers[side][key] = earliest + self.reaches[side] + 1
        else:
            del self._timers[side][key]
            of_key.clear()

    def _expiration(self, side: int) -> int:
        return END if self._mark >= END else max(self._mark, 0) - self.reaches[side] - 1

    def _let_go(self, side: int, of_key: dict[int, list[_Kept]], time: int) -> None:
        for kept in of_key.pop(time):
            if not kept.is_joined and self.pads[side]:
                self._send(side, kept.name, None)

    def _send(self, side: int, name: str, partner: str | None) -> None:
        self.results.append((name, partner) if side == 0 else (partner, name))


def joined(
    inputs: tuple[list[TimedRow], list[TimedRow]],
    reaches: tuple[int, int],
    pads: tuple[bool, bool],
    pace: Sequence[int],
) -> list[str]:
    """The results at a ``pace``: the side of each next row."""
    operator, places, marks = IntervalJoinOperator(reaches, pads), [0, 0], [NEVER, NEVER]
    for side in pace:
        rows, place = inputs[side], places[side]
        operator.take(side, rows[place])
        places[side] = place + 1
        marks[side] = rows[place + 1].mark if place + 1 < len(rows) else END
        operator.advance(min(marks))
    return sorted(map(str, operator.results))


def paces(sizes: tuple[int, int], generator: random.Random, number: int) -> Iterator[list[int]]:
    """Each input as a whole before the other one, and ``number`` mixtures."""
    yield [0] * sizes[0] + [1] * sizes[1]
    yield [1] * sizes[1] + [0] * sizes[0]
    for _ in range(number):
        left, mixture = list(sizes), list[int]()
        while any(left):
            side = generator.choice([side for side in (0, 1) if left[side]])
            count = min(left[side], generator.choice((1, 1, 3, 10)))
            left[side] -= count
            mixture += [side] * count
        yield mixture
