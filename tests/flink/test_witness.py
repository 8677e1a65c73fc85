"""The search for the smallest rows that show a difference."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstate_flink import witness as module
from keepstate_flink.generated_rows import GeneratedRows
from keepstate_flink.restarts import Differences, RowsOf
from keepstate_flink.running_jobs import ScriptedJob
from keepstate_flink.witness import TableRows, witness

JOB = ScriptedJob("SELECT 1")


def found(
    monkeypatch: pytest.MonkeyPatch, rows: dict[str, GeneratedRows], needed: dict[tuple[str, int], set[str]]
) -> Any:
    """The witness of a restart that goes wrong with all of the ``needed`` rows, in their parts."""

    class Restarts:
        def __init__(self, jobs: object, rows_of: RowsOf) -> None:
            self._rows_of = rows_of

        def differences(self, baseline: object, current: object) -> Differences | None:
            for (table, part), lines in needed.items():
                given = self._rows_of(table, [])
                left = given.lines[given.cut :] if part else given.lines[: given.cut]
                if not lines <= set(left):
                    return None
            return Differences(("right",), ("wrong",))

    monkeypatch.setattr(module, "Restarts", Restarts)
    return witness(None, JOB, JOB, rows, Differences())  # type: ignore[arg-type]  # asked of nothing


def rows(before: int, after: int) -> GeneratedRows:
    return GeneratedRows(tuple(f"+I{number}" for number in range(before + after)), before)


@given(st.integers(0, 40), st.integers(1, 40), st.data())
def test_all_rows_but_the_needed_ones_are_left_out(before: int, after: int, data: st.DataObject) -> None:
    first = data.draw(st.sets(st.integers(0, max(before - 1, 0)), max_size=min(before, 3)))
    then = data.draw(st.sets(st.integers(before, before + after - 1), max_size=3))
    needed = {("t", 0): {f"+I{number}" for number in first}, ("t", 1): {f"+I{number}" for number in then}}
    with pytest.MonkeyPatch.context() as patch:
        answer = found(patch, {"t": rows(before, after), "u": rows(3, 3)}, needed)
    own, other = answer.rows
    assert (set(own.before), set(own.after)) == (needed["t", 0], needed["t", 1])
    assert other == TableRows("u", (), ())


def test_the_search_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.0)
    answer = found(monkeypatch, {"t": rows(4, 4)}, {("t", 1): {"+I7"}})
    assert len(answer.rows[0].before) + len(answer.rows[0].after) == 8
